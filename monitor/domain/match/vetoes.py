"""What rules a pair out, each check for itself: any one is enough, however alike the titles are."""

from collections.abc import Callable

from monitor.domain.match.profile import Profile
from monitor.domain.match.sizes import contradiction
from monitor.domain.match.traits import Traits, brand_key


def _quantities(own: Profile, rival: Profile) -> str | None:
    return contradiction(own.traits.quantity, rival.traits.quantity)


def _differ(name: str, words: str) -> Callable[[Profile, Profile], str | None]:
    """Return a check that two sets which are both stated have something in common."""

    def check(own: Profile, rival: Profile) -> str | None:
        one, other = getattr(own.traits, name), getattr(rival.traits, name)
        if not one or not other or one & other:
            return None
        return f"the {words} differs: {listed(one)} here, {listed(other)} there"

    return check


def _unlike(name: str, words: str) -> Callable[[Profile, Profile], str | None]:
    """Return a check that two sets are the same, where saying nothing means something too."""

    def check(own: Profile, rival: Profile) -> str | None:
        one, other = getattr(own.traits, name), getattr(rival.traits, name)
        if one == other:
            return None
        return f"the {words} differs: {listed(one) or 'none'} here, {listed(other) or 'none'} there"

    return check


def _models(own: Profile, rival: Profile) -> str | None:
    """Return a veto when each title has a number that the other has not; `SPF30` and `SPF 30` are the same."""
    mine, theirs = _numbers(own.traits, rival.traits), _numbers(rival.traits, own.traits)
    if mine - theirs and theirs - mine:
        return f"the model differs: {listed(mine - theirs)} here, {listed(theirs - mine)} there"
    return None


def _numbers(title: Traits, other: Traits) -> set[str]:
    """Return the model numbers of a title, those that the other writes together with a word written so too."""
    together = {f"{word}{number}": number for word in title.rest for number in title.models}
    joined = {number for model, number in together.items() if model in other.models}
    return set(title.models) - joined | {model for model in together if model in other.models}


def _shoe_sizes(own: Profile, rival: Profile) -> str | None:
    """Return a veto when one title says a size as such and the other has another bare number of that kind."""
    for sized, bare in ((own.traits, rival.traits), (rival.traits, own.traits)):
        numbers = {each for each in bare.models if each.isdigit() and len(each) == 2}
        said = {each for each in sized.sizes if each.replace(".", "").isdigit()}
        if said and numbers and not bare.sizes and not said & numbers and not sized.models & numbers:
            return f"the size differs: {listed(said)} and {listed(numbers)}"
    return None


def _maker_numbers(own: Profile, rival: Profile) -> str | None:
    if not own.mpn or not rival.mpn or brands_differ(own, rival):
        return None
    is_longer = own.mpn.startswith(rival.mpn) or rival.mpn.startswith(own.mpn)
    is_in_title = own.mpn.casefold() in rival.traits.models or rival.mpn.casefold() in own.traits.models
    if is_longer or is_in_title:
        return None
    return f"the maker's number differs: {own.mpn} here, {rival.mpn} there"


def _brands(own: Profile, rival: Profile) -> str | None:
    return f"the brand differs: {own.brand} here, {rival.brand} there" if brands_differ(own, rival) else None


def brands_differ(own: Profile, rival: Profile) -> bool:
    """Say whether both name a brand and neither brand stands on the other side."""
    if not own.brand or not rival.brand:
        return False
    is_named = own.brand in brand_key(rival.title) or rival.brand in brand_key(own.title)
    return not is_named and own.brand not in rival.brand and rival.brand not in own.brand


VETOES: tuple[Callable[[Profile, Profile], str | None], ...] = (
    _quantities,
    _differ("colours", "colour"),
    _differ("sizes", "size"),
    _differ("scents", "scent or flavour"),
    _differ("people", "person it is for"),
    _unlike("conditions", "condition"),
    _unlike("editions", "edition"),
    _unlike("accessories", "kind of thing"),
    _models,
    _shoe_sizes,
    _maker_numbers,
    _brands,
)

#: What titles get wrong more often than numbers do; size, pack, colour and condition are never outweighed.
OUTWEIGHED_BY_GTIN = ("the model", "the brand", "the edition", "the kind", "the maker")
OUTWEIGHED_BY_MPN = ("the model", "the edition")


def listed(words: set[str] | frozenset[str]) -> str:
    """Return words as a person lists them."""
    return ", ".join(sorted(words))
