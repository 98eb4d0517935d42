"""What the plan of a visit asks a platform's adapter, and what the adapter answers.

An adapter is a pure value: it turns the watches that are left into the next catalogue call. It lives in
`extract/platforms`, one file for each platform; the plan knows only this protocol.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol
from urllib.parse import urlsplit

from monitor.domain.catalogue import Watch
from monitor.domain.listing import Answer, Listing, Problem

#: Most watches named in one call; the platforms that take names take a hundred.
MOST_NAMED = 100
#: What is learnt of single watches.
NUMBERS = frozenset({"ids", "variations"})
#: Longest address of a call; servers refuse a request line beyond 8 kB.
MOST_CHARACTERS = 6_000


@dataclass(frozen=True, slots=True)
class CatalogueAsk:
    """One catalogue call."""

    url: str
    watches: tuple[Watch, ...]  #: those it may answer
    about: str  #: the way they are asked for: `list`, `ids`, `slug`; a watch is asked for once each way
    endpoint: str  #: a key of the adapter's `endpoints`
    page: int = 1
    post: str | None = None  #: the question, where it is no GET
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Asked:
    """A catalogue call that was made."""

    about: str
    page: int
    skus: tuple[str, ...]
    read: tuple[str, ...] = ()  #: watches that got their reading
    told: tuple[str, ...] = ()  #: watches that were found and have no price to be had
    more: bool = False
    cursor: str | None = None
    first: str | None = None  #: the shop's number of the first product in the answer
    failed: Problem | None = None


@dataclass(frozen=True, slots=True)
class SoFar:
    """What an adapter may know when it chooses the next call."""

    origin: str  #: `https://shop.example`, where the watched pages are
    left: tuple[Watch, ...]  #: without a reading so far, in turn
    asked: tuple[Asked, ...] = ()  #: catalogue calls of tonight, oldest first
    known: Mapping[str, Any] = field(default_factory=dict)  #: of earlier nights and tonight: `ids` by SKU, `root` …
    compare: tuple[Watch, ...] = ()  #: read on their own page tonight, to be asked for once more
    currency: str | None = None  #: verified tonight on a page
    calls_left: int = 12
    closed: frozenset[str] = frozenset()  #: endpoints that robots.txt closes to us
    feed: str | None = None  #: the feed that the operator entered

    def id_of(self, watch: Watch) -> str | None:
        """Return the shop's own id of the product of a watch, where an earlier answer told it."""
        return self._number("ids", watch)

    def variation_of(self, watch: Watch) -> str | None:
        """Return the shop's own id of a variant that is asked for by itself."""
        return self._number("variations", watch)

    def _number(self, name: str, watch: Watch) -> str | None:
        found = self.known.get(name)
        number = found.get(identity_of(watch)) if isinstance(found, Mapping) else None
        return number if isinstance(number, str) and number.isascii() and number.isdecimal() else None

    def not_asked(self, about: str) -> tuple[Watch, ...]:
        """Return the watches left that were not asked for this way and of which nothing is told yet."""
        done = {sku for call in self.asked if call.about == about and not call.failed for sku in call.skus}
        told = {sku for call in self.asked for sku in call.told}
        return tuple(watch for watch in self.left if watch.sku not in done and watch.sku not in told)

    def failures(self, about: str | None = None) -> tuple[Asked, ...]:
        """Return the calls that failed, of one way or of all."""
        return tuple(call for call in self.asked if call.failed and about in (None, call.about))


class Platform(Protocol):
    """How the shops of one platform are asked for many products at once."""

    @property
    def name(self) -> str:
        """As `competitors.toml` writes it."""

    @property
    def names_currency(self) -> bool:
        """Whether its answers name their currency; without that, a page of the same run must."""

    def endpoints(self, origin: str) -> Mapping[str, str]:
        """Return by name an address of each endpoint, to be held against robots.txt."""

    def next(self, so_far: SoFar) -> CatalogueAsk | None:
        """Return the next call for watches, or None when single pages do better."""

    def browse(self, so_far: SoFar) -> CatalogueAsk | None:
        """Return the call for the next part of the whole catalogue, or None at its end."""

    def learn(self, markup: str, watches: Sequence[Watch]) -> Mapping[str, Any]:
        """Return what a page of the shop tells for later calls; names with a leading `_` hold for tonight only."""

    def read(self, answer: Answer) -> Listing:
        """Read one answer; never raises for what a shop sends."""

    def slug_of(self, url: str) -> str | None:
        """Return how the shop calls the product of an address, or None."""


def identity_of(watch: Watch) -> str:
    """Return under which name the shop's ids of a watch are kept: another address or variant is another watch."""
    return " ".join(filter(None, (watch.url, watch.variant, watch.their_sku)))


def by_identity(learned: Mapping[str, Any], watches: Sequence[Watch]) -> dict[str, Any]:
    """Return what was learnt with the ids of watches under names that outlast a change of a watch's address."""
    names = {watch.sku: identity_of(watch) for watch in watches}
    return {
        key: {names[sku]: number for sku, number in value.items() if sku in names} if key in NUMBERS else value
        for key, value in learned.items()
    }


def origin_of(url: str) -> str:
    """Return scheme, host and port of an address.

    >>> origin_of("https://alpkontor.example/p/rope-60?x=1")
    'https://alpkontor.example'
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def walk_is_worth(so_far: SoFar, about: str) -> bool:
    """Say whether another page of a list that answers no question by name beats asking for single products.

    The first page always does for two watches and more. After that a page must have answered more than one watch, or
    there must be more watches left than calls.
    """
    walked = [call for call in so_far.asked if call.about == about and not call.failed]
    left = so_far.not_asked("none")
    if len(left) < 2:
        return False
    return not walked or len(walked[-1].read) > 1 or len(left) > so_far.calls_left


def has_come_before(walked: Sequence[Asked]) -> bool:
    """Say whether the last page of a list is the one before it, as a cache gives it that drops the query."""
    return len(walked) > 1 and walked[-1].first is not None and walked[-1].first == walked[-2].first


def by_length(
    watches: Iterable[Watch], name_of: Callable[[Watch], str | None], room: int, most: int = MOST_NAMED
) -> dict[str, tuple[Watch, str]]:
    """Return by SKU the first watches whose names fit into `room` characters of an address, at most `most`.

    Args:
        watches: in turn; one that comes twice counts once, and so does a name.
        name_of: how a watch is named in the address; one without a name, or with one that never fits, is passed over.
        room: for the names with a separator of three characters each.
        most: named in one call.
    """
    chosen: dict[str, tuple[Watch, str]] = {}
    names: set[str] = set()
    taken = 0
    for watch in watches:
        name = name_of(watch)
        if name is None or watch.sku in chosen or len(name) + 3 > room:
            continue
        if name not in names:
            taken += len(name) + 3
            if len(names) == most or taken > room:
                break
            names.add(name)
        chosen[watch.sku] = (watch, name)
    return chosen
