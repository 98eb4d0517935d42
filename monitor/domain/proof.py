"""When a list of products is believed that does not name its currency.

It may be in another currency than the shop's pages, and than the answer for a single product: in the currency of the
shop's home country, where pages show the visitor's. Nothing in it tells. So no part of a list is used until one part
has the price that a page shows tonight; that part speaks for the rest. Where the page that was read first is not in
the first part, a page that is gets read and the part is asked for once more. What the first part held is remembered,
so that the next night reads one of those pages first.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from monitor.domain.asking import Platform, identity_of
from monitor.domain.catalogue import Competitor, Watch
from monitor.domain.run import Step

#: Watches in the first part of a list that are remembered.
MOST_REMEMBERED = 20
FIRST_PART = "first_part"
NAMELESS = "nameless"  #: whether an answer that may name its currency named none

Calls = Sequence[tuple[Step, Mapping[str, Any]]]


def unproven(calls: Calls) -> frozenset[str]:
    """Return the watches in the last answer, when it is not used until a page has shown the price of one of them."""
    return frozenset(calls[-1][1].get("unproven", ())) if calls else frozenset()


def has_proven_list(calls: Calls) -> bool:
    """Say whether a part of the list has been used tonight: it had the price that a page shows."""
    return any(step.args.get("about") == "list" and result.get("is_proven") for step, result in calls)


def needs_page(adapter: Platform, learned: Mapping[str, Any], competitor: Competitor) -> bool:
    """Say whether only a page can tell the currency of a catalogue: by its kind, or by what came last night."""
    return not adapter.names_currency or (bool(learned.get(NAMELESS)) and competitor.currency is None)


def proving_first(watches: Sequence[Watch], learned: Mapping[str, Any]) -> list[Watch]:
    """Put the watches first that the first part of the list held last night."""
    held = frozenset(learned.get(FIRST_PART, ()))
    return sorted(watches, key=lambda watch: identity_of(watch) not in held)
