"""What one night decides from, read and decided some products at a time.

Of a night of thirty thousand watches everything at once would take 80 MB. So its products come in parts: one look at
the history of all of them says what shops did as a whole, then each part is read, decided and reduced to what is kept
of it, and last the guards look at all proposals together. In whatever parts, what comes of it is the same.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import TypeVar
from zoneinfo import ZoneInfo

from monitor.domain.action import Proposal
from monitor.domain.anomaly import Held, WatchKey, may_be_odd
from monitor.domain.catalogue import Catalogue, Watch
from monitor.domain.extraction import Outcome
from monitor.domain.holds import accepted_in, standing_in
from monitor.domain.noticed import Seen, asked_of, signs_of
from monitor.domain.observation import OWN, Span
from monitor.domain.plan import NightPlan
from monitor.domain.pricing import (
    EXCEPTIONS,
    NIGHTS_COMPARED,
    Circumstances,
    Coverage,
    Decision,
    NightFacts,
    PartDecisions,
    Remarks,
    Rules,
    Whole,
    decide_part,
    glance_at,
    guarded_together,
    in_words,
    proposal_of,
    remarks_on,
    rules_from_text,
    tripped,
    whole_of,
)
from monitor.domain.run import Run
from monitor.domain.shared_spans import as_known, histories
from monitor.domain.standing import Standing, packed, standing_of
from monitor.flow.propose.found import Candidate, Found, PartFound, held_readings, stopped_among
from monitor.ports.store import Unit

T = TypeVar("T")

#: Products of one part.
AT_ONCE = 1000
#: Newest runs among which those of the nights before this are looked for; a night may be run late, and again and again.
_RUNS_BACK = 50
_READ = (Outcome.OK, Outcome.UNCHANGED)


@dataclass(frozen=True, slots=True)
class Night:
    """What is known of a night before its products are looked at."""

    run: Run
    before: Run | None  #: the night before
    plan: NightPlan
    catalogue: Catalogue
    rules: Rules
    now: datetime  #: from which ages are counted
    accepted: Mapping[WatchKey, tuple[Decimal, str]]
    standing: Mapping[WatchKey, Held]
    coverage: Coverage

    @property
    def zone(self) -> ZoneInfo:
        """The run's own."""
        return ZoneInfo(self.run.zone)


@dataclass(frozen=True, slots=True)
class _Part:
    """Some products of a night; the last one has those that only the history knows."""

    skus: tuple[str, ...]
    catalogue: Catalogue


def night_of(unit: Unit, run: Run, plan: NightPlan, catalogue: Catalogue) -> Night:
    """Read what is known before products are looked at."""
    remembered = {competitor.id: unit.shops.facts(competitor.id) for competitor in catalogue.competitors}
    return Night(
        run=run,
        before=next((one for one in unit.runs.latest(_RUNS_BACK) if one.local_date < run.local_date), None),
        plan=plan,
        catalogue=catalogue,
        rules=rules_from_text(plan.rules, where=f"rules frozen by {run.id}"),
        now=unit.observations.latest_at(run.id) or run.started_at,
        accepted=accepted_in(remembered),
        standing=standing_in(remembered),
        coverage=_coverage(unit, run, catalogue),
    )


def decided(unit: Unit, night: Night, *, at_once: int = AT_ONCE) -> Found:
    """Decide every product, `at_once` at a time."""
    parts, rules = tuple(_parts(unit, night, at_once)), night.rules
    glances = (glance_at(night.run.id, *_spans(unit, part.skus, night.standing)) for part in parts)
    whole = whole_of(glances, rules)
    found = [_part_found(unit, night, part, whole) for part in parts]
    candidates = [one for part in found for one in part.candidates]
    guarded = guarded_together(
        [one.decision for one in candidates],
        rules,
        Circumstances(night.run.local_date, night.now, night.zone, moved=whole.moved, coverage=night.coverage),
        besides=sum(part.compared for part in found),
    )
    return _together(night, found, candidates, guarded)


