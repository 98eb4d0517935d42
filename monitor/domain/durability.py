"""What the product promises about crashes, in numbers: how often work was resumed, how soon, and how often doubled.

Counted over stored nights, so the figures are those of the operator's own machines. All rates are 0 to 1; without
anything to count, resumption and completion are 1 and duplicates 0, and `nights` and `interruptions` tell how much
stands behind them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from fractions import Fraction
from math import ceil


class EffectState(StrEnum):
    """Where an effect on the outside world is."""

    INTENDED = "intended"  #: written down; it may be under way
    DONE = "done"  #: made, its result is kept
    FAILED = "failed"  #: refused for good, certainly not made
    UNKNOWN = "unknown"  #: it began and its end was not recorded: held until somebody looks


class Cause(StrEnum):
    """Why a job lost its worker."""

    DIED = "process died"  #: its lock was free: killed, crashed, or its host went
    STOPPED = "process was being stopped"  #: the same after it was asked to end: a deploy, and no fault of the step
    SILENT = "lease ended"  #: nobody renewed it: stopped, hanging, cut off, or the database was away
    ANOTHER_LIFE = "lock lost"  #: alive, but its lock was lost, so it began another life


@dataclass(frozen=True, slots=True)
class Counted:
    """What a store counted over some nights."""

    nights: int = 0  #: whose deadline has passed or that ended
    completed: int = 0  #: of those, the ones with a report
    interruptions: int = 0  #: of jobs, in nights that ended
    resumed: int = 0  #: of those, the ones after which another worker took the job up
    effects: int = 0  #: prices written and mails sent
    repeated: int = 0  #: of those, beyond the first for one approved version or one recipient
    waits: tuple[timedelta, ...] = ()  #: from each death to the new claim


@dataclass(frozen=True, slots=True)
class Durability:
    """The figures of `monitor metrics`."""

    resumption_success: Fraction
    duplicate_action_rate: Fraction
    completion_rate: Fraction
    time_to_resume_p50: timedelta | None  #: None when nothing was interrupted
    time_to_resume_p95: timedelta | None
    nights: int
    interruptions: int


def measured(counted: Counted) -> Durability:
    """Return the figures of what was counted."""
    return Durability(
        resumption_success=_share(counted.resumed, counted.interruptions, empty=1),
        duplicate_action_rate=_share(counted.repeated, counted.effects, empty=0),
        completion_rate=_share(counted.completed, counted.nights, empty=1),
        time_to_resume_p50=percentile(counted.waits, 50),
        time_to_resume_p95=percentile(counted.waits, 95),
        nights=counted.nights,
        interruptions=counted.interruptions,
    )


def percentile(waits: Sequence[timedelta], percent: int) -> timedelta | None:
    """Return the smallest wait that at least `percent` % of them do not pass (nearest rank), None of none."""
    if not waits:
        return None
    return sorted(waits)[max(ceil(len(waits) * percent / 100), 1) - 1]


def _share(part: int, whole: int, *, empty: int) -> Fraction:
    return Fraction(part, whole) if whole else Fraction(empty)


def durability_json(found: Durability) -> dict[str, float | int | None]:
    """Return the figures as `monitor metrics --json` prints them: rates from 0 to 1, times in seconds."""
    p50, p95 = found.time_to_resume_p50, found.time_to_resume_p95
    return {
        "resumption_success": float(found.resumption_success),
        "duplicate_action_rate": float(found.duplicate_action_rate),
        "completion_rate": float(found.completion_rate),
        "time_to_resume_p50_s": None if p50 is None else round(p50.total_seconds(), 3),
        "time_to_resume_p95_s": None if p95 is None else round(p95.total_seconds(), 3),
        "nights": found.nights,
    }
