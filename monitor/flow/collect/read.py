"""Reading one page, as a pure function of its bytes: what may go wrong with a hostile page goes wrong here."""

from collections.abc import Sequence
from dataclasses import dataclass

from monitor.domain.extraction import Extraction, Hints
from monitor.domain.page import Page
from monitor.extract import extract
from monitor.extract.platforms.shopify import presentment_currency


@dataclass(frozen=True, slots=True)
class PageReading:
    """What one page says of each watch that was looked for on it."""

    extractions: tuple[Extraction, ...]  #: one per hint, in their order
    shown_currency: str | None  #: that the shop shows this visitor, also on a page that gives no price


def read_page(page: Page, hints: Sequence[Hints]) -> PageReading:
    """Read a page once for each watch that it should show."""
    found = tuple(extract(page.body, page.final_url, page.content_type, hints=each) for each in hints)
    return PageReading(found, presentment_currency(page.body))
