"""Find for each of our products the listings of one competitor that may be the same, the likeliest first.

Comparing every pair would be millions of comparisons, so a listing is compared only with products that share its GTIN,
its maker's number or rare words: words that many listings have tell nothing. Of one listing only the best product is
suggested, because the same page cannot be two of our variants; equals are both suggested, each with a doubt.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log

from monitor.domain.catalogue import Product
from monitor.domain.match.compare import Verdict, compare
from monitor.domain.match.profile import Listing, Profile, profile_of_listing, profile_of_product
from monitor.domain.match.queue import Suggestion

#: Below this a pair is not worth a person's time.
LEAST_SCORE = 66
#: How many listings of one competitor are suggested for one product.
MOST_EACH = 3
#: How many listings each product is compared with at most.
_COMPARED = 40
#: A word that more than this share of the listings have is no reason to compare.
_COMMON = 0.05


@dataclass(frozen=True, slots=True)
class _Index:
    """The listings by what they can be found by."""

    profiles: tuple[Profile, ...]
    by_item: Mapping[str, list[int]]
    by_token: Mapping[str, list[int]]
    weights: Mapping[str, float]


def suggestions(
    products: Iterable[Product],
    competitor: str,
    listings: Sequence[Listing],
    *,
    least_score: int = LEAST_SCORE,
    most_each: int = MOST_EACH,
) -> list[Suggestion]:
    """Return the pairs worth looking at, by product and then by score."""
    index = _indexed(listings)
    found: dict[int, list[tuple[Product, Verdict]]] = defaultdict(list)
    for product in products:
        own = profile_of_product(product)
        for at in _candidates(own, index):
            verdict = compare(own, index.profiles[at])
            if verdict.is_possible and verdict.score >= least_score:
                found[at].append((product, verdict))
    best = (pair for at, pairs in found.items() for pair in _best_of_listing(competitor, listings[at], pairs))
    return _most(best, most_each)


def _indexed(listings: Sequence[Listing]) -> _Index:
    profiles = tuple(profile_of_listing(listing) for listing in listings)
    by_item: dict[str, list[int]] = defaultdict(list)
    by_token: dict[str, list[int]] = defaultdict(list)
    for at, profile in enumerate(profiles):
        if profile.gtin:
            by_item[profile.gtin.item].append(at)
        for token in _tokens(profile):
            by_token[token].append(at)
    most = max(200, int(len(profiles) * _COMMON))
    rare = {token: places for token, places in by_token.items() if len(places) <= most}
    weights = {token: log(1 + len(profiles) / len(places)) for token, places in rare.items()}
    return _Index(profiles, by_item, rare, weights)


def _tokens(profile: Profile) -> set[str]:
    numbers = {f"#{profile.mpn}"} if profile.mpn else set()
    return {
        *profile.traits.rest,
        *profile.traits.models,
        *(f"#{each.upper()}" for each in profile.traits.models),
        *numbers,
    }


def _candidates(own: Profile, index: _Index) -> Iterator[int]:
    """Yield the listings that share most, those with the same number first."""
    same = index.by_item.get(own.gtin.item, []) if own.gtin else []
    yield from same
    shared: Counter[int] = Counter()
    for token in _tokens(own):
        weight = index.weights.get(token, 0.0)
        for at in index.by_token.get(token, ()):
            shared[at] += weight  # type: ignore[assignment]  # a Counter of weights
    taken = set(same)
    for at, _ in shared.most_common(_COMPARED):
        if at not in taken:
            yield at


def _best_of_listing(competitor: str, listing: Listing, pairs: list[tuple[Product, Verdict]]) -> Iterator[Suggestion]:
    top = max(verdict.score for _, verdict in pairs)
    equals = [(product, verdict) for product, verdict in pairs if verdict.score >= top]
    for product, verdict in equals:
        others = [other.sku for other, _ in equals if other.sku != product.sku]
        if others:
            doubt = f"as like {', '.join(others[:3])}{' and others' if len(others) > 3 else ''}"
            verdict = replace(verdict, doubts=(*verdict.doubts, doubt))
        yield Suggestion.of(competitor, product.sku, listing, verdict)


def _most(pairs: Iterable[Suggestion], most_each: int) -> list[Suggestion]:
    by_sku: dict[str, list[Suggestion]] = defaultdict(list)
    for pair in pairs:
        by_sku[pair.sku].append(pair)
    return [
        pair
        for sku in sorted(by_sku)
        for pair in sorted(by_sku[sku], key=lambda one: (-one.score, one.listing.url, one.listing.variant or ""))[
            :most_each
        ]
    ]
