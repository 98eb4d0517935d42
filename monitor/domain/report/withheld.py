"""Shops that refuse to show their robots.txt (401, 403): it closes nothing to us, and the reader is told so.

RFC 9309, section 2.3.1.3, lets a client ask for everything then. A shop that shows its file to nobody may mean
otherwise, so the operator hears of it and can close paths.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from monitor.domain.catalogue import Catalogue
from monitor.domain.report.clean import clean
from monitor.domain.report.view import Notice
from monitor.domain.robots import RobotsKind

_NAME_LIMIT = 30
_NAMED = 4


def withheld(results: Iterable[tuple[str, Mapping[str, Any]]], catalogue: Catalogue) -> Iterator[Notice]:
    """Yield one notice for all the shops that answered alike.

    Args:
        results: what the tool of robots.txt gave, with the competitor; a shop with several hosts has several.
        catalogue: of the night, for the names.
    """
    names = {one.id: one.name for one in catalogue.competitors}
    shops: dict[str, list[str]] = defaultdict(list)
    for competitor, result in results:
        if result.get("kind") == RobotsKind.WITHHELD:
            name = clean(names.get(competitor, competitor), _NAME_LIMIT)
            told = shops[str(result["words"])]
            if name not in told:
                told.append(name)
    for words, told in sorted(shops.items()):
        more = f" and {len(told) - _NAMED} more" if len(told) > _NAMED else ""
        yield Notice(
            f"{', '.join(told[:_NAMED])}{more}: {words}, so it closes nothing to us (RFC 9309). "
            "`refuse` in competitors.toml can."
        )
