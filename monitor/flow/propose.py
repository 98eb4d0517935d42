"""Work out price responses and store each once, as a pending action under its action key.

Everything is decided from what the run froze and observed, so running it again proposes the same and stores
nothing twice. Odd readings are held and feed nothing. What the rules could not decide because our own
data is wrong comes back as exceptions for the report.
"""

from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from monitor.domain.action import Proposal
from monitor.domain.anomaly import Held, held_now
from monitor.domain.catalogue import Catalogue, MatchState
from monitor.domain.extraction import Outcome
from monitor.domain.message import Alert, AlertKind
from monitor.domain.observation import OWN, Observation, Span
from monitor.domain.plan import NightPlan
from monitor.domain.pricing import (
    EXCEPTIONS,
    Decision,
    Rules,
    decisions,
    in_words,
    offers_from,
    proposal_of,
    rules_from_text,
)
from monitor.domain.run import Run
from monitor.ports.store import Store, Unit


def propose(store: Store, run: Run, plan: NightPlan, catalogue: Catalogue) -> dict[str, Any]:
    """Store the night's proposals.

    Returns:
        What the checkpoint keeps: how many products were decided and proposed, the exceptions and the held readings,
        each `{"sku", "words"}`.
    """
    with store.read() as unit:
        observations = unit.observations.of_run(run.id)
        current = unit.observations.current()
        history = _history(unit, current)
        changed_at = unit.observations.changed_at(OWN)
    held = held_now(history, _own(catalogue))
    decided = _decided(run, plan, catalogue, observations, current, held, changed_at)
    uncertain = frozenset(one.sku for one in held)
    made = (_proposal(run, plan, decision) for decision in decided if not _is_rash(decision, uncertain))
    proposals = [proposal for proposal in made if proposal is not None]
    written = 0
    with store.write() as unit:
        for proposal in proposals:
            written += _store(unit, proposal)
        _check_coverage(unit, run, plan, catalogue, observations)
    return {
        "products": len(decided),
        "proposals": len(proposals),
        "written": written,
        "exceptions": [*_exceptions(decided, plan), *_held_notices(held)],
    }


def _own(catalogue: Catalogue) -> dict[str, Any]:
    return {product.sku: (product.price, product.currency) for product in catalogue.products if not product.locked}


def _history(unit: Unit, current: tuple[Span, ...]) -> dict[tuple[str, str], tuple[Span, ...]]:
    """Return the spans of every watch whose price was read in one night only; the others cannot be odd."""
    once = (span for span in current if span.first_run_id == span.last_run_id and span.competitor != OWN)
    new = {(span.competitor, span.sku) for span in once}
    found: dict[tuple[str, str], list[Span]] = defaultdict(list)
    for sku in sorted({sku for _, sku in new}):
        for span in unit.observations.spans(sku):
            if (span.competitor, sku) in new:
                found[span.competitor, sku].append(span)
    return {key: tuple(spans) for key, spans in found.items()}


def _decided(
    run: Run,
    plan: NightPlan,
    catalogue: Catalogue,
    observations: tuple[Observation, ...],
    current: tuple[Span, ...],
    held: tuple[Held, ...],
    changed_at: Mapping[str, datetime],
) -> list[Decision]:
    rules: Rules = rules_from_text(plan.rules, where=f"rules frozen by {run.id}")
    now = max((seen.observed_at for seen in observations), default=run.started_at)
    odd = frozenset((one.competitor, one.sku) for one in held)
    offers = offers_from(catalogue, observations, current, now=now, held=odd)
    return list(decisions(catalogue, offers, rules, changed_at=changed_at, now=now))


def _is_rash(decision: Decision, uncertain: frozenset[str]) -> bool:
    """Say whether a decision would raise a price while the reading of one rival is held: it may be the cheapest."""
    price, product = decision.price, decision.product
    return price is not None and price > product.price and product.sku in uncertain


def _proposal(run: Run, plan: NightPlan, decision: Decision) -> Proposal | None:
    return proposal_of(
        decision,
        run_id=run.id,
        channel=plan.writes.channel,
        expires_at=run.due_at + plan.review.proposal_lifetime,
        zone=ZoneInfo(run.zone),
    )


def _store(unit: Unit, proposal: Proposal) -> bool:
    action, is_written = unit.actions.propose(proposal)
    if is_written:
        unit.actions.supersede(action)
    return is_written


def _check_coverage(
    unit: Unit, run: Run, plan: NightPlan, catalogue: Catalogue, observations: tuple[Observation, ...]
) -> None:
    visited = {job.key for job in unit.jobs.of_run(run.id)}
    expected = (w for w in catalogue.watches if w.competitor in visited and w.match is not MatchState.REJECTED)
    read = sum(seen.outcome in (Outcome.OK, Outcome.UNCHANGED) for seen in observations)
    watched = sum(1 for _ in expected)
    if not watched or read * 100 >= watched * plan.min_coverage_pct:
        return
    words = (
        f"Only {read} of {watched} watches were read in the night of {run.local_date}, below the "
        f"{plan.min_coverage_pct} % that report.min_coverage_pct asks for. The report names the shops that failed."
    )
    unit.alerts.raise_once(Alert(f"coverage:{run.id}", AlertKind.COVERAGE, run.id, words, unit.now))


def _exceptions(decided: list[Decision], plan: NightPlan) -> list[dict[str, str]]:
    zone = ZoneInfo(plan.schedule.zone)
    wrong = (decision for decision in decided if decision.reason in EXCEPTIONS)
    return [{"sku": decision.product.sku, "words": in_words(decision, zone=zone)} for decision in wrong]


def _held_notices(held: tuple[Held, ...]) -> list[dict[str, str]]:
    return [{"sku": one.sku, "words": f"held, {one.competitor}: {one.words}"} for one in held]
