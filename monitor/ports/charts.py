"""Drawing charts."""

from typing import Protocol

from monitor.domain.picture import Chart, Form, Tables, Theme
from monitor.errors import CannotSucceed


class ChartFailed(CannotSucceed):
    """A chart could not be drawn; everything that it shows stands in words and tables beside it."""

    def __init__(self, chart: Chart, reason: str) -> None:
        super().__init__(f"The {chart} chart could not be drawn: {reason}. Its figures are in the tables all the same.")
        self.chart = chart


class Charts(Protocol):
    """Draws charts. Raises ChartFailed, never anything else."""

    def draw(
        self,
        chart: Chart,
        tables: Tables,
        form: Form,
        *,
        theme: Theme = Theme.LIGHT,
        width: int = 640,
        height: int = 300,
    ) -> bytes:
        """Return a chart as SVG text or as a PNG of twice the size in pixels."""
