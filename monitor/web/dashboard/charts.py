"""Charts for pages: a picture without scripts, or the tables that the browser draws.

A chart's picture and its interactive form come from one specification and one set of tables.
"""

from collections.abc import Callable
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from monitor.domain.picture import HEIGHTS, Chart, Form, Tables, Theme, portfolio_tables, spread_tables, standing_tables
from monitor.ports.charts import ChartFailed, Charts
from monitor.ports.standings import By, Wanted
from monitor.web.context import Context
from monitor.web.dashboard.history import DEFAULT_DAYS, WINDOWS, history, nights
from monitor.web.pages import problem

_READ = ["GET", "HEAD"]
#: Products that a spread is drawn of at most.
_ALL = 100_000
#: Nights that the chart of all products goes back.
_NIGHTS = 120
_NO_CHART = (
    b"<svg xmlns='http://www.w3.org/2000/svg' width='640' height='60' role='img'><text x='10' y='35' "
    b"font-family='sans-serif' font-size='14' fill='#808080'>This chart could not be drawn; its figures are in the "
    b"tables.</text></svg>"
)


def chart_routes(context: Context) -> APIRouter:
    """Return the routes of charts: `/charts/NAME.svg` for pages without scripts, `/charts/NAME.json` for the others."""
    router = APIRouter(include_in_schema=False)

    @router.api_route("/charts/{name}.svg", methods=_READ)
    def picture(name: str, request: Request) -> Response:
        tables = _tables(context, name, request)
        if tables is None or context.charts is None:
            return problem(404, "There is no such chart.")
        return _drawn(context.charts, Chart(name), tables, request.query_params.get("theme", ""))

    @router.api_route("/charts/{name}.json", methods=_READ)
    def data(name: str, request: Request) -> Response:
        tables = _tables(context, name, request)
        return problem(404, "There is no such chart.") if tables is None else JSONResponse(dict(tables))

    return router


def _drawn(charts: Charts, chart: Chart, tables: Tables, theme: str) -> Response:
    ground = Theme.DARK if theme == Theme.DARK else Theme.LIGHT
    try:
        body = charts.draw(chart, tables, Form.SVG, theme=ground, width=860, height=HEIGHTS[chart])
    except ChartFailed:
        return Response(_NO_CHART, 503, media_type="image/svg+xml")
    return Response(body, media_type="image/svg+xml")


def _tables(context: Context, name: str, request: Request) -> Tables | None:
    """Return what a chart shows; None for one that is not there."""
    found = _SOURCES.get(name)
    return None if found is None else found(context, request.query_params)


def _history(context: Context, query: Any) -> Tables | None:
    found = history(context.store, query.get("sku", ""), days_of(query.get("days", "")))
    return None if found is None else found.tables(context.plan.schedule.zone)


def _standing(context: Context, query: Any) -> Tables | None:
    store, sku, days = context.store, query.get("sku", ""), days_of(query.get("days", ""))
    found = nights(store, sku, days)
    return standing_tables(found) if found or history(store, sku, days) is not None else None


def days_of(text: str) -> int:
    """Return the window that a query asks for; the default for anything else."""
    return int(text) if text in {str(days) for days in WINDOWS} else DEFAULT_DAYS


def _portfolio(context: Context, _query: Any) -> Tables:
    with context.store.read() as unit:
        return portfolio_tables(unit.standings.portfolios()[-_NIGHTS:])


def _spread(context: Context, _query: Any) -> Tables:
    with context.store.read() as unit:
        run_id = unit.standings.latest()
        rows = unit.standings.page(run_id, Wanted(by=By.TITLE), limit=_ALL)[0] if run_id else ()
    return spread_tables(rows)


_SOURCES: dict[str, Callable[[Context, Any], Tables | None]] = {
    Chart.HISTORY: _history,
    Chart.STANDING: _standing,
    Chart.PORTFOLIO: _portfolio,
    Chart.SPREAD: _spread,
}
