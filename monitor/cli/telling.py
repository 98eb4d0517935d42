"""What `monitor run` tells a person at a terminal while a night is under way, on standard error.

A shop that has ended, a night that goes on and the making of the report are lines that stay; below them stand the shops
that are being visited, renewed in place. Times are local to the night, and no line is wider than the terminal. Programs
get the log instead.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from math import ceil
from zoneinfo import ZoneInfo

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from monitor.cli.options import folded, harmless
from monitor.domain.report.wording import counted, day
from monitor.domain.run import ENDED, ENDED_RUN, Job, JobKind, JobState, Run, RunState
from monitor.domain.unread import Rest
from monitor.ports.store import Unit
from monitor.wiring import App
from monitor.wiring.frozen import frozen_catalogue

#: Shops under way that are shown at once.
_SHOWN = 8
_NAME_LIMIT = 40
#: Seconds from which a wait is told by its end.
_LONG_S = 60


@dataclass(slots=True)
class Telling:
    """What was told of one night so far."""

    app: App
    live: Live
    began: datetime  #: when this command did; a night that is older goes on
    names: Mapping[str, str] = field(default_factory=dict)
    watches: Mapping[str, int] = field(default_factory=dict)
    told: set[int] = field(default_factory=set)  #: jobs whose end was told, or came before this command
    seen: object = None  #: what the jobs were when they were last looked at
    state: RunState | None = None

    def tick(self, night: Run) -> None:
        """Tell what has changed since the last call."""
        with self.app.store.read() as unit:
            jobs, now = unit.jobs.of_run(night.id), unit.now
            if self.state is None:
                self._first(unit, night, jobs)
            seen = [(job.state, job.next_seq, job.run_at) for job in jobs]
            rests = None if seen == self.seen else unit.past.results(night.id)
        if rests is not None:
            self.seen = seen
            self._shops(jobs, {key: Rest.of(results) for key, results in rests.items()}, now)
        if night.state is not self.state and night.state is RunState.SYNTHESISING:
            self._say("The report is being made.", now)
        self.state = night.state

    def _first(self, unit: Unit, night: Run, jobs: tuple[Job, ...]) -> None:
        catalogue = frozen_catalogue(unit, night)
        self.names = {one.id: harmless(one.name)[:_NAME_LIMIT] for one in catalogue.competitors}
        self.watches = {one.id: len(catalogue.watches_of(one.id)) for one in catalogue.competitors}
        visits = [job for job in jobs if job.kind is JobKind.COMPETITOR]
        self.told = {job.id for job in visits if job.state in ENDED}
        if night.state in ENDED_RUN:
            return
        what, shops = f"The night of {day(night.local_date)}", counted(len(visits), "competitor")
        if night.started_at < self.began:
            self._say(f"{what} goes on where it stopped: {len(self.told)} of {shops} done.", unit.now)
        else:
            self._say(f"{what} begins: {shops}, {counted(sum(self.watches.values()), 'watch', 'watches')}.", unit.now)

    def _shops(self, jobs: tuple[Job, ...], rests: Mapping[str, Rest], now: datetime) -> None:
        visits = [job for job in jobs if job.kind is JobKind.COMPETITOR]
        self._renew(visits, rests, now)
        for job in visits:
            if job.state in ENDED and job.id not in self.told:
                self.told.add(job.id)
                self._say(self._ended(job, rests.get(job.key, Rest())), now)

    def _renew(self, visits: list[Job], rests: Mapping[str, Rest], now: datetime) -> None:
        """Show the shops under way anew, those at work first."""
        open_ones = [job for job in visits if job.state not in ENDED]
        moving = sorted(open_ones, key=lambda job: (job.state is not JobState.RUNNING, job.run_at))
        lines = [self.under_way(job, rests.get(job.key, Rest()), now) for job in moving[:_SHOWN]]
        if len(moving) > _SHOWN:
            lines.append(f"      and {len(moving) - _SHOWN} more")
        if lines:
            lines.append(f"      {len(visits) - len(open_ones)} of {counted(len(visits), 'competitor')} done")
        self.live.update(
            Group(*(Text(line, no_wrap=True, overflow="ellipsis", style="dim") for line in lines)), refresh=True
        )

    def under_way(self, job: Job, rest: Rest, now: datetime) -> str:
        """Return the line of a shop that is being visited, and how long it waits."""
        wait = ceil((job.run_at - now).total_seconds())
        waits = f"waits {wait} s" if wait < _LONG_S else f"waits until {self._clock(job.run_at)}"
        return f"      {self._read(job, rest)}{f', {waits}' if job.state is JobState.QUEUED and wait > 0 else ''}"

    def _ended(self, job: Job, rest: Rest) -> str:
        failed = {JobState.FAILED: f"failed: {job.error or 'no words'}", JobState.LATE: "came too late for the report"}
        why = failed.get(job.state) or (f"{rest.asked - rest.read} not read: {rest.why}" if rest.why else "")
        return f"{self._read(job, rest)}{f'; {harmless(why)}' if why else ''}"

    def _read(self, job: Job, rest: Rest) -> str:
        return f"{self.names.get(job.key, job.key)}: {rest.read} of {self.watches.get(job.key, rest.asked)} read"

    def _say(self, words: str, now: datetime) -> None:
        self.live.console.print(Text(folded(f"{self._clock(now)} {words}", self.live.console.width, 6)))

    def _clock(self, moment: datetime) -> str:
        return f"{moment.astimezone(ZoneInfo(self.app.plan.schedule.zone)):%H:%M}"


@contextmanager
def telling(app: App) -> Iterator[Telling]:
    """Tell of a night on standard error until it ends."""
    with Live(console=Console(stderr=True, highlight=False), transient=True, refresh_per_second=4) as live:
        yield Telling(app, live, app.clock.now())
