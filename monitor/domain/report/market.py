"""What rivals did since the night before, read from the price history.

A first reading is no move. Our own prices are not rivals. An offer that was not read tonight still counts
with its last known price when the lowest one is sought, as long as it could be bought.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import TypeAlias

from monitor.domain.catalogue import Catalogue
from monitor.domain.extraction import Availability
from monitor.domain.observation import OWN, Span
from monitor.domain.report.clean import clean
from monitor.domain.report.needs import SKU_LIMIT, TITLE_LIMIT
from monitor.domain.report.view import Count, Market, Move, MoveKind
from monitor.domain.report.wording import money, percent

MAX_MOVES = 12
_RIVAL_LIMIT = 60
_GONE = frozenset({Availability.OUT_OF_STOCK, Availability.DISCONTINUED})
_BARE = frozenset({MoveKind.DOWN, MoveKind.UP})  #: said by the change in percent when there is more to say
_ORDER = {kind: position for position, kind in enumerate(MoveKind)}

KIND_WORDS = {
    MoveKind.NEW_LOWEST: "new lowest",
    MoveKind.SALE_STARTED: "sale started",
    MoveKind.SALE_ENDED: "sale ended",
    MoveKind.SOLD_OUT: "sold out",
    MoveKind.BACK_IN_STOCK: "back in stock",
    MoveKind.CURRENCY: "other currency",
    MoveKind.DOWN: "down",
    MoveKind.UP: "up",
}


@dataclass(frozen=True, slots=True)
class Offer:
    """One rival's offer for one product before this night and now."""

    now: Span
    before: Span | None  #: None when it was first read tonight


def offers_since(started_at: datetime, current: Iterable[Span], earlier: Iterable[Span]) -> tuple[Offer, ...]:
    """Pair each rival's latest span with what it was before the night began.

    Args:
        started_at: when the night began.
        current: the latest span of each (competitor, SKU).
        earlier: spans, in any order, among them the one before each span that began tonight.
    """
    before: dict[tuple[str, str], Span] = {}
    for span in earlier:
        known = before.get((span.competitor, span.sku))
        if span.first_seen_at < started_at and (known is None or known.first_seen_at < span.first_seen_at):
            before[span.competitor, span.sku] = span
    rivals = (span for span in current if span.competitor != OWN)
    return tuple(
        Offer(span, span if span.first_seen_at < started_at else before.get((span.competitor, span.sku)))
        for span in rivals
    )


def market_of(offers: Sequence[Offer], catalogue: Catalogue) -> Market:
    """Return the moves of the night, the most telling first, and how many there were of each kind."""
    titles = {product.sku: product.full_title for product in catalogue.products}
    names = {competitor.id: competitor.name for competitor in catalogue.competitors}
    watched = {(watch.competitor, watch.sku) for watch in catalogue.watches}
    known = [offer for offer in offers if (offer.now.competitor, offer.now.sku) in watched]
    undercut = _new_lowest(known)
    moved = [(offer, kinds) for offer in known if (kinds := _kinds(offer, undercut))]
    telling = sorted(moved, key=_by_weight)[:MAX_MOVES]
    counts = Counter(kind for _, kinds in moved for kind in kinds)
    return Market(
        moves=tuple(_move(offer, kinds, titles, names) for offer, kinds in telling),
        total=len(moved),
        more=len(moved) - len(telling),
        counts=tuple(Count(KIND_WORDS[kind], counts[kind]) for kind in MoveKind if counts[kind]),
        is_first=bool(known) and all(offer.before is None for offer in known),
    )


_Moved: TypeAlias = tuple[Offer, tuple[MoveKind, ...]]


def _by_weight(moved: _Moved) -> tuple[int, Decimal, str, str]:
    offer, kinds = moved
    return (_ORDER[kinds[0]], -abs(_change_pct(offer) or Decimal(0)), offer.now.sku, offer.now.competitor)


def _change_pct(offer: Offer) -> Decimal | None:
    before, now = offer.before, offer.now
    if before is None or before.currency != now.currency:
        return None
    return percent(now.price - before.price, before.price)


def _new_lowest(offers: Sequence[Offer]) -> frozenset[tuple[str, str]]:
    """Return the (competitor, SKU) that undercut everybody's last price tonight, of products where anything moved."""
    moved = {offer.now.sku for offer in offers if offer.before is not None and offer.before != offer.now}
    by_market: dict[tuple[str, str], list[Offer]] = {}
    for offer in offers:
        if offer.now.sku not in moved:
            continue
        by_market.setdefault((offer.now.sku, offer.now.currency), []).append(offer)
    found = set()
    for (sku, currency), rivals in by_market.items():
        last = [o.before.price for o in rivals if o.before and _is_buyable(o.before) and o.before.currency == currency]
        buyable = [o.now for o in rivals if _is_buyable(o.now)]
        if last and buyable and (lowest := min(buyable, key=lambda span: span.price)).price < min(last):
            found.add((lowest.competitor, sku))
    return frozenset(found)


def _is_buyable(span: Span) -> bool:
    return span.availability not in _GONE


def _is_on_sale(span: Span) -> bool:
    return span.list_price is not None and span.list_price > span.price


def _kinds(offer: Offer, undercut: frozenset[tuple[str, str]]) -> tuple[MoveKind, ...]:
    """Return everything that changed, the most telling first."""
    before, now = offer.before, offer.now
    if before is None or before == now:
        return ()
    same_currency = before.currency == now.currency
    tests = {
        MoveKind.NEW_LOWEST: (now.competitor, now.sku) in undercut,
        MoveKind.SALE_STARTED: _is_on_sale(now) and not _is_on_sale(before),
        MoveKind.SALE_ENDED: _is_on_sale(before) and not _is_on_sale(now),
        MoveKind.SOLD_OUT: _is_buyable(before) and not _is_buyable(now),
        MoveKind.BACK_IN_STOCK: _is_buyable(now) and not _is_buyable(before),
        MoveKind.CURRENCY: not same_currency,
        MoveKind.DOWN: same_currency and now.price < before.price,
        MoveKind.UP: same_currency and now.price > before.price,
    }
    return tuple(kind for kind, holds in tests.items() if holds)


def _move(offer: Offer, kinds: Sequence[MoveKind], titles: Mapping[str, str], names: Mapping[str, str]) -> Move:
    now, before = offer.now, offer.before or offer.now
    return Move(
        kind=kinds[0],
        words=", ".join(_words(kind, before, now) for kind in kinds if kind is kinds[0] or kind not in _BARE),
        sku=clean(now.sku, SKU_LIMIT),
        title=clean(titles.get(now.sku, now.sku), TITLE_LIMIT),
        rival=clean(names.get(now.competitor, now.competitor), _RIVAL_LIMIT),
        currency=now.currency,
        before=before.price,
        now=now.price,
        change_pct=_change_pct(offer),
    )


def _words(kind: MoveKind, before: Span, now: Span) -> str:
    if kind is MoveKind.CURRENCY:
        return f"priced in {now.currency} instead of {before.currency}"
    if kind is MoveKind.SALE_STARTED and now.list_price is not None:
        return f"{KIND_WORDS[kind]} (list price {money(now.list_price, now.currency)})"
    return KIND_WORDS[kind]
