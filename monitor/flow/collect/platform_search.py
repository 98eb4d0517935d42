"""How long a visit looks on its pages for what gives the shop's platform away.

All pages of a shop are made by one template, so what its first pages do not show the others do not show either; to look
costs a twentieth of a page's processor time. Only where an adapter may learn from each page, every page has to
prove anew that it is one of that platform.
"""

from collections.abc import Mapping

from monitor.domain.asking import Platform
from monitor.domain.catalogue import Competitor
from monitor.extract.platforms.marks import Detected

#: Pages of a visit that are looked at in vain before it is left to the next night.
MOST_IN_VAIN = 3
#: Has a page looked at.
LOOK = "auto"
#: Of a shop whose pages are read one by one.
NO_PLATFORM = "pages"


class PlatformSearch:
    """What one visit knows of the platform; a resumed visit begins its search anew.

    Args:
        competitor: whom.
        known: the platform that earlier nights found.
        adapters: by name.
    """

    def __init__(self, competitor: Competitor, known: str | None, adapters: Mapping[str, Platform]) -> None:
        self._set = "feed" if competitor.platform == LOOK and competitor.feed else competitor.platform
        self._known, self._adapters = known, adapters
        self._in_vain = 0

    @property
    def next(self) -> str:
        """What to read the next page as: `LOOK`, or the platform whose adapter may learn from it."""
        if self._set != LOOK:
            return self._set
        if self._known is None:
            return NO_PLATFORM if self._in_vain >= MOST_IN_VAIN else LOOK
        return LOOK if self._known in self._adapters else NO_PLATFORM

    def saw(self, found: Detected | None) -> Detected | None:
        """Note what the page gave away, and return it if that is enough to try the platform's adapter."""
        if found is not None and found.is_sure:
            self._known = self._known or found.name
            return found
        self._in_vain += 1
        return None
