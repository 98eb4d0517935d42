"""The names of references and numbers, as `words.py` and `quiet.py` both say them."""

from decimal import Decimal
from fractions import Fraction

from monitor.domain.money import amount_text
from monitor.domain.pricing.decide import Decision
from monitor.domain.pricing.exact import in_currency
from monitor.domain.pricing.rule import ReferenceKind

_ORDINALS = {1: "1st", 2: "2nd", 3: "3rd", 21: "21st", 22: "22nd", 23: "23rd"}


def number(value: Decimal | None) -> str:
    """Return a percentage or an amount without trailing zeros."""
    return amount_text(value) if value is not None else ""


def money(amount: Fraction | Decimal, currency: str) -> str:
    """Return an amount with the digits of its currency, without the code."""
    return amount_text(in_currency(Fraction(amount), currency), currency)


def counted(count: int, noun: str) -> str:
    """Return `1 rival`, `2 rivals`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def ordinal(position: int) -> str:
    """Return `2nd` for 2."""
    return _ORDINALS.get(position, f"{position}th")


def sentence(words: str) -> str:
    """Return the words with a capital first letter and the rest as it is."""
    return f"{words[:1].upper()}{words[1:]}"


def reference_name(decision: Decision) -> str:
    """Return what a rule measured against: `the lowest in-stock rival`, `the median of 4 rivals`."""
    rule, reference = decision.rule, decision.reference
    if rule is None or reference is None:
        return "the market"
    kind, offers = rule.target.reference, reference.offers
    if kind is ReferenceKind.COST:
        return "your cost"
    if kind is ReferenceKind.SELLER:
        return offers[0].offer.called
    if kind in {ReferenceKind.AVERAGE, ReferenceKind.MEDIAN}:
        return f"the {kind.value} of {counted(len(decision.usable), 'rival')}"
    rank = "" if kind is ReferenceKind.LOWEST else f"{ordinal(rule.target.n or 1)} "
    stock = "in-stock " if offers[0].offer.in_stock else ""
    return f"the {rank}lowest {stock}rival"
