"""Progress of a run as server-sent events: one when something changed, one at its end.

    event: progress   data: the run as GET /api/runs lists it
    event: end        data: the same, when the run has ended

A stream ends by itself after ten minutes; the browser opens it again. Each costs a short query a second.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator

from starlette.concurrency import run_in_threadpool

from monitor.domain.status import RunStatus, summary_json
from monitor.errors import StoreUnavailable
from monitor.ports.store import Store
from monitor.web.look import run_status

_PAUSE_S = 1.0
_ALIVE_S = 15.0
_LONGEST_S = 600.0


async def events_of(store: Store, run_id: str, *, pause_s: float = _PAUSE_S) -> AsyncIterator[str]:
    """Yield the events of one run until it ends; a comment now and then keeps proxies from closing the stream."""
    began, said_at, last = time.monotonic(), 0.0, ""
    while time.monotonic() - began < _LONGEST_S:
        try:
            found = await run_in_threadpool(run_status, store, run_id)
        except StoreUnavailable:
            return
        if found is None:
            return
        now = json.dumps(summary_json(found) | {"steps": sum(job.steps for job in found.jobs)}, sort_keys=True)
        if now != last:
            yield _event(found, now)
            last, said_at = now, time.monotonic()
        elif time.monotonic() - said_at > _ALIVE_S:
            yield ": still here\n\n"
            said_at = time.monotonic()
        if not found.is_open:
            return
        await asyncio.sleep(pause_s)


def _event(found: RunStatus, text: str) -> str:
    return f"event: {'progress' if found.is_open else 'end'}\ndata: {text}\n\n"
