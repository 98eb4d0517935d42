"""The addresses under which a signed-in person decides: the queue and the matches."""

from typing import Any

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from monitor.domain.access import Role
from monitor.domain.review import UNSETTLED, Choice
from monitor.web.context import Context
from monitor.web.dashboard.matches import STATES, decide_matches, matching
from monitor.web.dashboard.products import product_path
from monitor.web.dashboard.queue import DIRECTIONS, Narrowed, decide_chosen, narrowed_of, queue
from monitor.web.dashboard.writing import writing
from monitor.web.forms import UnreadableForm, choices_of, signed_form
from monitor.web.pages import Pages
from monitor.web.review_view import result_row
from monitor.web.sheet import SheetRow
from monitor.web.visitor import visitor


def queue_routes(context: Context, pages: Pages) -> APIRouter:
    """Return the routes of the queue and of the matches."""
    router = APIRouter(include_in_schema=False)
    zone = context.plan.schedule.zone

    @router.api_route("/queue", methods=["GET", "HEAD"])
    def waiting_queue(request: Request) -> Response:
        return _queue_page(context, pages, narrowed_of(request.query_params))

    @router.post("/queue")
    async def decide_queue(request: Request) -> Response:
        if not visitor().may(Role.APPROVER):
            return pages.error(403, "Not for you to decide", "Deciding takes the role of an approver. Nothing changed.")
        try:
            choices = choices_of(await signed_form(request, context.signer), zone)
        except UnreadableForm as unreadable:
            return pages.error(unreadable.status, "Form not readable", str(unreadable))
        return await run_in_threadpool(_decided_page, context, pages, request, choices)

    @router.api_route("/matches", methods=["GET", "HEAD"])
    def matches(request: Request) -> Response:
        return _matches_page(context, pages, request)

    @router.post("/matches")
    async def decide_matching(request: Request) -> Response:
        who = visitor()
        if who.user is None or not who.may(Role.APPROVER):
            return pages.error(403, "Not for you to decide", "Deciding takes the role of an approver. Nothing changed.")
        try:
            form = await signed_form(request, context.signer)
            done, refused = await run_in_threadpool(decide_matches, context.store, form, who.user.name)
        except UnreadableForm as unreadable:
            return pages.error(unreadable.status, "Form not readable", str(unreadable))
        return await run_in_threadpool(_matches_page, context, pages, request, done, refused)

    return router


def _matches_page(
    context: Context, pages: Pages, request: Request, done: tuple[str, ...] = (), refused: tuple[str, ...] = ()
) -> Response:
    found = matching(context.store, request.query_params)
    return pages.page("web/matches.html", here="/matches", found=found, states=STATES, done=done, refused=refused)


def _queue_page(
    context: Context, pages: Pages, narrowed: Narrowed, *, chosen: tuple[Choice, ...] = (), **values: Any
) -> Response:
    given = {"results": (), "notice": None} | values
    return pages.charted(
        "web/queue.html",
        here="/queue",
        found=queue(context, narrowed, chosen),
        directions=DIRECTIONS,
        product_path=product_path,
        writing=writing(context),
        undo_seconds=int(context.plan_now.writes.undo_window.total_seconds()),
        **given,
    )


def _decided_page(context: Context, pages: Pages, request: Request, choices: tuple[Choice, ...]) -> Response:
    narrowed = narrowed_of(request.query_params)
    if not choices:
        return _queue_page(context, pages, narrowed, notice="Nothing was chosen, so nothing was decided.")
    found = decide_chosen(context, request, choices)
    with context.store.read() as unit:
        now = unit.now
        rows = {one.action_id: unit.actions.get(one.action_id) for one in found}
    lines = []
    for one in found:
        action = rows[one.action_id]
        row = None if action is None else SheetRow(action, (), None)
        lines.append(result_row(one, row, context.plan_now, now))
    open_choices = tuple(choice for choice, one in zip(choices, found, strict=True) if one.outcome in UNSETTLED)
    return _queue_page(context, pages, narrowed, results=tuple(lines), chosen=open_choices)
