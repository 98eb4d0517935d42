"""What one amount on a page means, judged by the words beside it and by the names of the elements around it.

The first rule that applies decides; the order is from the surest words to the weakest names.
"""

import re
from dataclasses import dataclass
from itertools import takewhile

from monitor.domain.extraction import Role
from monitor.extract import part_words, words
from monitor.extract.document import Place
from monitor.extract.names import elsewhere, is_buy_box, only_regular, says_former, votes, votes_together
from monitor.extract.prose import is_scaled
from monitor.extract.standing import A_SUM, LARGER, Anchor
from monitor.extract.vocabulary import plain

#: Elements whose text a browser draws struck through.
STRUCK_TAGS = frozenset({"del", "s", "strike"})
#: Reason of an amount that only a class name calls the former price; class names lie when it stands alone.
NAMED_FORMER = "named as the former price"
#: Reason of an amount that words call a list or regular price; shops without reductions call their price so.
LIST_ALONE = "called the list or regular price"
#: Reason of an amount that not everybody pays.
FOR_SOME = "only for members, subscribers, card holders or with a code"
#: Reason of an amount that one way of paying asks; everybody may choose it.
ONE_PAYMENT = "only by one way of paying"
#: Reason of an amount that words announce as the lowest of several.
A_FROM = 'a "from" price'
#: Reason of an amount by which a price was lowered.
A_SAVING = "a saving"
#: Reason of an amount that words or names beside it call a part, or net.
PER_PIECE = "a price per piece"
PART_OR_NET = "a surcharge, a part or an amount before tax"
#: A minus before an amount: behind punctuation, or directly before it where words or lines end.
_MINUS = re.compile(r"(?:^|[^\w\s])\s?[-−–] ?$|\s[-−–]$")
#: Characters of a word, with the spaces around, that joins an amount to the line above: "of", "de", "von".
LONGEST_LINK = 6
_OUTSIDE = frozenset({"nav", "header", "footer", "aside"})
#: Names of what a page builder or a tip puts around a whole price block, as well as around something else.
_WRAPS = frozenset({"tooltip", "widget"})
WRAPPED = 2  #: elements named as a price, one in the other, that are a price block


@dataclass(frozen=True, slots=True)
class _Around:
    """What stands around one amount, in lower case."""

    near: frozenset[str]  #: votes of the names of the nearest elements
    wide: frozenset[str]  #: the same with elements farther out
    place: Place
    before: str  #: as written
    said: str  #: the words before it
    label: str  #: those of its line, or of the line above where it stands alone
    line: str  #: those of its line only
    then: str  #: the words behind it on its line
    leads: bool
    fine: bool
    scaled: bool  #: behind it stands what counts thousands or more


def role_of(
    before: str, after: str, place: Place, anchor: Anchor, *, leads: bool = False, fine: bool = False
) -> tuple[Role, str]:
    """Return what an amount means, judged by the words beside it and the names around it.

    Args:
        before: the words before it that are its own.
        after: the words behind it.
        place: the elements around it.
        anchor: where the product stands.
        leads: the words behind announce the next amount.
        fine: it is written with more decimals than its currency has, as prices per unit are.
    """
    outside = _outside(place, anchor)
    if outside:
        return Role.OTHER, f"stands outside the product ({outside})"
    near = votes_together(place.names[:3])
    own = zip(place.names[3:6], place.ids[3:6], strict=False)
    wide = near | votes_together(tuple(n for n, i in own if i not in anchor.around))
    label = plain(_own_lines(before))
    line = plain(before.rsplit("\n", 1)[-1])
    joined = after.lstrip("\n\x1f ")  # a measure below its price: `<p>0.39 €</p><p>/kg</p>`
    then = plain((joined if joined.startswith("/") else after).split("\n")[0])
    around = _Around(near, wide, place, before, plain(before), label, line, then, leads, fine, is_scaled(after, then))
    return _as_part(around) or _as_paid_once(around) or (Role.CURRENT, "shown as a price")


def _as_paid_once(a: _Around) -> tuple[Role, str] | None:
    """Return the role of an amount that was asked before or that not everybody pays; words go before a mere name."""
    former, conditional = _as_former(a), _as_conditional(a)
    if former and former[1] == NAMED_FORMER and conditional and conditional[0] is not Role.RANGE_END:
        return conditional
    return former or conditional


def _own_lines(before: str) -> str:
    """Return the line before an amount; with the one above where it stands alone, or behind a word like `of`."""
    at = before.rfind("\n", 0, max(0, len(before) - 1))
    if len(before) - at <= LONGEST_LINK and before[at + 1 :].strip("\x1f ").isalpha():
        at = before.rfind("\n", 0, at)
    return before[at + 1 :]


