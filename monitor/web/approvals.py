"""POST /api/approvals: a program decides by a signed call, in its own name, through the same function as a person.

    {"decisions": [{"action": "nightly-2026-11-29:shop:A-1", "version": 1, "decision": "approve"}]}

`action` is the key or the number of an action, `version` what was seen of it; `decision` is approve, reject, snooze or
cancel, with `price` (approve), `until` (snooze) and `reason` where they make sense. Whether approving is allowed is a
setting. A repeat gets 200 and the same body, another decision 409.
"""

import json
from datetime import datetime
from typing import Any

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from monitor.domain.action import Actor, Verb
from monitor.domain.report.clean import clean
from monitor.domain.review import MAX_REASON
from monitor.domain.standard_webhook import NotSigned, signing_keys, verified
from monitor.flow.review import Asked, Call, answer_call
from monitor.web.context import Context
from monitor.web.origin import agent_of, network_of
from monitor.web.pages import problem

#: Largest body and most decisions of one call.
MAX_BODY_BYTES = 200_000
MAX_DECISIONS = 1000
_VERBS = {verb.value: verb for verb in (Verb.APPROVE, Verb.REJECT, Verb.SNOOZE, Verb.CANCEL)}
_FIELDS = {"action", "version", "decision", "price", "reason", "until"}
_LARGEST = 10**9

_EXAMPLE = {"decisions": [{"action": "nightly-2026-11-29:shop:A-1", "version": 1, "decision": "approve"}]}
_TOLD = {
    "action": "nightly-2026-11-29:shop:A-1",
    "id": 12,
    "version": 1,
    "decision": "approve",
    "by": "approval webhook",
    "at": "2026-11-29T06:43:51+00:00",
    "sku": "A-1",
    "currency": "EUR",
    "old_price": "27.90",
    "new_price": "24.90",
}


class UnreadableCall(ValueError):
    """The body of a call is not of the accepted form; nothing was decided."""


def _described() -> dict[str, Any]:
    decision = {
        "type": "object",
        "required": ["action", "version", "decision"],
        "additionalProperties": False,
        "properties": {
            "action": {"oneOf": [{"type": "string"}, {"type": "integer", "minimum": 1}]},
            "version": {"type": "integer", "minimum": 1},
            "decision": {"enum": sorted(_VERBS)},
            "price": {"type": "string", "description": "with approve: another price, such as 24.50"},
            "reason": {"type": "string", "maxLength": MAX_REASON},
            "until": {"type": "string", "format": "date-time", "description": "with snooze"},
        },
    }
    schema = {
        "type": "object",
        "required": ["decisions"],
        "additionalProperties": False,
        "properties": {"decisions": {"type": "array", "minItems": 1, "maxItems": MAX_DECISIONS, "items": decision}},
    }
    headers = [
        {"name": name, "in": "header", "required": True, "schema": {"type": "string"}, "description": words}
        for name, words in (
            ("webhook-id", "the same on every try"),
            ("webhook-timestamp", "seconds since 1970"),
            ("webhook-signature", "v1, and the base64 of HMAC-SHA-256 over id.timestamp.body"),
        )
    ]
    return {
        "parameters": headers,
        "requestBody": {"required": True, "content": {"application/json": {"schema": schema, "example": _EXAMPLE}}},
    }


def _answers() -> dict[int | str, dict[str, Any]]:
    error = {"application/json": {"example": {"error": "words"}}}
    return {
        200: {
            "description": "Decided, or decided so before",
            "content": {"application/json": {"example": {"results": [_TOLD]}}},
        },
        401: {"description": "Not signed with a key that is known here", "content": error},
        403: {"description": "This program may not approve", "content": error},
        404: {"description": "No webhook is set up, or there is no such action", "content": error},
        409: {"description": "Decided otherwise before, or the figures changed", "content": error},
        410: {"description": "Past its time", "content": error},
        413: {"description": "Too large", "content": error},
        422: {"description": "Not of the accepted form, or cannot be done", "content": error},
    }


