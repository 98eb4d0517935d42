"""Reading nights gone by, for pages, exports and the command line. Nothing here changes anything."""

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from monitor.domain.action import WriteState
from monitor.domain.extraction import Outcome
from monitor.domain.observation import Observation
from monitor.domain.past import Executed, NightLine, ShopNight
from monitor.domain.picture import Changed
from monitor.domain.unread import Result


class Past(Protocol):
    """What was."""

    def latest_readings(self, sku: str, competitors: Collection[str]) -> tuple[Observation, ...]:
        """Return the newest reading of a product at each of these competitors, whatever came of it."""

    def nights(self, limit: int, offset: int = 0) -> tuple[NightLine, ...]:
        """Return the newest nights in short, newest first."""

    def outcomes(self, run_id: str) -> Mapping[Outcome, int]:
        """Count the readings of one night by outcome; what did not occur is left out."""

    def results(self, run_id: str) -> Mapping[str, tuple[Result, ...]]:
        """Return what came of the watches of each competitor in one night, counted by outcome and reason."""

    def shop_nights(self, competitor: str, limit: int) -> tuple[ShopNight, ...]:
        """Return a competitor's newest nights, newest first."""

    def shops_of(self, run_id: str) -> tuple[ShopNight, ...]:
        """Return every competitor's part of one night, by id."""

    def changes(self, sku: str) -> tuple[Changed, ...]:
        """Return the prices of a product that the monitor wrote, oldest first."""

    def executed(
        self, *, sku: str = "", states: Sequence[WriteState] = (), limit: int = 50, offset: int = 0
    ) -> tuple[tuple[Executed, ...], int]:
        """Return some of what was approved and executed, newest first, and how much there is in all."""
