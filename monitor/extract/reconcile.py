"""Weigh what a page declares against what it shows, and choose one price or none.

Order of trust: a declared amount that is also shown as the current price; a declared amount when nothing
is shown; a shown amount that stands clearly where the price stands. A declared amount that is shown only
struck through, only for members or not at all yields to a clear shown one. A range with nothing chosen is
ambiguous. When two answers are about equally likely there is none.
"""

from collections.abc import Sequence, Set
from decimal import Decimal

from monitor.domain.extraction import Outcome, Role
from monitor.extract.currency import Locale
from monitor.extract.former import (
    NOT_CLEAR,
    RIVALS,
    Choice,
    announces_payment,
    beside,
    in_other_money,
    is_a_choice,
    is_converted,
    is_other_choice,
)
from monitor.extract.identity import Declared
from monitor.extract.measured import only_measured
from monitor.extract.other_readers import StateProduct
from monitor.extract.pairs import is_pair, lower_of_pair
from monitor.extract.roles import A_SAVING, ONE_PAYMENT, PART_OR_NET
from monitor.extract.standing import CLEAR, Seen, is_taxed

ALONE = 5.0  #: score from which a shown amount may stand alone
SUPPORTED = 1.5  #: what scripts and data attributes that name an amount add to its score
COUNT = 10  #: a whole number below it stands in scripts for anything, as how many are left
REDUCED = 1.0  #: what a former price beside it adds
MOST_REDUCED = 5  #: times its price that a product cost before
MARGIN = 1.0  #: by how much its score must exceed that of another amount
CLEARLY = 2.0  #: by how much a declared amount that words call a part must stand more clearly than another
TOMAN = "تومان"  #: the sign of ten rials; there is no code for it
#: Times a price that a declared one comes to where it counts cents or thousandths, or has three decimals: `24.980`.
MISREAD = (100, 1000)
FAR = 5  #: times less than the declared amount from which a shown one is no price of the same product


def _best(seen: Sequence[Seen], roles: frozenset[Role]) -> Seen | None:
    return max(
        (s for s in seen if s.role in roles and s.value > 0), key=lambda s: (s.score, -s.amount.start), default=None
    )


_SHOWN = frozenset({Role.CURRENT})
_PAID = frozenset({Role.CURRENT, Role.RANGE_END})


def choose(declared: Sequence[Declared], seen: Sequence[Seen], locale: Locale, support: frozenset[Decimal]) -> Choice:
    """Return the price of the page's own product."""
    usable = [d for d in declared if not d.member]
    values = {d.value for d in usable}
    if len(values) == 1:
        return _one_declared(usable[0], seen, locale)
    if len(values) > 1:
        return _several_declared(usable, seen, locale)
    return _only_shown(seen, locale, support)


def _agreeing(seen: Sequence[Seen], declared: Declared, locale: Locale) -> list[Seen]:
    return [
        s for s in seen if (s.value == declared.value and _same_currency(s, declared, locale)) or _in_toman(s, declared)
    ]


def _in_toman(s: Seen, declared: Declared) -> bool:
    """Say whether a shown amount is the declared one in the unit that Iranian shops show: ten rials."""
    return declared.currency == "IRR" and s.amount.sign == TOMAN and s.value * 10 == declared.value


def _same_currency(s: Seen, declared: Declared, locale: Locale) -> bool:
    shown = s.amount.currency or locale.meaning(s.amount.sign)
    return shown is None or declared.currency is None or shown == declared.currency


def _one_declared(d: Declared, seen: Sequence[Seen], locale: Locale) -> Choice:
    shown = _agreeing(seen, d, locale)
    gross = _gross(shown, seen)
    if gross:
        return _shown_choice(gross, locale, "declared_is_net", "the declared amount is without tax", d)
    paid = _best(shown, _PAID)
    rival = _best([s for s in seen if s.value != d.value and not _is_part(s, d.value)], _SHOWN)
    if not shown and (other := _in_other_currency(d, seen)) and not (rival and _same_currency(rival, d, locale)):
        words = "the declared amount, in the currency that is shown with it"
        return _shown_choice(other, locale, "shown_currency", words, d)
    if paid:
        lower = lower_of_pair(paid, seen)
        if lower and lower.score >= paid.score - 1.5 and not _is_told_apart(paid, lower):
            return _shown_choice(
                lower, locale, "declared_is_former", "the declared amount is shown beside a lower current price", d
            )
        return _declared_choice(d, paid, locale, "declared_and_shown", "declared by the page and shown as the price")
    roles = {s.role for s in shown}
    public = _best([s for s in seen if s.value > d.value], frozenset({Role.LIST}))
    for_some = any(s.role is Role.MEMBER and s.reason != ONE_PAYMENT for s in shown)
    if for_some and public and not (rival and rival.score >= CLEAR):
        return _shown_choice(public, locale, "declared_is_member", "the declared amount is only for members", d)
    struck = [s for s in shown if s.role is Role.LIST]
    lower = _best([s for s in seen if s.value < d.value and any(beside(s, t) for t in struck)], _SHOWN)
    if lower and any(o.role is Role.INSTALMENT and o.value + lower.value == d.value for o in seen):
        lower = rival = None  # a deposit and what is due later
    if lower:
        return _shown_choice(
            lower, locale, "declared_is_former", "the declared amount is struck through beside a lower one", d
        )
    if rival and rival.score >= CLEAR:
        if Role.LIST in roles and rival.value < d.value:
            return _shown_choice(
                rival, locale, "declared_is_former", "the declared amount is shown only struck through", d
            )
        if Role.MEMBER in roles:
            return _shown_choice(rival, locale, "declared_is_member", "the declared amount is only for members", d)
        if not shown or (roles <= {Role.OTHER} and rival.score > max(s.score for s in shown) - CLEARLY):
            return _shown_choice(
                rival, locale, "shown_not_declared", "the declared amount is not shown as the price", d
            )
    at = _best(shown, frozenset(Role))
    return _declared_choice(d, at, locale, "declared_only", "declared by the page")


