"""Currency signs as shops write them, and what they mean where.

A sign that several currencies share (`$`, `kr`, `¥`, `Rs`) means nothing by itself: `Locale.meaning` needs a
declared code, the operator's setting, the page's language with a region, or the country of the host.
Codes are ISO 4217 as babel knows them; the old `RUR` is read as `RUB`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from babel.core import get_global
from babel.languages import get_official_languages

from monitor.domain.money import is_currency
from monitor.extract.shared_signs import ELSEWHERE, MEASURES, SHARED
from monitor.extract.signs import ONE_MEANING


@lru_cache(maxsize=512)
def currency_of_region(region: str) -> str | None:
    """Return the legal tender of a two-letter country today: `CA` gives CAD."""
    if region.upper() == "UK":
        region = "GB"
    for code, _start, end, tender in get_global("territory_currencies").get(region.upper(), ()):
        if end is None and tender:
            return str(code)
    return None


def iso_code(text: str | None) -> str | None:
    """Return `text` as an ISO 4217 code, or None: `eur` and `RUR` are read, `€` and `XXQ` are not."""
    code = (text or "").strip().upper()
    if code == "RUR":
        return "RUB"
    return code if len(code) == 3 and code.isascii() and is_currency(code) else None


@lru_cache(maxsize=256)
def _languages_of(region: str) -> frozenset[str]:
    """Return the languages in which a country's shops write, as its offices do: `ch` gives de, fr, it and gsw."""
    return frozenset(tag.partition("_")[0] for tag in get_official_languages(region.upper(), de_facto=True))


@lru_cache(maxsize=1)
def tenders() -> frozenset[str]:
    """Return the codes that are, or lately were, somebody's money; keeps chance letters in scripts and texts out."""
    current = {
        str(code)
        for rows in get_global("territory_currencies").values()
        for code, _, end, tender in rows
        if tender and end is None
    }
    return frozenset(current | {"HRK", "BGN", "BYR", "LTL", "LVL", "EEK"})


@lru_cache(maxsize=1024)
def meaning_of(sign: str | None) -> str | None:
    """Return the one currency a sign or code stands for, None when it is shared or unknown."""
    if not sign:
        return None
    key = _spelled(sign)
    return ONE_MEANING.get(key) or iso_code(sign)


@lru_cache(maxsize=1024)
def _spelled(sign: str) -> str:
    """Return a sign as the tables of signs spell it."""
    return " ".join(sign.lower().split())


def has_elsewhere(sign: str | None) -> bool:
    """Say whether a sign, written without a code beside it, means another currency in some country."""
    return bool(sign) and _spelled(sign or "") in ELSEWHERE


@dataclass(frozen=True, slots=True)
class Locale:
    """What the page and the operator say about place and money."""

    declared: tuple[str, ...] = ()  #: ISO codes the page declares, best first
    regions: tuple[str, ...] = ()  #: two-letter countries, best first: path, language tag, host
    language: str | None = None
    setting: str | None = None  #: the competitor's configured currency
    generic_host: bool = False  #: `.com`; `.net`, `.shop` … where the page tells its language: no country

    def meaning(self, sign: str | None) -> str | None:
        """Return what `sign` means here, or None when nothing supports a meaning."""
        if not sign:
            return None
        key = _spelled(sign)
        known = meaning_of(key)
        if known and key in ELSEWHERE:
            return next((code for code in self._supported() if code in (known, ELSEWHERE[key])), known)
        if known and key not in SHARED:
            return known
        allowed = SHARED.get(key, ())
        return next((code for code in self._supported() if code in allowed), known)

    def _supported(self) -> Iterable[str]:
        yield from self.declared
        if self.setting:
            yield self.setting
        for region in self.regions:
            code = currency_of_region(region)
            if code:
                yield code
                return
        if self.generic_host and self.language in (None, "en"):
            yield "USD"
        if self.language in _LANGUAGE_CURRENCY:
            yield _LANGUAGE_CURRENCY[self.language]

    def is_measure(self, sign: str | None) -> bool:
        """Say whether what is a sign of money elsewhere is a measure here: `8 ft.` are feet outside of Hungary."""
        if not sign or len(sign) > 2 or (key := _spelled(sign)) not in MEASURES:
            return False
        code, language = MEASURES[key]
        return self.language != language and code not in self._supported()

    def is_foreign(self, sign: str | None, code: str | None, beside: str | None) -> bool:
        """Say whether a sign, or the code it stands for, means another currency than `beside`, the page's own."""
        if beside is None or next(iter(self._supported()), None) != beside:
            return False
        code = code or self.meaning(sign)
        return code != beside if code else beside not in SHARED.get((sign or "").strip().lower(), (beside,))

    def only_currency(self) -> str | None:
        """Return the currency for an amount without any sign: the one declared, else the setting, else the country's.

        The country's only where the language is one of the host's country, as `fr` on a host in Switzerland.
        """
        if len(set(self.declared)) == 1:
            return self.declared[0]
        if self.setting or self.declared or not self.regions:
            return self.setting
        country, *others = (region.lower() for region in self.regions)
        at_home = country in others or self.language in _languages_of(country)
        return currency_of_region(country) if at_home else None


#: Languages spoken in one currency area, for shared signs only.
_LANGUAGE_CURRENCY = {
    "sv": "SEK",
    "nb": "NOK",
    "no": "NOK",
    "nn": "NOK",
    "da": "DKK",
    "is": "ISK",
    "ja": "JPY",
    "th": "THB",
    "sr": "RSD",
    "hi": "INR",
    "mr": "INR",
    "gu": "INR",
    "te": "INR",
    "kn": "INR",
    "ml": "INR",
    "ne": "NPR",
    "si": "LKR",
    "ur": "PKR",
}
