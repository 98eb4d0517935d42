"""A title taken apart: what sets this variant apart, which model it is, and the words that are left.

Only what stands on both sides can contradict, except for words that make another product of it when they stand on one
side: `refill`, `case`, `pro`, `used`. What is left after all this is compared word by word elsewhere and only ranks.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from monitor.domain.match import words
from monitor.domain.match.quantity import Quantity, read_quantity

_WORD = re.compile(r"[^\W_]+(?:['’\-+&/.][^\W_]+)*\+?", re.UNICODE)
_SIZED = re.compile(
    r"(?:\b(?:size|größe|grösse|gr|taille|talla|taglia|maat|rozmiar|размер|str|storlek|koko|velikost|méret|beden|tamanho|eu|uk|us)"
    r"[.:]?\s*)(?P<size>\d{1,3}(?:[.,]5)?|[2-5]?x{0,3}[sml]|x{1,4}[sl])\b",
    re.IGNORECASE,
)
_LETTER = re.compile(r"(?:(?<=[-/,(|\s])|^)(?P<size>XXS|XS|S|M|L|XL|XXL|XXXL|2XL|3XL|4XL|5XL)(?=$|[-/,)|\s])")
_SPELLED = re.compile(r"(?<!\w)(?:[^\W\d_]\s+){3,}[^\W\d_](?!\w)")  #: a word spaced out: `R I D G E`
_MARKS = re.compile(r"[^\w]|_")
_LEGAL = re.compile(r"\b(?:gmbh|inc|ltd|llc|co kg|ag|s\.?a\.?|s\.?r\.?l\.?|ab|oy|bv|b\.v\.)\b\.?")
_YEAR = re.compile(r"20[0-4]\d")


@dataclass(frozen=True, slots=True)
class Traits:
    """One title, taken apart."""

    quantity: Quantity
    colours: frozenset[str]
    sizes: frozenset[str]  #: of clothing and shoes
    scents: frozenset[str]
    people: frozenset[str]
    conditions: frozenset[str]
    editions: frozenset[str]
    accessories: frozenset[str]
    models: frozenset[str]  #: tokens with digits: `wh1000xm5`, `501`
    rest: tuple[str, ...]  #: the other words, in order


def read_traits(title: str, options: tuple[str, ...] = (), brand: str | None = None) -> Traits:
    """Return a title taken apart, with the options of the variant; the brand's own words are none of its traits."""
    return _traits(title, options, brand or "")


@lru_cache(maxsize=4096)
def _traits(title: str, options: tuple[str, ...], brand: str) -> Traits:
    told = title.casefold()
    added = " ".join(f"- {option} " for option in options if option.casefold() not in told)
    quantity = read_quantity(_SPELLED.sub(_together, f"{title} {added}".strip()))
    text = _without_brand(quantity.rest, brand)
    sizes = frozenset(_letters(match["size"]) for match in _SIZED.finditer(text))
    sizes |= frozenset(_letters(match["size"]) for match in _LETTER.finditer(text) if _is_size(text, options, match))
    sizes |= frozenset(_letters(option) for option in options if _is_size_option(option))
    plain = _SIZED.sub(" ", text)
    tokens = [token.casefold().replace("’", "'") for token in _WORD.findall(plain)]
    found = {name: _found(tokens, meanings) for name, meanings in _LISTS.items()}
    known = frozenset().union(*(used for _, used in found.values()))
    numbered = (token for token in tokens if any(letter.isdigit() for letter in token) and token not in sizes)
    models = frozenset(_model(token) for token in numbered)
    rest = tuple(
        _plain(token)
        for at, token in enumerate(tokens)
        if at not in known
        and token not in words.FILLERS
        and not any(letter.isdigit() for letter in token)
        and _letters(token) not in sizes
    )
    return Traits(
        quantity=quantity,
        sizes=sizes,
        models=frozenset(model for model in models if model),
        rest=tuple(word for word in rest if word),
        **{name: frozenset(meaning for meaning in meant) for name, (meant, _) in found.items()},
    )