def _in_other_currency(d: Declared, seen: Sequence[Seen]) -> Seen | None:
    """Return the declared amount where it stands clearly as the price with the sign of another currency."""
    other = _best([s for s in seen if s.value == d.value and s.amount.currency], _SHOWN)
    return other if other and other.score >= CLEAR else None


def _is_part(shown: Seen, declared: Decimal) -> bool:
    """Say whether a shown amount is the declared one without its cents, or far below and no other reading of it."""
    if shown.amount.decimals == 0 and 0 < declared - shown.value < 1:
        return True
    return shown.value * FAR < declared and all(shown.value * unit != declared for unit in MISREAD)


def _is_told_apart(paid: Seen, lower: Seen) -> bool:
    """Say whether words of their own stand before a declared amount that follows a lower one, as `without a card`."""
    return paid.amount.start > lower.amount.start and not announces_payment(paid.label)


def _gross(shown: Sequence[Seen], seen: Sequence[Seen]) -> Seen | None:
    """Return the amount with tax beside the first showing of a declared amount, when that is called net."""
    net = min(shown, key=lambda s: s.amount.start, default=None)
    if net is None or net.reason != PART_OR_NET:
        return None
    return next(
        (
            s
            for s in seen
            if s.role is Role.CURRENT
            and (0 <= s.amount.start - net.amount.end < 60 or 0 <= net.amount.start - s.amount.end < 20)
            and is_taxed(net.value, s.value)
            and not in_other_money(s, net)
        ),
        None,
    )


def _several_declared(usable: Sequence[Declared], seen: Sequence[Seen], locale: Locale) -> Choice:
    values = {d.value for d in usable}
    shown = [s for d in usable for s in _agreeing(seen, d, locale)]
    best = _best(shown, _SHOWN)
    rival = _best([s for s in seen if best is None or s.value != best.value], _PAID)
    others = {s.value for s in shown if best and s.value != best.value and _rivals(s, best)}
    if best and not others and best.score >= CLEAR and (rival is None or rival.score < best.score - MARGIN):
        d = next(d for d in usable if d.value == best.value or _in_toman(best, d))
        return _declared_choice(
            d, best, locale, "chosen_variant", "one of several declared prices, the one the page shows"
        )
    low, high = min(values), max(values)
    inside = _best([s for s in seen if low < s.value < high], _SHOWN)
    if inside and all(d.range_end for d in usable) and _is_chosen(inside, seen):
        words = "between the ends of a range, the price of one of the choices that stands outside of them too"
        return _shown_choice(inside, locale, "chosen_variant", words, None)
    return Choice(Outcome.AMBIGUOUS, "range", f"prices from {low} to {high} are offered and none is chosen")


def _is_chosen(s: Seen, seen: Sequence[Seen]) -> bool:
    """Say whether an amount stands clearly as the price and in a choice too, and no other one outside of choices."""
    same = {is_a_choice(o) for o in seen if o.value == s.value and o.role is Role.CURRENT}
    near = (o for o in seen if o.role in _PAID and o.value != s.value and o.score > s.score - MARGIN)
    return s.score >= CLEAR and len(same) == 2 and all(_is_unchosen(o, s, seen) for o in near)


