"""The operator's files as they are when they are needed, in a process that may have started months before.

Read anew when a night begins and a file changed since: products, watches, competitors with their recipes, rules, and of
monitor.toml what only a night needs (budgets, pacing, the quorum). `[writes]` and `[mail]` are read anew at once:
whoever switches writes off, or takes somebody out of the mail, relies on it. What the process itself works by stays as
it was when it started: the schedule, the shop, reviews, alerts, the web, services and secrets.

Files that cannot be used now cost no night: it begins with what was read last, and whoever begins it is told why.
"""

import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from monitor.domain.plan import NightPlan
from monitor.errors import Misconfigured
from monitor.settings import Settings, load
from monitor.settings.load import FILES, read_common
from monitor.settings.shown import ShownSetting

#: So many problems of files that cannot be used are named, the rest is counted.
_NAMED = 3
#: Sections of monitor.toml that count in a process that works, at once or from the next night on.
_FOLLOWED = frozenset({"budget", "pacing", "report", "writes", "mail"})
#: How long somebody who changed the others has to start the monitor again before it is told that they do not count.
PATIENCE_S = 900.0
#: What tells one state of the files from another: of each its inode, time and size, None while it is not there.
Stamps = tuple[tuple[int, int, int] | None, ...]


def stamps_of(directory: Path) -> Stamps:
    """Return the state of the files of a config directory; taken before they are read, so that no change is missed."""
    return tuple(_stamp(directory / name) for name in FILES)


def _stamp(file: Path) -> tuple[int, int, int] | None:
    try:
        known = file.stat()
    except OSError:
        return None
    return known.st_ino, known.st_mtime_ns, known.st_size


class NightFiles:
    """What nights begin with; safe to ask from several threads.

    Args:
        settings: as they were read when the process started.
        stamps: the state of the files right before that.
        environ: what they were read with; None: the environment of this process.
    """

    def __init__(self, settings: Settings, stamps: Stamps, environ: Mapping[str, str] | None) -> None:
        self._settings, self._stamps, self._environ = settings, stamps, environ
        self._refused: str | None = None
        self._plan, self._common = settings.plan, stamps[0]
        self._waiting: tuple[str, ...] = ()  #: keys that count only in a new process
        self._waiting_since: float | None = None  #: None: there are none, or it was told
        self._lock = threading.Lock()

    @property
    def have_changed(self) -> bool:
        """Whether a file is another one than when they were last read."""
        return stamps_of(self._settings.config_dir) != self._stamps

    def plan(self) -> NightPlan:
        """Return the plan that the process works by at this moment; while monitor.toml is not right, as it said before.

        The shop that prices are written to is that of the process.
        """
        with self._lock:
            directory, known = self._settings.config_dir, self._plan.writes
            common = _stamp(directory / FILES[0])
            if common != self._common and (read := read_common(directory)) is not None:
                fresh, shown = read
                self._common = common
                writes = replace(fresh.writes, channel=known.channel, tax_included=known.tax_included)
                self._plan = replace(self._plan, writes=writes, mail=fresh.mail)
                self._wait_for(_changed(self._settings.shown, shown))
            return self._plan

    def _wait_for(self, keys: tuple[str, ...]) -> None:
        if keys != self._waiting:
            self._waiting, self._waiting_since = keys, time.monotonic() if keys else None

    def overdue(self) -> tuple[str, ...]:
        """Return, once, the keys that monitor.toml says otherwise for a while and that count only in a new process."""
        with self._lock:
            since = self._waiting_since
            if since is None or time.monotonic() - since < PATIENCE_S:
                return ()
            self._waiting_since = None
            return self._waiting

    def now(self) -> tuple[Settings, str | None]:
        """Return the settings for a night that begins now, and why they are older ones where the files are wrong."""
        mail = self.plan().mail
        with self._lock:
            stamps = stamps_of(self._settings.config_dir)
            if stamps != self._stamps:
                self._stamps = stamps
                self._read()
            return replace(self._settings, plan=replace(self._settings.plan, mail=mail)), self._refused

    def _read(self) -> None:
        old = self._settings
        try:
            fresh = load(old.config_dir, self._environ)
        except Misconfigured as wrong:
            self._refused = _in_words(wrong.problems)
            return
        if fresh.plan.currency != old.plan.currency:  # the catalogue would be read in another one than it is written in
            self._refused = f"shop.currency is {fresh.plan.currency} now; start the monitor again"
            return
        self._refused = None
        fresh.shelf.put_away()  # until a night begins nobody needs it
        self._settings = replace(
            old, plan=_for_a_night(old.plan, fresh.plan), shelf=fresh.shelf, robots_reasons=fresh.robots_reasons
        )


def _for_a_night(old: NightPlan, fresh: NightPlan) -> NightPlan:
    """Return the new plan with what the process works by as it is."""
    return replace(fresh, schedule=old.schedule, writes=old.writes, review=old.review, notify=old.notify)


def _in_words(problems: Sequence[str]) -> str:
    more = f"; and {len(problems) - _NAMED} more, see: monitor doctor" if len(problems) > _NAMED else ""
    return "; ".join(problems[:_NAMED]) + more


def _changed(old: Iterable[ShownSetting], new: Iterable[ShownSetting]) -> tuple[str, ...]:
    before = {(one.section, one.key): one.value for one in old}
    return tuple(
        f"{one.section}.{one.key}"
        for one in new
        if one.section not in _FOLLOWED and one.value != before.get((one.section, one.key))
    )
