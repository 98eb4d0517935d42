"""JSON bodies of calls by programs: bounded, and either read whole or refused in words."""

import json
from collections.abc import Collection
from typing import Any

from starlette.requests import Request

from monitor.domain.standard_webhook import NotSigned, signing_keys, verified
from monitor.web.context import Context

#: Largest body of a call that names what to do; the webhook of approvals has its own limit.
MAX_BODY_BYTES = 10_000


class UnreadableBody(ValueError):
    """A body is not of the accepted form; nothing was done."""


async def body_of(request: Request) -> bytes:
    """Return the body as it came. Raises UnreadableBody when it is too large."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MAX_BODY_BYTES:
            raise UnreadableBody(f"The body is larger than {MAX_BODY_BYTES} bytes. Nothing was done.")
    return body


def fields_of(body: bytes, known: Collection[str]) -> dict[str, Any]:
    """Return the fields of a JSON object, none for an empty body. Raises UnreadableBody."""
    if not body.strip():
        return {}
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        raise UnreadableBody("The body is not JSON. Nothing was done.") from None
    if not isinstance(found, dict):
        raise UnreadableBody("The body is not a JSON object. Nothing was done.")
    if strange := sorted(set(found) - set(known)):
        words = f"The body has a field {strange[0][:40]!r}; known are {', '.join(sorted(known))}. Nothing was done."
        raise UnreadableBody(words)
    return found


def text_of(fields: dict[str, Any], name: str, most: int = 2000) -> str | None:
    """Return a field that is a text. Raises UnreadableBody."""
    value = fields.get(name)
    if value is None:
        return None
    if not isinstance(value, str) or not 0 < len(value) <= most or not value.isprintable():
        raise UnreadableBody(f"{name} is no text of 1 to {most} characters. Nothing was done.")
    return value


def signature_problem(context: Context, request: Request, body: bytes, secrets: tuple[str, ...]) -> str | None:
    """Say what is wrong with the signature of a call, None when it is good."""
    with context.store.read() as unit:
        now = unit.now
    try:
        verified(signing_keys(secrets), request.headers, body, now)
    except NotSigned as refused:
        return f"{refused}. Nothing was done."
    return None
