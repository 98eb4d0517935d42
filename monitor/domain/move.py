"""What the plan of a visit does next: ask for something, or stop and name what stays unread."""

from dataclasses import dataclass

from monitor.domain.asking import CatalogueAsk
from monitor.domain.catalogue import Watch
from monitor.domain.extraction import Outcome


@dataclass(frozen=True, slots=True)
class Ask:
    """The next request of a visit."""

    tool: str
    url: str
    watches: tuple[Watch, ...]  #: those it may answer
    page: int = 1  #: of a catalogue
    catalogue: CatalogueAsk | None = None  #: of a catalogue call


@dataclass(frozen=True, slots=True)
class Unread:
    """A watch that ends the night without a reading, and why."""

    watch: Watch
    outcome: Outcome
    reason: str
    words: str


@dataclass(frozen=True, slots=True)
class Stop:
    """Nothing more is asked of this competitor tonight."""

    unread: tuple[Unread, ...] = ()
