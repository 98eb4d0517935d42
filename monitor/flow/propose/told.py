"""What the checkpoint keeps of a night's decisions: for the report, and for whoever asks about one product later."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from monitor.domain.pricing import GUARDS, Reason
from monitor.flow.propose.found import Found, HeldReading, Stopped

#: Products that one notice about a guard names; the rest is counted.
_MOST_NAMED = 10
#: Products that a checkpoint remembers as stopped by a guard.
_MOST_REMEMBERED = 1000


def told(found: Found) -> dict[str, Any]:
    """Return JSON values: `guards`, `stopped`, `breakers`, `held` and `exceptions`."""
    return {
        "guards": {code.value: count for code in GUARDS if (count := len(_stopped(found, code)))},
        "stopped": _stopped_by_sku(found),
        "breakers": [{"code": one.code.value, "words": one.words} for one in found.tripped],
        "held": [one.as_json for one in found.held],
        "exceptions": [*found.exceptions, *_guard_notices(found), *map(_held_notice, found.held)],
    }


def _stopped(found: Found, code: Reason) -> list[Stopped]:
    return [one for one in found.stopped if one.code is code]


def _stopped_by_sku(found: Found) -> dict[str, dict[str, str]]:
    """Return what the guards stopped, for whoever asks about one product later; bounded, because a checkpoint is."""
    stopped = (one for code in GUARDS for one in _stopped(found, code))
    return {one.sku: {"code": one.code.value, "words": one.words} for one in islice(stopped, _MOST_REMEMBERED)}


def _guard_notices(found: Found) -> Iterator[dict[str, Any]]:
    """Yield what the guards stopped: product by product where that is about the product, else once for all."""
    for code in GUARDS:
        stopped = [] if code is Reason.DO_NOT_TOUCH else _stopped(found, code)
        if len(stopped) == 1 or code in {Reason.EMERGENCY_CAP, Reason.PRICE_WAR, Reason.RIVAL_HELD}:
            yield from ({"sku": one.sku, "words": f"{code.value}: {one.words}"} for one in stopped)
        elif stopped:
            named = ", ".join(one.sku for one in stopped[:_MOST_NAMED])
            more = f" and {len(stopped) - _MOST_NAMED} more" if len(stopped) > _MOST_NAMED else ""
            words = f"{code.value}: {len(stopped)} changes were not proposed ({named}{more}). {stopped[0].words}"
            yield {"sku": None, "words": words}


def _held_notice(one: HeldReading) -> dict[str, Any]:
    held = one.held
    return {"sku": held.sku, "words": f"held, {held.competitor}: {held.code.value}, {held.words}"}