def _as_part(a: _Around) -> tuple[Role, str] | None:
    """Return the role of an amount that is a part, a measure or an addition, never a whole price."""
    own = votes(a.place.names[0]) if a.place.names else frozenset()
    if "unit" in a.wide and _is_struck(a):
        return Role.OTHER, "a former price per unit"
    if (
        ("unit" in a.near and "list" not in own)
        or part_words.UNIT_AFTER.found(a.then)
        or a.fine
        or _is_bracketed_rate(a)
    ):
        return Role.UNIT, PER_PIECE if part_words.PIECE_AFTER.found(a.then) else "a price per unit of measure"
    if (
        "instalment" in a.wide
        or part_words.INSTALMENT_AFTER.found(a.then)
        or part_words.INSTALMENT_BEFORE.found(a.label)
    ):
        return Role.INSTALMENT, "one payment of several"
    told = part_words.SHIPPING_BEFORE.found(a.label) and (a.line or not part_words.is_free(a.label))
    behind = part_words.SHIPPING_AFTER.found(a.then) or part_words.ORDERED_AFTER.found(a.then)
    if "shipping" in a.wide or told or behind:
        return Role.SHIPPING, "delivery, or the order value that makes it free"
    if (
        ("saving" in a.near and "list" not in own and not words.LIST_BEFORE.found(a.said) and not _is_struck(a))
        or (part_words.SAVING_BEFORE.found(a.label) and (a.line or "%" not in a.label))  # a badge above tells it all
        or _is_less(a.before)
        or (not a.leads and part_words.SAVING_AFTER.found(a.then))
    ):
        return Role.OTHER, A_SAVING
    if part_words.UNIT_BEFORE.found(a.label):
        return Role.UNIT, "a price per unit of measure"
    if part_words.CHARGE_BEFORE.found(a.line):
        return Role.OTHER, "a fee, a deposit or an extra"
    if a.scaled:
        return Role.OTHER, A_SUM
    if a.before.rstrip(" ").endswith("+") or "option" in a.place.tags[:3]:
        return Role.OTHER, "the surcharge of an option"
    return None


def _is_bracketed_rate(a: _Around) -> bool:
    """Say whether an amount beside the price tells, in brackets, what it costs by anything: `(0.18 €/ud)`."""
    return a.then.startswith("/") and a.before.rstrip(" \x1f").endswith("(")


def _is_struck(a: _Around) -> bool:
    return not STRUCK_TAGS.isdisjoint(a.place.tags[:3])


def _is_less(before: str) -> bool:
    return before.endswith(("-", "−", "–", "- ", "− ", "– ")) and _MINUS.search(before) is not None


def _as_former(a: _Around) -> tuple[Role, str] | None:
    """Return the role of an amount that was asked before, or that stands beside the price without tax."""
    if words.LOWEST_BEFORE.found(a.said):
        return Role.OTHER, "the lowest price of the last 30 days"
    former = _is_list(a.said, a.place)
    if former and not _only_named(a.said, a.place):
        return Role.LIST, "struck through or called the former price" if _is_past(a) else LIST_ALONE
    behind = "" if a.leads and a.then.endswith(":") else a.then
    gross = words.GROSS_AFTER.found(a.then)
    if "before_tax" in a.near or words.OTHER_AFTER.found(behind) or (words.OTHER_BEFORE.found(a.said) and not gross):
        return Role.OTHER, PART_OR_NET
    if words.NET_BEFORE.found(a.line) and not gross:
        return Role.OTHER, "an amount before tax"
    if words.CONDITION_BEFORE.found(a.line):
        return Role.OTHER, "for a used or refurbished copy"
    return (Role.LIST, NAMED_FORMER) if former else None


def _as_conditional(a: _Around) -> tuple[Role, str] | None:
    """Return the role of an amount that not every shopper of one piece pays."""
    if words.QUANTITY_BEFORE.found(a.label):
        return Role.OTHER, LARGER
    if words.ONCE_BEFORE.found(a.label):
        return None
    behind = "" if a.leads else a.then[:25]
    if "member" in a.wide or words.MEMBER_AROUND.found(a.label[-40:]) or words.MEMBER_AROUND.found(behind):
        return Role.MEMBER, FOR_SOME
    if words.PAYMENT_AROUND.found(a.label[-40:]) or words.PAYMENT_AROUND.found(behind):
        return Role.MEMBER, ONE_PAYMENT
    if words.FROM_BEFORE.found(a.label) or words.FROM_AFTER.found(a.then):
        return Role.RANGE_END, A_FROM
    return None


def _outside(place: Place, anchor: Anchor) -> str | None:
    """Return the tag or name that places an amount outside the product, None when it stands inside."""
    if anchor.foreign and anchor.heading is not None and _is_offered(place, anchor):
        return "products"
    priced = 0
    for tag, names, identity in zip(place.tags, place.names, place.ids, strict=True):
        if identity in anchor.around:
            return None
        if tag in _OUTSIDE and not (tag == "aside" and is_buy_box(names)):
            return tag
        is_priced = "price" in votes(names)
        priced += is_priced
        found = elsewhere(names) if anchor.heading is not None and not is_priced else None
        if found in _WRAPS and priced >= WRAPPED:
            continue
        if found and not (tag == "aside" and is_buy_box(names)):
            return found
    return None


def _is_offered(place: Place, anchor: Anchor) -> bool:
    """Say whether an amount is that of an offer in the markup, which does not hold the product's name."""
    inside = takewhile(lambda at: at[1] not in anchor.around, zip(place.names[:6], place.ids[:6], strict=True))
    return any("itemprop=offers" in names for names, _ in inside)


def _is_past(a: _Around) -> bool:
    """Say whether an amount was asked before, and is not only called a list or regular price."""
    called = words.LIST_BEFORE.found(a.said)
    struck = not STRUCK_TAGS.isdisjoint(a.place.tags[:4]) or any(
        "list" in votes(n) and not only_regular(n) for n in a.place.names[:3]
    )
    return struck or called is None or words.PAST.found(called) is not None


def _only_named(said: str, place: Place) -> bool:
    return STRUCK_TAGS.isdisjoint(place.tags[:4]) and not words.LIST_BEFORE.found(said)


def _is_list(said: str, place: Place) -> bool:
    if not STRUCK_TAGS.isdisjoint(place.tags[:4]) or words.LIST_BEFORE.found(said):
        return "primary-price" not in place.names[0] if place.names else True
    for names in place.names[:3]:
        kinds = votes(names)
        if "list" in kinds:
            return "current" not in kinds or "line-through" in names or says_former(names)
        if "current" in kinds:
            return False
    return False
