"""Where our prices stand, by night."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Protocol

from monitor.domain.standing import Portfolio, Standing


class By(StrEnum):
    """What a list of products is sorted by."""

    STAKE = "stake"  #: a week's revenue of what is above the lowest offer, largest first
    INDEX = "index"  #: dearest against the median first
    CHEAP = "cheap"  #: cheapest against the median first
    TITLE = "title"


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which products of a night to list; empty fields take everything."""

    words: str = ""  #: in SKU, title, brand or category, whatever the case
    reason: str = ""  #: a reason code, or `proposed`
    seller: str = ""  #: the one with the lowest offer
    zone: str = ""  #: `red`, `lowest`, `cheap` or `alone` (no usable offer)
    by: By = By.STAKE


class Standings(Protocol):
    """The standing of every product in every night that was decided."""

    def keep(self, rows: Iterable[Standing], portfolio: Portfolio) -> None:
        """Store a night's standings once; a night that has them keeps them."""

    def page(self, run_id: str, wanted: Wanted, *, limit: int, offset: int = 0) -> tuple[tuple[Standing, ...], int]:
        """Return some of a night's products in order, and how many there are in all."""

    def latest(self) -> str | None:
        """Return the newest night that has standings."""

    def find(self, run_id: str, sku: str) -> Standing | None:
        """Return one product's standing in one night."""

    def of_run(self, run_id: str) -> tuple[Standing, ...]:
        """Return every standing of a night, by SKU."""

    def each(self, run_id: str) -> Iterator[Standing]:
        """Yield what `of_run` returns, in this transaction."""

    def of_sku(self, sku: str, since: date | None = None) -> tuple[tuple[date, Standing], ...]:
        """Return a product's standings by local date, oldest first."""

    def portfolios(self, since: date | None = None) -> tuple[tuple[date, Portfolio], ...]:
        """Return the figures over all products by local date, oldest first."""

    def portfolio(self, run_id: str) -> Portfolio | None:
        """Return the figures of one night."""

    def reasons(self, run_id: str) -> Mapping[str, int]:
        """Count a night's products by why nothing is proposed; `proposed` for the others."""
