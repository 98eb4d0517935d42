"""Reading one page, as a pure function of its bytes: what may go wrong with a hostile page goes wrong here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from monitor.domain.catalogue import Watch
from monitor.domain.extraction import Extraction, Hints
from monitor.domain.page import Page
from monitor.extract import extract
from monitor.extract.charset import decoded
from monitor.extract.platforms import Detected, adapter_of, detected
from monitor.extract.platforms.shopify import presentment_currency


@dataclass(frozen=True, slots=True)
class PageReading:
    """What one page says of each watch that was looked for on it."""

    extractions: tuple[Extraction, ...]  #: one per hint, in their order
    shown_currency: str | None  #: that the shop shows this visitor, also on a page that gives no price
    platform: Detected | None = None  #: what gives the shop's platform away
    learned: Mapping[str, Any] = field(default_factory=dict)  #: by the platform's adapter, for later catalogue calls


def read_page(page: Page, hints: Sequence[Hints], watches: Sequence[Watch] = (), platform: str = "auto") -> PageReading:
    """Read a page once for each watch that it should show.

    Args:
        page: as it came.
        hints: one per watch.
        watches: those looked for, for what an adapter learns of them.
        platform: as the operator set it.
    """
    found = tuple(extract(page.body, page.final_url, page.content_type, hints=each) for each in hints)
    markup = decoded(page.body, page.content_type)
    given_away = detected(markup, page.headers)
    sure = given_away.name if given_away is not None and given_away.is_sure else None
    adapter = adapter_of(sure if platform == "auto" else platform)
    learned = adapter.learn(markup, watches) if adapter is not None else {}
    return PageReading(found, presentment_currency(page.body), given_away, learned)
