"""What the demo learnt of each night, as values to be shown and checked."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from pathlib import Path

from monitor.domain.status import RunStatus


@dataclass(frozen=True, slots=True)
class Held:
    """A reading that the night did not use."""

    sku: str
    words: str


@dataclass(frozen=True, slots=True)
class Proposed:
    """A price that a night proposed."""

    sku: str
    old: Decimal
    new: Decimal


@dataclass(frozen=True, slots=True)
class Crash:
    """The process that was killed, where it was, and what was asked again afterwards."""

    pid: int
    shop: str
    step: int
    url: str  #: what the step asks for
    ended: int  #: competitors that were finished
    under_way: int  #: competitors in the middle of a step
    finished: Mapping[str, int]  #: how often each page of a finished step was asked for until then
    asked_again: tuple[str, ...] = ()  #: pages of finished steps that were asked for afterwards; must be none
    repeated: int = 0  #: interrupted steps that were made again
    resumed_at: int = 0  #: the step at which the shop's job went on
    starts: int = 0  #: how often that step was started


@dataclass(frozen=True, slots=True)
class Night:
    """One simulated night."""

    number: int
    day: date
    seconds: float
    status: RunStatus
    watches: int
    read: int  #: watches with a price
    wrong: tuple[str, ...]  #: readings that are not what the market showed
    held: tuple[Held, ...]
    proposed: tuple[Proposed, ...]
    crash: Crash | None = None


@dataclass(frozen=True, slots=True)
class Morning:
    """What came of a night in the morning."""

    subjects: tuple[str, ...]  #: of the mails that came
    approved: int = 0
    rejected: int = 0
    left: int = 0
    applied: int = 0  #: prices that are in the shop now


@dataclass(frozen=True, slots=True)
class LinkProof:
    """The review link of the last mail, followed as its reader would."""

    url: str
    shown_status: int
    rows: int
    posted_status: int
    sku: str
    before: str  #: in the price file
    wanted: str
    after: str
    kept_by_get: bool  #: showing the page changed nothing


@dataclass(frozen=True, slots=True)
class Ending:
    """Everything, at the end."""

    directory: Path
    nights: tuple[Night, ...]
    mornings: tuple[Morning, ...]
    link: LinkProof
    seconds: float
    problems: tuple[str, ...] = ()
