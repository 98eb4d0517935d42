"""The pages behind a mailed review link: GET shows, POST decides, and the result page can be reloaded for ever.

    GET, HEAD /a/{token}            the proposals; 410 with the outcomes when the link is over
    POST      /a/{token}/decide     303 to the result page; 409 or 410 when a row could not be decided any more
    POST      /a/{token}/fresh      mails a fresh link to the address on record; always the same answer
    GET, HEAD /a/{token}/r/{batch}  what became of one form

GET writes that the link was opened and the number of the form; HEAD writes nothing. Whatever is wrong
with a token gives the same 404.
"""

from dataclasses import dataclass, replace

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from monitor.domain.access import Role
from monitor.domain.action import Actor, Verb
from monitor.domain.review import UNSETTLED, Choice
from monitor.flow.review import Form, answer_form, ask_for_fresh_link
from monitor.ports.review import Link
from monitor.web.context import Context
from monitor.web.forms import Posted, UnreadableForm, posted_form
from monitor.web.origin import agent_of, is_from_our_page, network_of
from monitor.web.pages import Pages
from monitor.web.review_pages import ReviewPages
from monitor.web.sheet import batch_rows, find_link, find_review_link, open_sheet
from monitor.web.visitor import visitor


def review_routes(context: Context, pages: Pages) -> APIRouter:
    """Return the routes of the review pages."""
    router, desk = APIRouter(include_in_schema=False), ReviewDesk(context, pages, ReviewPages(context, pages))

    @router.api_route("/a/{token}", methods=["GET", "HEAD"])
    def show(request: Request, token: str) -> Response:
        return desk.show(token, is_counted=request.method == "GET")

    @router.post("/a/{token}/decide")
    async def decide(request: Request, token: str) -> Response:
        if not is_from_our_page(request, context.plan.review.public_url):
            return desk.from_elsewhere()
        try:
            posted = await posted_form(request, context.plan.schedule.zone)
        except UnreadableForm as unreadable:
            return pages.error(unreadable.status, "Form not readable", str(unreadable))
        sender = (network_of(request, context.proxies), agent_of(request))
        return await run_in_threadpool(desk.decide, token, posted, sender)

    @router.post("/a/{token}/fresh")
    def fresh(request: Request, token: str) -> Response:
        if not is_from_our_page(request, context.plan.review.public_url):
            return desk.from_elsewhere()
        return desk.fresh(token)

    @router.api_route("/a/{token}/r/{batch}", methods=["GET", "HEAD"])
    def result(request: Request, token: str, batch: str) -> Response:
        is_again = "again" in request.query_params
        return desk.result(token, batch, is_counted=request.method == "GET", is_again=is_again)

    return router


@dataclass(frozen=True, slots=True)
class ReviewDesk:
    """Answers the requests of review links."""

    context: Context
    pages: Pages
    shown: ReviewPages

    def from_elsewhere(self) -> Response:
        """Return the answer to a form that another site sent."""
        return self.pages.error(403, "Not from this page", "The form was sent from another site. Nothing was decided.")

    def show(self, token: str, *, is_counted: bool) -> Response:
        """Return the review page."""
        link = find_link(self.context.store, self.context.signer, token)
        if link is None:
            return self.pages.not_found()
        sheet = open_sheet(self.context.store, link)
        if sheet.is_over:
            return self.shown.over(token, sheet)
        return self.shown.review(token, sheet, is_counted=is_counted)

    def decide(self, token: str, posted: Posted, sender: tuple[str | None, str | None]) -> Response:
        """Decide what a form asks for and answer with its result."""
        context = self.context
        link = find_review_link(context.store, context.signer, token)
        if link is None:
            return self.pages.not_found()
        form = Form(posted.nonce, tuple(map(self._with_price_now, posted.choices)), posted.code)
        answer = answer_form(
            context.store,
            context.signer,
            context.plan_now,
            link.id,
            form,
            _actor(link, sender),
            min_age=context.min_form_age,
        )
        if answer.hurdle is not None:
            return self.shown.stopped(token, link, posted, answer)
        is_settled = not any(result.outcome in UNSETTLED for result in answer.results)
        if answer.is_repeat or is_settled:
            again = "?again=1" if answer.is_changed else ""
            return RedirectResponse(f"/a/{token}/r/{answer.batch}{again}", 303)
        return self.shown.again(token, link, answer.results)

    def _with_price_now(self, choice: Choice) -> Choice:
        """Give a choice that proposes afresh what the shop charges, as this side has read it."""
        if choice.verb is not Verb.RENEW or self.context.shop_prices is None:
            return choice
        with self.context.store.read() as unit:
            action = unit.actions.get(choice.action_id)
        shown = action.proposal if action is not None else None
        seen = self.context.shop_prices.known([shown.sku]).get(shown.sku) if shown is not None else None
        if seen is None or seen.money is None or shown is None or seen.money.currency != shown.currency:
            return choice
        return replace(choice, price=str(seen.money.amount))

    def fresh(self, token: str) -> Response:
        """Mail a fresh link, and say the same whatever came of it."""
        context = self.context
        link = find_review_link(context.store, context.signer, token)
        if link is None:
            return self.pages.not_found()
        ask_for_fresh_link(context.store, context.signer, context.plan_now, link, context.renderer.fresh_link)
        words = (
            "If the address that this link was sent to still gets the morning mail, a fresh link is on its way there. "
            "It ends every earlier one. Asking again helps after ten minutes at the earliest."
        )
        return self.pages.error(202, "A fresh link", words)

    def result(self, token: str, batch: str, *, is_counted: bool, is_again: bool = False) -> Response:
        """Return what became of one form, as it is now; `is_again`: it came back with other choices."""
        link = find_review_link(self.context.store, self.context.signer, token)
        found = None if link is None else batch_rows(self.context.store, link, batch)
        if link is None or found is None:
            return self.pages.not_found()
        return self.shown.result(token, link, found, is_counted=is_counted, is_again=is_again)


def _actor(link: Link, sender: tuple[str | None, str | None]) -> Actor:
    """Return who decides: the person who is signed in and may, else the address that the link was sent to."""
    who = visitor()
    if who.user is not None and who.may(Role.APPROVER):
        session = who.session.id if who.session is not None else "proxy"
        return Actor("user", who.user.name, link.id, *sender, session=session)
    return Actor("link", link.recipient, link.id, *sender)
