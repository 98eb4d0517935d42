"""What pages and exports show of nights gone by: a shop's nights, executed prices, the latest readings of a product."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal

from monitor.domain.action import WriteState
from monitor.domain.extraction import Outcome
from monitor.domain.run import JobState, RunState


@dataclass(frozen=True, slots=True)
class ShopNight:
    """One competitor in one night."""

    run_id: str
    local_date: date
    competitor: str
    state: JobState
    outcomes: Mapping[Outcome, int]  #: readings by outcome; what did not occur is left out
    calls_used: int
    calls_limit: int
    requests_used: int
    started_at: datetime | None
    ended_at: datetime | None
    error: str | None
    unread: Mapping[str, int] = field(default_factory=dict)  #: readings without a price, by what came in a word or two

    @property
    def read(self) -> int:
        """How many watches gave a price, or were confirmed unchanged."""
        return self.outcomes.get(Outcome.OK, 0) + self.outcomes.get(Outcome.UNCHANGED, 0)

    @property
    def asked(self) -> int:
        """How many watches there were."""
        return sum(self.outcomes.values())


@dataclass(frozen=True, slots=True)
class NightLine:
    """One night in a list."""

    run: str
    date: date
    state: RunState
    partial: bool
    jobs_ended: int
    jobs_total: int
    proposals: int


@dataclass(frozen=True, slots=True)
class Executed:
    """One approved price on its way to the shop, and what became of it."""

    action_id: int
    version: int
    run_id: str
    sku: str
    title: str
    currency: str
    old_price: Decimal
    new_price: Decimal
    state: WriteState
    words: str | None  #: what went wrong, or the shop's words
    by: str | None  #: who approved
    created_at: datetime
    finished_at: datetime | None

    @property
    def is_problem(self) -> bool:
        """True when a person should look."""
        return self.state in PROBLEMS


#: Ends that a person should look at.
PROBLEMS = frozenset({WriteState.CONFLICT, WriteState.FAILED, WriteState.UNKNOWN, WriteState.TARGET_GONE})
