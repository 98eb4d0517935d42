"""`monitor run`: one night in this process."""

import sys
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime
from typing import Annotated, Any

import typer

from monitor.adapters.liveness import AnotherWorks
from monitor.adapters.log import only_warnings
from monitor.cli import INTERRUPTED
from monitor.cli.options import AsJson, ConfigDir, day_of, fitted, local_time, print_json, say
from monitor.cli.telling import telling
from monitor.domain.extraction import Outcome
from monitor.domain.message import Alert, Mail, MailState, worth_telling
from monitor.domain.night import coming, night_of
from monitor.domain.night_result import night_result
from monitor.domain.plan import NightPlan
from monitor.domain.report.wording import counted
from monitor.domain.run import Run, RunState
from monitor.domain.unread import READ_WORD, counted_kinds
from monitor.errors import StoreUnavailable
from monitor.flow.begin import check_day, ended
from monitor.settings.environment import LogForm
from monitor.wiring import App, open_app, run_night
from monitor.wiring.frozen import frozen_catalogue

#: What `monitor run --json` prints of a night, no more and no less; others read it.
CONTRACT = ("run", "date", "state", "jobs", "tool_calls", "observations", "proposals", "watches")
#: Competitors of which nothing was read that are named; the others are counted.
_EMPTY_NAMED = 10


Day = Annotated[
    date | None,
    typer.Option(
        "--date",
        parser=day_of,
        metavar="YYYY-MM-DD",
        help="The local date of the night; else that of the latest due one. One of the coming 7 nights begins now, "
        "with a warning, and does not begin again at its time; one that is over can only be resumed.",
    ),
]
Again = Annotated[
    bool,
    typer.Option(
        "--again",
        help="Visit everything once more although the night has ended, for example after correcting a recipe. What "
        "the night proposed before and nobody decided is replaced or withdrawn; an approval stays unless another price "
        "is proposed before it is written.",
    ),
]
Log = Annotated[
    bool,
    typer.Option("--log", help="In a terminal, print the log of events, in UTC, instead of lines for a person."),
]


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command(epilog="Example: monitor run --config shop --json")(run)


def run(
    config: ConfigDir = None, day: Day = None, again: Again = False, log: Log = False, as_json: AsJson = False
) -> None:
    """Run one night to its end in this process, or resume it where it was interrupted.

    Exits with 0 when a report exists, 130 when Ctrl-C stopped it. A night that has its report already is only shown,
    and said to be; --again runs it once more.
    """
    app = open_app(config, role="run")
    try:
        for words in _told_before(app, day, again=again):
            typer.secho(fitted(words, under=0, err=True), fg=typer.colors.YELLOW, err=True)
        tells = sys.stderr.isatty() and not as_json and not log and app.settings.log is LogForm.CONSOLE
        night = _watched(app, day, again=again, tells=tells)
        facts = _facts(app, night)
        with app.store.read() as unit:
            alerts, mails = worth_telling(unit.alerts.of_run(night.id)), unit.mails.of_run(night.id)
    except KeyboardInterrupt:
        typer.echo(f"Stopped. {_goes_on(day)}", err=True)
        raise typer.Exit(INTERRUPTED) from None
    except StoreUnavailable as away:
        raise StoreUnavailable(f"{away}. {_goes_on(day)}") from away
    finally:
        app.close()
    if as_json:
        print_json({name: value for name, value in facts.items() if name in CONTRACT})
    else:
        mail = mail_words(mails, app.plan, app.clock.now(), sends=app.mailer is not None)
        _print_summary(facts, app.plan, alerts, mail)
    raise typer.Exit(0 if night.state is RunState.REPORTED else 1)


def _goes_on(day: date | None) -> str:
    return f"`monitor run{f' --date {day}' if day else ''}` goes on from here."


def _told_before(app: App, day: date | None, *, again: bool) -> Iterator[str]:
    """Yield what a person should know before the night runs; raises NotThisNight when it may not run."""
    if day is not None:
        check_day(app.store, app.plan.schedule, day, again=again)
        if early := early_words(app, day):
            yield early
    if not again and (over := ended(app.store, app.plan.schedule, day)) is not None:
        yield ended_words(over, app.plan, app.clock.now())


def ended_words(night: Run, plan: NightPlan, now: datetime) -> str:
    """Say that a night was not run again, when the next one begins and how to look now."""
    zone = plan.schedule.zone
    since = local_time(night.ended_at or night.started_at, zone, now)
    what = "has its report already, since" if night.state is RunState.REPORTED else "ended without a report at"
    following = local_time(next(coming(now, plan.schedule)).due_at, zone)
    return (
        f"The night of {night.local_date} {what} {since}, and nothing was visited now. The next night begins "
        f"{following}. To visit everything again now, for example after correcting a recipe or an address: "
        "monitor run --again. To try one page and store nothing: monitor check URL"
    )


