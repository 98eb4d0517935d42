"""One CSV table merged into another: the keys decide which rows are the same.

A column that the incoming table lacks keeps what is there; an empty cell of it overwrites. Rows keep their
place, new ones come last, and nothing is ever removed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from monitor.domain.csv_table import Table, table_text

Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """One field that a row states differently now."""

    field: str
    before: object
    after: object


@dataclass(frozen=True, slots=True)
class Changes:
    """What a merge does, by key."""

    added: tuple[str, ...]
    changed: Mapping[str, tuple[Difference, ...]]
    unchanged: tuple[str, ...]

    @property
    def is_empty(self) -> bool:
        """Whether everything was there already."""
        return not self.added and not self.changed


def merged_text(current: Table, incoming: Table, key: Sequence[str], columns: Sequence[str]) -> str:
    """Return `current` with the rows of `incoming`, as text.

    Args:
        current: what is there.
        incoming: what is merged into it; its keys are unique.
        key: the columns that name a row.
        columns: all columns there are, in the order in which new ones are added.
    """
    rows: dict[Key, dict[str, str]] = {}
    for table in (current, incoming):
        for row in table.rows:
            rows.setdefault(tuple(row.cells[column] for column in key), {}).update(row.cells)
    added = [column for column in columns if column in incoming.columns and column not in current.columns]
    return table_text((*current.columns, *added), rows.values())


def changes(before: Mapping[str, Any], after: Mapping[str, Any], mentioned: Sequence[str]) -> Changes:
    """Compare the values of the mentioned keys, so that `12.9` and `12.90` are no change.

    Args:
        before: dataclass values by key.
        after: the same after the merge; holds every mentioned key.
        mentioned: the keys of the incoming file, in its order.
    """
    differences = {key: _differences(before[key], after[key]) for key in mentioned if key in before}
    return Changes(
        added=tuple(key for key in mentioned if key not in before),
        changed={key: found for key, found in differences.items() if found},
        unchanged=tuple(key for key, found in differences.items() if not found),
    )


def _differences(before: Any, after: Any) -> tuple[Difference, ...]:
    pairs = ((field.name, getattr(before, field.name), getattr(after, field.name)) for field in fields(before))
    return tuple(Difference(name, old, new) for name, old, new in pairs if old != new)
