"""Prices of what is sold by measure alone: by the metre, the kilo, the piece."""

import re
from collections.abc import Sequence

from monitor.domain.extraction import Role
from monitor.extract.part_words import COMPARED_BEFORE
from monitor.extract.roles import PER_PIECE
from monitor.extract.standing import Seen
from monitor.extract.words import QUANTITY_BEFORE

#: The size of a pack, the last words before an amount: what it costs by measure is not what the pack costs.
_PACK = re.compile(r"[0-9](?: ?[x×] ?[0-9]+)?(?:[.,][0-9]+)? ?(?:kg|g|gr|mg|l|cl|ml|dl|liter|litre|oz|lb|г|кг|мл|л)\b")


def only_measured(seen: Sequence[Seen], enough: float) -> Seen | None:
    """Return the price by measure when no other amount stands with the product, None when it is sold otherwise.

    A former price beside it is that of a pack, whose own price was not read.

    Args:
        seen: the amounts that a page shows; none of them stands clearly as its price.
        enough: score from which an amount stands with the product.
    """
    if any(s.role is Role.LIST and s.score >= enough for s in seen):
        return None
    found = [s for s in seen if s.role is Role.UNIT and s.value > 0 and not _is_of_others(s)]
    pieces = [s for s in found if s.reason == PER_PIECE]
    found = [max(pieces, key=lambda s: s.value)] if pieces else found  # `£3.50/unit £0.70/ea` is a pack of 5
    return found[0] if len({s.value for s in found}) == 1 and found[0].score >= enough else None


def _is_of_others(s: Seen) -> bool:
    """Say whether a price by measure is that of a pack, or of more than is bought: `from 100 m: €0.69 / m`."""
    return any(said(s.line) for said in (COMPARED_BEFORE.found, QUANTITY_BEFORE.found)) or bool(_PACK.search(s.label))
