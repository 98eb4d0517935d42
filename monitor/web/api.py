"""The JSON API: how far the nights are. What starts something is in `starting` and `checking`.

Money is a decimal string or null, times are ISO 8601 with offset, errors are `{"error": words}`.
The door asks for tokens: reading needs none until somebody can sign in, starting a night always needs one.
"""

from typing import Any

from fastapi import APIRouter
from starlette.responses import JSONResponse, Response

from monitor import __version__
from monitor.domain.lock import writing_of
from monitor.domain.night import coming
from monitor.domain.status import RunStatus, as_json, summary_json
from monitor.errors import MonitorError
from monitor.web.context import Context
from monitor.web.described import answers
from monitor.web.look import RECENT, find_job, recent, run_status
from monitor.web.pages import problem

_UNKNOWN_RUN = "There is no run {run!r}. GET /api/runs lists the ones there are; an id looks like nightly-2026-11-29."


def api_routes(context: Context) -> APIRouter:
    """Return the routes under /api."""
    router = APIRouter(prefix="/api")

    @router.get("/status", summary="Tonight", responses=answers("status", "The newest run and the next night", 503))
    def status() -> Response:
        return JSONResponse(_overview(context))

    @router.get(
        "/runs", summary="The newest runs, newest first", responses=answers("runs", "Runs without their jobs", 422, 503)
    )
    def runs(limit: int = RECENT) -> Response:
        shown = recent(context.store, max(1, min(limit, 100)))
        return JSONResponse({"runs": [summary_json(run) for run in shown]})

    @router.get(
        "/runs/{run_id}", summary="One run with its jobs", responses=answers("run", "The run and its jobs", 404, 503)
    )
    def one_run(run_id: str) -> Response:
        found = run_status(context.store, run_id)
        return _json_or_missing(found, run_id)

    @router.get(
        "/runs/{run_id}/jobs/{competitor}",
        summary="One job with its steps and what it read",
        responses=answers("job", "The job", 404, 503),
    )
    def one_job(run_id: str, competitor: str) -> Response:
        found = find_job(context.store, run_id, "" if competitor == "synthesis" else competitor)
        if found is None:
            return problem(404, f"Run {run_id!r} has no job {competitor!r}; GET /api/runs/{{id}} lists its jobs.")
        return JSONResponse(as_json(found))

    return router


def health_routes(context: Context) -> APIRouter:
    """Return /healthz (the process answers) and /readyz (it reaches its database)."""
    router = APIRouter()

    @router.head("/healthz", include_in_schema=False)
    @router.get("/healthz", summary="The process answers", responses=answers("health", "It does"))
    def healthz() -> Response:
        return JSONResponse({"status": "ok", "version": __version__})

    @router.head("/readyz", include_in_schema=False)
    @router.get(
        "/readyz", summary="The database answers and has its tables", responses=answers("health", "It does", 503)
    )
    def readyz() -> Response:
        try:
            with context.store.read() as unit:
                unit.runs.latest(1)
        except Exception as error:  # whatever it is, the answer is the same
            words = str(error) if isinstance(error, MonitorError) else type(error).__name__
            return JSONResponse({"status": "unavailable", "error": words}, 503)
        return JSONResponse({"status": "ok"})

    return router


def _overview(context: Context) -> dict[str, Any]:
    current = run_status(context.store)
    with context.store.read() as unit:
        now, waiting, stop = unit.now, len(unit.actions.pending()), unit.holds.stop()
    following = next(coming(now, context.plan.schedule))
    return {
        "version": __version__,
        "now": now.isoformat(),
        "run": None if current is None else as_json(current),
        "pending_proposals": waiting,
        "next_night": {"date": following.local_date.isoformat(), "due_at": following.due_at.isoformat()},
        "writes_enabled": context.plan_now.writes.enabled,
        "writing": writing_of(stop, enabled=context.plan_now.writes.enabled).value,
        "stopped": None if stop is None else {"by": stop.by, "reason": stop.reason, "at": stop.at.isoformat()},
    }


def _json_or_missing(found: RunStatus | None, run_id: str) -> Response:
    return problem(404, _UNKNOWN_RUN.format(run=run_id)) if found is None else JSONResponse(as_json(found))
