"""The pages behind a mailed review link: GET shows, POST decides, and the result page can be reloaded for ever.

    GET, HEAD /a/{token}            the proposals; 410 with the outcomes when the link is over
    POST      /a/{token}/decide     303 to the result page; 409 or 410 when a row could not be decided any more
    GET, HEAD /a/{token}/r/{batch}  what became of one form

GET writes that the link was opened and the number of the form; HEAD writes nothing. Whatever is wrong
with a token gives the same 404.
"""

import secrets
from dataclasses import dataclass
from datetime import timedelta

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from monitor.domain.action import Actor
from monitor.domain.plan import CodeRule
from monitor.domain.review import UNSETTLED, Choice, RowOutcome, RowResult
from monitor.flow.review import CODE_LOCK, Form, FormAnswer, Hurdle, answer_form, ends_at
from monitor.ports.review import Link
from monitor.web.context import Context
from monitor.web.forms import Posted, UnreadableForm, posted_form
from monitor.web.origin import agent_of, is_from_our_page, network_of
from monitor.web.pages import Pages
from monitor.web.review_view import ReviewRow, by_stake, local_time, result_row, review_row
from monitor.web.sheet import Sheet, batch_rows, find_link, open_sheet

#: Reasons offered for a rejection; any other text may be written instead.
REASONS = ("Not the same product", "The competitor's price is wrong or old", "We keep our price", "Ask me again later")


