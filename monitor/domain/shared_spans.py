"""One object for one stretch of price history, however often it was read.

A synthesis reads the newest stretch of every watch, and then whole histories in which most are the same once more: of
thirty thousand watches each copy takes ten megabytes.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable

from monitor.domain.anomaly import WatchKey
from monitor.domain.observation import Span


def as_known(known: Iterable[Span]) -> Callable[[Span], Span]:
    """Return what gives the object among `known` for an equal span, at most one per watch, else the span itself."""
    latest: dict[WatchKey, Span] = {(one.competitor, one.sku): one for one in known}

    def shared(span: Span) -> Span:
        one = latest.get((span.competitor, span.sku))
        return one if one is not None and one == span else span

    return shared


def histories(spans: Iterable[Span], known: Iterable[Span]) -> dict[WatchKey, tuple[Span, ...]]:
    """Return the spans by watch, in the order in which they come, shared with those among `known`."""
    shared, found = as_known(known), defaultdict[WatchKey, list[Span]](list)
    for span in spans:
        found[span.competitor, span.sku].append(shared(span))
    return {key: tuple(history) for key, history in found.items()}
