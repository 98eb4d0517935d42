"""All decisions of one night, from what the night froze, saw and remembered.

The one place where the parts meet: which readings are held, what the offers are, what each product alone leads to,
and what the guards of the night leave of it. The nightly stage, the simulation and the explanation all call this,
so that they can never disagree. Pure: the same facts give the same decisions.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, tzinfo
from decimal import Decimal

from monitor.domain.anomaly import Held, History, Knowledge, WatchKey, held_now, lacking
from monitor.domain.catalogue import Catalogue, MatchState
from monitor.domain.extraction import Outcome
from monitor.domain.observation import OWN, Observation, Span
from monitor.domain.pricing.breakers import NOTHING_WATCHED, Coverage, Movement, tripped
from monitor.domain.pricing.decide import Decision, Tripped
from monitor.domain.pricing.guards import Circumstances, guarded
from monitor.domain.pricing.market import decisions, offers_from
from monitor.domain.pricing.offers import Offer
from monitor.domain.pricing.rule import ExchangeRates, Rules


@dataclass(frozen=True, slots=True)
class NightFacts:
    """What one night decides from."""

    run_id: str
    day: date  #: the local date
    zone: tzinfo
    now: datetime  #: from which ages are counted
    catalogue: Catalogue
    rules: Rules
    observations: tuple[Observation, ...]  #: of this night
    current: tuple[Span, ...]  #: the latest span of each watch
    history: History  #: of every watch whose latest price may be odd, oldest first
    own: Mapping[str, tuple[Span, ...]]  #: by SKU the history of our own price
    accepted: Mapping[WatchKey, tuple[Decimal, str]] = field(default_factory=dict)
    standing: Mapping[WatchKey, Held] = field(default_factory=dict)  #: holds that need a person
    names: Mapping[WatchKey, str] = field(default_factory=dict)  #: of products in the nights before, where prices moved
    coverage: Coverage = NOTHING_WATCHED  #: of this night and the ones before


@dataclass(frozen=True, slots=True)
class NightDecisions:
    """What one night decided."""

    decisions: tuple[Decision, ...]  #: of every product, in the order of the catalogue
    offers: Mapping[str, tuple[Offer, ...]]
    held: tuple[Held, ...]
    first: Mapping[WatchKey, str]  #: readings without a history, and what they lack
    moved: Mapping[str, Movement]  #: by competitor
    tripped: tuple[Tripped, ...]  #: the breakers that marked a proposal


def decide_night(facts: NightFacts) -> NightDecisions:
    """Decide every product of a night."""
    moved = movements(facts)
    held = held_now(facts.history, _knowledge(facts, moved), facts.rules.doubts)
    offers = offers_from(
        facts.catalogue,
        facts.observations,
        facts.current,
        now=facts.now,
        held=frozenset(one.key for one in held),
    )
    changed = {sku: spans[-1].first_seen_at for sku, spans in facts.own.items() if len(spans) > 1}
    alone = decisions(facts.catalogue, offers, facts.rules, changed_at=changed, now=facts.now)
    night = Circumstances(
        day=facts.day, now=facts.now, zone=facts.zone, own=facts.own, moved=moved, coverage=facts.coverage
    )
    decided = tuple(guarded(alone, facts.rules, night))
    return NightDecisions(
        decisions=decided,
        offers=offers,
        held=held,
        first={key: lacks for key, spans in facts.history.items() if spans and (lacks := lacking(spans))},
        moved=moved,
        tripped=tripped(decided),
    )


def movements(facts: NightFacts) -> dict[str, Movement]:
    """Return, by competitor, how many prices were read tonight and before, and how many of them had moved.

    A watch that shows the price of the night before needs no history; one that does not is in `facts.history`.
    """
    compared: Counter[str] = Counter()
    moved: Counter[str] = Counter()
    for span in facts.current:
        if span.competitor == OWN or span.last_run_id != facts.run_id:
            continue
        if span.first_run_id != facts.run_id:
            compared[span.competitor] += 1
            continue
        earlier = facts.history.get((span.competitor, span.sku), ())
        before = next((one for one in reversed(earlier) if one.first_run_id != facts.run_id), None)
        if before is not None:
            compared[span.competitor] += 1
            moved[span.competitor] += (before.price, before.currency) != (span.price, span.currency)
    return {competitor: Movement(count, moved[competitor]) for competitor, count in compared.items()}


def _knowledge(facts: NightFacts, moved: Mapping[str, Movement]) -> Knowledge:
    return Knowledge(
        run_id=facts.run_id,
        own={one.sku: (one.price, one.currency) for one in facts.catalogue.products if not one.locked},
        peers=_peers(facts.catalogue, facts.observations),
        worth=worth_of(facts.rules.rates),
        compared={competitor: one.compared for competitor, one in moved.items()},
        accepted=facts.accepted,
        standing=facts.standing,
        names=_names(facts),
    )


def _names(facts: NightFacts) -> dict[WatchKey, tuple[str, str]]:
    """Return how a page names its product, before and tonight; a standing hold keeps the name that was right."""
    found = {}
    for one in facts.observations:
        key = (one.competitor, one.sku)
        held = facts.standing.get(key)
        before = held.name if held is not None and held.name else facts.names.get(key)
        if one.outcome is Outcome.OK and one.name and before:
            found[key] = (before, one.name)
    return found


def _peers(catalogue: Catalogue, seen: Iterable[Observation]) -> dict[str, dict[str, tuple[Decimal, str]]]:
    """Return, by SKU and competitor, what confirmed watches showed tonight."""
    confirmed = {(one.competitor, one.sku) for one in catalogue.watches if one.match is MatchState.CONFIRMED}
    found: dict[str, dict[str, tuple[Decimal, str]]] = defaultdict(dict)
    for one in seen:
        is_read = one.outcome is Outcome.OK and (one.competitor, one.sku) in confirmed
        if is_read and one.price is not None and one.currency is not None:
            found[one.sku][one.competitor] = (one.price, one.currency)
    return found


def worth_of(rates: ExchangeRates) -> dict[tuple[str, str], Decimal]:
    """Return what one unit of each known currency is worth in each other, for judging readings only."""
    if rates.base is None:
        return {}
    worth = {**rates.rates, rates.base: Decimal(1)}
    return {(one, other): worth[one] / worth[other] for one in worth for other in worth if one != other}
