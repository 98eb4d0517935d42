"""When the next request to a shop may start.

All instants are aware UTC and come from the caller; randomness too (`draw` is a number from 0 up to 1), so
that a night can be replayed. Nothing here waits: the caller stores the instant and frees its thread.

A politeness bucket is the registrable domain, or host and port for bare addresses; Shopify shops share one
more, because Shopify counts requests per client address over all its shops. A shop's own bucket serves one job at a
time, whichever worker has it; a shared one only spaces requests and cools down for all. Both are kept where the
buckets are stored.
"""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

from monitor.domain.address import UrlRefused, target
from monitor.domain.quiet_hours import NEVER_QUIET, QuietHours

#: Longest Retry-After that is waited for within a night.
PATIENCE = timedelta(seconds=120)

#: Wait after "slow down" without a Retry-After; a second one ends the visit.
UNTOLD_WAIT = timedelta(seconds=60)

#: No header may keep a host away for longer than this.
MAX_COOL_DOWN = timedelta(hours=24)

#: Space between two requests to any two Shopify shops.
SHOPIFY_SPACE = timedelta(seconds=1)

#: The bucket all Shopify shops share.
SHOPIFY_BUCKET = "platform:shopify"

_SECONDS = re.compile(r"[0-9]+")


class UnreadableHeader(ValueError):
    """A Retry-After that is neither whole seconds nor an HTTP date."""

    def __init__(self, text: str) -> None:
        super().__init__(
            f"Retry-After {text[:80]!r} is neither whole seconds nor an HTTP date; it is ignored and the "
            "configured pacing is used"
        )
        self.text = text


#: When a bucket is asked for again that another job is visiting: long enough to free the thread.
BUSY_WAIT = timedelta(seconds=1.5)


@dataclass(frozen=True, slots=True)
class Slot:
    """The next request of a job to one shop: where it counts, and what space it leaves behind."""

    bucket: str  #: the shop's own; one job at a time
    delay: timedelta  #: until the slot after this one
    shared: str | None = None  #: the bucket of its platform
    shared_delay: timedelta = timedelta(0)  #: space between two requests to that
    quiet: QuietHours = NEVER_QUIET

    def quiet_for(self, now: datetime) -> timedelta:
        """Return how long the shop's quiet hours still last."""
        until = self.quiet.until(now) if self.quiet.windows else None
        return timedelta(0) if until is None else until - now


@dataclass(frozen=True, slots=True)
class CoolDown:
    """What to do after a shop asked us to slow down."""

    wait: timedelta  #: no request to the bucket before this has passed
    ends_visit: bool  #: nothing more of this competitor tonight
    words: str  #: what follows from it, to stand after what the shop said


def bucket_of(url: str) -> str:
    """Return the politeness bucket of a URL; one that cannot be read is its own bucket.

    >>> bucket_of("https://www.shop.co.uk/p/1"), bucket_of("http://127.0.0.1:8001/p/1")
    ('shop.co.uk', '127.0.0.1:8001')
    """
    try:
        return target(url).site
    except UrlRefused:
        return url


def buckets_of(url: str, platform: str | None = None) -> tuple[str, ...]:
    """Return every bucket a request takes a slot in, the shop's own first."""
    own = bucket_of(url)
    return (own, SHOPIFY_BUCKET) if platform == "shopify" else (own,)


def slot_of(url: str, delay: timedelta, *, platform: str | None = None, quiet: QuietHours = NEVER_QUIET) -> Slot:
    """Return the slot of one request.

    Args:
        url: what is asked for.
        delay: to the next request of the same shop, jitter included.
        platform: of the shop, as far as it is known; only Shopify counts over all its shops.
        quiet: the shop's quiet hours.
    """
    own, *shared = buckets_of(url, platform)
    if not shared:
        return Slot(own, delay, quiet=quiet)
    return Slot(own, delay, shared[0], min(SHOPIFY_SPACE, delay), quiet)


def space_between(configured: timedelta, crawl_delay: timedelta) -> timedelta:
    """Return the space between two requests: robots.txt may widen what is configured, never narrow it."""
    return max(configured, crawl_delay)


def with_jitter(space: timedelta, jitter: float, draw: float, *, at_least: timedelta | None = None) -> timedelta:
    """Spread a space by ±`jitter` of itself.

    Args:
        space: between two requests.
        jitter: share of `space`, 0 to 1.
        draw: from 0 up to 1; one half leaves the space as it is.
        at_least: never less than this, for a crawl delay that a shop asked for.
    """
    spread = max(space * (1 + jitter * (2 * draw - 1)), timedelta(0))
    return spread if at_least is None else max(spread, at_least)


def next_start(
    now: datetime, *, last_start: datetime | None, space: timedelta, cool_until: datetime | None = None
) -> datetime:
    """Return when the next request of a bucket may start: now, or when its space and its cool-down are over.

    A `last_start` in the future is a slot somebody reserved; the next one comes after it.
    """
    instants = [now]
    if last_start is not None:
        instants.append(last_start + space)
    if cool_until is not None:
        instants.append(cool_until)
    return max(instants)


def delay_asked(retry_after: str, *, now: datetime) -> timedelta:
    """Return how long a site asks us to wait before the next request.

    Args:
        retry_after: the header as received, whole seconds or an HTTP date.
        now: timezone-aware; only used to turn a date into a delay.

    Returns:
        Zero or more, at most 24 hours; a date already past asks for no delay.

    Raises:
        UnreadableHeader: neither form. Callers use the site's configured pacing.

    Source: RFC 9110, section 10.2.3.
    """
    text = retry_after.strip()
    if _SECONDS.fullmatch(text):
        seconds = text.lstrip("0")
        return min(timedelta(seconds=int(seconds or "0")), MAX_COOL_DOWN) if len(seconds) < 9 else MAX_COOL_DOWN
    try:
        until = parsedate_to_datetime(text)
    except (ValueError, IndexError, TypeError, OverflowError):
        raise UnreadableHeader(retry_after) from None
    aware = until if until.tzinfo else until.replace(tzinfo=UTC)
    return min(max(aware - now, timedelta(0)), MAX_COOL_DOWN)


def cool_down(retry_after: str | None, *, now: datetime, is_second: bool = False) -> CoolDown:
    """Decide after a 429, 430 or 503: wait a little, or leave the competitor alone for tonight.

    Args:
        retry_after: the header, or None.
        now: timezone-aware.
        is_second: whether this competitor already made us wait in this visit; twice is enough.
    """
    wait, told = UNTOLD_WAIT, "it gave no time"
    if retry_after is not None:
        try:
            wait = delay_asked(retry_after, now=now)
            told = f"it asked for {wait.total_seconds():.0f} s"
        except UnreadableHeader:
            told = "the time it gave cannot be read"
    ends = is_second or wait > PATIENCE
    then = "nothing more is asked of it tonight" if ends else f"left alone for {wait.total_seconds():.0f} s"
    return CoolDown(wait, ends, f"{told}; {then}")
