"""Remarks on a proposal that no rule acts on: the law on reductions, minimum advertised prices, thin evidence.

The lowest price of thirty days is that of Directive 98/6/EC, Article 6a, as our own history shows it: what an
announced reduction must name. It is worked out from the prices that this program saw at the start of each night.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction

from monitor.domain.catalogue import MatchState, Product
from monitor.domain.money import amount_text
from monitor.domain.observation import Span
from monitor.domain.pricing.decide import Decision
from monitor.domain.pricing.offers import NEW, Offer, advertised
from monitor.domain.pricing.own import REFERENCE_DAYS, lowest_of_30_days


class FlagCode(StrEnum):
    """What a proposal is remarked with."""

    NEW_LOW_30_DAYS = "NEW_LOW_30_DAYS"  #: below our lowest price of thirty days
    COMPARE_AT_ABOVE_30_DAYS = "COMPARE_AT_ABOVE_30_DAYS"  #: the "was" price is above that lowest price
    BELOW_MAP = "BELOW_MAP"  #: below our own minimum advertised price
    RIVAL_BELOW_MAP = "RIVAL_BELOW_MAP"  #: a reseller advertises below it
    FIRST_READING = "FIRST_READING"  #: rests on a reading without a history


#: Said in the line that explains a proposal; the others are kept with it and shown when somebody looks closer.
SAID = frozenset(FlagCode) - {FlagCode.NEW_LOW_30_DAYS}


@dataclass(frozen=True, slots=True)
class Flag:
    """One remark."""

    code: FlagCode
    words: str


@dataclass(frozen=True, slots=True)
class Remarks:
    """The flags of one proposal, and our lowest price of thirty days."""

    flags: tuple[Flag, ...] = ()
    lowest_30_days: Decimal | None = None  #: None without a history of our own price


def remarks_on(
    decision: Decision,
    *,
    own: Sequence[Span],
    offers: Collection[Offer],
    rates: Mapping[str, Fraction],
    now: datetime,
    first: Collection[str] = (),
) -> Remarks:
    """Return what a person should know about a proposal besides its reason.

    Args:
        decision: the proposal; without a price there is nothing to remark.
        own: the history of our own price, oldest first.
        offers: all offers for the product, used or not.
        rates: the worth of one unit of each foreign currency in the product's currency.
        now: from which the thirty days are counted back.
        first: sellers whose reading has no history.
    """
    product, price = decision.product, decision.price
    history = [span for span in own if span.currency == product.currency]
    lowest = lowest_of_30_days(history, now)
    if price is None:
        return Remarks((), lowest)
    found = [
        *_of_law(decision, price, lowest),
        *_of_map(decision, price, offers, rates),
        *_of_evidence(decision, first),
    ]
    return Remarks(tuple(found), lowest)


def _of_law(decision: Decision, price: Decimal, lowest: Decimal | None) -> list[Flag]:
    product, found = decision.product, []
    if lowest is None:
        return []
    said = amount_text(lowest, product.currency)
    if price < lowest:
        words = f"below your lowest price of {REFERENCE_DAYS} days ({said}), and the new reference of reductions"
        found.append(Flag(FlagCode.NEW_LOW_30_DAYS, words))
    if product.compare_at is not None and product.compare_at > lowest:
        was = amount_text(product.compare_at, product.currency)
        words = f"the struck-through price {was} is above your lowest price of {REFERENCE_DAYS} days ({said})"
        found.append(Flag(FlagCode.COMPARE_AT_ABOVE_30_DAYS, words))
    return found


def _of_map(decision: Decision, price: Decimal, offers: Collection[Offer], rates: Mapping[str, Fraction]) -> list[Flag]:
    product, found = decision.product, []
    if product.map is None:
        return []
    said = amount_text(product.map, product.currency)
    if price < product.map:
        found.append(Flag(FlagCode.BELOW_MAP, f"below your minimum advertised price {said}"))
    below = sorted(one.called for one in offers if advertises_below_map(one, product, rates))
    if below:
        verb = "advertises" if len(below) == 1 else "advertise"
        words = f"{', '.join(below)} {verb} below your minimum advertised price {said}"
        found.append(Flag(FlagCode.RIVAL_BELOW_MAP, words))
    return found


def advertises_below_map(offer: Offer, product: Product, rates: Mapping[str, Fraction]) -> bool:
    """Say whether a confirmed, unheld offer of the same new product is below our minimum advertised price."""
    is_ours = offer.match is MatchState.CONFIRMED and offer.condition == NEW and not offer.held
    if not is_ours or product.map is None or (offer.currency != product.currency and offer.currency not in rates):
        return False
    return advertised(offer, product, rates) < product.map


def _of_evidence(decision: Decision, first: Collection[str]) -> list[Flag]:
    deciding = decision.reference.offers if decision.reference is not None else ()
    new = sorted(one.offer.called for one in deciding if one.offer.seller in first)
    if not new:
        return []
    return [Flag(FlagCode.FIRST_READING, f"{', '.join(new)}: first reading, no history to compare it with")]