def approval_routes(context: Context) -> APIRouter:
    """Return the route of the webhook."""
    router = APIRouter()

    @router.post(
        "/api/approvals",
        summary="Decide by a signed call",
        responses=_answers(),
        openapi_extra=_described(),
        response_class=JSONResponse,
    )
    async def approvals(request: Request) -> Response:
        body = b""
        async for part in request.stream():
            body += part
            if len(body) > MAX_BODY_BYTES:
                return problem(413, f"The body is larger than {MAX_BODY_BYTES} bytes. Nothing was decided.")
        return await run_in_threadpool(_answered, context, request, body)

    return router


def _answered(context: Context, request: Request, body: bytes) -> Response:
    approver = context.approver
    if approver is None or not approver.secrets:
        return problem(404, "No approval webhook is set up. Set MONITOR_APPROVAL_SECRET to a key of its sender.")
    with context.store.read() as unit:
        now = unit.now
    try:
        call_id = verified(signing_keys(approver.secrets), request.headers, body, now)
    except NotSigned as refused:
        return problem(401, f"The call is not signed as it must be: {refused}. Nothing was decided.")
    try:
        call = Call(call_id, read_call(body))
    except UnreadableCall as unreadable:
        return problem(422, f"The call could not be read: {unreadable}. Nothing was decided.")
    if not approver.may_approve and any(asked.verb is Verb.APPROVE for asked in call.asked):
        words = f"{approver.name!r} may reject, put off and take back, but not approve. Nothing was decided."
        return problem(403, f"{words} Set approval_webhook.may_approve in monitor.toml if it is meant to.")
    actor = Actor("webhook", approver.name, None, network_of(request, context.proxies), agent_of(request))
    answer = answer_call(context.store, context.plan_now, actor, call)
    return JSONResponse(answer.body, answer.status)


def read_call(body: bytes) -> tuple[Asked, ...]:
    """Read what a call asks for.

    Raises:
        UnreadableCall: with what is wrong and where.
    """
    try:
        given = json.loads(body, parse_constant=_no_number, object_pairs_hook=_once)
    except UnreadableCall:
        raise
    except (ValueError, RecursionError):
        raise UnreadableCall("the body is no JSON") from None
    asked = given.get("decisions") if isinstance(given, dict) and set(given) == {"decisions"} else None
    if not isinstance(asked, list) or not 0 < len(asked) <= MAX_DECISIONS:
        raise UnreadableCall(f'write {{"decisions": [...]}} with 1 to {MAX_DECISIONS} of them')
    return tuple(_asked(one, f"decisions[{place}]") for place, one in enumerate(asked))


def _no_number(word: str) -> None:
    raise ValueError(word)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a name that stands twice: programs differ in which of the two they take, and one may be a yes."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise UnreadableCall("a name stands twice in one object")
    return found


def _asked(given: Any, where: str) -> Asked:
    if not isinstance(given, dict) or not {"action", "version", "decision"} <= set(given) <= _FIELDS:
        raise UnreadableCall(f"{where} needs action, version and decision, and may have price, reason, until")
    action, version = given["action"], given["version"]
    is_number = type(action) is int and 0 < action < _LARGEST
    if not is_number and not (isinstance(action, str) and 0 < len(action) <= 500 and action.isprintable()):
        raise UnreadableCall(f"{where}.action is neither the key nor the number of an action")
    if type(version) is not int or not 0 < version < _LARGEST:
        raise UnreadableCall(f"{where}.version is no whole number from 1")
    if not isinstance(given["decision"], str) or given["decision"] not in _VERBS:
        raise UnreadableCall(f"{where}.decision is not one of {', '.join(sorted(_VERBS))}")
    verb = _VERBS[given["decision"]]
    return Asked(
        action,
        version,
        verb,
        price=_text(given, "price", where) if verb is Verb.APPROVE else None,
        reason=clean(_text(given, "reason", where) or "", MAX_REASON) or None,
        until=_instant(_text(given, "until", where), where) if verb is Verb.SNOOZE else None,
    )


def _text(given: dict[str, Any], name: str, where: str) -> str | None:
    value = given.get(name)
    if value is not None and not (isinstance(value, str) and len(value) <= 1000 and value.isprintable()):
        raise UnreadableCall(f"{where}.{name} is no text of one line in quotes")
    return value


def _instant(text: str | None, where: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text or "")
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise UnreadableCall(f"{where}.until is no time with an offset, such as 2026-12-05T00:00:00+01:00")
    return moment
