"""What nights have learnt of a competitor, in words: platform, catalogue, a recipe for a page that gave no price."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from monitor.domain.catalogue import Competitor
from monitor.domain.knowledge import CATALOGUE, COMPARISON, PLATFORM, RECIPE
from monitor.domain.report.clean import clean
from monitor.extract.suggest import as_toml
from monitor.web.dashboard.products import web_url

_LIMIT = 200
_NAMES = {"held": "Held until accepted", "accepted": "Accepted by a person"}


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A recipe that a person may try."""

    toml: str
    price: str  #: that it reads, `19.90 EUR`
    page: str | None
    day: str


@dataclass(frozen=True, slots=True)
class Learnt:
    """Everything that was learnt."""

    facts: Mapping[str, str]  #: words by name, in reading order
    suggestion: Suggestion | None


def learnt_of(facts: Mapping[str, Any], platform: str, host: str, *, since: date | None = None) -> Learnt:
    """Return what is remembered of a competitor; a damaged fact is left out.

    Args:
        facts: as they are stored.
        platform: as the operator set it, `auto` to find out.
        host: of the shop, for the recipe's heading.
        since: the night of the last visit; a recipe suggested before that is for a page that has a price again.
    """
    told = {"Platform": _platform(facts.get(PLATFORM), platform)}
    if words := _catalogue(facts.get(CATALOGUE)):
        told["Catalogue"] = words
    compared = facts.get(COMPARISON)
    if isinstance(compared, Mapping) and compared.get("words"):
        told["Catalogue beside pages"] = clean(f"{compared['words']} ({compared.get('compared_on', '')})", _LIMIT)
    known = {PLATFORM, CATALOGUE, COMPARISON, RECIPE}
    for name, value in sorted(facts.items()):
        if name not in known and value:
            kind, _, of = name.partition(":")
            told[clean(f"{_NAMES.get(kind, kind)} {of}", 80)] = _words(value)
    found = _suggestion(facts.get(RECIPE), host)
    return Learnt(told, None if found is None or (since is not None and found.day < since.isoformat()) else found)


def set_platform(shop: Competitor | None) -> str:
    """Return the platform that the operator set; a feed that was entered is asked instead of any other."""
    if shop is None:
        return "auto"
    return "feed" if shop.feed else shop.platform


def _platform(found: Any, platform: str) -> str:
    if platform != "auto":
        return f"{platform}, as competitors.toml says"
    if not isinstance(found, Mapping) or not found.get("name"):
        return "not recognised; its pages are read one by one"
    if "failed_on" in found:
        return clean(f"{found['name']}, whose catalogue failed on {found['failed_on']}; looked for again", _LIMIT)
    signs = found.get("evidence") or ()
    why = f", told by {', '.join(map(str, signs))}" if isinstance(signs, list | tuple) and signs else ""
    return clean(f"{found['name']}, found {found.get('found_on', '')}{why}", _LIMIT)


def _catalogue(found: Any) -> str:
    ids = found.get("ids") if isinstance(found, Mapping) else None
    if not isinstance(ids, Mapping) or not ids:
        return ""
    return f"the shop's own numbers of {len(ids)} watched product{'' if len(ids) == 1 else 's'} are known"


def _suggestion(found: Any, host: str) -> Suggestion | None:
    recipe = found.get("recipe") if isinstance(found, Mapping) else None
    if not isinstance(recipe, Mapping) or not recipe:
        return None
    fields = {clean(str(name), 40): clean(str(value), _LIMIT) for name, value in recipe.items()}
    page = web_url(str(found.get("page") or ""))
    return Suggestion(
        as_toml(fields, host), clean(str(found.get("price", "")), 40), page, str(found.get("found_on", ""))
    )


def _words(value: Any) -> str:
    if isinstance(value, Mapping):
        value = ", ".join(f"{name}: {each}" for name, each in value.items())
    return clean(str(value), _LIMIT)
