"""From what the night observed to the offers that pricing works on, for a whole catalogue.

Of one watch the newest good reading counts: tonight's, else the last one in history, which ages; a page
that the shop confirms as unchanged makes it fresh again. A page that is gone tonight sells nothing, whatever
it asked yesterday. Other failures say nothing about the shop, so the last good reading stays.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal

from monitor.domain.anomaly import WatchKey
from monitor.domain.catalogue import Catalogue, Watch
from monitor.domain.extraction import Availability, Outcome
from monitor.domain.observation import OWN, Observation, Span
from monitor.domain.pricing.decide import Decision, decide
from monitor.domain.pricing.offers import Offer
from monitor.domain.pricing.rule import Rules

#: Whether a shopper could have it now; what can only be ordered ahead is not in stock.
_IN_STOCK = {
    Availability.IN_STOCK: True,
    Availability.OUT_OF_STOCK: False,
    Availability.PREORDER: False,
    Availability.BACKORDER: False,
    Availability.DISCONTINUED: False,
    Availability.UNKNOWN: None,
}


@dataclass(frozen=True, slots=True)
class _Reading:
    """The newest good reading of a watch."""

    price: Decimal
    currency: str
    seen_at: datetime
    in_stock: bool | None
    shipping: Decimal | None = None
    evidence: str | None = None


def offers_from(
    catalogue: Catalogue,
    observations: Iterable[Observation],
    spans: Iterable[Span] = (),
    *,
    now: datetime,
    held: Collection[WatchKey] = frozenset(),
) -> dict[str, tuple[Offer, ...]]:
    """Return the offers for each watched product, by SKU.

    Args:
        catalogue: products, competitors and watches of the night; a watch brings its match state.
        observations: tonight's, of any outcome.
        spans: the history from which a watch that was not read tonight takes its last good reading.
        now: from which ages are counted.
        held: watches whose newest reading is suspicious.

    A watch that was never read has no offer. A watch shows the product in our own pack size.
    """
    tonight = list(observations)
    gone = {(one.competitor, one.sku) for one in tonight if one.outcome is Outcome.NOT_FOUND}
    readings = _newest(tonight, spans)
    names = {competitor.id: competitor.name for competitor in catalogue.competitors}
    units = {product.sku: product.units for product in catalogue.products}
    found: dict[str, list[Offer]] = defaultdict(list)
    for watch in catalogue.watches:
        key = (watch.competitor, watch.sku)
        reading = readings.get(key)
        if reading is not None and watch.sku in units:
            offer = _offer(watch, reading, now, key in gone, key in held, units[watch.sku], names)
            found[watch.sku].append(offer)
    return {sku: tuple(offers) for sku, offers in found.items()}


def decisions(
    catalogue: Catalogue,
    offers: Mapping[str, tuple[Offer, ...]],
    rules: Rules,
    *,
    changed_at: Mapping[str, datetime] | None = None,
    now: datetime,
) -> Iterator[Decision]:
    """Decide every product of the catalogue, in its order, those without an offer too.

    Args:
        catalogue: the products of the night.
        offers: as `offers_from` returns them.
        rules: the rules in force.
        changed_at: when our own price of a SKU last changed, where that is known.
        now: from which the time since that change is counted.
    """
    rates = {product.currency: rules.rates.into(product.currency) for product in catalogue.products}
    changed = changed_at or {}
    for product in catalogue.products:
        since = now - changed[product.sku] if product.sku in changed else None
        yield decide(
            product,
            offers.get(product.sku, ()),
            rules,
            rates=rates[product.currency],
            since_change=since,
        )


def _newest(observations: Iterable[Observation], spans: Iterable[Span]) -> dict[WatchKey, _Reading]:
    newest: dict[WatchKey, _Reading] = {}
    observations = list(observations)
    tonight = {
        (seen.competitor, seen.sku): seen.observed_at
        for seen in observations
        if seen.outcome is Outcome.OK and seen.price is not None and seen.currency is not None
    }
    for span in spans:
        read_at = tonight.get((span.competitor, span.sku))
        if span.competitor != OWN and (read_at is None or span.last_seen_at > read_at):
            stock = _IN_STOCK[span.availability]
            _keep(newest, (span.competitor, span.sku), _Reading(span.price, span.currency, span.last_seen_at, stock))
    for seen in observations:
        if seen.outcome is Outcome.OK and seen.price is not None and seen.currency is not None:
            stock = _IN_STOCK[seen.availability]
            reading = _Reading(seen.price, seen.currency, seen.observed_at, stock, seen.shipping, seen.evidence)
            _keep(newest, (seen.competitor, seen.sku), reading)
        elif seen.outcome is Outcome.UNCHANGED and (seen.competitor, seen.sku) in newest:
            last = newest[seen.competitor, seen.sku]
            _keep(newest, (seen.competitor, seen.sku), replace(last, seen_at=max(last.seen_at, seen.observed_at)))
    return newest


def _keep(newest: dict[WatchKey, _Reading], key: WatchKey, reading: _Reading) -> None:
    """Keep the newer reading; of two of the same time the later given, which knows more."""
    if key not in newest or reading.seen_at >= newest[key].seen_at:
        newest[key] = reading


def _offer(
    watch: Watch,
    reading: _Reading,
    now: datetime,
    is_gone: bool,
    is_held: bool,
    units: int,
    names: Mapping[str, str],
) -> Offer:
    return Offer(
        seller=watch.competitor,
        price=reading.price,
        currency=reading.currency,
        age=max(now - reading.seen_at, timedelta(0)),
        match=watch.match,
        shipping=reading.shipping,
        in_stock=False if is_gone else reading.in_stock,
        units=units,
        held=is_held,
        name=names.get(watch.competitor),
        seen_at=reading.seen_at,
        url=watch.url,
        evidence=reading.evidence,
    )
