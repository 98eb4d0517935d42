"""What is kept how long, and when old things may be removed.

What made a night (its pages, the steps' results, the letters as sent) is kept while somebody may look into it, then it
is removed and the compact record stays: outcomes, prices, decisions, approvals, writes, costs, and of each removed
result its hash, size and times.
"""

from dataclasses import dataclass
from datetime import datetime, time, timedelta
from enum import StrEnum
from zoneinfo import ZoneInfo

#: The busy hours, local time: nothing is removed while a night is under way.
BUSY_FROM, BUSY_UNTIL = time(1, 30), time(7, 0)
#: Rows removed in one transaction.
BATCH = 1_000


class Kept(StrEnum):
    """A kind of thing with an age of its own."""

    STEP_RESULTS = "step_results"  #: what each step found out; hash, size and times stay
    EVIDENCE = "evidence"  #: pages and what was read of them
    TRANSCRIPTS = "transcripts"  #: messages of model calls
    LETTERS = "letters"  #: the text of mails that were sent or given up; to whom and when stays
    NONCES = "nonces"  #: one-time numbers of review forms, once expired
    EFFECTS = "effects"  #: effects made once, with their results: a key stands for 13 months
    BLOBS = "blobs"  #: stored bytes that nothing refers to any more


@dataclass(frozen=True, slots=True)
class Retention:
    """How long each kind is kept."""

    step_results: timedelta = timedelta(days=30)
    evidence: timedelta = timedelta(days=14)
    transcripts: timedelta = timedelta(days=30)
    letters: timedelta = timedelta(days=30)
    nonces: timedelta = timedelta(days=30)

    def age_of(self, kind: Kept) -> timedelta:
        """Return how long a kind is kept; unreferenced bytes a day, so that nothing just stored is caught."""
        ages = {
            Kept.STEP_RESULTS: self.step_results,
            Kept.EVIDENCE: self.evidence,
            Kept.TRANSCRIPTS: self.transcripts,
            Kept.LETTERS: self.letters,
            Kept.NONCES: self.nonces,
            Kept.EFFECTS: timedelta(days=400),
            Kept.BLOBS: timedelta(days=1),
        }
        return ages[kind]


def is_busy(now: datetime, zone: str) -> bool:
    """Say whether a night may be under way."""
    return BUSY_FROM <= now.astimezone(ZoneInfo(zone)).time() < BUSY_UNTIL
