"""Say whether a page leaves its price out: to a script, whose place is marked as still loading, or to the cart.

What the maker recommends stands alone on such a page and is no price of it. Asked only where nothing is declared and
an amount that is called a former or a list price would be taken for the price.
"""

import re

from selectolax.lexbor import LexborNode

from monitor.extract.document import Document
from monitor.extract.standing import Anchor

CLIMBED = 4  #: elements around an amount in which the empty place is looked for
MAX_PLACES = 20  #: such places looked at in one of them
NEAR = 300  #: characters around an amount in which such words are looked for
LONGEST = 40  #: characters of words as `the price is loading`

_LOADING = (
    '[aria-busy="true"], [class*="skeleton" i], [class*="shimmer" i], [class*="price-loading" i],'
    ' [class*="price__load" i], [class*="price-placeholder" i], [class*="price__placeholder" i]'
)
#: What shops say that may not show a price as low as theirs.
_IN_CART = re.compile(
    r"(?:see|view|show)(?: (?:our|the|final|sale))? price in (?:your )?(?:cart|bag|basket|checkout)"
    r"|too low to (?:show|display)|price (?:shown|revealed) in (?:cart|bag)"
    r"|add to (?:cart|bag|basket) (?:to see|to view|for) (?:our |the |final )?price"
)


def is_undrawn(document: Document, offset: int, anchor: Anchor) -> bool:
    """Say whether an empty place that is still loading, or words that the cart shows the price, stand by an amount.

    Args:
        document: the page.
        offset: where the amount stands.
        anchor: where its product stands; the block ends at the first element that holds the name as well.
    """
    if _IN_CART.search(document.lower, max(0, offset - NEAR), offset + NEAR):
        return True
    node = document.node_at(offset)
    around = node.parent if node is not None else None
    for _ in range(CLIMBED):
        if around is None or around.tag in ("body", "html"):
            return False
        if any(_is_empty(place) for place in around.css(_LOADING)[:MAX_PLACES]):
            return True
        if around.mem_id in anchor.around:
            return False
        around = around.parent
    return False


def _is_empty(place: LexborNode) -> bool:
    text = (place.text(deep=True) or "").strip()
    return len(text) <= LONGEST and not any(map(str.isdigit, text))
