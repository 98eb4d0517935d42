"""POST /api/runs: begin the night that is due, or a run of one competitor, or return the one there is.

    {"competitor": "acme"}      one competitor; an empty body means the whole night

By a token with `runs:trigger` (the door asks for it) or signed as Standard Webhooks describes it. However often it is
called there is one run per date, and one more per date and competitor asked for alone.
"""

from typing import Any

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from monitor.domain.status import as_json
from monitor.flow.begin import NobodyToVisit, NothingToVisit
from monitor.web.bodies import UnreadableBody, body_of, fields_of, signature_problem, text_of
from monitor.web.context import Context
from monitor.web.described import answers
from monitor.web.look import run_status
from monitor.web.pages import problem

_SCHEMA: dict[str, Any] = {
    "requestBody": {
        "required": False,
        "content": {
            "application/json": {
                "schema": {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {"competitor": {"type": "string", "minLength": 1, "maxLength": 60}},
                },
                "examples": {
                    "one competitor": {"value": {"competitor": "acme"}},
                    "the whole night": {"value": {}},
                },
            }
        },
    }
}


def starting_routes(context: Context) -> APIRouter:
    """Return the route."""
    router = APIRouter()

    @router.post(
        "/api/runs",
        status_code=202,
        summary="Start the night that is due, or one competitor's run, or return the run there is",
        responses=answers("run", "The run, the same every time", 403, 404, 409, 413, 422, 503, status=202),
        openapi_extra=_SCHEMA,
        response_class=JSONResponse,
    )
    async def start(request: Request) -> Response:
        try:
            body = await body_of(request)
        except UnreadableBody as refused:
            return problem(413, str(refused))
        return await run_in_threadpool(_started, context, request, body)

    return router


def _started(context: Context, request: Request, body: bytes) -> Response:
    if context.runs_secrets and "webhook-signature" in request.headers:
        refusal = signature_problem(context, request, body, context.runs_secrets)
        if refusal is not None:
            return problem(401, refusal)
    try:
        competitor = text_of(fields_of(body, ("competitor",)), "competitor", 60)
    except UnreadableBody as refused:
        return problem(422, str(refused))
    return _begun(context, competitor)


def _begun(context: Context, competitor: str | None) -> Response:
    if competitor is not None and context.begin_one is None:
        return problem(404, "This process begins whole nights only. Nothing was begun.")
    try:
        run = (
            context.begin("api")
            if competitor is None or context.begin_one is None
            else context.begin_one("api", competitor)
        )
    except NobodyToVisit as nobody:
        return problem(404, str(nobody))
    except NothingToVisit as nothing:
        return problem(409, str(nothing))
    found = run_status(context.store, run.id)
    body = {"run": run.id} if found is None else as_json(found)
    return JSONResponse(body, 202, {"Location": f"/api/runs/{run.id}"})
