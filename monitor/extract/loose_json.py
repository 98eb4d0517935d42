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
import json_repair

MAX_REPAIRED = 200_000  #: characters handed to json-repair
MAX_CHOMPED = 1_000_000  #: characters handed to chompjs
MAX_DEPTH = 400  #: brackets open at once; deeper is no catalogue

_WRAPPERS = re.compile(
    r"^\s*(?:/\*.*?\*/\s*|//\s*<!\[CDATA\[|<!\[CDATA\[|<!--)+|(?://\s*)?(?:\]\]>|-->)\s*;?\s*$|;\s*$", re.DOTALL
)


def _strict(text: str, strict: bool = True) -> Any:
    return json.loads(text, parse_float=Decimal, parse_constant=lambda _: None, strict=strict)


def _too_deep(text: str) -> bool:
    depth = deepest = 0
    for bracket in re.finditer(r"[\[{]+|[\]}]+", text):
        run = bracket.group()
        depth = depth + len(run) if run[0] in "[{" else max(0, depth - len(run))
        deepest = max(deepest, depth)
    return deepest > MAX_DEPTH


def load(text: str) -> Any:
    """Return the value in `text`, or None when no reader of the chain understands it."""
    cleaned = _WRAPPERS.sub("", text.strip()).strip()
    if not cleaned:
        return None
    for attempt in (cleaned, html.unescape(cleaned) if "&" in cleaned else ""):
        if not attempt:
            continue
        try:
            return _strict(attempt, strict=False)
        except (ValueError, RecursionError, ArithmeticError):
            continue
    return _repaired(cleaned)


def _repaired(text: str) -> Any:
    if len(text) > MAX_CHOMPED or _too_deep(text):
        return None
    try:
        return chompjs.parse_js_object(text, loader_kwargs={"parse_float": Decimal, "strict": False})
    except (ValueError, RecursionError, ArithmeticError, TypeError):
        pass
    if len(text) > MAX_REPAIRED:
        return None
    try:
        value = json_repair.loads(text, skip_json_loads=True)
    except (ValueError, RecursionError, ArithmeticError, TypeError, IndexError, AttributeError):
        return None
    return value if isinstance(value, (dict, list)) and value else None
