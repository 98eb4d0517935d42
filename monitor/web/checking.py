"""POST /api/checks: read one page of a competitor now and answer within a deadline; see `monitor.flow.check`.

{"url": "https://shop.example/p/1"}                  a page, or
{"competitor": "acme", "sku": "A-1"}                 the page of a watch
"deadline_s": 20                                     of everything, 1 to 60 seconds
"""

from datetime import timedelta
from typing import Any

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from monitor.domain.money import amount_text
from monitor.errors import RetryLater
from monitor.flow.check import Checked, Checks, ChecksSpent, NotInTime, NotOurs
from monitor.web.bodies import UnreadableBody, body_of, fields_of, text_of
from monitor.web.context import Context
from monitor.web.described import answers
from monitor.web.pages import problem

DEFAULT_DEADLINE_S, MAX_DEADLINE_S = 20, 60
_FIELDS = ("url", "competitor", "sku", "deadline_s")
_SCHEMA: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {
                        "url": {"type": "string", "maxLength": 2000},
                        "competitor": {"type": "string", "maxLength": 60},
                        "sku": {"type": "string", "maxLength": 200},
                        "deadline_s": {"type": "integer", "minimum": 1, "maximum": MAX_DEADLINE_S},
                    },
                },
                "examples": {
                    "a page": {"value": {"url": "https://acme.example/p/1"}},
                    "a watch": {"value": {"competitor": "acme", "sku": "A-1", "deadline_s": 10}},
                },
            }
        },
    }
}


def checking_routes(context: Context) -> APIRouter:
    """Return the route."""
    router = APIRouter()

    @router.post(
        "/api/checks",
        summary="Read one page of a competitor now; nothing is stored in history",
        responses=answers("check", "What the page says, whatever came of it", 403, 404, 413, 422, 429, 503),
        openapi_extra=_SCHEMA,
        response_class=JSONResponse,
    )
    async def check(request: Request) -> Response:
        try:
            body = await body_of(request)
        except UnreadableBody as refused:
            return problem(413, str(refused))
        return await run_in_threadpool(_answered, context, body)

    return router


def _answered(context: Context, body: bytes) -> Response:
    checks = context.checks
    if checks is None:
        return problem(404, "This process reads no pages. Nothing was asked for.")
    try:
        url, deadline, sku = _asked(checks, body)
        return JSONResponse(checked_json(checks.check(url, deadline, sku=sku)))
    except UnreadableBody as refused:
        return problem(422, str(refused))
    except NotOurs as refused:
        return problem(404, str(refused))
    except ChecksSpent as refused:
        return problem(429, str(refused))
    except NotInTime as late:
        return problem(503, str(late), _retry_after(context, late))


def _asked(checks: Checks, body: bytes) -> tuple[str, timedelta, str | None]:
    fields = fields_of(body, _FIELDS)
    url, competitor, sku = (text_of(fields, name) for name in ("url", "competitor", "sku"))
    seconds = fields.get("deadline_s", DEFAULT_DEADLINE_S)
    if type(seconds) is not int or not 1 <= seconds <= MAX_DEADLINE_S:
        raise UnreadableBody(f"deadline_s is no whole number from 1 to {MAX_DEADLINE_S}. Nothing was asked for.")
    if url is not None and competitor is None and sku is None:
        return url, timedelta(seconds=seconds), None
    if url is None and competitor is not None and sku is not None:
        return checks.watched(competitor, sku), timedelta(seconds=seconds), sku
    raise UnreadableBody("Give a url, or a competitor and a sku, and not both. Nothing was asked for.")


def checked_json(checked: Checked) -> dict[str, Any]:
    """Return a check as the API gives it: money as decimal strings."""
    found = checked.found
    return {
        "url": checked.url,
        "competitor": checked.competitor,
        "sku": checked.sku,
        "outcome": found.outcome.value,
        "reason": found.reason,
        "words": found.words,
        "price": None if found.price is None else amount_text(found.price, found.currency),
        "currency": found.currency,
        "list_price": None if found.list_price is None else amount_text(found.list_price, found.currency),
        "availability": found.availability.value,
        "name": found.name,
        "requests": checked.requests,
        "took_s": checked.took_s,
    }


def _retry_after(context: Context, late: RetryLater) -> dict[str, str]:
    if late.not_before is None:
        return {}
    with context.store.read() as unit:
        return {"Retry-After": str(max(1, int((late.not_before - unit.now).total_seconds()) + 1))}
