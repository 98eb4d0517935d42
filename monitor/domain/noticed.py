"""What a night newly noticed at rivals that somebody should hear of: prices below our minimum, stock-outs, dead sites.

Only what was not so the night before is noticed, so that nothing is told again while it lasts: a price below the
minimum advertised price that goes further down is no news, one that comes back and falls again is.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from monitor.domain.catalogue import Catalogue, MatchState, Product
from monitor.domain.extraction import Availability, Outcome
from monitor.domain.message import Alert, AlertKind
from monitor.domain.money import amount_text
from monitor.domain.observation import OWN, Observation, Span
from monitor.domain.plan import NotifyPlan
from monitor.domain.pricing import Offer, Rules
from monitor.domain.pricing.flags import advertises_below_map
from monitor.domain.run import Run

#: Offers that one alert names; the rest is counted.
MOST_NAMED = 10

_GONE = frozenset({Availability.OUT_OF_STOCK, Availability.DISCONTINUED})
_HAD = frozenset({Availability.IN_STOCK, Availability.PREORDER, Availability.BACKORDER})
_READ = frozenset({Outcome.OK, Outcome.UNCHANGED})


@dataclass(frozen=True, slots=True)
class Seen:
    """What two nights read of some products, and what is in the history of every watch of theirs."""

    run_id: str  #: tonight
    tonight: tuple[Observation, ...]
    before: tuple[Observation, ...] = ()  #: the night before; empty in the first
    spans: Mapping[str, Sequence[Span]] = field(default_factory=dict)  #: by SKU, of the products that `asked_of` names


@dataclass(frozen=True, slots=True)
class Turn:
    """What one competitor's history says of one product, before tonight and tonight."""

    before: Span | None  #: None: tonight is the first reading
    now: Span | None  #: None: tonight changed nothing

    @property
    def key(self) -> tuple[str, str]:
        """Competitor and SKU."""
        span = self.now or self.before
        return ("", "") if span is None else (span.competitor, span.sku)


def asked_of(current: Iterable[Span], tonight: Iterable[Observation], run_id: str) -> frozenset[str]:
    """Return the SKUs whose history is needed: those that changed in this night or are out of stock somewhere."""
    changed = {span.sku for span in current if span.first_run_id == run_id and span.competitor != OWN}
    return frozenset(changed | {one.sku for one in tonight if one.availability in _GONE})


#: What a line is sorted by, and the line.
Line = tuple[tuple[str, str], str]


@dataclass(frozen=True, slots=True)
class Signs:
    """What some products of a night say of their rivals; what is said of all of them is `noticed`."""

    before: frozenset[str]  #: competitors that the night before read
    tried: frozenset[str]  #: and those that this night tried to read
    read: frozenset[str]  #: and did
    below_map: tuple[Line, ...]  #: by SKU and competitor
    out_of_stock: tuple[Line, ...]  #: by competitor and SKU


def signs_of(catalogue: Catalogue, seen: Seen, offers: Mapping[str, Sequence[Offer]], rules: Rules) -> Signs:
    """Return the signs of these products; of the whole catalogue only their watches are needed.

    Args:
        offers: of these products, by SKU, as they were decided on.
    """
    turns = _turns(seen)
    return Signs(
        before=frozenset(one.competitor for one in seen.before if one.outcome in _READ),
        tried=frozenset(one.competitor for one in seen.tonight if one.outcome is not Outcome.SKIPPED_BUDGET),
        read=frozenset(one.competitor for one in seen.tonight if one.outcome in _READ),
        below_map=tuple(_below_map(catalogue, turns, offers, rules)),
        out_of_stock=tuple(_out_of_stock(catalogue, seen, turns)),
    )


def noticed(run: Run, plan: NotifyPlan, catalogue: Catalogue, signs: Sequence[Signs], at: datetime) -> Iterator[Alert]:
    """Yield the alerts of one night, at most one per kind; `at` is when they are raised."""
    below_map = [line for _, line in sorted(each for one in signs for each in one.below_map)]
    gone = [line for _, line in sorted(each for one in signs for each in one.out_of_stock)]
    kinds = (
        (AlertKind.SITE, plan.min_sites, _unread(catalogue, signs), "read the night before and not at all this night"),
        (AlertKind.MAP, plan.min_map, below_map, "newly below your minimum price"),
        (AlertKind.STOCK, plan.min_stock, gone, "newly out of stock while you have it"),
    )
    for kind, least, lines, what in kinds:
        if least and len(lines) >= least:
            words = f"Night of {run.local_date}, {what}: {_named(lines)}."
            yield Alert(f"{kind.value}:{run.id}", kind, run.id, words, at)


