"""The status pages: tonight, one run, its stored report. Showing them starts nothing, so reload freely."""

from datetime import datetime

from fastapi import APIRouter
from starlette.responses import HTMLResponse, Response

from monitor.domain.access import Role
from monitor.domain.night import coming
from monitor.domain.report.clean import clean
from monitor.domain.report.wording import age
from monitor.domain.status import RunStatus
from monitor.web.context import Context
from monitor.web.dashboard.outbox import stuck_lines
from monitor.web.dashboard.timeline import of_run
from monitor.web.dashboard.writing import writing
from monitor.web.guard import REPORT_POLICY
from monitor.web.look import NOBODY, competitor_names, durability, is_worked_on, nights, processes, run_status
from monitor.web.pages import Pages
from monitor.web.review_facts import local_time
from monitor.web.visitor import visitor

_READ = ["GET", "HEAD"]

#: Seconds after which the page of a run under way loads itself again.
REFRESH_S = 3
_NAME_LIMIT = 60
_MINUTES_FROM_S = 120


def status_routes(context: Context, pages: Pages) -> APIRouter:
    """Return the routes of the status pages."""
    router = APIRouter(include_in_schema=False)

    @router.api_route("/", methods=_READ)
    def tonight() -> Response:
        return _run_page(context, pages, run_status(context.store), is_tonight=True)

    @router.api_route("/runs/{run_id}", methods=_READ)
    def one_run(run_id: str) -> Response:
        status = run_status(context.store, run_id)
        return pages.not_found() if status is None else _run_page(context, pages, status)

    @router.api_route("/runs/{run_id}/report", methods=_READ)
    def report(run_id: str) -> Response:
        with context.store.read() as unit:
            stored = unit.reports.get(run_id)
        if stored is None:
            return pages.not_found()
        return HTMLResponse(stored.html, headers={"Content-Security-Policy": REPORT_POLICY})

    return router


def _run_page(context: Context, pages: Pages, status: RunStatus | None, *, is_tonight: bool = False) -> Response:
    zone = context.plan.schedule.zone
    names = _names(context, status)
    with context.store.read() as unit:
        now = unit.now
    render = pages.charted if status is not None and status.is_open else pages.page
    return render(
        "web/status.html",
        here="/",
        run=status,
        now=local_time(now, zone),
        next_night=local_time(next(coming(now, context.plan.schedule)).due_at, zone),
        refresh_s=REFRESH_S if status is not None and status.is_open else None,
        names=names,
        nights=nights(context.store),
        processes=processes(context.store),
        nobody=NOBODY if status is not None and status.is_open and not is_worked_on(context.store) else None,
        ago=lambda moment: _ago(moment, now),
        durability=durability(context.store),
        timeline=None if status is None else of_run(status, now, names),
        stuck=stuck_lines(context.store) if is_tonight else (),
        writing=writing(context) if is_tonight else None,
        may_decide=visitor().may(Role.APPROVER),
        at=lambda moment: _short(moment, zone),
    )


def _names(context: Context, status: RunStatus | None) -> dict[str, str]:
    found = {} if status is None else competitor_names(context.store, status.run)
    return {key: clean(name, _NAME_LIMIT) for key, name in found.items()}


def _ago(moment: datetime, now: datetime) -> str:
    seconds = max(0, int((now - moment).total_seconds()))
    return f"{seconds} s ago" if seconds < _MINUTES_FROM_S else f"{age(moment, now=now)} ago"


def _short(moment: datetime | None, zone: str) -> str:
    return "" if moment is None else local_time(moment, zone)
