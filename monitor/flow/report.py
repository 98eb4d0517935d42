"""Make the report of a night: load its facts, ask the domain, store page and mails together.

The report, the review links and one mail per recipient are stored in one transaction, the report first and
only once: whoever comes second changes nothing. So a night run twice mails once, and a crash leaves either
everything or nothing. Nothing is sent here; `post` does, when the mail's time has come.

No recipients: the report is stored and that is all.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import date, datetime, timedelta
from typing import TypeAlias

from monitor.domain.action import Action
from monitor.domain.catalogue import Catalogue
from monitor.domain.message import worth_telling
from monitor.domain.night import instant
from monitor.domain.observation import OWN
from monitor.domain.picture import Chart, Form, Tables, comparables, mail_size, png_size, portfolio_tables, strip_tables
from monitor.domain.plan import MailPlan, NightPlan, ReviewPlan, Schedule
from monitor.domain.report import NightFacts, Report, build, letter, message_id
from monitor.domain.report.executions import Written
from monitor.domain.report.letter import Attachment
from monitor.domain.report.view import Notice
from monitor.domain.report.withheld import withheld
from monitor.domain.run import Run, RunState, StepState
from monitor.domain.snapshot import catalogue_from_json, plan_from_json
from monitor.domain.standing import Portfolio
from monitor.domain.visit import ROBOTS
from monitor.errors import CannotSucceed
from monitor.ports.charts import ChartFailed, Charts
from monitor.ports.messages import Picture, Renderer, ReviewLink, StoredReport
from monitor.ports.store import Store, Unit

#: Issues the review link of a recipient for a run whose mail leaves at that time, within the given transaction.
IssueLink: TypeAlias = Callable[[Unit, ReviewPlan, str, str, datetime], ReviewLink]

#: Makes the proposals of a run into files of the wanted forms, `csv` and `xlsx`.
Attach: TypeAlias = Callable[[str, Sequence[Action], Sequence[str]], Sequence[Attachment]]

#: Nights before this one whose approved prices may still be on their way.
_NIGHTS_BACK = 5
#: Newest runs among which theirs are looked for: a night may be run again and again.
_RUNS_BACK = 50
_ONE_DAY = timedelta(days=1)
#: Nights that the trend goes back, and with how many it begins to be one.
_TREND, _TREND_LEAST = 60, 3


class NothingToReport(CannotSucceed):
    """A run, or what it froze when it began, is not in the database."""

    def __init__(self, run_id: str, what: str) -> None:
        super().__init__(
            f"{run_id}: no report, {what} is not in the database. Nothing was stored or mailed. Restore the "
            "database from a backup, or let the next night begin."
        )
        self.run_id = run_id


def report(
    store: Store,
    renderer: Renderer,
    run_id: str,
    *,
    issue_link: IssueLink,
    charts: Charts | None = None,
    attach: Attach | None = None,
    frozen: tuple[NightPlan, Catalogue] | None = None,
) -> bool:
    """Store a run's report with its mails and close the run; say whether this call did.

    Safe to repeat: a run that has a report keeps it. A chart that cannot be drawn is left out: the mail is complete
    without any.

    Args:
        charts: draws the mail's pictures; None: it has none.
        attach: makes the files that `mail.attachments` asks for; None: the mail has none.
        issue_link: called with the transaction, the frozen review plan, the run, a recipient and when the mail
            leaves; only when there is something to decide.
        frozen: the plan and the catalogue of the run, where the caller has read them already: of ten thousand watches
            a second copy takes 20 MB.

    Raises:
        NothingToReport: the run is not known, or what it froze is gone.
    """
    with store.read() as unit:
        if unit.reports.get(run_id) is not None:
            return False
        facts = _facts(unit, run_id, frozen)
        made = build(facts, now=unit.now)
        trend = unit.standings.portfolios()[-_TREND:]
    pictures = (
        tuple(_pictures(charts, facts, made, trend))
        if charts is not None and facts.plan.mail.charts and facts.plan.mail.recipients
        else ()
    )
    wanted = facts.plan.mail.attachments if facts.plan.mail.recipients and facts.actions else ()
    files = attach(run_id, facts.actions, wanted) if attach is not None and wanted else ()
    page, text = renderer.page(made), renderer.mail(made).text
    with store.write() as unit:
        if not unit.reports.store(StoredReport(run_id, made.as_json(), page, text, made.made_at)):
            return False
        for recipient in dict.fromkeys(facts.plan.mail.recipients):
            _post(unit, renderer, made, facts, recipient, issue_link, pictures, files)
        unit.runs.close(run_id, RunState.REPORTED)
    return True


def _post(
    unit: Unit,
    renderer: Renderer,
    made: Report,
    facts: NightFacts,
    recipient: str,
    issue_link: IssueLink,
    pictures: tuple[Picture, ...],
    files: Sequence[Attachment],
) -> None:
    leaves_at = max(unit.now, _morning(facts.run, facts.plan.mail, facts.plan.schedule))
    link = issue_link(unit, facts.plan.review, made.run_id, recipient, leaves_at) if made.needs.total else None
    mail, key = facts.plan.mail, f"report:{made.run_id}:{recipient}"
    own_id = message_id("report", made.run_id, recipient, mail.sender)
    rendered = renderer.mail(made, link, pictures)
    unit.mails.post(
        dedupe_key=key,
        run_id=made.run_id,
        recipient=recipient,
        subject=made.subject,
        content=letter(
            mail,
            recipient=recipient,
            subject=made.subject,
            message_id=own_id,
            at=unit.now,
            text=rendered.text,
            html=rendered.html,
            pictures={one.name: one.body for one in pictures},
            attachments=files,
        ),
        message_id=own_id,
        not_before=leaves_at,
    )


def _pictures(
    charts: Charts, facts: NightFacts, made: Report, trend: Sequence[tuple[date, Portfolio]]
) -> Iterator[Picture]:
    """Yield the pictures of a mail; one that cannot be drawn is left out, since all of it stands in words beside it."""
    shown = {row.action_id: row for row in made.needs.rows}
    rows = [(shown[action.id], comparables(action)) for action in facts.actions if action.id in shown]
    rows.sort(key=lambda pair: made.needs.rows.index(pair[0]))
    wanted: list[tuple[Chart, Tables, str]] = []
    if rows:
        words = "Rivals' prices and the proposed ones, in percent of ours today; the figures are in the list."
        wanted.append((Chart.STRIP, strip_tables(rows), words))
    if len(trend) >= _TREND_LEAST:
        wanted.append(
            (Chart.PORTFOLIO, portfolio_tables(trend), "Our price index by night, the rivals' median is 100.")
        )
    for chart, tables, words in wanted:
        width, height = mail_size(chart, len(rows))
        with suppress(ChartFailed):
            body = charts.draw(chart, tables, Form.PNG, width=width, height=height)
            yield Picture(chart.value, words, *png_size(body), body)


def _morning(run: Run, mail: MailPlan, schedule: Schedule) -> datetime:
    """Return the first `mail.not_before` after the night began; a night begun at 23:00 is read the next day."""
    day = run.local_date if mail.not_before > schedule.at else run.local_date + _ONE_DAY
    return instant(day, mail.not_before, run.zone)


def _facts(unit: Unit, run_id: str, frozen: tuple[NightPlan, Catalogue] | None) -> NightFacts:
    run = unit.runs.get(run_id)
    if run is None:
        raise NothingToReport(run_id, "the run")
    plan, catalogue = frozen or _frozen(unit, run)
    current = unit.observations.current(besides=OWN)
    changed = sorted({span.sku for span in current if span.first_seen_at >= run.started_at})
    last_report_at, writes = _since_last_report(unit, run)
    return NightFacts(
        run=run,
        plan=plan,
        catalogue=catalogue,
        jobs=unit.jobs.of_run(run_id),
        observations=tuple(unit.observations.outcomes(run_id)),
        current=current,
        earlier=tuple(one for one in unit.observations.spans_of(changed) if one.first_seen_at < run.started_at),
        actions=unit.actions.of_run(run_id),
        pending=unit.actions.pending(),
        alerts=worth_telling(unit.alerts.of_run(run_id)),
        exceptions=(*withheld(unit.jobs.results(run_id, ROBOTS), catalogue), *_exceptions(unit, run_id)),
        writes=writes,
        last_report_at=last_report_at,
        standings=unit.standings.each(run_id),
        portfolio=unit.standings.portfolio(run_id),
    )


def _frozen(unit: Unit, run: Run) -> tuple[NightPlan, Catalogue]:
    """Return what the run froze when it began."""
    settings, catalogue = unit.blobs.get(run.settings_hash), unit.blobs.get(run.catalogue_hash)
    if settings is None or catalogue is None:
        raise NothingToReport(run.id, "the plan" if settings is None else "the catalogue")
    return plan_from_json(settings.decode()), catalogue_from_json(catalogue.decode())


def _exceptions(unit: Unit, run_id: str) -> Iterator[Notice]:
    """Yield what the synthesis could not decide: the `exceptions` of its finished steps, each `{"sku", "words"}`."""
    synthesis = unit.jobs.find(run_id, "")
    for step in unit.jobs.steps(synthesis.id) if synthesis else ():
        if step.state is StepState.DONE and step.result:
            for exception in step.result.get("exceptions", ()):
                yield Notice(words=exception["words"], sku=exception.get("sku"))


def _since_last_report(unit: Unit, run: Run) -> tuple[datetime, tuple[Written, ...]]:
    """Return when the report before this one was made, and the writes of what began before, also of the same night."""
    newest, began = unit.runs.latest(_RUNS_BACK), (run.local_date, run.started_at)
    before = [other for other in newest if (other.local_date, other.started_at) < began]
    days = sorted({run.local_date, *(other.local_date for other in before)})[-_NIGHTS_BACK - 1 :]
    earlier = [other for other in before if other.local_date in days]
    reports = [stored for other in earlier if (stored := unit.reports.get(other.id)) is not None]
    since = max((stored.created_at for stored in reports), default=run.started_at - _ONE_DAY)
    decided = {
        action.id: action
        for other in earlier
        for action in unit.actions.of_run(other.id)
        if action.decided_at is not None
    }
    writes = tuple(Written(action, write) for action in decided.values() for write in unit.writes.of_action(action.id))
    return since, writes
