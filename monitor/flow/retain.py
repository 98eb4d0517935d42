"""Remove what is past its age, in small batches outside the busy hours; the compact record stays.

Each batch is a transaction of its own, so a night that begins meanwhile waits for a thousand rows at most, and a
crash loses nothing: what was not removed is found again. Evidence goes before the bytes it refers to.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from monitor.domain.retention import BATCH, Kept, Retention, is_busy
from monitor.durable import Pending, once
from monitor.ports.store import Store

#: Pages of a SQLite file given back per batch: with pages of 4 kB, at most 8 MB at once.
PAGES = 2_000


@dataclass(frozen=True, slots=True)
class Retained:
    """What was removed, or would be, by kind."""

    removed: Mapping[Kept, int]
    is_complete: bool  #: false when the round ended before everything old was gone


def count_old(store: Store, ages: Retention) -> Retained:
    """Count what is past its age and remove nothing.

    Bytes count when nothing refers to them today; those of evidence that is still to go are not among them.
    """
    with store.read() as unit:
        return Retained({kind: unit.archive.count(kind, unit.now - ages.age_of(kind)) for kind in Kept}, True)


def remove_old(store: Store, ages: Retention, *, most_batches: int = 10_000) -> Retained:
    """Remove what is past its age, at most so many batches."""
    removed = dict.fromkeys(Kept, 0)
    batches = 0
    for kind in Kept:
        while batches < most_batches:
            count = _batch(store, ages, kind)
            removed[kind] += count
            batches += 1
            if count < BATCH:
                break
    return Retained(removed, batches < most_batches)


def _batch(store: Store, ages: Retention, kind: Kept) -> int:
    with store.write() as unit:
        count = unit.archive.remove(kind, unit.now - ages.age_of(kind), BATCH)
        if count:
            unit.archive.give_back(PAGES)
        return count


def retain_hourly(store: Store, ages: Retention, zone: str, owner: str) -> Retained | None:
    """Remove what is past its age once an hour, whichever process asks first; None when it is not the time.

    A round is bounded, so that mails and writes that are due are not kept waiting; the next hour goes on.
    """
    with store.read() as unit:
        now = unit.now
    if is_busy(now, zone):
        return None
    done: list[Retained] = []

    def remove() -> dict[str, Any]:
        done.append(remove_old(store, ages, most_batches=50))
        return {kind.value: count for kind, count in done[0].removed.items()}

    try:
        once(store, _key(now), {}, remove, repeatable=True, owner=owner)
    except Pending:
        return None
    return done[0] if done else None


def _key(now: datetime) -> str:
    return f"retention:{now:%Y-%m-%dT%H}"
