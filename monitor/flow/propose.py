"""Work out price responses and store each once, as a pending action under its action key.

Everything is decided from what the run froze and observed, so running it again proposes the same and stores
nothing twice. Odd readings are held and feed nothing; the guards of the night take away what all proposals together
may not do. What the rules could not decide because our own data is wrong, what is held and what a guard took away
comes back as exceptions for the report.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from itertools import islice
from typing import Any
from zoneinfo import ZoneInfo

from monitor.domain.action import Action, ActionState, Proposal
from monitor.domain.amend import inputs_of
from monitor.domain.anomaly import Held, WatchKey, held_json, may_be_odd
from monitor.domain.catalogue import Catalogue
from monitor.domain.holds import accepted_in, hold_name, standing_in, to_forget, to_remember
from monitor.domain.message import Alert, AlertKind
from monitor.domain.noticed import Seen, asked_of, noticed
from monitor.domain.observation import OWN, Observation, Span
from monitor.domain.plan import NightPlan
from monitor.domain.pricing import (
    EXCEPTIONS,
    GUARDS,
    NIGHTS_COMPARED,
    Coverage,
    Decision,
    NightDecisions,
    NightFacts,
    Reason,
    decide_night,
    in_words,
    proposal_of,
    remarks_on,
    rules_from_text,
)
from monitor.domain.run import Run
from monitor.domain.shared_spans import as_known, histories
from monitor.domain.standing import portfolio, standings
from monitor.ports.store import Store, Unit

#: Products that one notice about a guard names; the rest is counted.
_MOST_NAMED = 10
#: Products that a checkpoint remembers as stopped by a guard.
_MOST_REMEMBERED = 1000
#: States of an approval whose price is still on its way.
_UNDER_WAY = frozenset({ActionState.APPROVED, ActionState.EXECUTING, ActionState.UNKNOWN})
#: Newest nights among which the one before this is looked for; a night may be run late.
_NIGHTS_BACK = 7


def propose(store: Store, run: Run, plan: NightPlan, catalogue: Catalogue) -> dict[str, Any]:
    """Store the night's proposals.

    Returns:
        What the checkpoint keeps: how many products were decided and proposed, how many each guard stopped, the held
        readings with their evidence, and as exceptions, each `{"sku", "words"}`, what a person should know.
    """
    with store.read() as unit:
        facts = _facts(unit, run, plan, catalogue)
        seen = _seen(unit, run, facts)  # here, because it reads much and the heartbeat waits for whoever writes
    found = decide_night(facts)
    made = (_proposal(run, plan, decision, facts, found) for decision in found.decisions)
    proposals = [proposal for proposal in made if proposal is not None]
    stand = standings(run.id, found.decisions, found.offers, facts.rules)
    written = 0
    with store.write() as unit:
        unit.standings.keep(stand, portfolio(stand))
        for proposal in proposals:
            written += _store(unit, plan, proposal)
        _remember(unit, found.held, facts.standing)
        _check_coverage(unit, run, plan, facts)
        _tell_tripped(unit, run, found)
        for alert in noticed(run, plan.notify, facts.catalogue, seen, found, facts.rules, unit.now):
            unit.alerts.raise_once(alert)
    return {
        "products": len(found.decisions),
        "proposals": len(proposals),
        "written": written,
        "guards": {code.value: count for code in GUARDS if (count := len(_stopped(found, code)))},
        "stopped": _stopped_by_sku(found),
        "breakers": [{"code": one.code.value, "words": one.words} for one in found.tripped],
        "held": list(_held(found, facts.observations)),
        "exceptions": [*_exceptions(found, plan), *_guard_notices(found), *_held_notices(found)],
    }


def _facts(unit: Unit, run: Run, plan: NightPlan, catalogue: Catalogue) -> NightFacts:
    """Read what the night decides from."""
    observations = unit.observations.of_run(run.id)
    current = unit.observations.current()
    remembered = {competitor.id: unit.shops.facts(competitor.id) for competitor in catalogue.competitors}
    standing = standing_in(remembered)
    history = _history(unit, current, standing)
    return NightFacts(
        run_id=run.id,
        day=run.local_date,
        zone=ZoneInfo(run.zone),
        now=max((seen.observed_at for seen in observations), default=run.started_at),
        catalogue=catalogue,
        rules=rules_from_text(plan.rules, where=f"rules frozen by {run.id}"),
        observations=observations,
        current=current,
        history=history,
        own=_own(unit, current),
        accepted=accepted_in(remembered),
        standing=standing,
        names=dict(_names(unit, run, history)),
        coverage=_coverage(unit, run, catalogue, observations),
    )


def _coverage(unit: Unit, run: Run, catalogue: Catalogue, observations: tuple[Observation, ...]) -> Coverage:
    """Return how much of its watches the night read, beside what the reports of the nights before it said."""
    visited = {job.key for job in unit.jobs.of_run(run.id)}
    earlier = [one for one in unit.runs.latest(NIGHTS_COMPARED + 1) if one.local_date < run.local_date]
    stored = (unit.reports.get(one.id) for one in earlier[:NIGHTS_COMPARED])
    shares = (report.model["trust"]["coverage_pct"] for report in stored if report is not None)
    return Coverage.of(catalogue, visited, observations, [Decimal(share) for share in shares if share is not None])


def _names(unit: Unit, run: Run, history: Mapping[WatchKey, tuple[Span, ...]]) -> Iterator[tuple[WatchKey, str]]:
    """Yield how the pages whose price moved named their product before."""
    for (competitor, sku), spans in history.items():
        if len(spans) > 1 and (name := unit.observations.name_before(run.id, competitor, sku)):
            yield (competitor, sku), name


def _history(
    unit: Unit, current: tuple[Span, ...], standing: Mapping[WatchKey, Held]
) -> dict[WatchKey, tuple[Span, ...]]:
    """Return the spans of every watch whose latest price may be odd; the others are confirmed."""
    asked = {(one.competitor, one.sku) for one in current if one.competitor != OWN and may_be_odd(one, standing)}
    spans = unit.observations.spans_of(sorted({sku for _, sku in asked}))
    return histories((span for span in spans if (span.competitor, span.sku) in asked), current)


def _own(unit: Unit, current: tuple[Span, ...]) -> dict[str, tuple[Span, ...]]:
    """Return the history of our own prices, by SKU."""
    skus = sorted(one.sku for one in current if one.competitor == OWN)
    return {sku: spans for (_, sku), spans in histories(unit.observations.spans_of(skus, OWN), current).items()}


def _proposal(
    run: Run, plan: NightPlan, decision: Decision, facts: NightFacts, found: NightDecisions
) -> Proposal | None:
    if not decision.is_proposal:
        return None
    sku = decision.product.sku
    remarks = remarks_on(
        decision,
        own=facts.own.get(sku, ()),
        offers=found.offers.get(sku, ()),
        rates=facts.rules.rates.into(decision.product.currency),
        now=facts.now,
        first=[competitor for competitor, known in found.first if known == sku],
    )
    proposal = proposal_of(
        decision,
        run_id=run.id,
        channel=plan.writes.channel,
        expires_at=run.due_at + plan.review.proposal_lifetime,
        zone=ZoneInfo(run.zone),
        remarks=remarks,
    )
    return None if proposal is None else _taxed(proposal, plan)


def _taxed(proposal: Proposal, plan: NightPlan) -> Proposal:
    """Return a proposal that says how its price is meant, so that no shop with another tax mode is written."""
    if plan.writes.tax_included is None:
        return proposal
    return replace(proposal, facts=proposal.facts | {"tax_included": plan.writes.tax_included})


def _is_answered(unit: Unit, plan: NightPlan, last: Action) -> bool:
    """Say whether exactly this was decided and stands: rejected lately, put off until later, or approved already."""
    if last.state is ActionState.SNOOZED:
        return last.snoozed_until is not None and last.snoozed_until > unit.now
    if last.state is ActionState.REJECTED:
        return last.decided_at is not None and unit.now < last.decided_at + plan.review.quiet_after_reject
    return last.state in _UNDER_WAY and last.proposal.expires_at > unit.now


def _store(unit: Unit, plan: NightPlan, proposal: Proposal) -> bool:
    """Store a proposal, or keep the one of an earlier night that says the same; say whether a new one was written."""
    last = unit.actions.last_of(proposal.channel, proposal.sku, besides=proposal.run_id)
    if last is not None and inputs_of(last.proposal) == inputs_of(proposal):
        is_waiting = last.state is ActionState.PENDING and last.proposal.expires_at > unit.now
        if _is_answered(unit, plan, last) or (is_waiting and unit.actions.refresh(last, proposal)):
            return False
    action, is_written = unit.actions.propose(proposal)
    if is_written:
        unit.actions.supersede(action)
        unit.writes.withdraw(action)
    return is_written


def _remember(unit: Unit, held: tuple[Held, ...], standing: Mapping[WatchKey, Held]) -> None:
    """Keep the holds that only a person can settle, and drop those that hold nothing any more."""
    for one in to_remember(held, standing):
        unit.shops.learn(one.competitor, hold_name(one.sku), held_json(one))
    for competitor, sku in to_forget(held, standing):
        unit.shops.learn(competitor, hold_name(sku), {})


def _check_coverage(unit: Unit, run: Run, plan: NightPlan, facts: NightFacts) -> None:
    read, watched = facts.coverage.read, facts.coverage.watched
    if not watched or read * 100 >= watched * plan.min_coverage_pct:
        return
    words = (
        f"Only {read} of {watched} watches were read in the night of {run.local_date}, below the "
        f"{plan.min_coverage_pct} % that report.min_coverage_pct asks for. The report names the shops that failed."
    )
    unit.alerts.raise_once(Alert(f"coverage:{run.id}", AlertKind.COVERAGE, run.id, words, unit.now))


def _tell_tripped(unit: Unit, run: Run, found: NightDecisions) -> None:
    """Raise an alert when a breaker asks for a second look."""
    asked = sum(bool(one.second_look) for one in found.decisions if one.is_proposal)
    if not asked:
        return
    whose = "1 proposed change needs" if asked == 1 else f"{asked} proposed changes need"
    words = (
        f"{'. '.join(one.words for one in found.tripped)}. {whose} a second look in the night of {run.local_date}: "
        "each is approved by itself, not with others at once. run.breaker in rules.toml sets the limits."
    )
    unit.alerts.raise_once(Alert(f"breaker:{run.id}", AlertKind.BREAKER, run.id, words, unit.now))


def _seen(unit: Unit, run: Run, facts: NightFacts) -> Seen:
    """Return what tells what is new at rivals since the night before."""
    before = next((one for one in unit.runs.latest(_NIGHTS_BACK) if one.local_date < run.local_date), None)
    shared, spans = as_known(facts.current), defaultdict[str, list[Span]](list)
    for span in unit.observations.spans_of(sorted(asked_of(facts.current, facts.observations, run.id))):
        spans[span.sku].append(shared(span))
    return Seen(
        run_id=run.id,
        tonight=facts.observations,
        before=unit.observations.of_run(before.id) if before else (),
        spans=spans,
    )


def _stopped(found: NightDecisions, code: Reason) -> list[Decision]:
    return [one for one in found.decisions if one.reason is code and (one.result is not None or one.guard)]


def _stopped_by_sku(found: NightDecisions) -> dict[str, dict[str, str]]:
    """Return what the guards stopped, for whoever asks about one product later; bounded, because a checkpoint is."""
    stopped = (one for code in GUARDS for one in _stopped(found, code))
    return {
        one.product.sku: {"code": one.reason.value, "words": one.guard}
        for one in islice(stopped, _MOST_REMEMBERED)
        if one.reason is not None
    }


def _exceptions(found: NightDecisions, plan: NightPlan) -> Iterator[dict[str, Any]]:
    zone = ZoneInfo(plan.schedule.zone)
    for decision in found.decisions:
        if decision.reason in EXCEPTIONS:
            yield {"sku": decision.product.sku, "words": in_words(decision, zone=zone)}


def _guard_notices(found: NightDecisions) -> Iterator[dict[str, Any]]:
    """Yield what the guards stopped: product by product where that is about the product, else once for all."""
    for code in GUARDS:
        stopped = [] if code is Reason.DO_NOT_TOUCH else _stopped(found, code)
        if len(stopped) == 1 or code in {Reason.EMERGENCY_CAP, Reason.PRICE_WAR, Reason.RIVAL_HELD}:
            yield from ({"sku": one.product.sku, "words": f"{code.value}: {one.guard}"} for one in stopped)
        elif stopped:
            named = ", ".join(one.product.sku for one in stopped[:_MOST_NAMED])
            more = f" and {len(stopped) - _MOST_NAMED} more" if len(stopped) > _MOST_NAMED else ""
            words = f"{code.value}: {len(stopped)} changes were not proposed ({named}{more}). {stopped[0].guard}"
            yield {"sku": None, "words": words}


def _held(found: NightDecisions, observations: tuple[Observation, ...]) -> Iterator[dict[str, Any]]:
    """Yield the held readings with where they were read and the hash of their evidence."""
    seen = {(one.competitor, one.sku): one for one in observations}
    for one in found.held:
        read = seen.get(one.key)
        yield held_json(one) | {
            "url": None if read is None else read.url,
            "evidence": None if read is None else read.evidence,
        }


def _held_notices(found: NightDecisions) -> Iterator[dict[str, Any]]:
    for one in found.held:
        yield {"sku": one.sku, "words": f"held, {one.competitor}: {one.code.value}, {one.words}"}