def _turns(seen: Seen) -> tuple[Turn, ...]:
    found: dict[tuple[str, str], list[Span]] = {}
    for spans in seen.spans.values():
        for span in spans:
            if span.competitor != OWN:
                found.setdefault((span.sku, span.competitor), []).append(span)
    turns = []
    for _, history in sorted(found.items()):
        earlier = [span for span in history if span.first_run_id != seen.run_id]
        tonight = [span for span in history if span.first_run_id == seen.run_id]
        turns.append(Turn(earlier[-1] if earlier else None, tonight[-1] if tonight else None))
    return tuple(turns)


def _unread(catalogue: Catalogue, signs: Iterable[Signs]) -> list[str]:
    """Return the competitors read in part or whole the night before and not at all tonight, although tried."""
    names = {shop.id: shop.name for shop in catalogue.competitors}
    before: set[str] = set()
    tried: set[str] = set()
    read: set[str] = set()
    for one in signs:
        before |= one.before
        tried |= one.tried
        read |= one.read
    return sorted(names.get(one, one) for one in (before & tried) - read)


def _below_map(
    catalogue: Catalogue, turns: Sequence[Turn], offered: Mapping[str, Sequence[Offer]], rules: Rules
) -> Iterator[Line]:
    products = _by_sku(catalogue)
    for turn in turns:
        if turn.now is None:
            continue
        product = products.get(turn.now.sku)
        offers = [one for one in offered.get(turn.now.sku, ()) if one.seller == turn.now.competitor]
        if product is None or product.map is None or not offers:
            continue
        offer, rates = offers[0], rules.rates.into(product.currency)
        was = None if turn.before is None else replace(offer, price=turn.before.price, currency=turn.before.currency)
        if advertises_below_map(offer, product, rates) and not (was and advertises_below_map(was, product, rates)):
            asked, least = amount_text(offer.price, offer.currency), amount_text(product.map, product.currency)
            told = f"{product.sku} at {offer.called} for {offer.currency} {asked}"
            yield (turn.now.sku, turn.now.competitor), f"{told} (minimum {product.currency} {least})"


def _out_of_stock(catalogue: Catalogue, seen: Seen, turns: Sequence[Turn]) -> Iterator[Line]:
    products, names = _by_sku(catalogue), {shop.id: shop.name for shop in catalogue.competitors}
    confirmed = {(one.competitor, one.sku) for one in catalogue.watches if one.match is MatchState.CONFIRMED}
    was = _availability_before(seen, turns)
    for one in seen.tonight:
        key = (one.competitor, one.sku)
        is_gone = one.availability in _GONE and was.get(key, Availability.UNKNOWN) in _HAD
        if key in confirmed and is_gone and _is_ours_in_stock(products.get(one.sku)):
            yield key, f"{one.sku} at {names.get(one.competitor, one.competitor)}"


def _availability_before(seen: Seen, turns: Sequence[Turn]) -> dict[tuple[str, str], Availability]:
    """Return what each watch showed last: in the night before, else in the newest reading that had a price."""
    told = {turn.key: turn.before.availability for turn in turns if turn.before is not None}
    said = {
        (one.competitor, one.sku): one.availability
        for one in seen.before
        if one.availability is not Availability.UNKNOWN
    }
    return told | said


def _is_ours_in_stock(product: Product | None) -> bool:
    """Say whether we can sell it; a catalogue without stock figures says that we can."""
    return product is not None and product.active and (product.stock is None or product.stock > 0)


def _by_sku(catalogue: Catalogue) -> dict[str, Product]:
    return {product.sku: product for product in catalogue.products}


def _named(lines: Sequence[str]) -> str:
    more = len(lines) - MOST_NAMED
    return "; ".join(lines[:MOST_NAMED]) + (f"; and {more} more" if more > 0 else "")
