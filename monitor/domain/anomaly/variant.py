"""Whether a page that showed one thing now names another: another size, number, colour, or another product.

Names of shops change for many reasons, so only a contradiction counts: both names tell a number, a size or a colour,
and each has one that the other lacks; or the two have no word in common. A name that only grew or shrank says nothing.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator

#: A number with its unit; shares, and amounts of money, belong to a sale and not to a product.
_NUMBER = re.compile(
    r"(?<![\d.,€$£])\d+(?:[.,]\d+)?(?![\d.,]*\s?[%€$£])"
    r"(?:\s?(?:fl\.?\s?oz|oz|lbs?|kg|mg|ml|cl|dl|mm|cm|km|gb|tb|mah|[glmvw])\b)?"
)
_WORD = re.compile(r"[^\W\d_]{3,}")
_SIZE = re.compile(r"\b(?:xxs|xs|s|m|l|xl|xxl|xxxl|[2-6]xl|small|medium|large|x-large|klein|mittel|gross)\b")
_COLOUR = re.compile(
    r"\b(?:black|white|red|blue|green|yellow|orange|purple|pink|brown|grey|gray|silver|gold|navy|beige|turquoise"
    r"|schwarz|weiss|rot|blau|grün|gelb|lila|rosa|braun|grau|silber|türkis"
    r"|noir|blanc|rouge|bleu|vert|jaune|violet|rose|marron|gris|argent"
    r"|negro|blanco|rojo|azul|verde|amarillo|morado|marrón|plata|nero|bianco|rosso|giallo|grigio|argento)\b"
)


def swapped(before: str, now: str) -> str | None:
    """Say what a page names that it did not name before, `16oz became 12oz`; None when the names may be one thing's."""
    one, other = _plain(before), _plain(now)
    if one == other:
        return None
    for telling in (_numbers, _sizes, _colours):
        gone, new = _apart(one, other, telling)
        if gone and new:
            return f"{', '.join(gone)} became {', '.join(new)}"
    words, others = set(_WORD.findall(one)), set(_WORD.findall(other))
    if words and others and words.isdisjoint(others):
        return f"{before!r} became {now!r}"
    return None


def _plain(name: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def _apart(one: str, other: str, telling: Callable[[str], Iterator[str]]) -> tuple[list[str], list[str]]:
    before, now = set(telling(one)), set(telling(other))
    return sorted(before - now), sorted(now - before)


def _numbers(name: str) -> Iterator[str]:
    return ("".join(found.split()).replace(",", ".") for found in _NUMBER.findall(name))


def _sizes(name: str) -> Iterator[str]:
    return iter(_SIZE.findall(name))


def _colours(name: str) -> Iterator[str]:
    return iter(_COLOUR.findall(name))
