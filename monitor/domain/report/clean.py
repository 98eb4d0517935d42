"""Texts that others wrote, made fit to be shown: one line, no invisible tricks, of limited length.

Shops, catalogues and error texts reach the mail of a person who approves prices. Direction overrides can
reverse a price on screen (CVE-2021-42574), zero-width characters hide words, control characters break
headers. Escaping for HTML is the template's duty.
"""

import unicodedata
from functools import lru_cache

_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_JOINERS = frozenset({"\u200c", "\u200d"})  # Persian and emoji need them, and they reorder nothing


def clean(text: str, limit: int) -> str:
    """Return `text` as one line of at most `limit` characters without control, format and direction characters."""
    kept = text[: limit * 8]
    if not (kept.isascii() and kept.isprintable()):  # what most texts are, and then there is nothing to take out
        kept = "".join(map(_shown, kept))
    line = " ".join(kept.split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


@lru_cache(maxsize=4096)
def _shown(character: str) -> str:
    if character in _JOINERS:
        return character
    if unicodedata.category(character) not in _HIDDEN:
        return character
    return " " if character.isspace() else ""


def ascii_clean(text: str, limit: int) -> str:
    """Return `text` cleaned and with everything outside ASCII replaced, for headers that must stay plain."""
    return clean(text, limit).encode("ascii", "replace").decode("ascii")
