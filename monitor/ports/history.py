"""What was seen: blobs, observations and their spans, and what is remembered of each shop."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, Protocol

from monitor.domain.observation import Observation, Span
from monitor.domain.pacing import Slot
from monitor.domain.page import KeptPage
from monitor.domain.robots import RobotsVerdict
from monitor.domain.status import ArtifactLine


class Blobs(Protocol):
    """Bytes stored once under their SHA-256."""

    def put(self, body: bytes) -> str:
        """Store and return the hash; storing again is free."""

    def get(self, digest: str) -> bytes | None:
        """Return the bytes, or None when retention took them."""

    def refer(self, run_id: str, job_id: int | None, kind: str, digest: str, ref: str) -> None:
        """Note what a blob is for: one artifact per (run, kind, ref), the latest hash wins."""

    def of_job(self, run_id: str, job_id: int | None) -> tuple[ArtifactLine, ...]:
        """Return what a job left, or what a run left that is of no job, in order of kind and reference."""


class Observations(Protocol):
    """Readings by night, and the price history made of them."""

    def record(self, observation: Observation) -> None:
        """Store the reading of one watch in one run (a repeat replaces it) and, if it is `ok`, move history."""

    def of_run(
        self, run_id: str, competitor: str | None = None, *, skus: Sequence[str] | None = None
    ) -> tuple[Observation, ...]:
        """Return a run's observations, or those of one competitor or of some products, by competitor and SKU."""

    def outcomes(self, run_id: str) -> Iterator[Observation]:
        """Yield a run's observations as `of_run` returns them, those that say a price without what they read."""

    def latest_at(self, run_id: str) -> datetime | None:
        """Return when a run observed something last; None when it has observed nothing."""

    def skus(self, run_ids: Sequence[str]) -> frozenset[str]:
        """Return every SKU that has a history or was observed in one of these runs."""

    def record_own(self, run_id: str, sku: str, price: Any, currency: str, at: datetime) -> None:
        """Move our own price history."""

    def spans(self, sku: str, competitor: str | None = None, *, since: datetime | None = None) -> tuple[Span, ...]:
        """Return the history of a product, oldest first, of one competitor or of all and our own."""

    def spans_of(self, skus: Sequence[str], competitor: str | None = None) -> Iterator[Span]:
        """Yield the histories of many products, product by product, each oldest first; as `spans` of each."""

    def histories(self, competitor: str) -> dict[str, tuple[Span, ...]]:
        """Return, by SKU, the whole history of one competitor, or of our own prices, oldest first."""

    def readings(self, sku: str) -> tuple[Observation, ...]:
        """Return every observation of a product, oldest first."""

    def name_before(self, run_id: str, competitor: str, sku: str) -> str | None:
        """Return how the page of a watch named its product when it was last read `ok` in another run."""

    def current(self, skus: Sequence[str] | None = None, *, besides: str | None = None) -> tuple[Span, ...]:
        """Return the latest span of each (competitor, SKU), or of all competitors but one, by SKU and competitor."""

    def changed_at(self, competitor: str) -> dict[str, datetime]:
        """Return when the offer of each SKU at one competitor, or our own, last changed; others are left out."""

    def last_good(self, competitor: str) -> dict[str, datetime]:
        """Return when each SKU was last read `ok` at one competitor."""

    def last_tried(self, competitor: str, before_run: str) -> dict[str, datetime]:
        """Return when each SKU was last asked for, whatever came of it, in runs other than `before_run`."""

    def remembered(self, competitor: str) -> dict[str, tuple[str | None, str]]:
        """Return, by SKU, the product name and the currency of the last `ok` reading at one competitor."""


class Shops(Protocol):
    """What is remembered of the visited hosts: pacing, robots.txt, learnt facts."""

    def take_slot(self, slot: Slot, job_id: int) -> timedelta:
        """Take a shop's next request slot for a job; return zero, or how long to wait (nothing taken).

        The shop's own bucket then belongs to that job as long as the job runs and asks for no other bucket.
        """

    def leave(self, bucket: str, job_id: int) -> None:
        """Give a shop's bucket back while the job runs on elsewhere."""

    def space(self, bucket: str, delay: timedelta) -> None:
        """Leave at least this much between now and a shop's next slot: its robots.txt has just asked for it."""

    def cool(self, bucket: str, until: datetime, reason: str) -> None:
        """Let nobody visit this host until then."""

    def cooling(self, bucket: str) -> tuple[datetime, str] | None:
        """Return until when and why a host is left alone, or None."""

    def robots(self, origin: str, max_age: timedelta) -> RobotsVerdict | None:
        """Return what the robots.txt of an origin (`https://host`) said, if that is not older than `max_age`."""

    def keep_robots(self, origin: str, verdict: RobotsVerdict) -> None:
        """Store what a robots.txt said."""

    def kept_pages(self, competitor: str) -> dict[str, KeptPage]:
        """Return, by address, the pages that were kept to be confirmed by the shop, if their bodies are still there."""

    def keep_page(self, competitor: str, url: str, kept: KeptPage, body: bytes) -> None:
        """Keep a page that was read right, in place of the one before."""

    def confirm_page(self, competitor: str, url: str) -> None:
        """Note that the shop confirmed the kept page (304) now."""

    def drop_page(self, competitor: str, url: str) -> None:
        """Keep none of this address any more."""

    def facts(self, competitor: str) -> dict[str, Any]:
        """Return what earlier nights learnt, such as the platform and the currency shown."""

    def learn(self, competitor: str, name: str, value: Any) -> None:
        """Remember one fact."""