def review_routes(context: Context, pages: Pages) -> APIRouter:
    """Return the routes of the review pages."""
    router, desk = APIRouter(include_in_schema=False), ReviewDesk(context, pages)

    @router.api_route("/a/{token}", methods=["GET", "HEAD"])
    def show(request: Request, token: str) -> Response:
        return desk.show(token, is_counted=request.method == "GET")

    @router.post("/a/{token}/decide")
    async def decide(request: Request, token: str) -> Response:
        if not is_from_our_page(request, context.plan.review.public_url):
            return pages.error(403, "Not from this page", "The form was sent from another site. Nothing was decided.")
        try:
            posted = await posted_form(request)
        except UnreadableForm as unreadable:
            return pages.error(unreadable.status, "Form not readable", str(unreadable))
        sender = (network_of(request, context.proxies), agent_of(request))
        return await run_in_threadpool(desk.decide, token, posted, sender)

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

    def show(self, token: str, *, is_counted: bool) -> Response:
        """Return the review page."""
        link = find_link(self.context.store, self.context.signer, token)
        if link is None:
            return self.pages.not_found()
        sheet = open_sheet(self.context.store, link)
        if sheet.is_over:
            return self._over(sheet)
        return self._review(token, sheet, self._nonce(sheet, is_counted=is_counted))

    def decide(self, token: str, posted: Posted, sender: tuple[str | None, str | None]) -> Response:
        """Decide what a form asks for and answer with its result."""
        context = self.context
        link = find_link(context.store, context.signer, token)
        if link is None:
            return self.pages.not_found()
        actor = Actor(kind="link", name=link.recipient, link=link.id, address=sender[0], agent=sender[1])
        form = Form(posted.nonce, posted.choices, posted.code)
        answer = answer_form(
            context.store, context.signer, context.plan, link.id, form, actor, min_age=context.min_form_age
        )
        if answer.hurdle is not None:
            return self._stopped(token, link, posted, answer)
        is_settled = not any(result.outcome in UNSETTLED for result in answer.results)
        if answer.is_repeat or is_settled:
            again = "?again=1" if answer.is_changed else ""
            return RedirectResponse(f"/a/{token}/r/{answer.batch}{again}", 303)
        return self._shown_again(token, link, answer.results)

    def result(self, token: str, batch: str, *, is_counted: bool, is_again: bool = False) -> Response:
        """Return what became of one form, as it is now; `is_again`: it came back with other choices."""
        context = self.context
        link = find_link(context.store, context.signer, token)
        found = None if link is None else batch_rows(context.store, link, batch)
        if link is None or found is None:
            return self.pages.not_found()
        sheet = open_sheet(context.store, link)
        rows = [result_row(result, row, context.plan, sheet.now) for result, row in found]
        return self.pages.page(
            "web/result.html",
            token=token,
            recipient=link.recipient,
            rows=rows,
            nonce=None if sheet.is_over else self._nonce(sheet, is_counted=is_counted),
            may_take_back=not sheet.is_over and any(line.row and line.row.take_back_until for line in rows),
            waiting=0 if sheet.is_over else sum(row.is_open for row in self._rows(sheet)),
            is_dry_run=not context.plan.writes.enabled,
            is_again=is_again,
        )

    def _nonce(self, sheet: Sheet, *, is_counted: bool) -> str:
        """Return the number of a new form; one that is only measured (HEAD) is not stored."""
        nonce = secrets.token_urlsafe(24)
        if is_counted:
            with self.context.store.write() as unit:
                unit.links.seen(sheet.link.id)
                lifetime = max(sheet.link.expires_at - sheet.now, timedelta(0))
                unit.links.issue_nonce(sheet.link.id, self.context.signer.digest(nonce), lifetime)
        return nonce

    def _rows(self, sheet: Sheet, choices: tuple[Choice, ...] = ()) -> list[ReviewRow]:
        prices = self.context.shop_prices
        waiting = [row.action.proposal.sku for row in sheet.rows if row.write is None and not row.decisions]
        seen = prices.known(waiting) if prices is not None else {}
        chosen = {(choice.action_id, choice.content_hash): choice for choice in choices}
        return [
            review_row(
                row,
                self.context.plan,
                sheet.now,
                seen=seen.get(row.action.proposal.sku),
                choice=chosen.get((row.action.id, row.action.content_hash)),
            )
            for row in sorted(sheet.rows, key=by_stake)
        ]

    def _review(
        self,
        token: str,
        sheet: Sheet,
        nonce: str,
        *,
        status: int = 200,
        notice: str | None = None,
        results: tuple[RowResult, ...] = (),
        choices: tuple[Choice, ...] = (),
    ) -> Response:
        plan, rows = self.context.plan, self._rows(sheet, choices)
        titles = {row.action.id: row for row in sheet.rows}
        return self.pages.page(
            "review.html",
            status,
            token=token,
            nonce=nonce,
            recipient=sheet.link.recipient,
            night=sheet.link.run_id,
            valid_until=local_time(ends_at(sheet.link), plan.schedule.zone),
            waiting=[row for row in rows if row.is_open],
            decided=[row for row in rows if not row.is_open],
            results=[result_row(result, titles.get(result.action_id), plan, sheet.now) for result in results],
            notice=notice,
            reasons=REASONS,
            code_rule=plan.review.require_code.value,
            may_need_code=plan.review.require_code is not CodeRule.NEVER,
            large_batch=plan.review.large_batch,
            undo_seconds=int(plan.writes.undo_window.total_seconds()),
            is_dry_run=not plan.writes.enabled,
        )

    def _stopped(self, token: str, link: Link, posted: Posted, answer: FormAnswer) -> Response:
        sheet = open_sheet(self.context.store, link)
        if answer.hurdle is Hurdle.OVER or sheet.is_over or answer.hurdle is None:
            return self._over(sheet)
        status, notice = _HURDLES[answer.hurdle]
        if answer.tries_left is not None:
            notice += f" {answer.tries_left} {'try' if answer.tries_left == 1 else 'tries'} left."
        nonce = self._nonce(sheet, is_counted=True)
        return self._review(token, sheet, nonce, status=status, notice=notice, choices=posted.choices)

    def _shown_again(self, token: str, link: Link, results: tuple[RowResult, ...]) -> Response:
        """Return the page with the new figures, unticked, above them what became of each row of the form."""
        sheet = open_sheet(self.context.store, link)
        outcomes = {result.outcome for result in results if result.outcome in UNSETTLED}
        status = 410 if outcomes == {RowOutcome.EXPIRED} else 409
        notice = "Not every row could be decided. What was decided is recorded; the rest is said here."
        nonce = self._nonce(sheet, is_counted=True)
        return self._review(token, sheet, nonce, status=status, notice=notice, results=results)

    def _over(self, sheet: Sheet) -> Response:
        words = (
            "This link can no longer decide: its time has passed, or a later night has sent a new one. "
            "Nothing was changed. The newest mail has a link that works."
        )
        return self.pages.error(410, "This link is over", words, outcomes=self._rows(sheet))


#: Status and words for each hurdle that shows the page again.
_HURDLES: dict[Hurdle, tuple[int, str]] = {
    Hurdle.NOT_SHOWN: (403, "This page had to be loaded afresh. Nothing was decided; please choose and send again."),
    Hurdle.TOO_QUICK: (
        403,
        "This form came back faster than a person reads it, as programs send it. Nothing was decided; what you "
        "chose is still ticked, so look at it and send again.",
    ),
    Hurdle.NOTHING_CHOSEN: (422, "Nothing was chosen, so nothing was decided. Choose at least one row."),
    Hurdle.CODE_MISSING: (
        403,
        "Nothing was decided yet: among these is a large change, so enter the six digits from the text of the mail.",
    ),
    Hurdle.CODE_WRONG: (403, "That code is not the one in the mail. Nothing was decided."),
    Hurdle.LOCKED: (
        403,
        f"Too many wrong codes. For {int(CODE_LOCK.total_seconds() // 60)} minutes this link decides nothing that "
        "needs a code.",
    ),
}
