"""Texts for the cells of tables that people open: no spreadsheet takes one for a formula.

A cell that begins with one of a few characters is computed by spreadsheet programs, also behind blanks, and with them
commands and addresses run (CSV injection). Numbers are written from decimals and stay numbers; only texts come here.
Machine feeds must not be treated so: a quote in front would become part of a SKU.

Source: OWASP, CSV injection; the full-width forms are taken for the plain ones by some programs.
"""

import unicodedata

_STARTS = frozenset("=+-@\t\r\n|%" + "\uff1d\uff0b\uff0d\uff20")


def text_cell(text: str) -> str:
    """Return a text as it may stand in a cell: on one line, and with a quote in front where it looks like a formula."""
    line = " ".join("".join(" " if _is_hidden(each) else each for each in text).split())
    return f"'{line}" if line[:1] in _STARTS else line


def _is_hidden(character: str) -> bool:
    return unicodedata.category(character) in {"Cc", "Cf", "Zl", "Zp", "Zs"}
