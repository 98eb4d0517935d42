"""What every command shares: the options that are always there, and how facts are printed."""

import json
import shutil
import sys
import textwrap
from collections.abc import Callable, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Annotated, Any
from zoneinfo import ZoneInfo

import typer

from monitor.errors import Misconfigured

ConfigDir = Annotated[
    Path | None,
    typer.Option("--config", metavar="DIR", help="The config directory; else MONITOR_CONFIG, else ./config."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else, on standard output.")]


#: Digits of the largest number that every database keeps.
_MOST_DIGITS = 18


def number_of(what: str, listed_by: str) -> Callable[[str], int]:
    """Return what reads the number of a thing as a command lists it in its first column."""

    def read(text: str) -> int:
        if text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS:
            return int(text)
        raise typer.BadParameter(
            f"{text!r} is no number of a {what}; it is the one in the first column of `{listed_by}`, for example 12"
        )

    return read


#: Days that an option takes; around them there are no times in every zone, and no nights.
_FIRST_DAY, _LAST_DAY = date(2000, 1, 1), date(2999, 12, 31)


def day_of(text: str) -> date:
    """Read a day, as an option takes it."""
    try:
        day = datetime.strptime(text, "%Y-%m-%d").date()  # noqa: DTZ007 - a local date has no zone
    except ValueError:
        raise typer.BadParameter(f"{text!r} is no day; write it as 2026-11-29") from None
    if not _FIRST_DAY <= day <= _LAST_DAY:
        raise typer.BadParameter(f"{text} is no day from {_FIRST_DAY} to {_LAST_DAY}")
    return day


def print_json(facts: Any) -> None:
    """Print facts as JSON on standard output."""
    sys.stdout.write(json.dumps(facts, ensure_ascii=False, indent=2) + "\n")


def written(file: Path, body: bytes, option: str) -> None:
    """Write a file that an option names.

    Raises:
        Misconfigured: it cannot be written; the words name the option.
    """
    try:
        file.write_bytes(body)
    except OSError as problem:
        raise Misconfigured(
            [f"{file}: cannot be written ({problem.strerror}); name another file with {option}"]
        ) from None


def say(line: str, *, under: int = 8, err: bool = False) -> None:
    """Print a line; in a terminal that is too narrow for it the rest goes below, indented, and no word is cut.

    Elsewhere it stays one line, for whatever reads it. What is in it may come from a page of somebody else.
    """
    typer.echo(fitted(harmless(line), under=under, err=err), err=err)


def fitted(text: str, *, under: int = 8, err: bool = False) -> str:
    """Return lines as a terminal shows them without cutting a word; as they are where none is."""
    if not (sys.stderr if err else sys.stdout).isatty():
        return text
    width = shutil.get_terminal_size().columns
    return "\n".join(folded(line, width, under) for line in text.split("\n"))


def told(words: str) -> None:
    """Tell whoever waits what is done now; apart from the answer, which may go into a file."""
    say(f"  {words}", err=True)


def below(words: str, column: int) -> str:
    """Return words that begin in a column; in a terminal the rest of them stands under their beginning."""
    width = shutil.get_terminal_size().columns - column
    if not sys.stdout.isatty() or width < 20:
        return words
    return folded(words, width, 0).replace("\n", "\n" + " " * column)


def first_of(names: Sequence[object], most: int = 5) -> str:
    """Return the first names of a list that may be long, and how many more there are.

    >>> first_of(["A-1", "A-2", "A-3"], 2)
    'A-1, A-2 and 1 more'
    """
    rest = len(names) - most
    return ", ".join(str(name) for name in names[:most]) + (f" and {rest} more" if rest > 0 else "")


def harmless(text: str) -> str:
    """Return a text with spaces for the characters that steer a terminal or turn words around; its width stays.

    >>> harmless("Mug \x1b[31m\u202e")
    'Mug  [31m '
    """
    return text if text.isprintable() else "".join(each if each.isprintable() else " " for each in text)


def folded(line: str, width: int, under: int) -> str:
    """Return a line folded to a width, with so many spaces in front of what goes below.

    >>> print(folded("   12  Approved and applied", 20, 7))
       12  Approved and
           applied
    """
    indent = " " * min(under, width // 2)
    parts = textwrap.wrap(line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    return "\n".join(parts)


def local_time(when: datetime, zone: str, now: datetime | None = None) -> str:
    """Return an instant as people read it: in the schedule's zone with its offset, the date left out when it is today.

    >>> from datetime import UTC
    >>> local_time(datetime(2026, 11, 29, 5, 30, tzinfo=UTC), "Europe/Berlin")
    '2026-11-29 06:30 +0100'
    """
    local = when.astimezone(ZoneInfo(zone))
    is_today = now is not None and now.astimezone(ZoneInfo(zone)).date() == local.date()
    return local.strftime("%H:%M %z" if is_today else "%Y-%m-%d %H:%M %z")
