"""The view model of a report: frozen values in reading order, the same for mail, text and page.

Amounts are exact and carry their currency beside them; percentages have one decimal place. Texts are
clean: one line, no control or direction characters, cut to a length.
"""

from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any

from monitor.domain.snapshot import from_plain, to_plain


class Level(StrEnum):
    """How far tonight's data can be trusted."""

    GOOD = "good"  #: read as expected
    WARN = "warn"  #: usable, and something is missing that is named
    BAD = "bad"  #: too little was read to rely on it


@dataclass(frozen=True, slots=True)
class Count:
    """How many there are of something."""

    words: str
    count: int


@dataclass(frozen=True, slots=True)
class Failing:
    """A competitor that could not be read as expected."""

    competitor: str
    name: str
    why: str
    read: int
    expected: int


@dataclass(frozen=True, slots=True)
class Unread:
    """A watch that was not read, or several of a failing competitor for one reason."""

    title: str  #: of our product, or of the first of several
    rival: str
    why: str
    is_told: bool = False  #: the line of its competitor says why already


@dataclass(frozen=True, slots=True)
class Trust:
    """Whether tonight's data can be relied on."""

    level: Level
    words: str  #: the same in one sentence
    started_at: datetime
    finished_at: datetime
    read: int  #: watches read
    expected: int  #: watches there are
    coverage_pct: Decimal | None  #: None when nothing is watched
    competitors_ok: int
    competitors: int
    failing: tuple[Failing, ...]  #: worst first, at most MAX_FAILING
    failing_more: int
    unread: tuple[Count, ...]  #: why watches were not read, most frequent first
    skipped: tuple[str, ...]  #: `competitor/sku` of what the budget did not reach, at most MAX_SKIPPED
    skipped_more: int
    oldest_at: datetime | None  #: when the oldest offer still in use was seen
    is_partial: bool  #: the report was made before every competitor had ended
    gaps: tuple[Unread, ...] = ()  #: unread watches by name, at most MAX_GAPS, first those no failing one explains
    gaps_more: int = 0


@dataclass(frozen=True, slots=True)
class Rival:
    """A competitor's offer as it was read."""

    name: str
    price: Decimal
    currency: str
    seen_at: datetime | None


@dataclass(frozen=True, slots=True)
class Row:
    """One proposed price change."""

    action_id: int
    version: int
    sku: str
    title: str
    currency: str
    old_price: Decimal
    new_price: Decimal
    change: Decimal
    change_pct: Decimal | None  #: None when the old price is zero
    stake: Decimal | None  #: size of the weekly effect at constant volume; None when nobody knows the units sold
    margin_before_pct: Decimal | None  #: (price - cost) / price; None without a cost
    margin_after_pct: Decimal | None
    is_below_cost: bool
    why: str
    effect: Decimal | None  #: `stake` with its sign: what the price brings or costs a week at constant volume
    rival: Rival | None  #: the offer that set the target; None for a rule on our own cost
    needs_second_look: bool = False


@dataclass(frozen=True, slots=True)
class Amount:
    """A sum in one currency."""

    amount: Decimal
    currency: str


@dataclass(frozen=True, slots=True)
class Needs:
    """What waits for a decision."""

    rows: tuple[Row, ...]  #: by money at stake, unknown last, at most MAX_ROWS
    total: int
    more: int  #: how many are not in `rows`
    down: int
    up: int
    stake: tuple[Amount, ...]  #: sums over all proposals whose weekly units are known
    effect: tuple[Amount, ...]  #: the same with their signs: what all prices together bring or cost
    stake_unknown: int  #: proposals without weekly units
    older: int  #: proposals of earlier nights that still wait
    second_look: int = 0  #: proposals that are approved by themselves only
    second_look_why: tuple[str, ...] = ()  #: what makes the night unlike others, each a sentence without its full stop


class MoveKind(StrEnum):
    """What a rival did since the night before, the most telling first."""

    NEW_LOWEST = "new_lowest"  #: undercuts every rival's last price
    SALE_STARTED = "sale_started"  #: a struck-through price appeared
    SALE_ENDED = "sale_ended"  #: it went away
    SOLD_OUT = "sold_out"
    BACK_IN_STOCK = "back_in_stock"
    CURRENCY = "currency"  #: priced in another currency
    DOWN = "down"
    UP = "up"


