"""Load the JSON that shops put into pages, broken in the usual ways.

Chain: strict, control characters allowed, HTML entities, chompjs (comments, trailing commas, single quotes),
json-repair at last and only for small texts, because it is slow. Numbers with a point become Decimal.
Everything that cannot be read gives None; nothing is raised.
"""

import html
import json
import re
from decimal import Decimal
from typing import Any

import chompjs

MAX_REPAIRED = 60_000  #: characters handed to json-repair
MAX_CHOMPED = 200_000  #: characters handed to chompjs
MAX_DEPTH = 400  #: brackets open at once; deeper is no catalogue

_OPENING = re.compile(
    r"\s*(?:/\*.{0,200}?\*/|//[^\n]{0,200}?\n|(?://\s*)?<!\[CDATA\[|<!--|//[^{\[\n]{0,200}(?=[{\[]))", re.DOTALL
)
_CLOSING = re.compile(r"(?:/\*\s*\]\]>\s*\*/|(?://\s*)?\]\]>|-->|;)\s*$")


def _unwrapped(text: str) -> str:
    """Drop comment and CDATA wrappers around a JSON text, and a semicolon at its end."""
    text = text.strip()
    if text.startswith(("{", "[")) and text.endswith(("}", "]")):
        return text
    for _ in range(4):
        opening = _OPENING.match(text)
        text = text[opening.end() :].lstrip() if opening else text
        closing = _CLOSING.search(text, max(0, len(text) - 60))
        text = text[: closing.start()].rstrip() if closing else text
    return text


#: Control characters are allowed, numbers with a point become Decimal, NaN and Infinity nothing.
_STRICT = json.JSONDecoder(parse_float=Decimal, parse_constant=lambda _: None, strict=False)


def _too_deep(text: str) -> bool:
    depth = 0
    for bracket in re.finditer(r"[\[{]+|[\]}]+", text):
        run = bracket.group()
        depth = depth + len(run) if run[0] in "[{" else max(0, depth - len(run))
        if depth > MAX_DEPTH:
            return True
    return False


def load(text: str, may_repair: int = MAX_CHOMPED) -> Any:
    """Return the value in `text`, or None when no reader of the chain understands it.

    Args:
        text: a JSON text as a page carries it.
        may_repair: characters that may still be repaired; repairing is a hundred times slower than reading.
    """
    cleaned = _unwrapped(text)
    value = strictly(cleaned)
    if value is None and cleaned and len(cleaned) <= may_repair:
        value = _repaired(cleaned)
    return value


def strictly(cleaned: str) -> Any:
    """Return the value of JSON that needs no repair beyond control characters and HTML entities."""
    for attempt in (cleaned, html.unescape(cleaned) if "&quot;" in cleaned or "&#" in cleaned else ""):
        if not attempt:
            continue
        try:
            return _STRICT.decode(attempt)
        except (ValueError, RecursionError, ArithmeticError):
            continue
    return None


def _repaired(text: str) -> Any:
    if len(text) > MAX_CHOMPED or _too_deep(text):
        return None
    try:
        return chompjs.parse_js_object(text, loader_kwargs={"parse_float": Decimal, "strict": False})
    except (ValueError, RecursionError, ArithmeticError, TypeError):
        pass
    if len(text) > MAX_REPAIRED:
        return None
    import json_repair  # here: few pages need it

    try:
        value = json_repair.loads(text, skip_json_loads=True)
    except (ValueError, RecursionError, ArithmeticError, TypeError, IndexError, AttributeError):
        return None
    return value if isinstance(value, (dict, list)) and value else None
