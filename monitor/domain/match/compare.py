"""Say whether a rival's listing is one of our products, how sure that is, and what speaks against it.

A number identifies, a title only ranks: the wrong pair often has the more similar title (`trail mug` and
`trail mug 6-pack`). So size, packs, colour, model and condition are taken out of both titles first, and any
contradiction in them is a veto, whatever the rest looks like. The words that are left give a score, by rapidfuzz;
nothing but a person confirms.
"""

from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum

from rapidfuzz import fuzz

from monitor.domain.match.gtin import Relation, relation
from monitor.domain.match.profile import Profile
from monitor.domain.match.traits import brand_key, mpn_key
from monitor.domain.match.vetoes import OUTWEIGHED_BY_GTIN, OUTWEIGHED_BY_MPN, VETOES, brands_differ, listed


class Basis(StrEnum):
    """What a suggestion rests on, the surest first."""

    GTIN = "gtin"  #: the same GTIN
    MPN = "mpn"  #: the same maker's number and brand
    TITLE = "title"  #: similar words, nothing that contradicts
    PERSON = "person"  #: somebody entered it


#: What lowers a score: each doubt, each word that stands for another one, words that only one title has.
_DOUBT = 4
_SUBSTITUTED = 10
_ADDED = 4


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the comparison of one pair says."""

    score: int  #: 0 to 100; ranks, never confirms
    basis: Basis
    vetoes: tuple[str, ...] = ()  #: each is enough to say that it is another product
    doubts: tuple[str, ...] = ()  #: what a person should look at
    evidence: tuple[str, ...] = field(default=())  #: what speaks for it

    @property
    def is_possible(self) -> bool:
        """Whether nothing says that it is another product."""
        return not self.vetoes


def compare(own: Profile, rival: Profile) -> Verdict:
    """Return what speaks for and against the rival's listing being our product."""
    numbers = relation(own.gtin, rival.gtin) if own.gtin and rival.gtin else None
    vetoes = [words for check in VETOES if (words := check(own, rival))]
    if numbers is Relation.PACK:
        vetoes.append("its GTIN is of a case of it, not of the item")
    elif numbers is Relation.OTHER:
        vetoes.append("its GTIN is of another item")
    evidence = list(_evidence(own, rival))
    if numbers is Relation.SAME:
        score, basis = (70, Basis.GTIN) if brands_differ(own, rival) else (98, Basis.GTIN)
        vetoes = [each for each in vetoes if not each.startswith(OUTWEIGHED_BY_GTIN)]
        evidence.insert(0, "the same GTIN")
    elif _same_number(own, rival):
        score, basis = 92, Basis.MPN
        vetoes = [each for each in vetoes if not each.startswith(OUTWEIGHED_BY_MPN)]
        evidence.insert(0, "the same maker's number and brand")
    elif vetoes:
        return Verdict(0, Basis.TITLE, tuple(vetoes), (), tuple(evidence))
    else:
        score, basis = _similarity(own, rival), Basis.TITLE
    doubts = _doubts(own, rival)
    if basis is Basis.TITLE:
        unmatched, cost = _unmatched(own, rival)
        score -= cost
        doubts += unmatched
    score = max(0, score - _DOUBT * len(doubts))
    return Verdict(score, basis, tuple(vetoes), tuple(doubts), tuple(evidence))


def _same_number(own: Profile, rival: Profile) -> bool:
    """Say whether maker's number and brand agree; the brand may stand in the title, and so may a long number."""
    if not own.brand or not (own.brand == rival.brand or own.brand in brand_key(rival.title)):
        return False
    if own.mpn and own.mpn == rival.mpn:
        return True
    return len(own.mpn) >= 5 and any(own.mpn == mpn_key(model) for model in rival.traits.models)


def _similarity(own: Profile, rival: Profile) -> int:
    """Return how alike the words that are left are, at most 88: no title is as sure as a number."""
    mine, theirs = _compared_words(own, rival), _compared_words(rival, own)
    if not mine or not theirs:
        return 82 if mine == theirs and own.traits.models & rival.traits.models else 0
    one, other = " ".join(sorted(mine)), " ".join(sorted(theirs))
    alike = fuzz.token_sort_ratio(one, other)
    inside = fuzz.token_set_ratio(one, other)
    score = round(0.88 * (0.6 * alike + 0.4 * inside))
    return max(score, 82) if _model_in_common(own, rival) and inside >= 50 else score


def _compared_words(one: Profile, other: Profile) -> tuple[str, ...]:
    """Return the words of a title without the other's brand, which many shops write into it."""
    return tuple(word for word in one.traits.rest if word not in other.brand_words)


def _model_in_common(own: Profile, rival: Profile) -> bool:
    """Say whether both titles have the same long model number, and the same brand or none."""
    both = own.traits.models & rival.traits.models
    return any(len(each) >= 5 for each in both) and (own.brand == rival.brand or own.brand in brand_key(rival.title))


def _doubts(own: Profile, rival: Profile) -> list[str]:
    found = []
    if own.brand and not rival.brand and own.brand not in brand_key(rival.title):
        found.append("the listing does not name the brand")
    mine, theirs = own.traits, rival.traits
    if bool(mine.quantity.sizes) != bool(theirs.quantity.sizes):
        found.append("only one of the two says its size")
    if bool(mine.quantity.pieces) != bool(theirs.quantity.pieces):
        found.append("only one of the two says how many are in it")
    for name, words in (("colours", "colour"), ("sizes", "size"), ("scents", "scent"), ("people", "whom it is for")):
        one, other = getattr(mine, name), getattr(theirs, name)
        if bool(one) != bool(other):
            found.append(f"only one of the two says its {words}")
        elif one != other:
            found.append(f"the {words} is not quite the same: {listed(one)} and {listed(other)}")
    if bool(mine.models) != bool(theirs.models):
        found.append(f"only one of the two has {listed(mine.models | theirs.models)}")
    if own.price and rival.price and own.price[1] == rival.price[1] and own.price[0] > 0:
        ratio = rival.price[0] / own.price[0]
        if not Decimal("0.4") <= ratio <= Decimal("2.5"):
            found.append(f"its price is {ratio:.2f} times ours")
    return found


def _unmatched(own: Profile, rival: Profile) -> tuple[list[str], int]:
    """Return a doubt for words that only one title has, and what it costs.

    Words on both sides that are nothing like each other (`oat` and `soy`) are how the variants of one family differ.
    Words on one side only (`barista`) may be a description or another product.
    """
    ours, others = _compared_words(own, rival), _compared_words(rival, own)
    mine, theirs = _alone(ours, others), _alone(others, ours)
    if not mine and not theirs:
        return [], 0
    if mine and theirs:
        words = f"words that only one has: {', '.join(mine)} here, {', '.join(theirs)} there"
        return [words], _SUBSTITUTED * min(len(mine), len(theirs))
    where = "here" if mine else "there"
    return [f"words only {where}: {', '.join(mine or theirs)}"], _ADDED


def _alone(words: tuple[str, ...], others: tuple[str, ...]) -> list[str]:
    joined = "".join(others)
    return [
        word
        for word in dict.fromkeys(words)
        if word not in joined and not any(fuzz.ratio(word, each) >= 80 for each in others)
    ]


def _evidence(own: Profile, rival: Profile) -> list[str]:
    found = []
    if own.brand and (own.brand == rival.brand or own.brand in brand_key(rival.title)):
        found.append("the same brand")
    if own.traits.quantity.sizes and rival.traits.quantity.sizes:
        found.append("the same size")
    if both := own.traits.models & rival.traits.models:
        found.append(f"both say {listed(both)}")
    return found
