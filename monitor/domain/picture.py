"""What a chart shows, as rows of JSON values; how it looks is the business of the chart's specification.

A picture is not a source of figures: its numbers are binary floats for drawing, every text beside them is exact.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from decimal import Decimal
from enum import StrEnum
from typing import Any, TypeAlias
from zoneinfo import ZoneInfo

from monitor.domain.action import Action
from monitor.domain.extraction import Availability
from monitor.domain.money import UnreadableAmount, amount_text, plain_amount
from monitor.domain.observation import OWN, Span
from monitor.domain.report.view import Row
from monitor.domain.standing import Portfolio, Standing

#: The named tables that a specification draws.
Tables: TypeAlias = Mapping[str, Sequence[Mapping[str, Any]]]


class Chart(StrEnum):
    """The charts there are."""

    HISTORY = "history"  #: one product: ours and every rival's price as steps, sales, stock-outs, our changes
    STANDING = "standing"  #: one product's price index by night
    PORTFOLIO = "portfolio"  #: the index of all products by night
    SPREAD = "spread"  #: how many products are how far from the median tonight
    STRIP = "strip"  #: tonight's proposals: rivals' prices, ours and the proposed one on a line each


#: Height of each chart on a page, in pixels; the width is the page's.
HEIGHTS = {Chart.HISTORY: 340, Chart.STANDING: 180, Chart.PORTFOLIO: 200, Chart.SPREAD: 200, Chart.STRIP: 240}


class Form(StrEnum):
    """What a chart is drawn as."""

    SVG = "svg"
    PNG = "png"


class Theme(StrEnum):
    """What a chart is drawn on."""

    LIGHT = "light"
    DARK = "dark"


@dataclass(frozen=True, slots=True)
class Changed:
    """A price of ours that the monitor wrote."""

    at: datetime
    old: Decimal
    new: Decimal
    currency: str


#: Products further from the median than this are counted at the edge.
_EDGE_PCT = 50
_BUCKET_PCT = 5
#: Rows of a strip chart; more would not be read in a mail.
MAX_STRIP = 8
#: Two sights further apart than this have a night between them that saw nothing: the line is broken there.
_A_NIGHT = timedelta(hours=36)
_OUT = frozenset({Availability.OUT_OF_STOCK, Availability.DISCONTINUED})


def history_tables(
    spans: Iterable[Span],
    names: Mapping[str, str],
    changes: Iterable[Changed],
    currency: str,
    held: frozenset[tuple[str, datetime]] = frozenset(),
    zone: str = "UTC",
) -> Tables:
    """Return the tables of a history chart; offers in other currencies are left out, there is one axis.

    Its times are what a clock in `zone` shows, written as UTC: whoever draws them draws UTC, wherever he is.

    Args:
        spans: of one product, ours among them, oldest first.
        names: of competitors, by id; ours is "our price".
        held: competitor and first sight of spans that are on probation.
    """
    shown = [span for span in spans if span.currency == currency]
    after, told = _followers(shown), ZoneInfo(zone)
    return {
        "stretches": [
            _stretch(span, names, after[index], (span.competitor, span.first_seen_at) in held, told)
            for index, span in enumerate(shown)
        ],
        "turns": [
            {
                "seller": _name(span, names),
                "own": span.competitor == OWN,
                "at": _instant(follower.first_seen_at, told),
                "price": float(span.price),
                "next": float(follower.price),
            }
            for span, follower in zip(shown, after, strict=True)
            if follower is not None
        ],
        "changes": [_change(one, told) for one in changes if one.currency == currency],
    }


def standing_tables(found: Iterable[tuple[date, Standing]]) -> Tables:
    """Return the tables of a standing chart: nights without an index are left out, and those on which nothing changed.

    The chart is drawn in steps, so of a stretch of equal nights the first is enough, and the last where the line ends.
    """
    nights = [
        {"night": day.isoformat(), "index": float(one.index), "place": f"{one.position} of {one.usable + 1}"}
        for day, one in found
        if one.index is not None
    ]
    told = [(night["index"], night["place"]) for night in nights]
    last = len(nights) - 1
    return {"nights": [night for n, night in enumerate(nights) if n in (0, last) or told[n] != told[n - 1]]}


def portfolio_tables(found: Iterable[tuple[date, Portfolio]]) -> Tables:
    """Return the tables of a portfolio chart; the weighted index where it is known, else the plain one."""
    return {
        "nights": [
            {"night": day.isoformat(), "index": float(index), "lowest": float(one.lowest_pct or 0)}
            for day, one in found
            if (index := one.index if one.index is not None else one.index_plain) is not None
        ]
    }


def spread_tables(found: Iterable[Standing]) -> Tables:
    """Return the tables of a spread chart: products by distance of their index from 100, in steps of 5 %."""
    counts = dict.fromkeys(range(-_EDGE_PCT, _EDGE_PCT, _BUCKET_PCT), 0)
    for one in found:
        if one.index is not None:
            step = int((one.index - 100) // _BUCKET_PCT * _BUCKET_PCT)
            counts[max(-_EDGE_PCT, min(_EDGE_PCT - _BUCKET_PCT, step))] += 1
    return {"steps": [{"from": low, "to": low + _BUCKET_PCT, "products": count} for low, count in counts.items()]}


def strip_tables(rows: Sequence[tuple[Row, Sequence[tuple[str, Decimal]]]]) -> Tables:
    """Return the tables of a strip chart.

    Args:
        rows: a proposal and the comparable offers it was made on, by name, most money at stake first. Amounts are drawn
            in percent of our present price, so that cheap and dear products share one axis.
    """
    taken = [(row, offers) for row, offers in rows if row.old_price][:MAX_STRIP]
    titles = [row.title for row, _ in taken]
    labels = [
        title if titles.count(title) == 1 else f"{title} {row.sku}"
        for title, (row, _) in zip(titles, taken, strict=True)
    ]
    return {
        "proposals": [
            {
                "title": labels[place],
                "place": place,
                "from": 100,
                "to": float(row.new_price / row.old_price * 100),
                "text": _arrow(row),
            }
            for place, (row, _) in enumerate(taken)
        ],
        "offers": [
            {"title": labels[place], "place": place, "at": float(amount / row.old_price * 100), "seller": name}
            for place, (row, offers) in enumerate(taken)
            for name, amount in offers
        ],
    }


def comparables(action: Action) -> tuple[tuple[str, Decimal], ...]:
    """Return the comparable offers that a proposal was made on, by name, from its stored facts."""
    found = []
    for offer in action.proposal.facts.get("offers") or ():
        text = str(offer.get("comparable") or "").split(" ")[0] if isinstance(offer, Mapping) else ""
        try:
            found.append((str(offer.get("name") or offer.get("seller")), plain_amount(text)))
        except (UnreadableAmount, AttributeError):
            continue
    return tuple(found)


def mail_size(chart: Chart, rows: int) -> tuple[int, int]:
    """Return width and height of a mail's picture without its axes, in pixels.

    With its axes it is about 400 wide: a phone of 320 shows it at seven tenths, so that its words can still be read.

    Args:
        chart: which.
        rows: proposals of a strip chart, each with its title above its line.
    """
    if chart is Chart.STRIP:
        return 384, 30 + 46 * max(2, min(rows, MAX_STRIP))
    return 330, 170


def png_size(body: bytes) -> tuple[int, int]:
    """Return width and height of a PNG of twice the size, in pixels of what shows it (PNG specification, 11.2.2)."""
    width, height = (int.from_bytes(body[start : start + 4], "big") for start in (16, 20))
    return width // 2, height // 2


def _followers(spans: Sequence[Span]) -> list[Span | None]:
    """Return for each span the one of the same seller that follows within a night, or None at a gap and at the end."""
    following: dict[str, Span] = {}
    found: list[Span | None] = []
    for span in reversed(spans):
        later = following.get(span.competitor)
        is_near = later is not None and later.first_seen_at - span.last_seen_at <= _A_NIGHT
        found.append(later if is_near else None)
        following[span.competitor] = span
    return found[::-1]


def _stretch(
    span: Span, names: Mapping[str, str], follower: Span | None, is_held: bool, zone: tzinfo
) -> Mapping[str, Any]:
    text = f"{amount_text(span.price, span.currency)} {span.currency}"
    until = span.last_seen_at if follower is None else follower.first_seen_at
    if span.list_price is not None:
        text += f" instead of {amount_text(span.list_price, span.currency)}"
    return {
        "seller": _name(span, names),
        "own": span.competitor == OWN,
        "from": _instant(span.first_seen_at, zone),
        "to": _instant(span.last_seen_at, zone),
        "until": _instant(until, zone),
        "once": until == span.first_seen_at,
        "price": float(span.price),
        "text": text,
        "kind": _kind(span, is_held),
        "stock": span.availability.value.replace("_", " "),
        "night": span.last_run_id,
    }


def _name(span: Span, names: Mapping[str, str]) -> str:
    return "our price" if span.competitor == OWN else names.get(span.competitor, span.competitor)


def _instant(moment: datetime, zone: tzinfo) -> str:
    return moment.astimezone(zone).replace(tzinfo=UTC).isoformat(timespec="seconds")


def _kind(span: Span, is_held: bool) -> str:
    if is_held:
        return "held"
    if span.availability in _OUT:
        return "sold out"
    return "on sale" if span.list_price is not None else "regular"


def _change(one: Changed, zone: tzinfo) -> Mapping[str, Any]:
    old, new = (amount_text(amount, one.currency) for amount in (one.old, one.new))
    return {
        "at": _instant(one.at, zone),
        "price": float(one.new),
        "text": f"{old} → {new} {one.currency}",
    }


def _arrow(row: Row) -> str:
    old, new = (amount_text(amount, row.currency) for amount in (row.old_price, row.new_price))
    return f"{old} → {new} {row.currency}"
