"""Read one table of a rules file or a decision table, noting every problem instead of stopping at the first.

A wrong value reads as absent, so that the rest of the file is still looked at; whoever reads a file raises
`Misconfigured` with all the problems afterwards and uses none of the values. Each problem names the place,
the key, the value and the accepted forms.
"""

import difflib
import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from enum import StrEnum
from typing import TypeVar

from monitor.domain.money import UnreadableAmount, plain_amount

Word = TypeVar("Word", bound=StrEnum)

_DECIMAL = re.compile(r"-?\d{1,14}(?:\.\d{1,12})?")
_LONGEST_QUOTE = 60


class Fields:
    """The values of one table, taken key by key; `close` reports the keys nobody took."""

    def __init__(self, table: object, *, place: str, problems: list[str], prefix: str = "") -> None:
        """Start reading `table`, which stands at `place`; keys are shown with `prefix`."""
        self.place, self.problems, self.prefix = place, problems, prefix
        self._taken: set[str] = set()
        self._table: Mapping[object, object] = table if isinstance(table, Mapping) else {}
        if not isinstance(table, Mapping):
            problems.append(
                f"{place}: {prefix.rstrip('.') or 'it'} is {shown(table)}; write a table of keys and values"
            )

    def __contains__(self, key: str) -> bool:
        return self._table.get(key) is not None

    def refuse(self, key: str, forms: str) -> None:
        """Note that the value of `key` is none of the accepted forms."""
        self.problems.append(f"{self.place}: {self.prefix}{key} is {shown(self._table.get(key))}; {forms}")

    def complain(self, words: str) -> None:
        """Note a problem of this table as a whole."""
        self.problems.append(f"{self.place}: {words}")

    def raw(self, key: str) -> object:
        """Take a value as it stands; None when it is absent."""
        self._taken.add(key)
        return self._table.get(key)

    def text(self, key: str, *, required: bool = False) -> str | None:
        """Take a text that is not empty."""
        value = self.raw(key)
        if value is None:
            if required:
                self.complain(f"{self.prefix}{key} is missing; write a quoted text")
            return None
        if isinstance(value, str) and value.strip() and value.isprintable():
            return value
        self.refuse(key, "write a quoted text of one line that is not empty")
        return None

    def texts(self, key: str) -> tuple[str, ...] | None:
        """Take a list of texts; None when it is absent."""
        value = self.raw(key)
        if value is None:
            return None
        if isinstance(value, list) and all(isinstance(one, str) and one.strip() and one.isprintable() for one in value):
            return tuple(value)
        self.refuse(key, 'write a list of quoted texts, for example ["acme", "globex"]')
        return None

    def flag(self, key: str, default: bool) -> bool:
        """Take true or false."""
        value = self.raw(key)
        if value is None or isinstance(value, bool):
            return default if value is None else value
        self.refuse(key, "write true or false, without quotes")
        return default

    def whole(self, key: str, *, least: int | None = None, required: bool = False) -> int | None:
        """Take a whole number of at least `least`."""
        value = self.raw(key)
        if value is None:
            if required:
                self.complain(f"{self.prefix}{key} is missing; write a whole number without quotes")
            return None
        if isinstance(value, int) and not isinstance(value, bool) and (least is None or value >= least):
            return value
        self.refuse(key, f"write a whole number without quotes{'' if least is None else f', {least} or more'}")
        return None

    def money(self, key: str, *, least: Decimal | None = Decimal(0), required: bool = False) -> Decimal | None:
        """Take an amount of money written as a quoted decimal."""
        value = self.raw(key)
        if value is None:
            if required:
                self.complain(f'{self.prefix}{key} is missing; write a quoted amount such as "24.90"')
            return None
        amount = money_in(value)
        if amount is not None and (least is None or amount >= least):
            return amount
        self.refuse(key, f'write a quoted amount such as "24.90"{_at_least(least)}')
        return None

    def number(self, key: str, *, least: Decimal | None = Decimal(0), below: Decimal | None = None) -> Decimal | None:
        """Take a percentage, a rate or a number of hours written as a quoted decimal."""
        value = self.raw(key)
        if value is None:
            return None
        number = Decimal(value) if isinstance(value, str) and _is_decimal(value) else None
        if number is not None and (least is None or number >= least) and (below is None or number < below):
            return number
        under = f" and below {below}" if below is not None else ""
        self.refuse(key, f'write a quoted number such as "12.5"{_at_least(least)}{under}')
        return None

    def choice(self, key: str, default: Word) -> Word:
        """Take one of the words of an enumeration."""
        words = type(default)
        value = self.raw(key)
        if value is None:
            return default
        if isinstance(value, str) and value in {word.value for word in words}:
            return words(value)
        self.refuse(key, f"accepted are {', '.join(word.value for word in words)}")
        return default

    def table(self, key: str) -> "Fields":
        """Take a table inside this one; empty when it is absent."""
        value = self.raw(key)
        inside: object = {} if value is None else value
        return Fields(inside, place=self.place, problems=self.problems, prefix=f"{self.prefix}{key}.")

    def tables(self, key: str) -> tuple[object, ...]:
        """Take a list of tables; none when it is absent."""
        value = self.raw(key)
        if value is None or isinstance(value, list):
            return tuple(value or ())
        self.refuse(key, "write a list of tables")
        return ()

    def amounts(self, key: str) -> tuple[Decimal, ...] | None:
        """Take a list of at least one amount of zero or more; None when it is absent."""
        value = self.raw(key)
        if value is None:
            return None
        found = tuple(money_in(one) for one in value) if isinstance(value, list) else ()
        good = tuple(amount for amount in found if amount is not None and amount >= 0)
        if good and len(good) == len(found):
            return good
        self.refuse(key, 'write a list of quoted amounts, for example ["0.49", "0.99"]')
        return None

    @property
    def keys(self) -> tuple[str, ...]:
        """All keys of this table, as texts."""
        return tuple(str(key) for key in self._table)

    def close(self) -> None:
        """Note every key that nobody took, with the name it may have been meant to be."""
        for key in self._table:
            if key not in self._taken:
                self.problems.append(f"{self.place}: {self.prefix}{key} is not a known key; {_meant(key, self._taken)}")


def money_in(value: object) -> Decimal | None:
    """Return the amount of a quoted decimal, or None for anything else."""
    if not isinstance(value, str):
        return None
    try:
        return plain_amount(value)
    except UnreadableAmount:
        return None


def shown(value: object) -> str:
    """Return a value as a problem quotes it, with its type when the type is what is wrong."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float | Decimal):
        return f"the number {value}"
    if value is None:
        return "empty"
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= _LONGEST_QUOTE else f"{text[:_LONGEST_QUOTE]}…"


def _is_decimal(text: str) -> bool:
    return text.isascii() and _DECIMAL.fullmatch(text) is not None


def _at_least(least: Decimal | None) -> str:
    return "" if least is None else f", {least} or more"


def _meant(key: object, known: Iterable[str]) -> str:
    names = sorted(known)
    close = difflib.get_close_matches(str(key), names, n=1)
    accepted = f"accepted are {', '.join(names)}"
    return f"did you mean {close[0]}? {accepted}" if close else accepted
