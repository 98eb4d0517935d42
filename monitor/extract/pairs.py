"""Whether two amounts of one price block are a price and its former price, or two things that are sold."""

import re
from collections.abc import Sequence
from decimal import Decimal

from monitor.domain.extraction import Role
from monitor.extract.former import announces_payment, beside, in_other_money, is_other_choice, row
from monitor.extract.standing import Seen
from monitor.extract.words import PAID_BEFORE, PRICE_LABEL

FEW_WORDS = 8  #: of a line that only names what an amount is for
TELLING = 3  #: words of such a line that name it although a number stands among them: `2 years of warranty`

_WORD = re.compile(r"[^\W\d_]+")


def lower_of_pair(paid: Seen, seen: Sequence[Seen]) -> Seen | None:
    """Return a lower current amount that stands beside `paid` in one price block."""
    for s in seen:
        gap = (
            s.amount.start - paid.amount.end if s.amount.start > paid.amount.start else paid.amount.start - s.amount.end
        )
        if s.amount.start > paid.amount.start and not announces_payment(s.label):
            continue
        if (
            s.amount.start < paid.amount.start
            and (_is_called_price(paid) or _is_of_another(s, paid))
            and not _may_be_paid(s)
        ):
            continue  # `Hire £22 Price £63`, `Polishing £12` above `£63`
        shared = set(s.place.ids[:4]) & set(paid.place.ids[:4]) or beside(s, paid)
        if not shared or not 0 <= gap <= 40 or in_other_money(s, paid) or row(s) not in (None, row(paid)):
            continue
        if s.role is Role.CURRENT and paid.value * Decimal("0.2") < s.value < paid.value:
            return s
    return None


def is_pair(s: Seen, best: Seen) -> bool:
    """Say whether a higher amount beside the best one is no rival: its former price, not another choice."""
    return not is_other_choice(s, best) and (
        abs(s.amount.start - best.amount.start) < 60
        and s.value > best.value
        and (bool(set(s.place.ids[:4]) & set(best.place.ids[:4])) or beside(s, best))
        and not (best.amount.start < s.amount.start and _is_of_another(best, s))
    )


def _is_of_another(s: Seen, other: Seen) -> bool:
    """Say whether few words in the line of an amount call it something else than the price, and none the other one.

    Those that tell a percentage, or how many, tell of the price.
    """
    if other.line or "%" in s.line:
        return False
    said = _WORD.findall(s.line)
    fewest = TELLING if any(map(str.isdigit, s.line)) else 1
    return fewest <= len(said) <= FEW_WORDS and not any(PAID_BEFORE.found(word) for word in said)


def _is_called_price(s: Seen) -> bool:
    return PRICE_LABEL.found(s.label[-40:]) is not None


def _may_be_paid(s: Seen) -> bool:
    """Say whether the last word before an amount, if there is one, leaves it the price."""
    said = s.label.split()[-1:]
    return _is_called_price(s) or announces_payment(" ".join(said))
