"""Readings that are too odd to price with: held, shown, and used once a second look confirms them.

A held reading is stored like any other and feeds no proposal; the price before it feeds none either, since the
shop no longer shows it. It is confirmed when a later night, or a second look hours later in the same one, reads
the same price again, and forgotten when that reads the price before. A real 60 % sale costs one wait; a decimal
slip costs nothing. What can only be a mistake (`PLACEHOLDER`), another product (`VARIANT`) or the whole shop at
once (`SITE_SHIFT`) never confirms itself: a person accepts it, or the shop returns to what it was.

Pure: whoever calls this brings the history; nothing here remembers anything.
"""

from monitor.domain.anomaly.hold import (
    NEVER_CONFIRMED,
    Doubts,
    Held,
    History,
    HoldCode,
    Knowledge,
    WatchKey,
    held_from,
    held_json,
)
from monitor.domain.anomaly.judge import held_among, held_now, judged, lacking, may_be_odd
from monitor.domain.anomaly.shift import Moved, moved_in, shifts

__all__ = [
    "NEVER_CONFIRMED",
    "Doubts",
    "Held",
    "History",
    "HoldCode",
    "Knowledge",
    "Moved",
    "WatchKey",
    "held_among",
    "held_from",
    "held_json",
    "held_now",
    "judged",
    "lacking",
    "may_be_odd",
    "moved_in",
    "shifts",
]
