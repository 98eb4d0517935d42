"""The former or recommended price that stands beside the price of a page, and when two amounts belong together."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from monitor.domain.extraction import Outcome, Role
from monitor.extract.currency import Locale
from monitor.extract.identity import Declared
from monitor.extract.roles import A_FROM, A_SAVING
from monitor.extract.standing import CLEAR, Seen
from monitor.extract.words import PAID_BEFORE

_WORD = re.compile(r"[^\W\d_](?:[^\W\d_]|[\u0e30-\u0e4e])*")  #: marks above and below are part of a word in Thai
RIVALS = "rival_amounts"  #: reason where several amounts stand alike
NOT_CLEAR = "no_clear_price"  #: reason where none stands clearly as the price
#: Currencies that gave way to the euro lately, in units to one euro: shops there had to show both.
TO_EUROS = {"BGN": Decimal("1.95583"), "HRK": Decimal("7.5345")}
ROUNDED = Decimal("0.01")  #: euros by which a converted amount may differ
#: Elements with an amount of their own beside the price.
_CHOSEN = frozenset({"label", "button"})
UNMARKED = 3  #: times the price up to which an amount without any mark may be its former one


@dataclass(frozen=True, slots=True)
class Choice:
    """The price of a page, or why there is none."""

    outcome: Outcome
    reason: str
    words: str
    price: Decimal | None = None
    currency: str | None = None
    list_price: Decimal | None = None
    seen: Seen | None = None
    declared: Declared | None = None


def list_price(
    choice: Choice, declared: Sequence[Declared], seen: Sequence[Seen], locale: Locale, heading: int | None = None
) -> Decimal | None:
    """Return the former or recommended price beside the chosen one; always greater than it.

    Args:
        choice: the price.
        declared: what the page declares.
        seen: what it shows.
        locale: what its signs mean.
        heading: where the product's name stands; an unmarked amount on its other side is another product's.
    """
    price = choice.price
    at = choice.seen
    if price is None:
        return None
    near = []
    again = [o for o in seen if o.value == price and o.role is Role.CURRENT] or ([at] if at else [])
    for s in seen if at else ():
        if at is None or s is at or s.value <= price or s.value > price * 12 or not _one_currency(s, choice, locale):
            continue
        by = min(again, key=lambda o: abs(o.amount.start - s.amount.start))
        gap = abs(s.amount.start - by.amount.start)
        both = at.role is Role.CURRENT and s.role is Role.CURRENT
        saved = both and gap < 400 and any(o.reason == A_SAVING and price + o.value == s.value for o in seen)
        starts = s.reason == A_FROM and s.amount.start < at.amount.start and beside(s, at)  # from 599 now 449
        if (
            starts
            or saved
            or (s.role is Role.LIST and gap < 400 and not _parted(s, by, seen))
            or (both and _unmarked_pair(s, by if row(by) is None else at, heading))
        ):
            near.append((0 if s.role is Role.LIST else 1, gap, s.value))
    if near:
        return min(near)[2]
    chosen = [choice.declared] if choice.declared else []
    formers = [d.list_price for d in [*chosen, *declared] if d.list_price and d.value == price and d.list_price > price]
    if formers:
        return formers[0]
    called = {s.value for s in seen if s.role is Role.LIST and s.score >= CLEAR and price < s.value <= price * 12}
    if at is None and len(called) == 1 and all(s.value != price for s in seen):
        return called.pop()
    d = choice.declared
    is_former = d is not None and choice.reason == "declared_is_former" and d.currency in (None, choice.currency)
    return d.value if d and is_former and d.value > price else None


def _parted(s: Seen, at: Seen, seen: Sequence[Seen]) -> bool:
    """Say whether another current amount stands between two, so that the former price is that one's."""
    low, high = sorted((s.amount.start, at.amount.start))
    return any(
        low < other.amount.start < high
        and other.role is Role.CURRENT
        and other.value > 0
        and other.value not in (s.value, at.value)
        and not in_other_money(other, s)
        for other in seen
    )


def _unmarked_pair(s: Seen, at: Seen, heading: int | None) -> bool:
    """Say whether a higher amount without a mark stands beside the price, and no words call it something else."""
    if heading is not None and (s.amount.start < heading) is not (at.amount.start < heading):
        return False
    if row(s) != row(at) or not beside(s, at) or ("a" in s.place.tags[:3]) != ("a" in at.place.tags[:3]):
        return False  # a link beside the price is another size or format with its own price
    if s.value > at.value * UNMARKED or not _CHOSEN.isdisjoint(s.place.tags[:4]):
        return False  # a choice among sizes, a column of a price table, or a button that tells what is added
    later = max(s, at, key=lambda one: one.amount.start)
    return announces_payment(later.label) if later is at else not any(c.isalpha() for c in later.label)


def in_other_money(s: Seen, paid: Seen) -> bool:
    """Say whether two amounts are one price in two currencies, as where a country changes its money."""
    return s.amount.currency is not None and paid.amount.currency not in (None, s.amount.currency)


def is_converted(s: Seen, other: Seen) -> bool:
    """Say whether two amounts are one price in euros and in a currency with a fixed rate to them, rounded to cents."""
    codes = (s.amount.currency, other.amount.currency)
    if "EUR" not in codes:
        return False
    euros, national = (s, other) if codes[0] == "EUR" else (other, s)
    rate = TO_EUROS.get(national.amount.currency or "")
    return rate is not None and abs(national.value / rate - euros.value) <= ROUNDED


def row(s: Seen) -> int | None:
    """Return the list item, table row or label that an amount stands in; None when it stands in none."""
    return next((i for tag, i in zip(s.place.tags, s.place.ids, strict=True) if tag in ("li", "tr", "label")), None)


def is_other_choice(s: Seen, at: Seen) -> bool:
    """Say whether two amounts stand in links, labels or buttons of their own: sizes, or the amounts of a gift card."""
    mine, other = _choice_of(s), _choice_of(at)
    return mine is not None and other is not None and mine != other


def is_a_choice(s: Seen) -> bool:
    """Say whether an amount stands in a link, label or button."""
    return _choice_of(s) is not None


def _choice_of(s: Seen) -> int | None:
    near = zip(s.place.tags[:4], s.place.ids[:4], strict=True)
    return next((i for tag, i in near if tag in ("a", "label", "button")), None)


def _one_currency(s: Seen, choice: Choice, locale: Locale) -> bool:
    code = s.amount.currency or locale.meaning(s.amount.sign)
    paid = choice.seen.amount.sign if choice.seen else None
    return code == choice.currency or (code is None and (s.amount.sign is None or paid in (None, s.amount.sign)))


def beside(s: Seen, at: Seen) -> bool:
    """Say whether two unmarked amounts stand together: in one block, or with nothing between them."""
    gap = max(s.amount.start, at.amount.start) - min(s.amount.end, at.amount.end)
    return (gap < 60 and bool(set(s.place.ids[:4]) & set(at.place.ids[:4]))) or (
        gap <= 2 and bool(set(s.place.ids[:8]) & set(at.place.ids[:8]))
    )


def announces_payment(label: str) -> bool:
    """Say whether the words before a second amount leave it the price: none, or only words of paying now."""
    return all(PAID_BEFORE.found(word) for word in _WORD.findall(label))
