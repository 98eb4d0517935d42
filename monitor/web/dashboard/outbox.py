"""What the outbox holds or gave up, and the button that sends it again.

Nobody knows whether a held message arrived, so it leaves again on the word of a person only, who is signed in and may
decide; the bytes are the same.
"""

from dataclasses import dataclass

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from monitor.domain.access import Role
from monitor.domain.message import Carrier, Mail, MailState, carrier_of
from monitor.domain.report.clean import clean
from monitor.flow.post import NotHeld, send_again, stuck
from monitor.ports.store import Store
from monitor.web.context import Context
from monitor.web.forms import UnreadableForm, signed_form
from monitor.web.pages import Pages
from monitor.web.visitor import visitor

_NOUNS = {Carrier.MAIL: "mail", Carrier.NOTIFY: "notice", Carrier.WEBHOOK: "event"}
_WORDS = {
    MailState.UNKNOWN: "may or may not have arrived and is held. Ask the recipient before you send it again.",
    MailState.FAILED: "was not sent and is not tried again.",
}
#: Digits of a number that every database keeps.
_MOST_DIGITS = 18


@dataclass(frozen=True, slots=True)
class Stuck:
    """One message that waits for a person, as words."""

    id: int
    what: str  #: `The mail "…" to anna@acme.example`
    words: str
    error: str


def stuck_lines(store: Store) -> tuple[Stuck, ...]:
    """Return what is stuck, newest first."""
    return tuple(_line(one) for one in stuck(store))


def _line(one: Mail) -> Stuck:
    noun = _NOUNS[carrier_of(one.recipient)]
    what = f"The {noun} “{clean(one.subject, 120)}” to {clean(one.recipient, 120)}"
    return Stuck(one.id, what, _WORDS[one.state], clean(one.error or "", 300))


def outbox_routes(context: Context, pages: Pages) -> APIRouter:
    """Return the route of the button."""
    router = APIRouter(include_in_schema=False)

    @router.post("/mails/{number}/resend")
    async def resend(number: str, request: Request) -> Response:
        who = visitor()
        if who.user is None or not who.may(Role.APPROVER):
            words = "Sending a mail again takes the role of an approver. Nothing was sent."
            return pages.error(403, "Not for you to decide", words)
        try:
            await signed_form(request, context.signer)
        except UnreadableForm as unreadable:
            return pages.error(unreadable.status, "Form not readable", str(unreadable))
        if not (number.isascii() and number.isdecimal() and len(number) <= _MOST_DIGITS):
            return pages.not_found()
        try:
            await run_in_threadpool(send_again, context.store, int(number), by=who.user.name)
        except NotHeld as other:
            return pages.error(409, "Not held", str(other))
        return RedirectResponse("/", 303)

    return router
