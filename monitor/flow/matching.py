"""Suggest matches from what a competitor sells, and take a person's decisions about them.

Suggesting again stores nothing twice and forgets no decision. A confirmed page whose listing contradicts now is opened
again and feeds nothing until somebody has looked; so does nothing else here change what feeds a price.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from monitor.domain.catalogue import Catalogue, MatchState, Watch
from monitor.domain.match import (
    LEAST_SCORE,
    Basis,
    Listing,
    Match,
    Suggested,
    Suggestion,
    compare,
    profile_of_listing,
    profile_of_product,
    suggestions,
)
from monitor.errors import CannotSucceed
from monitor.ports.store import Store


class NoSuchMatch(CannotSucceed):
    """A match that was asked for is not in the database."""

    def __init__(self, match_id: int) -> None:
        super().__init__(f"there is no match {match_id}; nothing was changed. `monitor match list` shows their numbers")
        self.match = match_id


def suggest(
    store: Store,
    catalogue: Catalogue,
    competitor: str,
    listings: Sequence[Listing],
    *,
    least_score: int = LEAST_SCORE,
) -> Suggested:
    """Store the pairs worth looking at, and open confirmed ones again that contradict now.

    Args:
        store: where matches are kept.
        catalogue: our products; inactive ones are not compared.
        competitor: whose listings these are.
        listings: everything that is known of what it sells, variants apart.
        least_score: 0 to 100; pairs below it are not stored.
    """
    sold = catalogue.for_sale().products
    pairs = suggestions(sold, competitor, listings, least_score=least_score)
    with store.read() as unit:
        confirmed = unit.matches.confirmed_of(competitor)
        entered = _entered(catalogue.watches_of(competitor), unit.matches.decided())
    contradicting = _contradicting(catalogue, confirmed, listings)
    stale = {(pair.sku, pair.listing.url, pair.listing.variant) for pair in contradicting}
    fresh = [pair for pair in pairs if (pair.sku, pair.listing.url, pair.listing.variant) not in stale]
    said = [_said(entered.get(pair.sku), pair.listing) for pair in fresh]
    with store.write() as unit:
        open_pairs = [pair for pair, state in zip(fresh, said, strict=True) if state is None]
        done = unit.matches.suggest([*open_pairs, *contradicting])
    settled = Counter(said)
    return replace(
        done,
        confirmed=done.confirmed + settled[MatchState.CONFIRMED],
        rejected=done.rejected + settled[MatchState.REJECTED],
    )


def suggest_watches(store: Store, catalogue: Catalogue) -> Suggested:
    """Put the watches that watches.csv calls suggested into the queue, so that a person can decide them there."""
    titles = {product.sku: product.title for product in catalogue.products}
    pairs = [
        Suggestion(
            watch.competitor,
            watch.sku,
            Listing(watch.url, titles.get(watch.sku, watch.sku), sku=watch.their_sku, variant=watch.variant),
            score=50,
            basis=Basis.PERSON,
            evidence=("suggested in watches.csv",),
        )
        for watch in catalogue.watches
        if watch.match is MatchState.SUGGESTED
    ]
    with store.write() as unit:
        return unit.matches.suggest(pairs)


def decide(store: Store, match_ids: Sequence[int], state: MatchState, by: str, reason: str) -> tuple[Match, ...]:
    """Put matches into a state, all of them or none.

    Raises:
        NoSuchMatch: one of the numbers is of none.
        CannotSucceed: another page of the same competitor is confirmed for the product.
    """
    decided = []
    with store.write() as unit:
        for match_id in match_ids:
            match = unit.matches.decide(match_id, state, by, reason)
            if match is None:
                raise NoSuchMatch(match_id)
            decided.append(match)
    return tuple(decided)


def _entered(watches: Sequence[Watch], decided: Sequence[Match]) -> dict[str, Watch]:
    """Return by SKU the watches of watches.csv of whose page nothing was decided later."""
    later = {(match.competitor, match.sku, match.url) for match in decided}
    return {watch.sku: watch for watch in watches if (watch.competitor, watch.sku, watch.url) not in later}


def _said(watch: Watch | None, listing: Listing) -> MatchState | None:
    """Return what watches.csv says of a listing for the product of a watch, None where it leaves that open."""
    if watch is None or watch.match is MatchState.SUGGESTED or watch.url != listing.url:
        return None
    return watch.match if watch.variant in (None, listing.variant) else None


def _contradicting(catalogue: Catalogue, confirmed: Sequence[Match], listings: Sequence[Listing]) -> list[Suggestion]:
    """Return the confirmed pairs whose listing says now that it is another product."""
    by_page = {(listing.url, listing.variant): listing for listing in listings}
    products = {product.sku: product for product in catalogue.products}
    found = []
    for match in confirmed:
        listing, product = by_page.get((match.url, match.variant)), products.get(match.sku)
        if listing is None or product is None:
            continue
        verdict = compare(profile_of_product(product), profile_of_listing(listing))
        before = profile_of_listing(Listing(match.url, match.title, match.brand, match.their_gtin, sku=match.their_sku))
        known = compare(profile_of_product(product), before).vetoes  # what the person confirmed in spite of
        if new := tuple(veto for veto in verdict.vetoes if veto not in known):
            found.append(Suggestion.of(match.competitor, match.sku, listing, replace(verdict, vetoes=new)))
    return found
