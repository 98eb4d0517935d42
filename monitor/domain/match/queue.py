"""Matches as they are stored and decided: suggested by the machine, confirmed or rejected by a person.

Only a confirmed match feeds a price. A rejected pair is remembered and never suggested again. A confirmed one whose
listing now says something that contradicts (another pack, another size, used) is opened again: it goes back to
suggested, with the reason, and feeds nothing until a person has looked.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal

from monitor.domain.catalogue import Catalogue, MatchState, Watch
from monitor.domain.match.compare import Basis, Verdict
from monitor.domain.match.profile import Listing

#: Who decides when nobody does.
MACHINE = "machine"


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One pair that may be the same product, before it is stored."""

    competitor: str
    sku: str
    listing: Listing
    score: int  #: 0 to 100
    basis: Basis
    evidence: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    vetoes: tuple[str, ...] = ()

    @classmethod
    def of(cls, competitor: str, sku: str, listing: Listing, verdict: Verdict) -> "Suggestion":
        """Return a pair with what its comparison said."""
        return cls(
            competitor, sku, listing, verdict.score, verdict.basis, verdict.evidence, verdict.doubts, verdict.vetoes
        )

    @property
    def reason(self) -> str:
        """Why the machine thinks so, in one line."""
        words = [*self.evidence, *(f"check: {doubt}" for doubt in self.doubts)]
        return "; ".join(words) or "similar title"


@dataclass(frozen=True, slots=True)
class MatchDecision:
    """One change of a match's state, and who made it."""

    state: MatchState
    by: str
    reason: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Match:
    """A stored pair of one of our products and one listing of a competitor."""

    id: int
    competitor: str
    sku: str
    url: str
    state: MatchState
    score: int
    basis: Basis
    reason: str  #: the machine's reason while suggested, the person's when decided
    title: str  #: the listing's
    by: str  #: who put it in its state
    suggested_at: datetime
    variant: str | None = None
    their_sku: str | None = None
    their_gtin: str | None = None
    brand: str | None = None
    price: Decimal | None = None
    currency: str | None = None
    evidence: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    decided_at: datetime | None = None
    history: tuple[MatchDecision, ...] = field(default=())

    @property
    def watch(self) -> Watch:
        """The watch that this match makes."""
        return Watch(self.competitor, self.sku, self.url, self.state, self.variant, self.their_sku, self.their_gtin)


@dataclass(frozen=True, slots=True)
class Suggested:
    """What a round of suggestions did."""

    new: int = 0
    renewed: int = 0  #: known suggestions whose score or reason changed
    unchanged: int = 0  #: known suggestions, as they were
    confirmed: int = 0  #: pairs that a person has confirmed already
    rejected: int = 0  #: pairs that a person has rejected and that stay so
    reopened: int = 0  #: confirmed pairs whose listing contradicts now


def with_matches(catalogue: Catalogue, matches: Iterable[Match]) -> Catalogue:
    """Return the catalogue as decided: stored states on its watches, and a watch for each confirmed match.

    watches.csv is what a person entered. A stored decision about the same page wins over it, and a confirmed match
    adds a watch only where watches.csv has no page of this competitor for the product.
    """
    states: Mapping[tuple[str, str, str, str], Match] = {
        (match.competitor, match.sku, match.url, match.variant or ""): match for match in matches
    }
    watches = tuple(_decided(watch, states) for watch in catalogue.watches)
    watched = {(watch.competitor, watch.sku) for watch in watches if watch.match is not MatchState.REJECTED}
    known = {competitor.id for competitor in catalogue.competitors}
    sold = {product.sku for product in catalogue.products}
    added = []
    for match in states.values():
        key = (match.competitor, match.sku)
        if match.state is MatchState.CONFIRMED and key not in watched and key[0] in known and key[1] in sold:
            watched.add(key)
            added.append(match.watch)
    rejected = {(w.competitor, w.sku) for w in watches if w.match is MatchState.REJECTED}
    replaced = {(watch.competitor, watch.sku) for watch in added} & rejected
    kept = tuple(watch for watch in watches if (watch.competitor, watch.sku) not in replaced)
    return replace(catalogue, watches=(*kept, *added))


def _decided(watch: Watch, states: Mapping[tuple[str, str, str, str], Match]) -> Watch:
    match = states.get((watch.competitor, watch.sku, watch.url, watch.variant or ""))
    if match is None or match.state is watch.match:
        return watch
    is_only_suggested = match.state is MatchState.SUGGESTED and not match.decided_at
    return watch if is_only_suggested else replace(watch, match=match.state)
