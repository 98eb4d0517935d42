"""From the facts of a night to its report."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from monitor.domain.action import Action
from monitor.domain.catalogue import Catalogue, MatchState
from monitor.domain.extraction import Outcome
from monitor.domain.message import Alert
from monitor.domain.night import earlier_names
from monitor.domain.observation import Observation, Span
from monitor.domain.plan import NightPlan
from monitor.domain.report.clean import clean
from monitor.domain.report.executions import MAX_EXECUTIONS, Written, executions_of
from monitor.domain.report.market import market_of, offers_since
from monitor.domain.report.needs import SKU_LIMIT, needs_of
from monitor.domain.report.place import opportunities_of, place_of
from monitor.domain.report.subject import report_subject
from monitor.domain.report.trust import trust_of
from monitor.domain.report.view import Needs, Notice, Report
from monitor.domain.report.wording import counted
from monitor.domain.run import Job, Run
from monitor.domain.standing import Portfolio, Standing

MAX_NOTICES = 15
_NOTICE_LIMIT = 240
_BRAND_LIMIT = 40


@dataclass(frozen=True, slots=True)
class NightFacts:
    """Everything a report is made of."""

    run: Run
    plan: NightPlan
    catalogue: Catalogue
    jobs: tuple[Job, ...]
    observations: tuple[Observation, ...]  #: what they read is not looked at where they say a price
    current: tuple[Span, ...]  #: the latest span of each (competitor, SKU); ours are not looked at
    earlier: tuple[Span, ...]  #: what came before tonight of what changed tonight
    actions: tuple[Action, ...]  #: what this run proposed, anew or again
    pending: tuple[Action, ...]  #: over all runs
    alerts: tuple[Alert, ...]  #: of this run
    exceptions: tuple[Notice, ...]  #: what was out of the ordinary besides, in words
    writes: tuple[Written, ...]  #: of earlier runs
    last_report_at: datetime  #: what ended before stood in an earlier report
    standings: Iterable[Standing] = ()  #: of every product that was decided; looked at once
    portfolio: Portfolio | None = None  #: the figures over all of them


def build(facts: NightFacts, *, now: datetime) -> Report:
    """Return the report of one night.

    Args:
        facts: as loaded; nothing else is looked at.
        now: when the report is made.
    """
    notices = (*(Notice(clean(alert.words, _NOTICE_LIMIT)) for alert in facts.alerts), *map(_clean, facts.exceptions))
    executions = executions_of(facts.writes, since=facts.last_report_at)
    draft = Report(
        run_id=facts.run.id,
        local_date=facts.run.local_date,
        zone=facts.run.zone,
        brand=clean(facts.plan.mail.brand, _BRAND_LIMIT),
        made_at=now,
        subject="",
        verdict="",
        trust=trust_of(
            facts.run,
            facts.jobs,
            facts.observations,
            facts.current,
            facts.catalogue,
            min_coverage_pct=facts.plan.min_coverage_pct,
            now=now,
        ),
        needs=needs_of(facts.actions, _older(facts)),
        market=market_of(offers_since(facts.run.started_at, facts.current, facts.earlier), facts.catalogue),
        notices=notices[:MAX_NOTICES],
        notices_more=max(0, len(notices) - MAX_NOTICES),
        executions=executions[:MAX_EXECUTIONS],
        executions_more=max(0, len(executions) - MAX_EXECUTIONS),
        place=place_of(facts.portfolio),
        opportunities=opportunities_of(facts.standings, facts.current, facts.catalogue),
    )
    verdict = _verdict(facts, draft.needs)
    return replace(
        draft, verdict=verdict, subject=report_subject(draft, time=1 + len(earlier_names(facts.run.schedule)))
    )


def _clean(notice: Notice) -> Notice:
    return Notice(clean(notice.words, _NOTICE_LIMIT), notice.sku and clean(notice.sku, SKU_LIMIT))


def _older(facts: NightFacts) -> Iterable[Action]:
    proposed = {action.id for action in facts.actions}
    return (action for action in facts.pending if action.id not in proposed)


def _verdict(facts: NightFacts, needs: Needs) -> str:
    """Return `7 to decide, 398 without a proposal, 15 could not be checked`, counted in our own products."""
    watched = {watch.sku for watch in facts.catalogue.watches if watch.match is not MatchState.REJECTED}
    proposed = {action.proposal.sku for action in facts.actions}
    unchecked = len(watched - _read(facts.observations) - proposed)
    unproposed = len(watched - proposed) - unchecked
    parts = [
        f"{needs.total} to decide" if needs.total else "Nothing to decide",
        f"{unproposed} without a proposal" if unproposed else "",
        f"{unchecked} could not be checked" if unchecked else "",
        f"{counted(needs.older, 'older proposal')} still waiting" if needs.older else "",
    ]
    return ", ".join(part for part in parts if part) + "."


def _read(observations: Sequence[Observation]) -> set[str]:
    return {seen.sku for seen in observations if seen.outcome in (Outcome.OK, Outcome.UNCHANGED)}