def _only_shown(seen: Sequence[Seen], locale: Locale, support: frozenset[Decimal]) -> Choice:
    saved = {s.value for s in seen if s.reason == A_SAVING}
    former = seen if saved else [s for s in seen if s.role is Role.LIST]

    def total(s: Seen) -> float:
        is_count = s.value < COUNT and not s.amount.decimals
        named = s.value in support and not is_count
        return s.score + (SUPPORTED if named else 0) + (REDUCED if _is_reduced(s, former, saved) else 0)

    ranked = sorted((s for s in seen if s.role in _PAID and s.value > 0), key=lambda s: (-total(s), s.amount.start))
    if not ranked or total(ranked[0]) < ALONE:
        measured = only_measured(seen, ALONE)
        if measured:
            words = "sold by measure: the only price that stands with the product"
            return _shown_choice(measured, locale, "shown_only", words, None)
        return Choice(Outcome.NO_PRICE, NOT_CLEAR, "nothing is declared and no amount stands clearly as the price")
    best = ranked[0]
    lower = lower_of_pair(best, seen)
    if lower and total(lower) >= total(best) - 2.5:
        best = lower
    own = best.amount.currency or locale.meaning(best.amount.sign)
    own_price = [best, *(s for s in ranked if s.value != best.value and is_pair(s, best))]
    rivals = [s for s in ranked if s.value != best.value and not any(is_converted(s, o) or s is o for o in own_price)]
    rivals = [s for s in rivals if not locale.is_foreign(s.amount.sign, s.amount.currency, own)]
    rivals = [s for s in rivals if not _is_unchosen(s, best, seen)]
    if best.role is Role.CURRENT:  # "from" another seller, size or condition, behind the price itself
        rivals = [s for s in rivals if s.role is Role.CURRENT or s.amount.start < best.amount.start]
    if best.role is Role.RANGE_END or _is_former_of_range(best, seen):
        return Choice(Outcome.AMBIGUOUS, "range", 'the page shows a range or a "from" price and nothing is chosen')
    if rivals and total(rivals[0]) > total(best) - MARGIN:
        return Choice(Outcome.AMBIGUOUS, RIVALS, f"{best.value} and {rivals[0].value} stand about equally as the price")
    return _shown_choice(best, locale, "shown_only", "shown where the price stands; nothing is declared", None)


def _is_unchosen(s: Seen, best: Seen, seen: Sequence[Seen]) -> bool:
    """Say whether an amount is that of a choice beside another whose amount stands outside of all choices too."""
    same = [o for o in seen if o.value == best.value and o.role is Role.CURRENT]
    return any(is_other_choice(s, o) for o in same) and not all(is_a_choice(o) for o in same)


def _is_former_of_range(s: Seen, seen: Sequence[Seen]) -> bool:
    """Say whether an amount follows a lower "from" price without a word: what that was before."""
    starts = (o for o in seen if o.role is Role.RANGE_END and o.value < s.value and o.amount.start < s.amount.start)
    return not any(map(str.isalpha, s.label)) and any(beside(o, s) for o in starts)


def _is_reduced(s: Seen, former: Sequence[Seen], saved: Set[Decimal]) -> bool:
    """Say whether a former price stands beside an amount: called so, or higher by what is told as the saving."""
    paid = s.value
    return any(
        (o.role is Role.LIST or o.value - paid in saved) and paid < o.value < paid * MOST_REDUCED and beside(o, s)
        for o in former
    )


def is_alone(choice: Choice, seen: Sequence[Seen]) -> bool:
    """Say whether no other amount comes near the chosen one, so that support could change nothing."""
    at = choice.seen
    if at is None:
        return False
    return all(s.value == at.value or s.role not in _PAID or s.score + SUPPORTED < at.score - MARGIN for s in seen)


def may_gain(seen: Sequence[Seen]) -> bool:
    """Say whether support could make the price of any amount shown."""
    return any(s.role in _PAID and s.value > 0 and s.score + SUPPORTED + REDUCED >= ALONE for s in seen)


def _rivals(s: Seen, best: Seen) -> bool:
    """Say whether another declared amount is shown beside the best one, or about as clearly."""
    beside = abs(s.amount.start - best.amount.start) < 150
    return s.role is Role.CURRENT and (beside or s.score > best.score - 2)


def from_state(states: Sequence[StateProduct]) -> Choice | None:
    """Return the price that inline state names with its currency; None when it names none."""
    amounts = {(s.price, s.currency) for s in states}
    if len(amounts) > 1:
        words = "the page's inline state holds several products or variants and none is chosen"
        return Choice(Outcome.AMBIGUOUS, "several_in_state", words)
    if not states:
        return None
    s = states[0]
    words = f"stated with its currency by the page's {s.source}"
    d = Declared(s.price, s.currency, s.source, str(s.price), None, s.list_price)
    return Choice(Outcome.OK, "inline_state", words, s.price, s.currency, None, None, d)


def _declared_choice(d: Declared, at: Seen | None, locale: Locale, reason: str, words: str) -> Choice:
    currency = d.currency
    if currency is None and at is not None:
        currency = at.amount.currency or locale.meaning(at.amount.sign)
    return _priced(d.value, currency or locale.only_currency(), reason, words, at, d)


def _shown_choice(s: Seen, locale: Locale, reason: str, words: str, d: Declared | None) -> Choice:
    currency = s.amount.currency or locale.meaning(s.amount.sign)
    if currency is None and s.amount.sign is None:
        currency = locale.only_currency()
    return _priced(s.value, currency, reason, words, s, d)


def _priced(
    value: Decimal, currency: str | None, reason: str, words: str, s: Seen | None, d: Declared | None
) -> Choice:
    if currency is None:
        return Choice(
            Outcome.NO_PRICE, "no_currency", f"{value} is shown, but nothing says in which currency", seen=s, declared=d
        )
    return Choice(Outcome.OK, reason, words, value, currency, None, s, d)
