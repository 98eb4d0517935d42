"""Explain what one night decided about one product, from the evidence of its readings to the rounding of its price.

The decision is worked out again from what the night froze and saw, by the code that decided it; what only the night as
a whole knew (which readings were held, what a guard stopped) is taken from its checkpoint while that is kept. The
proposal that is stored stands beside it, and a difference between the two is said. Read only.
"""

import difflib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any
from zoneinfo import ZoneInfo

from monitor.domain.action import Action
from monitor.domain.anomaly import WatchKey
from monitor.domain.catalogue import Catalogue, Product
from monitor.domain.money import amount_text
from monitor.domain.observation import OWN, Observation
from monitor.domain.plan import NightPlan
from monitor.domain.pricing import (
    BreakerCode,
    Decision,
    Offer,
    Reason,
    Tripped,
    facts_of,
    in_words,
    remarks_on,
    rules_from_text,
)
from monitor.domain.pricing.derivation import derivation
from monitor.domain.pricing.facts import remarked
from monitor.domain.pricing.market import decisions, offers_from
from monitor.domain.pricing.night import NightFacts
from monitor.domain.pricing.replay import PastNight, ReplayedNight, replayed
from monitor.domain.run import Run, StepState
from monitor.domain.snapshot import catalogue_from_json, plan_from_json
from monitor.errors import CannotSucceed
from monitor.ports.store import Store, Unit

_EVERY_NIGHT = 100_000