def _together(night: Night, found: list[PartFound], candidates: list[Candidate], guarded: list[Decision]) -> Found:
    pairs = list(zip(candidates, guarded, strict=True))
    made = (_proposal(night, decision, one.remarks) for one, decision in pairs)
    proposals = tuple(proposal for proposal in made if proposal is not None)
    stands = (replace(one.standing, reason=decision.reason and decision.reason.value) for one, decision in pairs)
    return Found(
        products=sum(part.products for part in found),
        proposals=proposals,
        looked_at_twice=sum(bool(one.second_look) for one in guarded if one.is_proposal),
        tripped=tripped(guarded),
        standings=(*(part.standings for part in found), packed(stands)),
        stopped=(*(one for part in found for one in part.stopped), *stopped_among(guarded)),
        exceptions=tuple(one for part in found for one in part.exceptions),
        held=tuple(sorted((one for part in found for one in part.held), key=lambda one: one.held.key)),
        signs=tuple(part.signs for part in found),
    )


def _parts(unit: Unit, night: Night, at_once: int) -> Iterator[_Part]:
    """Yield the products in the order of the catalogue, and last the SKUs that only the history knows."""
    catalogue, watches = night.catalogue, defaultdict[str, list[Watch]](list)
    for watch in catalogue.watches:
        watches[watch.sku].append(watch)
    for some in _batched(catalogue.products, at_once):
        skus = tuple(product.sku for product in some)
        mine = tuple(watch for sku in skus for watch in watches.pop(sku, ()))
        yield _Part(skus, Catalogue(some, catalogue.competitors, mine))
    runs = [night.run.id, *([night.before.id] if night.before else [])]
    gone = unit.observations.skus(runs) - {product.sku for product in catalogue.products}
    for others in _batched(tuple(sorted(gone)), at_once):
        mine = tuple(watch for sku in others for watch in watches.pop(sku, ()))
        yield _Part(others, Catalogue((), catalogue.competitors, mine))


def _batched(items: tuple[T, ...], at_once: int) -> Iterator[tuple[T, ...]]:
    return (items[start : start + at_once] for start in range(0, len(items), at_once))


def _spans(
    unit: Unit, skus: Sequence[str], standing: Mapping[WatchKey, Held]
) -> tuple[tuple[Span, ...], dict[WatchKey, tuple[Span, ...]]]:
    """Return the latest span of every watch, and all spans of those whose latest price may be odd."""
    current = unit.observations.current(skus)
    asked = {(one.competitor, one.sku) for one in current if one.competitor != OWN and may_be_odd(one, standing)}
    spans = unit.observations.spans_of(sorted({sku for _, sku in asked}))
    return current, histories((span for span in spans if (span.competitor, span.sku) in asked), current)


def _part_found(unit: Unit, night: Night, part: _Part, whole: Whole) -> PartFound:
    """Read some products, decide them, and return what is kept of them."""
    facts = _facts(unit, night, part)
    seen = _seen(unit, night, part, facts)
    found = decide_part(facts, whole)
    others = [one for one in found.decisions if not one.is_proposal]
    zone = ZoneInfo(night.plan.schedule.zone)
    return PartFound(
        products=len(found.decisions),
        candidates=tuple(_candidate(one, facts, found) for one in found.decisions if one.is_proposal),
        compared=sum(bool(one.usable) for one in others),
        standings=packed(_standing(one, facts, found) for one in others),
        stopped=tuple(stopped_among(others)),
        exceptions=tuple(
            {"sku": one.product.sku, "words": in_words(one, zone=zone)} for one in others if one.reason in EXCEPTIONS
        ),
        held=tuple(held_readings(found.held, facts.observations)),
        signs=signs_of(part.catalogue, seen, found.offers, night.rules),
    )


