"""Whether two amounts of one price block are a price and its former price, or two things that are sold."""

from collections.abc import Sequence
from decimal import Decimal

from monitor.domain.extraction import Role
from monitor.extract.former import announces_payment, beside, in_other_money, is_other_choice, row
from monitor.extract.standing import Seen, names_another, tells_more
from monitor.extract.words import PRICE_LABEL

LEAST = Decimal("0.2")  #: of a price, what it may be lowered to
LEAST_TOLD = Decimal("0.5")  #: the same of an amount with words behind it, which may tell what else it is


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
        least = LEAST_TOLD if tells_more(s.then) and not tells_more(paid.then) else LEAST
        is_lower = s.role is Role.CURRENT and paid.value * least < s.value < paid.value
        if is_lower and not _is_reduced(paid, s, seen) and all(o.value != paid.value + s.value for o in seen):
            return s
    return None


def _is_reduced(paid: Seen, before: Seen, seen: Sequence[Seen]) -> bool:
    """Say whether a former price of its own stands between `paid` and an amount before it, which is another size's."""
    return any(
        before.amount.start < o.amount.start < paid.amount.start and o.role is Role.LIST and o.value > paid.value
        for o in seen
    )


def is_pair(s: Seen, best: Seen) -> bool:
    """Say whether a higher amount beside the best one is no rival: its former price, not another choice."""
    return not is_other_choice(s, best) and (
        abs(s.amount.start - best.amount.start) < 60
        and s.value > best.value
        and (bool(set(s.place.ids[:4]) & set(best.place.ids[:4])) or beside(s, best))
        and not (best.amount.start < s.amount.start and _is_of_another(best, s))
    )


def _is_of_another(s: Seen, other: Seen) -> bool:
    """Say whether the line of one amount calls it something else than the price, and no words call the other one."""
    return not other.line and names_another(s.line)


def _is_called_price(s: Seen) -> bool:
    return PRICE_LABEL.found(s.label[-40:]) is not None


def _may_be_paid(s: Seen) -> bool:
    """Say whether the last word before an amount, if there is one, leaves it the price."""
    said = s.label.split()[-1:]
    return _is_called_price(s) or announces_payment(" ".join(said))
