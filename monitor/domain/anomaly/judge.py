"""Hold and confirm: which readings wait, and which a second look has settled."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

from monitor.domain.anomaly.hold import (
    Doubts,
    Held,
    History,
    HoldCode,
    Knowledge,
    WatchKey,
    held_as,
    is_apart,
    said,
)
from monitor.domain.anomaly.odd import against, odd, ours
from monitor.domain.anomaly.shift import moved_in, shifts
from monitor.domain.anomaly.variant import swapped
from monitor.domain.money import digits
from monitor.domain.observation import Span

#: Amounts that shop software shows for "no price", besides zero and the smallest coin.
_FILLERS = frozenset(map(Decimal, ("1", "9999", "99999", "999999", "9999.99", "99999.99", "999999.99")))
_HUNDRED = Decimal(100)


def held_now(history: History, knowledge: Knowledge, doubts: Doubts) -> tuple[Held, ...]:
    """Return the readings that are held, by competitor and SKU.

    A watch that could not be read tonight stays held with the price of the night before.

    Args:
        history: those that `may_be_odd` denies may be left out.
        knowledge: what else is known tonight.
        doubts: what is too odd.
    """
    shifted = shifts(moved_in(history, knowledge.run_id), knowledge.compared, doubts)
    return held_among(history, knowledge, doubts, {one.key: one for one in shifted})


def held_among(
    history: History, knowledge: Knowledge, doubts: Doubts, shifted: Mapping[WatchKey, Held]
) -> tuple[Held, ...]:
    """Return the readings of some watches that are held, as `held_now` does for those of the whole night.

    Args:
        shifted: what whole shops did tonight, by watch; see `shifts`.
    """
    found = (
        judged(spans[-1], spans[:-1], knowledge, doubts, shifted.get(key))
        for key, spans in sorted(history.items())
        if spans
    )
    return tuple(held for held in found if held is not None)


def may_be_odd(span: Span, standing: Collection[WatchKey] = ()) -> bool:
    """Say whether the latest span of a watch needs a look: seen in one night only, a filler, or held by hand."""
    if span.first_run_id == span.last_run_id or (span.competitor, span.sku) in standing:
        return True
    return _is_nothing(span) or span.price in _FILLERS


def judged(
    latest: Span,
    earlier: Sequence[Span],
    knowledge: Knowledge,
    doubts: Doubts,
    shift: Held | None = None,
) -> Held | None:
    """Say why the latest reading of one watch is held, or None; `shift` is what all of its shop did tonight."""
    if _is_accepted(latest, knowledge):
        return None
    standing = knowledge.standing.get((latest.competitor, latest.sku))
    if standing is not None and (standing.price, standing.currency) == (latest.price, latest.currency):
        return standing
    before = [span for span in earlier if span.first_run_id != latest.first_run_id]
    good = _last_good(before, knowledge, doubts)
    if _is_filler(latest, good, knowledge, doubts):
        words = f"{said(latest)} is no price that a shop asks; never used unless a person accepts it"
        return held_as(latest, HoldCode.PLACEHOLDER, words, good)
    if (other := _another(latest, good, knowledge)) is not None:
        return other
    if shift is not None or _is_confirmed(latest, before[-1] if before else None, doubts):
        return shift
    return odd(latest, good, before, knowledge, doubts)


def _another(latest: Span, good: Span | None, knowledge: Knowledge) -> Held | None:
    """Hold a price that moved on a page that names another product than before."""
    names = knowledge.names.get((latest.competitor, latest.sku))
    if names is None or (good is not None and (good.price, good.currency) == (latest.price, latest.currency)):
        return None
    found = swapped(*names)
    if found is None:
        return None
    words = f"{said(latest)}{'' if good is None else f' after {said(good)}'}, and the page names another: {found}"
    return replace(held_as(latest, HoldCode.VARIANT, words, good), name=names[0])


def _is_accepted(span: Span, knowledge: Knowledge) -> bool:
    return knowledge.accepted.get((span.competitor, span.sku)) == (span.price, span.currency)


def _is_confirmed(span: Span, before: Span | None, doubts: Doubts) -> bool:
    """Say whether this price was read twice, in two nights or in one with hours between.

    Two nights may be one span, or two that differ in stock or by very little. A second look is a little early when the
    first one was slow to be stored, hence nine tenths.
    """
    if span.first_run_id != span.last_run_id:
        return True
    if doubts.second_look and span.last_seen_at - span.first_seen_at >= doubts.second_look * 9 / 10:
        return True
    if before is None or before.currency != span.currency:
        return False
    return abs(before.price - span.price) * _HUNDRED <= doubts.same_within_pct * before.price


def _last_good(before: Sequence[Span], knowledge: Knowledge, doubts: Doubts) -> Span | None:
    """Return the newest span that was not odd itself: a glitch of one night is no measure for the next."""
    good: Span | None = None
    for position, span in enumerate(before):
        last = before[position - 1] if position else None
        if _is_filler(span, good, knowledge, doubts) or _is_standing(span, knowledge):
            continue
        if _is_confirmed(span, last, doubts) or against(span, good, knowledge, doubts) is None:
            good = span
    return good


def _is_standing(span: Span, knowledge: Knowledge) -> bool:
    held = knowledge.standing.get((span.competitor, span.sku))
    return held is not None and (held.price, held.currency) == (span.price, span.currency)


def _is_nothing(span: Span) -> bool:
    """Say whether an amount is zero or the smallest coin, where that is a fraction of the unit."""
    return span.price < 1 and span.price <= Decimal(1).scaleb(-digits(span.currency))


def _is_filler(span: Span, good: Span | None, knowledge: Knowledge, doubts: Doubts) -> bool:
    """Say whether an amount only fills the place of a price: nothing, the smallest coin, or far off and all nines."""
    if _is_nothing(span):
        return True
    if span.price not in _FILLERS:
        return False
    own = ours(span, knowledge)
    known = [good.price] if good is not None and good.currency == span.currency else []
    known += [own] if own is not None else []
    return all(is_apart(span.price, one, doubts.own_factor) for one in known)


def lacking(spans: Sequence[Span]) -> str | None:
    """Say what a first reading lacks, or None when there is something before it to compare it with."""
    if len({span.first_run_id for span in spans} | {span.last_run_id for span in spans}) > 1:
        return None
    return "first reading, no history to compare it with"