def early_words(app: App, day: date) -> str | None:
    """Return the warning about a night that is not due yet, None when it is or has begun already."""
    schedule = app.plan.schedule
    due = night_of(day, schedule).due_at
    with app.store.read() as unit:
        has_begun = unit.runs.of_date(schedule.name, day) is not None
    if has_begun or due <= app.clock.now():
        return None
    return (
        f"Warning: the night of {day} is not due until {local_time(due, schedule.zone)}; begun now, it will not begin "
        "again then, and nights before it propose nothing any more."
    )


def _watched(app: App, day: date | None, *, again: bool, tells: bool) -> Run:
    """Run the night, and tell of it in lines for a person or leave that to the log.

    A night that has ended is shown also while another process works: that one runs the errands after it.
    """
    try:
        return _ran(app, day, again=again, tells=tells)
    except AnotherWorks:
        if again or (over := ended(app.store, app.plan.schedule, day)) is None:
            raise
        return over


def _ran(app: App, day: date | None, *, again: bool, tells: bool) -> Run:
    if not tells:
        return run_night(app, day, again=again)
    only_warnings()
    with telling(app) as told:
        return run_night(app, day, again=again, on_tick=told.tick)


def _facts(app: App, night: Run) -> dict[str, Any]:
    with app.store.read() as unit:
        return night_result(
            night,
            unit.jobs.of_run(night.id),
            unit.observations.of_run(night.id),
            unit.actions.of_run(night.id),
            frozen_catalogue(unit, night),
        )


def mail_words(mails: tuple[Mail, ...], plan: NightPlan, now: datetime, *, sends: bool) -> str:
    """Say which mails of a night left, which wait and until when, or why there are none."""
    if not plan.mail.recipients:
        return "none set (mail.recipients in monitor.toml); the report is stored only"
    states = [mail.state for mail in mails]
    words = [f"{states.count(state)} {state}" for state in MailState if state in states and state != MailState.PENDING]
    if waiting := [mail for mail in mails if mail.state is MailState.PENDING]:
        words.append(_waiting_words(waiting, plan.schedule.zone, now, sends=sends))
    return ", ".join(words) or "none for this night"


def _waiting_words(waiting: list[Mail], zone: str, now: datetime, *, sends: bool) -> str:
    wait = f"{counted(len(waiting), 'mail')} {'waits' if len(waiting) == 1 else 'wait'}"
    if not sends:
        return f"{wait}, because MONITOR_SMTP_URL names no mail server"
    leaves_at = max(mail.not_before for mail in waiting)
    until = f"until {local_time(leaves_at, zone, now)}" if leaves_at > now else "for the mail server"
    return f"{wait} {until}; `monitor up` sends what waits, and so does a later `monitor run`"


def _kinds(watches: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    return counted_kinds((Outcome(watch["outcome"]), watch["reason"], 1) for watch in watches)


def _empty(watches: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the competitors of which nothing was read, each with what came back most."""
    by_shop: dict[str, list[Mapping[str, Any]]] = {}
    for watch in watches:
        by_shop.setdefault(watch["competitor"], []).append(watch)
    kinds = {shop: _kinds(these) for shop, these in sorted(by_shop.items())}
    return [f"{shop} ({next(iter(found))})" for shop, found in kinds.items() if READ_WORD not in found]


def _print_summary(facts: dict[str, Any], plan: NightPlan, alerts: tuple[Alert, ...], mail: str) -> None:
    outcomes = ", ".join(f"{count} {kind}" for kind, count in _kinds(facts["watches"]).items())
    visited, calls = counted(facts["jobs"], "competitor"), counted(facts["tool_calls"], "tool call")
    say(f"{facts['run']}: {facts['state']}{' (partial)' if facts['partial'] else ''}")
    say(f"  {visited}, {calls}, {counted(len(facts['watches']), 'watch', 'watches')}")
    say(f"  watches: {outcomes or 'none'}")
    if empty := _empty(facts["watches"]):
        more = f" and {len(empty) - _EMPTY_NAMED} more" if len(empty) > _EMPTY_NAMED else ""
        say(f"  nothing read of: {', '.join(empty[:_EMPTY_NAMED])}{more}")
    for alert in alerts:
        say(f"  alert: {alert.words}")
    say(f"  {counted(facts['proposals'], 'proposal')}; show them with: monitor actions")
    say(f"  report: {plan.review.public_url}/runs/{facts['run']}/report while `monitor up` or `monitor web` runs")
    say(f"  mail: {mail}")
    if not plan.writes.enabled:
        say("  dry run: what you approve is recorded and not written until writes.enabled is true")