_LISTS = {
    "colours": words.COLOURS,
    "scents": words.SCENTS,
    "people": words.PEOPLE,
    "conditions": words.CONDITIONS,
    "editions": words.EDITIONS,
    "accessories": words.ACCESSORIES,
}
#: The most words that one entry of a list has.
_LONGEST = 3


def _found(tokens: list[str], meanings: dict[str, str]) -> tuple[set[str], set[int]]:
    """Return the meanings that stand in the tokens, the longest first, and which tokens they took."""
    meant: set[str] = set()
    used: set[int] = set()
    for length in range(_LONGEST, 0, -1):
        for at in range(len(tokens) - length + 1):
            span = range(at, at + length)
            if used.intersection(span):
                continue
            meaning = meanings.get(" ".join(tokens[at : at + length]))
            if meaning:
                meant.add(meaning)
                used.update(span)
    if meanings is words.SCENTS:
        meant |= {_STEMS[stem] for token in tokens for stem in _stems_of(token)}
    return meant, used


#: German and its neighbours write `Lavendelseife` as one word.
_STEMS = {word: meaning for word, meaning in words.SCENTS.items() if len(word) >= 5 and " " not in word}
_STEM_LENGTHS = tuple(sorted({len(word) for word in _STEMS}))


def _stems_of(token: str) -> list[str]:
    """Return the scents that a longer word begins with."""
    return [stem for length in _STEM_LENGTHS if length < len(token) and (stem := token[:length]) in _STEMS]


def _is_size(text: str, options: tuple[str, ...], match: re.Match[str]) -> bool:
    """Say whether a lone capital is a size: at the end, after a separator, or one of the variant's options."""
    before, after = text[: match.start()].rstrip(), text[match.end() :].strip()
    is_apart = not after or before.endswith(("-", "/", ",", "(", "|")) or after.startswith((")", "/"))
    return bool(before) and (is_apart or match["size"] in options)


def _is_size_option(option: str) -> bool:
    """Say whether an option of a variant is a size of clothes or shoes."""
    is_number = re.fullmatch(r"(?:EU |UK |US )?\d{2}(?:[.,]5)?", option.strip())
    return _letters(option) in words.LETTERS.values() or bool(is_number)


def _letters(size: str) -> str:
    word = size.casefold().strip().replace(",", ".")
    return words.LETTERS.get(word, word)


def _model(token: str) -> str:
    """Return a model token without hyphens and dots; a year is one as well."""
    return _MARKS.sub("", token).lstrip("0") if not _YEAR.fullmatch(token) else token


def _plain(token: str) -> str:
    """Return a word without accents and the possessive, as it is compared."""
    bare = token.removesuffix("'s").replace("ß", "ss")
    if bare.isascii():
        return bare
    return "".join(each for each in unicodedata.normalize("NFKD", bare) if not unicodedata.combining(each))


def _together(match: re.Match[str]) -> str:
    return "".join(match.group().split())


def _without_brand(text: str, brand: str) -> str:
    return re.sub(rf"(?<!\w){re.escape(brand)}(?!\w)", " ", text, flags=re.IGNORECASE) if brand else text


@lru_cache(maxsize=65_536)
def brand_key(brand: str) -> str:
    """Return a brand as it is compared: without case, accents, punctuation and legal form.

    >>> brand_key("Ridge & Co. GmbH"), brand_key("RIDGE")
    ('ridgeco', 'ridge')
    """
    bare = _LEGAL.sub("", brand.casefold())
    return _MARKS.sub("", _plain(bare))


def mpn_key(mpn: str) -> str:
    """Return a manufacturer's number as it is compared: capitals, no separators, no leading zeros.

    >>> mpn_key("wh-1000 xm5"), mpn_key("00-123/A")
    ('WH1000XM5', '123A')
    """
    return re.sub(r"[-./ _]", "", mpn).upper().lstrip("0")
