"""The figures of a chaos run and what is wrong with them; the names are those that `--json` prints."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil

from monitor.chaos.night import Ended


@dataclass(frozen=True, slots=True)
class Figures:
    """The four measures of durability over all nights, and what they were measured on."""

    seed: int
    nights: int
    kills: int
    resumed: int  #: interrupted jobs that were claimed again
    resumption_success: float  #: share of the interrupted jobs, 0 to 1
    duplicate_actions: int  #: price changes and mails that happened a second time
    lost_observations: int  #: watches without the reading that their shop showed
    completion_rate: float  #: share of the nights that have a report, 0 to 1
    time_to_resume_p50_s: float | None  #: from the kill to the next claim of its job
    time_to_resume_p95_s: float | None


@dataclass(frozen=True, slots=True)
class Told:
    """What the outside world saw."""

    changes: Counter[tuple[int, int]]  #: changes of our shop's prices, by proposal and version
    mails: Counter[str]  #: mails taken, by Message-ID
    unsettled: tuple[str, ...]  #: approved prices of which nobody knows what became of them


def figures_of(seed: int, nights: Sequence[Ended], told: Told) -> Figures:
    """Return the figures."""
    waited = [each for night in nights for each in night.resumed_after_s]
    resumed = sorted(each for each in waited if each is not None)
    return Figures(
        seed=seed,
        nights=len(nights),
        kills=sum(night.kills for night in nights),
        resumed=len(resumed),
        resumption_success=_share(len(resumed), len(waited)),
        duplicate_actions=sum(count - 1 for each in (told.changes, told.mails) for count in each.values()),
        lost_observations=sum(len(night.lost) for night in nights),
        completion_rate=_share(sum(night.is_complete for night in nights), len(nights)),
        time_to_resume_p50_s=_percentile(resumed, 50),
        time_to_resume_p95_s=_percentile(resumed, 95),
    )


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0


def _percentile(ordered: Sequence[float], percent: int) -> float | None:
    """Return the value that so many per cent do not exceed (nearest rank)."""
    return round(ordered[ceil(len(ordered) * percent / 100) - 1], 3) if ordered else None


def complaints(nights: Sequence[Ended], told: Told) -> Iterator[str]:
    """Say everything that went wrong."""
    for night in nights:
        if not night.is_complete:
            yield f"{night.run_id}: no report" + (f", given up: {night.given_up}" if night.given_up else "")
        if missing := sum(each is None for each in night.resumed_after_s):
            yield f"{night.run_id}: {missing} interrupted jobs were never claimed again"
        yield from (f"{night.run_id}: {words}" for words in night.lost)
    for (proposal, version), count in told.changes.items():
        if count > 1:
            yield f"proposal {proposal}, version {version}: our shop was changed {count} times"
    for message_id, count in told.mails.items():
        if count > 1:
            yield f"mail {message_id}: taken {count} times"
    yield from told.unsettled
