"""All decisions of one night, from what the night froze, saw and remembered.

The one place where the parts meet: which readings are held, what the offers are, what each product alone leads to,
and what the guards of the night leave of it. The nightly stage, the simulation and the explanation all call this,
so that they can never disagree. Pure: the same facts give the same decisions.

A large night is decided some products at a time, so that not all it knows is held at once: `glance_at` each part,
`whole_of` them, `decide_part` each, and `guards.guarded_together`. In whatever parts, the decisions are those of
`decide_night`.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, tzinfo
from decimal import Decimal

from monitor.domain.anomaly import Held, History, Knowledge, Moved, WatchKey, held_among, lacking, moved_in, shifts
from monitor.domain.catalogue import Catalogue, MatchState
from monitor.domain.extraction import Outcome
from monitor.domain.observation import OWN, Observation, Span
from monitor.domain.pricing.breakers import NOTHING_WATCHED, Coverage, Movement, tripped
from monitor.domain.pricing.decide import Decision, Tripped
from monitor.domain.pricing.guards import Circumstances, guarded_alone, guarded_together
from monitor.domain.pricing.market import decisions, offers_from
from monitor.domain.pricing.offers import Offer
from monitor.domain.pricing.rule import ExchangeRates, Rules


@dataclass(frozen=True, slots=True)
class NightFacts:
    """What one night decides from, all of it or what it needs for some products."""

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
class Glance:
    """What a part of the products tells of the whole night, before anything is decided."""

    compared: Counter[str]  #: by competitor, prices read tonight and before
    changed: Counter[str]  #: by competitor, how many of them were another price before
    moved: tuple[Moved, ...]


@dataclass(frozen=True, slots=True)
class Whole:
    """What all products together tell, by which each of them is decided."""

    moved: Mapping[str, Movement]  #: by competitor
    shifted: Mapping[WatchKey, Held]  #: readings of shops that moved as one


@dataclass(frozen=True, slots=True)
class PartDecisions:
    """What one night decided of a part of its products, before the guards that look at all of them."""

    decisions: tuple[Decision, ...]  #: in the order of the catalogue
    offers: Mapping[str, tuple[Offer, ...]]
    held: tuple[Held, ...]
    first: Mapping[WatchKey, str]  #: readings without a history, and what they lack


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
    """Decide every product of a night at once."""
    whole = whole_of([glance_at(facts.run_id, facts.current, facts.history)], facts.rules)
    part = decide_part(facts, whole)
    decided = tuple(guarded_together(part.decisions, facts.rules, circumstances(facts, whole)))
    return NightDecisions(decided, part.offers, part.held, part.first, whole.moved, tripped(decided))


def decide_part(facts: NightFacts, whole: Whole) -> PartDecisions:
    """Decide some products of a night; what is left to do with all together is `guarded_together`.

    Args:
        facts: of these products all there is, `now` that of the whole night; nothing needs to be known of others.
        whole: of all products of the night.
    """
    held = held_among(facts.history, _knowledge(facts, whole.moved), facts.rules.doubts, whole.shifted)
    offers = offers_from(
        facts.catalogue,
        facts.observations,
        facts.current,
        now=facts.now,
        held=frozenset(one.key for one in held),
    )
    changed = {sku: spans[-1].first_seen_at for sku, spans in facts.own.items() if len(spans) > 1}
    found = decisions(facts.catalogue, offers, facts.rules, changed_at=changed, now=facts.now)
    night = circumstances(facts, whole)
    return PartDecisions(
        decisions=tuple(guarded_alone(one, facts.rules, night) for one in found),
        offers=offers,
        held=held,
        first={key: lacks for key, spans in facts.history.items() if spans and (lacks := lacking(spans))},
    )


def circumstances(facts: NightFacts, whole: Whole) -> Circumstances:
    """Return what the guards know of a night besides its decisions."""
    return Circumstances(
        day=facts.day, now=facts.now, zone=facts.zone, own=facts.own, moved=whole.moved, coverage=facts.coverage
    )


def glance_at(run_id: str, current: Iterable[Span], history: History) -> Glance:
    """Return how many prices were read tonight and before, how many of them had moved, and which.

    A watch that shows the price of the night before needs no history; one that does not is in `history`.
    """
    compared: Counter[str] = Counter()
    changed: Counter[str] = Counter()
    for span in current:
        if span.competitor == OWN or span.last_run_id != run_id:
            continue
        if span.first_run_id != run_id:
            compared[span.competitor] += 1
            continue
        earlier = history.get((span.competitor, span.sku), ())
        before = next((one for one in reversed(earlier) if one.first_run_id != run_id), None)
        if before is not None:
            compared[span.competitor] += 1
            changed[span.competitor] += (before.price, before.currency) != (span.price, span.currency)
    return Glance(compared, changed, tuple(moved_in(history, run_id)))


def whole_of(glances: Iterable[Glance], rules: Rules) -> Whole:
    """Return what the parts of a night tell together, in whatever parts they come."""
    compared: Counter[str] = Counter()
    changed: Counter[str] = Counter()
    moved: list[Moved] = []
    for one in glances:
        compared.update(one.compared)
        changed.update(one.changed)
        moved += one.moved
    return Whole(
        moved={competitor: Movement(count, changed[competitor]) for competitor, count in compared.items()},
        shifted={one.key: one for one in shifts(moved, compared, rules.doubts)},
    )


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
