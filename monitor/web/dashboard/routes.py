"""The addresses of the dashboard. None of them changes anything, so reload freely."""

from itertools import groupby
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from monitor.domain.report.clean import clean
from monitor.web.context import Context
from monitor.web.dashboard.charts import chart_routes, days_of
from monitor.web.dashboard.competitors import shop_page, shops
from monitor.web.dashboard.deciding import queue_routes
from monitor.web.dashboard.events import events_of
from monitor.web.dashboard.executions import SHOWN, executions
from monitor.web.dashboard.history import DEFAULT_DAYS, MAX_DAYS, WINDOWS, dossier, history_by_night, history_json
from monitor.web.dashboard.known import known
from monitor.web.dashboard.learnt import learnt_of, set_platform
from monitor.web.dashboard.outbox import outbox_routes
from monitor.web.dashboard.products import (
    SORTS,
    ZONES,
    actions_of,
    facts_of,
    listed,
    offers_of,
    product_path,
    reading_of,
    reason_words,
    waiting,
    wanted_of,
)
from monitor.web.dashboard.record import record_routes
from monitor.web.dashboard.timeline import of_steps
from monitor.web.dashboard.writing import writing
from monitor.web.described import answers, events_answers
from monitor.web.look import find_job, run_status
from monitor.web.pages import Pages, problem
from monitor.web.review_facts import local_time

_READ = ["GET", "HEAD"]


def dashboard_routes(context: Context, pages: Pages) -> APIRouter:
    """Return every route of the dashboard."""
    router = APIRouter()
    router.include_router(_product_routes(context, pages))
    router.include_router(_competitor_routes(context, pages))
    router.include_router(_standing_routes(context, pages))
    router.include_router(record_routes(context, pages))
    router.include_router(queue_routes(context, pages))
    router.include_router(outbox_routes(context, pages))
    router.include_router(chart_routes(context))
    router.include_router(_api_routes(context))
    return router


def _product_routes(context: Context, pages: Pages) -> APIRouter:
    router = APIRouter(include_in_schema=False)
    zone = context.plan.schedule.zone

    @router.api_route("/products", methods=_READ)
    def products(request: Request) -> Response:
        found = listed(context.store, *wanted_of(request.query_params))
        words = {"zones": ZONES, "sorts": SORTS, "reason_words": reason_words}
        return pages.charted("web/products.html", here="/products", found=found, **words)

    @router.api_route("/products/{sku:path}", methods=_READ)
    def product(sku: str, request: Request) -> Response:
        found = dossier(context.store, sku, days_of(request.query_params.get("days", "")))
        if found is None:
            return pages.not_found()
        return pages.charted(
            "web/product.html",
            here="/products",
            found=found.history,
            facts=facts_of(found.history, context.plan.schedule.zone),
            offers=offers_of(found),
            actions=tuple(actions_of(found)),
            waiting=waiting(found),
            windows=WINDOWS,
            path=product_path(sku),
            at=lambda moment: local_time(moment, zone),
        )

    return router


def _competitor_routes(context: Context, pages: Pages) -> APIRouter:
    router = APIRouter(include_in_schema=False)

    @router.api_route("/competitors", methods=_READ)
    def competitors() -> Response:
        return pages.page("web/competitors.html", here="/competitors", shops=shops(context.store))

    @router.api_route("/competitors/{key}", methods=_READ)
    def competitor(key: str) -> Response:
        found = shop_page(context.store, key)
        if found is None:
            return pages.not_found()
        return pages.page("web/competitor.html", here="/competitors", found=found)

    @router.api_route("/runs/{run_id}/jobs/{key}", methods=_READ)
    def job(run_id: str, key: str) -> Response:
        return _job_page(context, pages, run_id, key)

    return router


def _job_page(context: Context, pages: Pages, run_id: str, key: str) -> Response:
    found = find_job(context.store, run_id, "" if key == "synthesis" else key)
    if found is None:
        return pages.not_found()
    with context.store.read() as unit:
        now, context_of_night = unit.now, known(unit)
    shop = context_of_night.competitor(key)
    return pages.page(
        "web/job.html",
        here="/",
        job=found,
        name=context_of_night.names.get(key, clean(key, 60)),
        learnt=learnt_of(found.facts, set_platform(shop), key) if found.job.competitor else None,
        steps=of_steps(found.plan, now),
        readings=[reading_of(one) for one in found.observations],
        at=lambda moment: local_time(moment, context.plan.schedule.zone),
    )


def _standing_routes(context: Context, pages: Pages) -> APIRouter:
    router = APIRouter(include_in_schema=False)

    @router.api_route("/executions", methods=_READ)
    def executed(request: Request) -> Response:
        found = executions(context.store, request.query_params, context.plan.schedule.zone)
        return pages.page("web/executions.html", here="/executions", found=found, shown=SHOWN, writing=writing(context))

    @router.api_route("/settings", methods=_READ)
    def settings() -> Response:
        sections = {key: tuple(rows) for key, rows in groupby(context.settings, key=lambda one: one.section)}
        return pages.page("web/settings.html", here="/settings", sections=sections, writing=writing(context))

    return router


def _api_routes(context: Context) -> APIRouter:
    router = APIRouter(prefix="/api")

    @router.get(
        "/runs/{run_id}/events",
        summary="Progress of one run as server-sent events",
        responses=events_answers(),
        response_class=StreamingResponse,
    )
    def run_events(run_id: str) -> Response:
        if run_status(context.store, run_id) is None:
            return problem(404, f"There is no run {run_id!r}. GET /api/runs lists the ones there are.")
        return StreamingResponse(events_of(context.store, run_id), media_type="text/event-stream")

    @router.get(
        "/products/{sku:path}/history",
        summary="The price history of one product",
        responses=answers("history", "Offers, our changes and where we stood, night by night", 404, 422, 503),
    )
    def product_history(sku: str, days: Annotated[int, Query(ge=1, le=MAX_DAYS)] = DEFAULT_DAYS) -> Response:
        found = history_by_night(context.store, sku, days)
        if found is None:
            return problem(404, f"Nothing is known of a product {sku!r}; its SKU is that of the catalogue.")
        return JSONResponse(history_json(*found))

    return router
