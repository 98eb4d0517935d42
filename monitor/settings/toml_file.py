"""A TOML file as a checked model, with every problem named by key, line, value and accepted forms."""

import re
import tomllib
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

from monitor.domain.csv_table import suggestion

#: A key of a nested table: section names, list positions and the key.
KeyPath = tuple[str | int, ...]

M = TypeVar("M", bound="Section")


class Section(BaseModel):
    """A table of a settings file: no unknown key, never changed after it was read."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


def read_toml(path: Path) -> tuple[dict[str, Any], str, list[str]]:
    """Return what a TOML file holds, its text, and what kept it from being read; floats are exact decimals."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
        return tomllib.loads(text, parse_float=Decimal), text, []
    except FileNotFoundError:
        return {}, "", [f"{path.name}: there is no such file in {path.parent}; `monitor init` writes one"]
    except OSError as problem:
        return {}, "", [f"{path.name}: cannot be read ({problem.strerror})"]
    except UnicodeDecodeError as problem:
        return {}, "", [f"{path.name}: the file is not UTF-8 (at byte {problem.start}); save it as UTF-8"]
    except tomllib.TOMLDecodeError as problem:
        return {}, "", [f"{path.name}: this is not TOML: {problem}{_usual(text, str(problem))}"]


#: What may stand behind `=` without quotes: a number, a time, a list, a table, true or false.
_NEEDS_QUOTES = re.compile(
    r"""\s*[\w."-]+\s*=\s*(?!true\b|false\b|inf\b|nan\b)([^\s"'\[{#0-9+-][^#]*|[0-9][^#]*[A-Za-z/@:][^#]*)"""
)


def _usual(text: str, problem: str) -> str:
    """Return what is most often wrong in the line that a problem names; empty when that is unclear."""
    found, lines = re.search(r"line (\d+)", problem), text.splitlines()
    line = lines[int(found[1]) - 1] if found and int(found[1]) <= len(lines) else ""
    if line.count('"') % 2 and "'" not in line:
        return f"; {line.strip()[:60]!r} opens a quote and does not close it"
    bare = _NEEDS_QUOTES.match(line)
    if bare is None:
        return ""
    key = line.partition("=")[0].strip()
    if bare[1].strip().lower() in ("true", "false", "yes", "no", "on", "off"):
        return f"; write {key} = true or {key} = false, in small letters and without quotes"
    return f'; a text needs quotes: {key} = "{bare[1].strip()[:60]}"'


def checked(model: type[M], raw: Any, *, name: str, text: str, at: KeyPath = ()) -> tuple[M | None, list[str]]:
    """Return `raw` as a model, or None with everything that is wrong with it; `at` is where it stands."""
    try:
        return model.model_validate(raw), []
    except ValidationError as refused:
        return None, [_sentence(model, raw, name, text, at, error) for error in refused.errors(include_url=False)]


def wrong_keys(model: type[M], raw: Any) -> frozenset[str]:
    """Return the keys of a table whose own form is wrong, unknown or missing ones too."""
    try:
        model.model_validate(raw)
    except ValidationError as refused:
        return frozenset(str(error["loc"][0]) for error in refused.errors(include_url=False) if error["loc"])
    return frozenset()


def place(name: str, text: str, path: Sequence[str | int]) -> str:
    """Return `file, key (line n)` for a key path; list positions count from 1."""
    key = ""
    for part in path:
        key += f"[{part + 1}]" if isinstance(part, int) else f".{part}" if key else part
    line = line_of(text, path)
    return f"{name}, {key}" + (f" (line {line})" if line else "")


def line_of(text: str, path: Sequence[str | int]) -> int | None:
    """Return the line in which a key, or failing that its table, is written in the usual way."""
    tables = [part for part in path[:-1] if isinstance(part, str)]
    positions = [part for part in path if isinstance(part, int)]
    wanted, seen, found = ".".join(tables), -1, None
    current = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if header := re.match(r"\s*\[+\s*([\w.\"-]+)\s*\]", line):
            current = header[1].replace('"', "")
            seen += current == (tables[0] if tables else path[0])
        here = not positions or seen == positions[0]
        if here and current == wanted and re.match(rf"\s*\"?{re.escape(str(path[-1]))}\"?\s*=", line):
            return number
        if here and header and current == f"{wanted}.{path[-1]}".lstrip("."):
            return number
        if here and header and current == wanted and found is None:
            found = number
    return found


def _sentence(model: type[Section], raw: Any, name: str, text: str, at: KeyPath, error: ErrorDetails) -> str:
    path = error["loc"]
    where = place(name, text, at + path)
    if error["type"] == "extra_forbidden":
        known = _known(model, path)
        return f"{where}: unknown key{suggestion(str(path[-1]), known)}; known here: {', '.join(known)}"
    if error["type"] == "missing":
        return f"{where}: the key is missing and has no default"
    if error["type"] == "model_type":
        return f"{where}: {_value(raw, path)!r} is not a table; write it as a section with keys"
    return f"{where}: {error['msg'].removeprefix('Value error, ')}"


def _known(model: type[BaseModel], path: KeyPath) -> list[str]:
    """Return the keys of the table in which the last key of `path` stands."""
    for part in path[:-1]:
        if isinstance(part, int):
            continue
        annotation: Any = model.model_fields[part].annotation
        inner = getattr(annotation, "__args__", None)
        model = inner[0] if inner else annotation
    return [field.alias or key for key, field in model.model_fields.items()]


def _value(raw: Any, path: KeyPath) -> Any:
    for part in path:
        raw = raw[part]
    return raw
