"""The circuit breakers of a night: when its proposals as a whole look unlike those of other nights.

A breaker takes nothing away. It marks proposals as needing a second look: they stay visible with what tripped it, and
each is then approved by itself, never with others at once (`monitor.domain.review`). What moved at one competitor marks
what rests on its offers; what is odd about the whole night marks all of its proposals. A limit that is None is off, and
a share of fewer than `least_prices` prices or products says nothing.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from statistics import median

from monitor.domain.catalogue import Catalogue, MatchState
from monitor.domain.extraction import Outcome
from monitor.domain.observation import Observation
from monitor.domain.pricing.codes import BreakerCode
from monitor.domain.pricing.decide import Decision, Tripped
from monitor.domain.pricing.exact import decimal_of
from monitor.domain.pricing.rule import Breaker
from monitor.domain.pricing.wording import counted, number

#: Nights before this one whose coverage is compared; with fewer than the least their median says nothing.
NIGHTS_COMPARED, LEAST_NIGHTS = 7, 3


@dataclass(frozen=True, slots=True)
class Movement:
    """How many prices a night could compare with the ones before, and how many of them had moved."""

    compared: int = 0
    moved: int = 0

    def __add__(self, other: "Movement") -> "Movement":
        return Movement(self.compared + other.compared, self.moved + other.moved)

    def is_beyond(self, share_pct: Decimal | None, least: int) -> bool:
        """Say whether more than this share moved; False with too few prices to tell."""
        if share_pct is None or self.compared < least:
            return False
        return self.moved * 100 > self.compared * share_pct


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many of its watches a night read, and which shares of theirs the nights before it read."""

    read: int = 0
    watched: int = 0
    before_pct: tuple[Decimal, ...] = ()  #: of at most NIGHTS_COMPARED nights

    @classmethod
    def of(
        cls,
        catalogue: Catalogue,
        visited: Collection[str],
        observations: Iterable[Observation],
        before_pct: Iterable[Decimal] = (),
    ) -> "Coverage":
        """Return the coverage of a night: the watches of the competitors it visited, and those it read."""
        watched = sum(one.competitor in visited and one.match is not MatchState.REJECTED for one in catalogue.watches)
        read = sum(seen.outcome in (Outcome.OK, Outcome.UNCHANGED) for seen in observations)
        return cls(read, watched, tuple(before_pct))

    @property
    def pct(self) -> Fraction:
        """The share of this night in percent; all when nothing was watched."""
        return Fraction(self.read * 100, self.watched) if self.watched else Fraction(100)


#: What a night is decided by whose coverage nobody asks about.
NOTHING_WATCHED = Coverage()


def marked(
    decisions: Sequence[Decision],
    breaker: Breaker,
    moved: Mapping[str, Movement],
    coverage: Coverage,
    *,
    besides: int = 0,
) -> list[Decision]:
    """Return the decisions in their order, each proposal with the breakers that it has to be looked at for.

    Args:
        decisions: after the guards that look at one product, before the caps of the night: what all of them would do.
        breaker: the limits.
        moved: by competitor.
        coverage: of this night and the ones before.
        besides: products with offers that nothing is proposed for and that are not among the decisions.
    """
    of_night = [*_down(decisions, breaker, besides), *_step(decisions, breaker), *_unread(coverage, breaker)]
    total = sum(moved.values(), Movement())
    if total.is_beyond(breaker.market_pct, breaker.least_prices):
        of_market = [Tripped(BreakerCode.MARKET_BREAKER, _moved("All shops together", total, breaker.market_pct))]
    else:
        of_market = []
    found = []
    for one in decisions:
        rests_on = [*of_market, *_of_sellers(one, breaker, moved)] if one.usable else []
        looked_for = (*of_night, *rests_on) if one.is_proposal else ()
        found.append(replace(one, second_look=looked_for) if looked_for else one)
    return found


def tripped(decisions: Iterable[Decision]) -> tuple[Tripped, ...]:
    """Return the breakers that marked at least one proposal, each once."""
    return tuple(dict.fromkeys(each for one in decisions if one.is_proposal for each in one.second_look))


def _down(decisions: Iterable[Decision], breaker: Breaker, besides: int) -> Iterable[Tripped]:
    priced = [one for one in decisions if one.usable]
    down, count = sum(one.price is not None and one.price < one.product.price for one in priced), len(priced) + besides
    if Movement(count, down).is_beyond(breaker.down_pct, breaker.least_prices):
        words = f"{down} of {counted(count, 'product')} with offers would move down, more than "
        yield Tripped(BreakerCode.DOWN_BREAKER, f"{words}{number(breaker.down_pct)} %")


def _step(decisions: Iterable[Decision], breaker: Breaker) -> Iterable[Tripped]:
    limit = breaker.median_change_pct
    priced = [(one.price, one.product.price) for one in decisions if one.price is not None]
    if limit is None or len(priced) < breaker.least_prices:
        return
    changes = [Fraction(price) / Fraction(own) * 100 - 100 for price, own in priced]
    middle = median(changes)
    if abs(middle) > limit:
        words = f"The median of {len(changes)} changes is {decimal_of(middle, 1):+f} %, beyond {number(limit)} %"
        yield Tripped(BreakerCode.STEP_BREAKER, words)


def _unread(coverage: Coverage, breaker: Breaker) -> Iterable[Tripped]:
    limit = breaker.coverage_drop_points
    if limit is None or len(coverage.before_pct) < LEAST_NIGHTS:
        return
    usual = median(map(Fraction, coverage.before_pct))
    if usual - coverage.pct > limit:
        words = (
            f"{decimal_of(coverage.pct, 1)} % of the watches were read, against {decimal_of(usual, 1)} % in the middle "
            f"of the last {len(coverage.before_pct)} nights, more than {number(limit)} points less"
        )
        yield Tripped(BreakerCode.COVERAGE_BREAKER, words)


def _of_sellers(one: Decision, breaker: Breaker, moved: Mapping[str, Movement]) -> Iterable[Tripped]:
    if breaker.competitor_pct is None:
        return
    for each in sorted(one.usable, key=lambda usable: usable.offer.seller):
        found = moved.get(each.offer.seller, Movement())
        if found.is_beyond(breaker.competitor_pct, breaker.least_prices):
            words = _moved(each.offer.called, found, breaker.competitor_pct)
            yield Tripped(BreakerCode.COMPETITOR_BREAKER, words)


def _moved(who: str, found: Movement, share_pct: Decimal | None) -> str:
    return f"{who} moved {found.moved} of {counted(found.compared, 'price')} at once, more than {number(share_pct)} %"
