"""Read what a competitor sells from a file of the operator."""

from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from monitor.domain.catalogue import Competitor
from monitor.domain.intake import Asked
from monitor.domain.match import Listing
from monitor.domain.match.rival_file import read_rivals
from monitor.errors import Misconfigured
from monitor.settings.imports import file_body
from monitor.settings.intake import Wanted
from monitor.settings.model import Settings


def read_rival_file(file: Path, shop: Competitor, settings: Settings, wanted: Wanted) -> tuple[Listing, ...]:
    """Return the listings of a competitor's file.

    Raises:
        Misconfigured: every problem of the file; nothing of it is used.
    """
    asked = Asked(
        currency=wanted.currency or settings.plan.currency,
        today=wanted.today or datetime.now(UTC).astimezone(ZoneInfo(settings.plan.schedule.zone)).date(),
        encoding=wanted.encoding,
        decimal=wanted.decimal,
    )
    listings, problems = read_rivals(file_body(file), file.name, shop.base_url, asked)
    if problems:
        raise Misconfigured([*problems, f"Nothing of {file.name} was used; the review queue is as it was."])
    return listings
