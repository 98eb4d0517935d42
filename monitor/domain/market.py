"""Which watches of a shop one catalogue answers for: those of one host and one region in front of the path.

`de.shop.example` and `shop.example/de-at/` may ask other prices in the same currency, and an answer of one says nothing
about the other. A language alone in front (`/de/`) is the same market in another language.
"""

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from urllib.parse import urlsplit

from monitor.domain.catalogue import Watch

_REGION = re.compile(r"/([a-z]{2}[-_][a-z]{2})(?:/|\Z)", re.IGNORECASE)


@lru_cache(maxsize=16_384)
def market_of(url: str) -> str:
    """Return the market that an address belongs to.

    >>> market_of("https://www.shop.example/de-AT/products/mug"), market_of("https://de.shop.example/de/mug")
    ('shop.example/de-at', 'de.shop.example')
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    region = _REGION.match(parts.path)
    host = parts.netloc.lower().removeprefix("www.")
    return f"{host}/{region.group(1).lower()}" if region else host


def main_market(watches: Iterable[Watch]) -> str:
    """Return the market of most watches, of the first one of them where several have as many; "" without any."""
    most = Counter(market_of(watch.url) for watch in watches).most_common(1)
    return most[0][0] if most else ""