@dataclass(frozen=True, slots=True)
class Move:
    """One rival's offer that changed since the night before."""

    kind: MoveKind
    words: str  #: everything that changed, `new lowest, sale started`
    sku: str
    title: str
    rival: str
    currency: str
    before: Decimal
    now: Decimal
    change_pct: Decimal | None  #: None when the currency changed


@dataclass(frozen=True, slots=True)
class Market:
    """What moved."""

    moves: tuple[Move, ...]  #: at most MAX_MOVES
    total: int
    more: int
    counts: tuple[Count, ...]  #: by kind, `new lowest`
    is_first: bool  #: nothing was read before tonight, so nothing can have moved


@dataclass(frozen=True, slots=True)
class Place:
    """Where all our prices together stand among the rivals'."""

    index: Decimal | None  #: the rivals' median is 100
    is_weighted: bool  #: by a week's revenue
    lowest_pct: Decimal | None  #: share of compared products that nobody undercuts
    red_pct: Decimal | None  #: share that is more than 10 % above the lowest
    compared: int
    products: int


class OpportunityKind(StrEnum):
    """Why a product may earn more."""

    CHEAP = "cheap"  #: more than 5 % below everybody
    SOLD_OUT = "sold_out"  #: half of the rivals do not have it


@dataclass(frozen=True, slots=True)
class Opportunity:
    """A product that may earn more."""

    kind: OpportunityKind
    sku: str
    title: str
    words: str


@dataclass(frozen=True, slots=True)
class Opportunities:
    """Products that may earn more."""

    rows: tuple[Opportunity, ...] = ()  #: most weekly revenue first, at most MAX_OPPORTUNITIES
    total: int = 0
    more: int = 0


@dataclass(frozen=True, slots=True)
class Notice:
    """Something out of the ordinary: an alert of the night, or a product that could not be decided."""

    words: str
    sku: str | None = None


@dataclass(frozen=True, slots=True)
class Execution:
    """What became of an approved price."""

    sku: str
    title: str
    currency: str
    old_price: Decimal
    new_price: Decimal
    state: str
    words: str
    at: datetime
    is_problem: bool


@dataclass(frozen=True, slots=True)
class Report:
    """Everything the mail and the report page say about one night."""

    run_id: str
    local_date: date
    zone: str
    brand: str
    made_at: datetime
    subject: str
    verdict: str
    trust: Trust
    needs: Needs
    market: Market
    notices: tuple[Notice, ...]
    notices_more: int
    executions: tuple[Execution, ...]
    executions_more: int
    place: Place | None = None  #: None when nothing could be compared
    opportunities: Opportunities = Opportunities()

    @property
    def unmoved(self) -> str:
        """What is said where no offer moved; of what was not read nobody knows whether it did."""
        if not self.trust.read:
            return "Nothing was read this night, so nobody knows what moved."
        if self.market.is_first:
            return "Everything was read for the first time. From the next night on, what moved stands here."
        whose = "No rival" if self.trust.read == self.trust.expected else "Of what was read, no rival"
        return f"{whose} changed a price, a sale or its stock since the night before."

    def as_json(self) -> dict[str, Any]:
        """Return the report as JSON values: amounts as decimal strings, times in ISO 8601."""
        plain: dict[str, Any] = to_plain(self)
        return plain

    def shortened(self) -> "Report":
        """Return the report with its last row counted instead of shown; itself when there is none."""
        needs = self.needs
        if not needs.rows:
            return self
        return replace(self, needs=replace(needs, rows=needs.rows[:-1], more=needs.more + 1))

    @classmethod
    def from_json(cls, plain: dict[str, Any]) -> "Report":
        """Return the report that `as_json` gave. Raises `monitor.domain.snapshot.UnreadableSnapshot`."""
        report = from_plain(cls, "report", plain)
        assert isinstance(report, Report)  # noqa: S101 - narrows the type for mypy
        return report
