"""How clearly an amount stands where the page's own price stands: near its name and buy control, named, not repeated.

A score compares the amounts of one page and means nothing across pages.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import takewhile

from monitor.domain.extraction import Role
from monitor.extract.amounts import Amount
from monitor.extract.document import Place
from monitor.extract.names import is_card, shape, votes_together
from monitor.extract.part_words import PIECE_AFTER
from monitor.extract.words import GROSS_AFTER, PAID_BEFORE, PRICE_LABEL

_WORD = re.compile(r"[^\W\d_]{2,}")
_ANY_WORD = re.compile(r"[^\W\d_]+")

#: Reason of an amount that only more pieces have.
LARGER = "only for a larger quantity"
#: Reasons of amounts that running text holds, see `prose.py`.
MENTIONED, A_SUM = "mentioned in a sentence", "a sum of thousands or millions"
#: Reasons of amounts that no card of a list has for its price.
UNLISTED = frozenset({LARGER, MENTIONED, A_SUM})
#: Amounts beside a price; they do not make its markup that of a list.
_NO_CARDS = frozenset({Role.UNIT, Role.SHIPPING, Role.INSTALMENT})
#: One of several by its tag, so that names of its state may differ: `tile sale`, `tile last`.
ITEMS = frozenset({"li", "article"})
MOST_OWN = 2  #: amounts of one markup near the product's name that are its own: its price and the former one
IN_ORDER = 0.75  #: for standing between name and buy control, against standing behind it
MAX_OWN_BUYS = 4  #: more buy controls belong to the cards of a list
PAST_BUY = 25  #: characters behind the buy control that still belong to it
CARDS = 3  #: places from which an amount that repeats behind other names is that of a list
CALLED = 1.5  #: for words before an amount that call it the price
LONG_NAME = 5  #: letters of words before an amount that may name a product, and no size
OF_A_SERVICE = 1.0  #: what an amount with words of its own behind that control is worth less
DIRECTLY = 1.0  #: for standing directly below the name, without a word between, where nothing is left to buy with
MOST_WORDS = 6  #: words before it that may be its own
FEW_WORDS = 8  #: of a line that only names what an amount is for
TELLING = 3  #: words of such a line that name it although a number stands among them: `2 years of warranty`
A_DEAL = Decimal("0.3")  #: of another amount; more may be what it is lowered to, in words nobody knows
OF_OTHERS = 3.0  #: what stands under words over other products is worth so much less
TAXED = Decimal("1.04"), Decimal("1.28")  #: how much more an amount with sales tax is, by country
NEAR = 4.0  #: score from which an amount may be what the product costs
CLEAR = 5.5  #: score from which a shown amount may stand against a declared one


@dataclass(frozen=True, slots=True)
class Seen:
    """One visible amount."""

    amount: Amount
    place: Place
    role: Role
    reason: str  #: in words, why it has this role
    score: float = 0.0
    repeated: int = 1  #: places with the same markup around and another amount, or with this one behind other names
    text: str = ""
    label: str = ""  #: the words between the amount before it and this one
    line: str = ""  #: those of them on its own line
    then: str = ""  #: the words behind it on its line, where they announce no other amount

    @property
    def value(self) -> Decimal:
        """The number alone."""
        return self.amount.value


@dataclass(frozen=True, slots=True)
class Anchor:
    """Where the product stands in the visible text."""

    heading: int | None  #: offset of its name
    around: frozenset[int]  #: elements that hold the heading
    buys: tuple[int, ...]  #: offsets of buy controls, ascending
    linked: bool = False  #: they are words that read like such a control, no buttons
    foreign: bool = False  #: the offers in the markup are those of other products


def names_another(line: str) -> bool:
    """Say whether few words in the line of an amount call it something else than the price.

    Those that tell a percentage, or how many, tell of the price.
    """
    if "%" in line or PRICE_LABEL.found(line[-40:]):
        return False
    said = _ANY_WORD.findall(line)
    fewest = TELLING if any(map(str.isdigit, line)) else 1
    return fewest <= len(said) <= FEW_WORDS and not any(PAID_BEFORE.found(word) for word in said)


def tells_more(then: str) -> bool:
    """Say whether few words behind an amount may call it something else than the price, in a language nobody knows."""
    if not then or "%" in then or GROSS_AFTER.found(then) or PIECE_AFTER.found(then):
        return False
    said = _WORD.findall(then)
    return 0 < len(said) <= FEW_WORDS and not any(PAID_BEFORE.found(word) for word in said)


def is_no_deal(s: Seen, other: Seen) -> bool:
    """Say whether words call an amount something else, and it is not what the other one may be lowered to."""
    return names_another(s.line) and _is_far(s, other)


def _is_far(s: Seen, other: Seen) -> bool:
    return not other.value * A_DEAL <= s.value <= other.value


def is_taxed(net: Decimal, gross: Decimal) -> bool:
    """Say whether one amount may be the other with sales tax."""
    return TAXED[0] * net <= gross <= TAXED[1] * net


def together(one: Seen, other: Seen) -> bool:
    """Say whether two amounts stand within a line, or in one of the nearest elements around them."""
    return abs(one.amount.start - other.amount.start) < 60 or bool(set(one.place.ids[:5]) & set(other.place.ids[:5]))


_Markup = tuple[bool, Role | None, tuple[str, ...], tuple[str, ...], int | None]


def _markups(judged: Sequence[Seen], anchor: Anchor) -> list[_Markup]:
    """Return what is alike around the amounts of cards.

    One or two that stand nearer to the product's name than others of their markup are none of those cards.
    """
    within = [next((identity for identity in s.place.ids if identity in anchor.around), None) for s in judged]
    keys = [_markup(s) for s in judged]
    counts = Counter(zip(keys, within, strict=True))
    return [(*key[:4], near) if counts[key, near] <= MOST_OWN else key for key, near in zip(keys, within, strict=True)]


def _markup(s: Seen) -> _Markup:
    apart = s.role if s.role in _NO_CARDS or s.reason in UNLISTED else None
    tags = s.place.tags[:3]
    names = tuple("" if tag in ITEMS else shape(named) for tag, named in zip(tags, s.place.names, strict=False))
    return s.reason.startswith("stands outside"), apart, tags, names, None


def _at_one_price(keys: Sequence[_Markup], judged: Sequence[Seen]) -> dict[tuple[_Markup, Decimal], int]:
    """Return how often one markup shows one amount, each behind words of its own: cards of a list at one price.

    Left out is an amount that stands in another markup too: they are sizes or colours beside their product's price.
    """
    groups: dict[tuple[_Markup, Decimal], set[str]] = {}
    for key, s in zip(keys, judged, strict=True):
        if s.role is Role.CURRENT:
            groups.setdefault((key, s.value), set()).add(s.label)
    places = Counter(value for _, value in groups)
    counts = {group: sum(len(label) >= LONG_NAME for label in said) for group, said in groups.items()}
    return {group: count for group, count in counts.items() if count >= CARDS and places[group[1]] == 1}


def scored(
    judged: Sequence[Seen], anchor: Anchor, others: int | None, *, alone: bool = False, named: int = 0
) -> list[Seen]:
    """Return the amounts with their score and how often their markup repeats with another amount.

    Args:
        judged: the amounts in document order.
        anchor: where the product stands.
        others: offset of the words over other products behind it, None for none.
        alone: the page declares no price: it may be a list at one, and an accessory may be all that it shows.
        named: where the product's name ends, 0 where it stands nowhere.
    """
    keys = _markups(judged, anchor)
    marks = Counter(keys)
    distinct = Counter(key for key, _ in {(key, s.value) for key, s in zip(keys, judged, strict=True)})
    repeats = Counter(s.value for s in judged if s.role is Role.CURRENT)
    same = _at_one_price(keys, judged) if alone and max(repeats.values(), default=0) >= CARDS else {}
    direct = _directly_below(judged, named) if alone and named and not anchor.buys else None
    out = []
    for key, s in zip(keys, judged, strict=True):
        cards = same.get((key, s.value), 0)
        repeated = max(cards, min(marks[key], distinct[key]))
        score = (
            _score(s, anchor)
            + (DIRECTLY if s is direct else 0)
            - (OF_A_SERVICE if alone and (_is_called_otherwise(s, anchor) or _is_beside_one(s, judged)) else 0)
            - (CALLED if alone and _is_price_of_some(s, judged) else 0)
            - (OF_OTHERS if others is not None and s.amount.start > others else 0)
            - (2.5 if repeated >= 4 else 1.5 if repeated == 3 else 0)
            + (0 if cards else min(1.0, 0.5 * (repeats[s.value] - 1)))
        )
        out.append(Seen(s.amount, s.place, s.role, s.reason, score, repeated, s.text, s.label, s.line, s.then))
    return out


def _directly_below(judged: Sequence[Seen], named: int) -> Seen | None:
    """Return the amount directly below the product's name, None where more stand behind it without a word between.

    One that is higher may be the former price.
    """
    at = next((at for at, s in enumerate(judged) if 0 <= s.amount.start - named <= 1), None)
    if at is None:
        return None
    behind = takewhile(lambda s: not _WORD.search(s.label), judged[at + 1 :])
    others = {s.value for s in behind if s.role is Role.CURRENT} - {judged[at].value}
    return judged[at] if len(others) <= 1 and all(value > judged[at].value for value in others) else None


def _score(s: Seen, anchor: Anchor) -> float:
    names = s.place.names
    named = votes_together(names[:4])
    score = 2.0 if "itemprop=price" in " ".join(names[:2]) else 0.0
    score += 2 if "price" in named else 0
    score += 1 if "current" in named else 0
    score += _nearness(s.amount.start, anchor)
    score -= 2 if "hidden" in named else 0
    score -= 1.5 if "a" in s.place.tags[:3] else 0
    score += 1 if s.amount.sign else -1
    score += CALLED if PRICE_LABEL.found(s.label[-40:]) else 0
    score -= 1.5 if _in_card(s.place, anchor) else 0
    return score


def _is_price_of_some(s: Seen, judged: Sequence[Seen]) -> bool:
    """Say whether a word nobody knows calls an amount a price, as `FIRST price`, beside one that needs no words."""
    called = PRICE_LABEL.found(s.line[-40:])
    said = _WORD.findall(s.line.removesuffix(called))[-1:] if called else ()
    if all(PAID_BEFORE.found(word) for word in said):
        return False
    return any(o.role is Role.CURRENT and not o.line and o.value != s.value and together(o, s) for o in judged)


def _is_beside_one(s: Seen, judged: Sequence[Seen]) -> bool:
    """Say whether an amount is something else than one without words in the same block: a service, a set, a saving."""
    if s.role is not Role.CURRENT:
        return False
    before, behind = bool(s.line) and names_another(s.line), not s.line and tells_more(s.then)
    if not before and not behind:
        return False
    plain_ones = (o for o in judged if o.role is Role.CURRENT and not o.line and not tells_more(o.then) and o.value > 0)
    return any((s.value < o.value * A_DEAL or (before and s.value > o.value)) and together(o, s) for o in plain_ones)


def _is_called_otherwise(s: Seen, anchor: Anchor) -> bool:
    """Say whether words of their own call an amount behind the control that buys: an accessory or a service."""
    buy = next((b for b in anchor.buys if anchor.heading is not None and b > anchor.heading), None)
    if buy is None or s.amount.start <= buy + PAST_BUY or len(anchor.buys) > MAX_OWN_BUYS:
        return False
    if "price" in votes_together(s.place.names[:4]):
        return False
    said = _WORD.findall(s.label)
    return 0 < len(said) <= MOST_WORDS and not all(PAID_BEFORE.found(word) for word in said)


def _in_card(place: Place, anchor: Anchor) -> bool:
    """Say whether an amount stands in a card that is not around the heading."""
    for names, identity in zip(place.names[1:8], place.ids[1:8], strict=False):
        if identity in anchor.around:
            return False
        if is_card(names):
            return True
    return False


def _nearness(offset: int, anchor: Anchor) -> float:
    score = 0.0
    if anchor.heading is not None:
        distance = offset - anchor.heading
        if distance >= 0:
            score += 3 if distance < 700 else 2 if distance < 2500 else 0.5 if distance < 6000 else -2
        else:
            score += 1 if distance > -700 else -3
    if anchor.buys:
        at = bisect_left(anchor.buys, offset)
        gap = min(abs(buy - offset) for buy in anchor.buys[max(0, at - 1) : at + 1])
        score += 2 if gap < 400 else 1 if gap < 1500 else 0
        score += _order(offset, anchor)
    return score


def _order(offset: int, anchor: Anchor) -> float:
    """Return a little more for what stands between the product's name and the control that buys it."""
    if anchor.heading is None or offset < anchor.heading or len(anchor.buys) > MAX_OWN_BUYS:
        return 0.0
    buy = next((b for b in anchor.buys if b > anchor.heading), None)
    if buy is None:
        return 0.0
    return IN_ORDER if offset <= buy else -IN_ORDER if offset > buy + PAST_BUY else 0.0