def _facts(unit: Unit, night: Night, part: _Part) -> NightFacts:
    """Read what some products are decided from."""
    current, history = _spans(unit, part.skus, night.standing)
    return NightFacts(
        run_id=night.run.id,
        day=night.run.local_date,
        zone=night.zone,
        now=night.now,
        catalogue=part.catalogue,
        rules=night.rules,
        observations=unit.observations.of_run(night.run.id, skus=part.skus),
        current=current,
        history=history,
        own=_own(unit, current),
        accepted=night.accepted,
        standing=night.standing,
        names=dict(_names(unit, night.run, history)),
        coverage=night.coverage,
    )


def _seen(unit: Unit, night: Night, part: _Part, facts: NightFacts) -> Seen:
    """Return what tells what is new at rivals since the night before."""
    shared, spans = as_known(facts.current), defaultdict[str, list[Span]](list)
    for span in unit.observations.spans_of(sorted(asked_of(facts.current, facts.observations, night.run.id))):
        spans[span.sku].append(shared(span))
    return Seen(
        run_id=night.run.id,
        tonight=facts.observations,
        before=unit.observations.of_run(night.before.id, skus=part.skus) if night.before else (),
        spans=spans,
    )


def _coverage(unit: Unit, run: Run, catalogue: Catalogue) -> Coverage:
    """Return how much of its watches the night read, beside what the reports of the nights before it said."""
    visited = {job.key for job in unit.jobs.of_run(run.id)}
    earlier = [one for one in unit.runs.latest(max(_RUNS_BACK, NIGHTS_COMPARED + 1)) if one.local_date < run.local_date]
    stored = (unit.reports.get(one.id) for one in earlier[:NIGHTS_COMPARED])
    shares = (report.model["trust"]["coverage_pct"] for report in stored if report is not None)
    counted = unit.past.outcomes(run.id)
    coverage = Coverage.of(catalogue, visited, (), [Decimal(share) for share in shares if share is not None])
    return replace(coverage, read=sum(counted.get(outcome, 0) for outcome in _READ))


def _names(unit: Unit, run: Run, history: Mapping[WatchKey, tuple[Span, ...]]) -> Iterator[tuple[WatchKey, str]]:
    """Yield how the pages whose price moved named their product before."""
    for (competitor, sku), spans in history.items():
        if len(spans) > 1 and (name := unit.observations.name_before(run.id, competitor, sku)):
            yield (competitor, sku), name


def _own(unit: Unit, current: tuple[Span, ...]) -> dict[str, tuple[Span, ...]]:
    """Return the history of our own prices, by SKU."""
    skus = sorted(one.sku for one in current if one.competitor == OWN)
    return {sku: spans for (_, sku), spans in histories(unit.observations.spans_of(skus, OWN), current).items()}


def _candidate(decision: Decision, facts: NightFacts, found: PartDecisions) -> Candidate:
    sku = decision.product.sku
    remarks = remarks_on(
        decision,
        own=facts.own.get(sku, ()),
        offers=found.offers.get(sku, ()),
        rates=facts.rules.rates.into(decision.product.currency),
        now=facts.now,
        first=[competitor for competitor, known in found.first if known == sku],
    )
    return Candidate(decision, remarks, _standing(decision, facts, found))


def _standing(decision: Decision, facts: NightFacts, found: PartDecisions) -> Standing:
    product = decision.product
    offers = found.offers.get(product.sku, ())
    return standing_of(facts.run_id, decision, offers, facts.rules.rates.into(product.currency))


def _proposal(night: Night, decision: Decision, remarks: Remarks) -> Proposal | None:
    if not decision.is_proposal:
        return None
    plan = night.plan
    proposal = proposal_of(
        decision,
        run_id=night.run.id,
        channel=plan.writes.channel,
        expires_at=night.run.started_at + plan.review.proposal_lifetime,
        zone=night.zone,
        remarks=remarks,
    )
    return None if proposal is None else _taxed(proposal, plan)


def _taxed(proposal: Proposal, plan: NightPlan) -> Proposal:
    """Return a proposal that says how its price is meant, so that no shop with another tax mode is written."""
    if plan.writes.tax_included is None:
        return proposal
    return replace(proposal, facts=proposal.facts | {"tax_included": plan.writes.tax_included})