class NothingToExplain(CannotSucceed):
    """There is no such night, or no such product in it."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """One product in one night, with everything that is stored about it."""

    run: Run
    plan: NightPlan
    product: Product
    replayed: ReplayedNight
    checkpoint: Mapping[str, Any]  #: of the step that proposed; empty when it is not kept any more
    action: Action | None
    evidence: Mapping[str, Any]  #: by hash, as far as it is kept


def explain(store: Store, sku: str, *, day: date | None = None) -> dict[str, Any]:
    """Return the whole derivation of a proposal, or of why there was none, as JSON values.

    Args:
        store: only read.
        sku: one of our products.
        day: the local date of the night; by default the newest.

    Raises:
        NothingToExplain: no night of that date, or no such product in it.
    """
    with store.read() as unit:
        asked = _asked(unit, sku, day)
    facts = asked.replayed.facts
    held = _held(asked)
    offers = offers_from(facts.catalogue, facts.observations, facts.current, now=facts.now, held=frozenset(held))
    decision = replace(_decision(asked, offers), second_look=_second_look(asked))
    remarks = remarks_on(
        decision,
        own=facts.own.get(sku, ()),
        offers=offers.get(sku, ()),
        rates=facts.rules.rates.into(asked.product.currency),
        now=facts.now,
        first=[competitor for competitor, _ in asked.replayed.found.first],
    )
    return {
        "run": asked.run.id,
        "date": asked.run.local_date.isoformat(),
        "title": asked.product.title,
        "currency": asked.product.currency,
        "own_price": amount_text(asked.product.price, asked.product.currency),
        "words": in_words(decision, zone=facts.zone),
        "readings": list(_readings(asked, held)),
        "steps": [line.as_json() for line in derivation(decision, facts.rules)],
        **facts_of(decision),
        **remarked(remarks, asked.product.currency),
        "stored": _stored(asked, decision),
    }


def _asked(unit: Unit, sku: str, day: date | None) -> _Asked:
    run = _run(unit, day)
    plan, catalogue = _frozen(unit, run)
    product = catalogue.product(sku)
    if product is None:
        raise NothingToExplain(f"There is no product {sku!r} in the night of {run.local_date}{_meant(sku, catalogue)}")
    seen = unit.observations.readings(sku)
    return _Asked(
        run=run,
        plan=plan,
        product=product,
        replayed=_replayed(unit, run, plan, _only(catalogue, product), seen),
        checkpoint=_checkpoint(unit, run),
        action=next((one for one in reversed(unit.actions.of_run(run.id)) if one.proposal.sku == sku), None),
        evidence=dict(_evidence(unit, run, seen)),
    )


def _run(unit: Unit, day: date | None) -> Run:
    runs = unit.runs.latest(1 if day is None else _EVERY_NIGHT)
    found = next((run for run in runs if day is None or run.local_date == day), None)
    if found is None:
        if day is None:
            raise NothingToExplain("No night has run yet. `monitor run` runs the one that is due now.")
        raise NothingToExplain(f"There is no night of {day}. `monitor runs` lists the ones there are.")
    return found


def _frozen(unit: Unit, run: Run) -> tuple[NightPlan, Catalogue]:
    plan, catalogue = unit.blobs.get(run.settings_hash), unit.blobs.get(run.catalogue_hash)
    if plan is None or catalogue is None:
        raise NothingToExplain(f"{run.id}: what the night froze when it began is not in the database any more.")
    return plan_from_json(plan.decode()), catalogue_from_json(catalogue.decode())


def _meant(sku: str, catalogue: Catalogue) -> str:
    known = {product.sku.casefold(): product.sku for product in catalogue.products}
    close = difflib.get_close_matches(sku.casefold(), list(known), n=1)
    return f"; did you mean {known[close[0]]}?" if close else "."


def _only(catalogue: Catalogue, product: Product) -> Catalogue:
    """Return the catalogue with this one product, which is all that its decision looks at."""
    watches = tuple(watch for watch in catalogue.watches if watch.sku == product.sku)
    return replace(catalogue, products=(product,), watches=watches)


def _replayed(
    unit: Unit, run: Run, plan: NightPlan, catalogue: Catalogue, seen: tuple[Observation, ...]
) -> ReplayedNight:
    """Fold the readings of this product up to its night, and decide that night."""
    runs = {one.id: one for one in unit.runs.latest(_EVERY_NIGHT) if one.local_date <= run.local_date}
    by_run = {
        one: tuple(each for each in seen if each.run_id == one) for one in {each.run_id for each in seen} | {run.id}
    }
    nights = [PastNight(runs[one], catalogue, found) for one, found in by_run.items() if one in runs]
    nights.sort(key=lambda night: (night.run.local_date, night.run.started_at))
    rules = rules_from_text(plan.rules, where=f"rules frozen by {run.id}")
    own = {catalogue.products[0].sku: unit.observations.spans(catalogue.products[0].sku, OWN)}
    *_, last = replayed(nights, rules, own=own, before={})
    ended = max((each.observed_at for each in unit.observations.of_run(run.id)), default=run.started_at)
    return replace(last, facts=replace(last.facts, now=ended))


def _checkpoint(unit: Unit, run: Run) -> Mapping[str, Any]:
    job = unit.jobs.find(run.id, "")
    steps = unit.jobs.steps(job.id) if job is not None else ()
    done = (step for step in steps if step.state is StepState.DONE and step.tool == "propose")
    return next((step.result for step in done if step.result), {})


def _evidence(unit: Unit, run: Run, seen: tuple[Observation, ...]) -> Iterator[tuple[str, Any]]:
    for one in seen:
        body = unit.blobs.get(one.evidence) if one.run_id == run.id and one.evidence else None
        if body is not None and one.evidence:
            yield one.evidence, json.loads(body)


def _held(asked: _Asked) -> dict[WatchKey, dict[str, Any]]:
    """Return which readings of this product were held, and why: as stored, else as worked out again."""
    sku = asked.product.sku
    if "held" in asked.checkpoint:
        found = [one for one in asked.checkpoint["held"] if one["sku"] == sku]
        return {(one["competitor"], sku): {"code": one["code"], "words": one["words"]} for one in found}
    return {one.key: {"code": one.code.value, "words": one.words} for one in asked.replayed.found.held}


def _decision(asked: _Asked, offers: Mapping[str, tuple[Offer, ...]]) -> Decision:
    facts = asked.replayed.facts
    changed = {sku: spans[-1].first_seen_at for sku, spans in facts.own.items() if len(spans) > 1}
    decision = next(decisions(facts.catalogue, offers, facts.rules, changed_at=changed, now=facts.now))
    stopped = asked.checkpoint.get("stopped", {}).get(asked.product.sku)
    if stopped is not None:
        return replace(decision, reason=Reason(stopped["code"]), guard=stopped["words"])
    again = asked.replayed.found.decisions[0]
    is_guarded = not asked.checkpoint and bool(again.guard)
    return replace(decision, reason=again.reason, guard=again.guard) if is_guarded else decision


def _second_look(asked: _Asked) -> tuple[Tripped, ...]:
    """Return why the stored proposal needs a second look: only the whole night knew."""
    told = asked.action.proposal.facts.get("second_look", ()) if asked.action is not None else ()
    return tuple(Tripped(BreakerCode(one["code"]), one["words"]) for one in told)


def _readings(asked: _Asked, held: Mapping[WatchKey, dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield what was read of each watch of the product, with where on its page the price stood."""
    facts: NightFacts = asked.replayed.facts
    seen = {one.competitor: one for one in facts.observations}
    names = {one.id: one.name for one in facts.catalogue.competitors}
    for watch in facts.catalogue.watches:
        one = seen.get(watch.competitor)
        yield {
            "competitor": watch.competitor,
            "name": names.get(watch.competitor, watch.competitor),
            "url": watch.url,
            "match": watch.match.value,
            "outcome": None if one is None else one.outcome.value,
            "reason": None if one is None else one.reason,
            "price": None if one is None or one.price is None else amount_text(one.price, one.currency),
            "currency": None if one is None else one.currency,
            "observed_at": None if one is None else one.observed_at.astimezone(ZoneInfo(asked.run.zone)).isoformat(),
            "evidence": None if one is None else one.evidence,
            "read_from": _read_from(asked.evidence.get(one.evidence or "") if one is not None else None),
            "held": held.get((watch.competitor, watch.sku)),
        }


def _read_from(evidence: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    """Return the places on the page that the price was taken from."""
    candidates = evidence.get("candidates", ()) if evidence else ()
    return [
        {"source": one.get("source"), "text": one.get("text")} for one in candidates if one.get("verdict") == "chosen"
    ]


def _stored(asked: _Asked, decision: Decision) -> dict[str, Any] | None:
    """Return the stored proposal, and whether it is what the derivation leads to."""
    action = asked.action
    if action is None:
        return None
    proposal = action.proposal
    return {
        "action_id": action.id,
        "version": action.version,
        "state": action.state.value,
        "price": amount_text(proposal.new_price, proposal.currency),
        "words": proposal.words,
        "same": proposal.new_price == decision.price,
    }
