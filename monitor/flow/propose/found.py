"""What the decisions of one night come to, in little: proposals in full, of everything else what is told of it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from monitor.domain.action import Proposal
from monitor.domain.anomaly import Held, held_json
from monitor.domain.noticed import Signs
from monitor.domain.observation import Observation
from monitor.domain.pricing import GUARDS, Decision, Reason, Remarks, Tripped
from monitor.domain.standing import Standing


@dataclass(frozen=True, slots=True)
class Stopped:
    """A product that a guard stopped."""

    sku: str
    code: Reason
    words: str


@dataclass(frozen=True, slots=True)
class HeldReading:
    """A reading that is held, where it was read and the hash of its evidence; None when not tonight."""

    held: Held
    url: str | None
    evidence: str | None

    @property
    def as_json(self) -> dict[str, Any]:
        """As a checkpoint keeps it."""
        return held_json(self.held) | {"url": self.url, "evidence": self.evidence}


@dataclass(frozen=True, slots=True)
class Candidate:
    """A change that is proposed unless the guards of the whole night take it away."""

    decision: Decision
    remarks: Remarks
    standing: Standing


@dataclass(frozen=True, slots=True)
class PartFound:
    """What some products come to."""

    products: int
    candidates: tuple[Candidate, ...]
    compared: int  #: products without a change although they have offers that count
    standings: bytes  #: packed, of all but the candidates
    stopped: tuple[Stopped, ...]
    exceptions: tuple[dict[str, Any], ...]  #: each `{"sku", "words"}`
    held: tuple[HeldReading, ...]
    signs: Signs


@dataclass(frozen=True, slots=True)
class Found:
    """What a whole night comes to; products in the order of the catalogue."""

    products: int
    proposals: tuple[Proposal, ...]
    looked_at_twice: int  #: proposals that a breaker marked
    tripped: tuple[Tripped, ...]
    standings: tuple[bytes, ...]  #: packed
    stopped: tuple[Stopped, ...]
    exceptions: tuple[dict[str, Any], ...]
    held: tuple[HeldReading, ...]  #: by competitor and SKU
    signs: tuple[Signs, ...]


def stopped_among(decisions: Iterable[Decision]) -> Iterator[Stopped]:
    """Yield what the guards stopped."""
    for one in decisions:
        if one.reason in GUARDS and (one.result is not None or one.guard):
            yield Stopped(one.product.sku, one.reason, one.guard)


def held_readings(held: Iterable[Held], observations: Iterable[Observation]) -> Iterator[HeldReading]:
    """Yield the held readings with where they were read tonight and the hash of their evidence."""
    by_key = {one.key: one for one in held}
    seen = {key: one for one in observations if (key := (one.competitor, one.sku)) in by_key}
    for key, one in by_key.items():
        read = seen.get(key)
        yield HeldReading(one, None if read is None else read.url, None if read is None else read.evidence)
