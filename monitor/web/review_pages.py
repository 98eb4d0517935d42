"""Renders what is behind a review link. A page of many rows is sent row by row, so that its head is there at once."""

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta

from starlette.responses import Response

from monitor.domain.access import Role
from monitor.domain.plan import CodeRule
from monitor.domain.review import Choice, RowOutcome, RowResult, second_look
from monitor.flow.review import CODE_LOCK, VIEW, FormAnswer, Hurdle, ends_at
from monitor.ports.review import Link
from monitor.web.context import Context
from monitor.web.dashboard.writing import writing
from monitor.web.forms import Posted
from monitor.web.pages import Pages
from monitor.web.review_facts import local_time
from monitor.web.review_view import ReviewRow, by_stake, is_open, result_row, review_row
from monitor.web.sheet import Sheet, SheetRow, open_sheet, shared_link
from monitor.web.shop_prices import SeenPrice
from monitor.web.visitor import visitor

#: Reasons offered for a rejection; any other text may be written instead.
REASONS = ("Not the same product", "The competitor's price is wrong or old", "We keep our price", "Ask me again later")


@dataclass(frozen=True, slots=True)
class ReviewPages:
    """Makes the answers of review links from what is stored."""

    context: Context
    pages: Pages

    def review(
        self,
        token: str,
        sheet: Sheet,
        *,
        is_counted: bool = True,
        status: int = 200,
        notice: str | None = None,
        results: tuple[RowResult, ...] = (),
        choices: tuple[Choice, ...] = (),
    ) -> Response:
        """Return the page with what waits and what is settled; a link to share has no form."""
        plan, link = self.context.plan_now, sheet.link
        may_decide = link.purpose != VIEW
        rows = sorted(sheet.rows, key=by_stake)
        waiting = [row for row in rows if is_open(row, sheet.now)]
        settled = [row for row in rows if not is_open(row, sheet.now)]
        titles = {row.action.id: row for row in sheet.rows}
        seen = self._seen(waiting)
        return self.pages.stream(
            "review.html",
            status,
            token=token,
            nonce=self._nonce(sheet, is_counted=is_counted) if may_decide else "",
            recipient=link.recipient,
            night=link.run_id,
            valid_until=local_time(ends_at(link), plan.schedule.zone),
            may_decide=may_decide,
            signed_in=visitor().user.name if visitor().may(Role.APPROVER) else None,  # type: ignore[union-attr]  # may() looked
            shared=self._shared(sheet) if may_decide else None,
            count=len(waiting),
            at_once=sum(not second_look(row.action) for row in waiting),
            waiting=self._each(waiting, sheet, seen, choices),
            settled_count=len(settled),
            decided=self._each(settled, sheet, {}, ()),
            results=[result_row(result, titles.get(result.action_id), plan, sheet.now) for result in results],
            notice=notice,
            reasons=REASONS,
            code_rule=plan.review.require_code.value,
            may_need_code=plan.review.require_code is not CodeRule.NEVER and not visitor().may(Role.APPROVER),
            large_batch=plan.review.large_batch,
            undo_seconds=int(plan.writes.undo_window.total_seconds()),
            writing=writing(self.context),
        )

    def _each(
        self, rows: Sequence[SheetRow], sheet: Sheet, seen: dict[str, SeenPrice], choices: tuple[Choice, ...]
    ) -> Iterator[ReviewRow]:
        """Yield the rows one by one, while the page is being sent."""
        chosen = {(choice.action_id, choice.content_hash): choice for choice in choices}
        for row in rows:
            key = (row.action.id, row.action.content_hash)
            price = seen.get(row.action.proposal.sku)
            yield review_row(row, self.context.plan_now, sheet.now, seen=price, choice=chosen.get(key))

    def _seen(self, rows: Sequence[SheetRow]) -> dict[str, SeenPrice]:
        prices = self.context.shop_prices
        waiting = [row.action.proposal.sku for row in rows if row.write is None and not row.decisions]
        return prices.known(waiting) if prices is not None else {}

    def _shared(self, sheet: Sheet) -> str | None:
        """Return the address of the link that only shows, when the night has one."""
        link = shared_link(self.context.store, sheet.link)
        if link is None:
            return None
        return f"{self.context.plan.review.public_url.rstrip('/')}/a/{self.context.signer.sign(link.id, VIEW)}"

    def _nonce(self, sheet: Sheet, *, is_counted: bool) -> str:
        """Return the number of a new form; one that is only measured (HEAD) is not stored."""
        nonce = secrets.token_urlsafe(24)
        if is_counted:
            with self.context.store.write() as unit:
                unit.links.seen(sheet.link.id)
                lifetime = max(sheet.link.expires_at - sheet.now, timedelta(0))
                unit.links.issue_nonce(sheet.link.id, self.context.signer.digest(nonce), lifetime)
        return nonce

    def result(
        self,
        token: str,
        link: Link,
        found: Sequence[tuple[RowResult, SheetRow | None]],
        *,
        is_counted: bool,
        is_again: bool,
    ) -> Response:
        """Return what became of the rows of one form."""
        sheet = open_sheet(self.context.store, link)
        rows = [result_row(result, row, self.context.plan_now, sheet.now) for result, row in found]
        return self.pages.page(
            "web/result.html",
            token=token,
            recipient=link.recipient,
            rows=rows,
            nonce=None if sheet.is_over else self._nonce(sheet, is_counted=is_counted),
            may_act=not sheet.is_over and any(line.row and line.row.may_be_undone for line in rows),
            waiting=0 if sheet.is_over else sum(is_open(row, sheet.now) for row in sheet.rows),
            writing=writing(self.context),
            is_again=is_again,
        )

    def stopped(self, token: str, link: Link, posted: Posted, answer: FormAnswer) -> Response:
        """Return the page again with what stopped the form, and what was chosen still chosen."""
        sheet = open_sheet(self.context.store, link)
        if answer.hurdle is Hurdle.OVER or sheet.is_over or answer.hurdle is None:
            return self.over(token, sheet)
        status, notice = _HURDLES[answer.hurdle]
        if answer.words:
            notice = f"{notice} {answer.words}."
        if answer.tries_left is not None:
            notice += f" {answer.tries_left} {'try' if answer.tries_left == 1 else 'tries'} left."
        return self.review(token, sheet, status=status, notice=notice, choices=posted.choices)

    def again(self, token: str, link: Link, results: tuple[RowResult, ...]) -> Response:
        """Return the page with the new figures, unticked, above them what became of each row of the form."""
        sheet = open_sheet(self.context.store, link)
        outcomes = {result.outcome for result in results if result.outcome in (RowOutcome.EXPIRED, *_REFUSED)}
        status = 410 if outcomes == {RowOutcome.EXPIRED} else 409
        notice = "Not every row could be decided. What was decided is recorded; the rest is said here."
        return self.review(token, sheet, status=status, notice=notice, results=results)

    def over(self, token: str, sheet: Sheet) -> Response:
        """Return the page of a link that decides no more."""
        words = (
            "This link can no longer decide: its time has passed, or a newer one was sent. "
            "Nothing was changed. The newest mail has a link that works."
        )
        rows = list(self._each(sorted(sheet.rows, key=by_stake), sheet, {}, ()))
        fresh = f"/a/{token}/fresh" if sheet.link.purpose != VIEW else None
        return self.pages.error(410, "This link is over", words, outcomes=rows, fresh=fresh)


_REFUSED = (RowOutcome.STALE, RowOutcome.REFUSED)

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
        "Nothing was decided yet: what you chose asks for the code, so enter the six digits from the text of the mail.",
    ),
    Hurdle.CODE_WRONG: (403, "That code is not the one in the mail. Nothing was decided."),
    Hurdle.LOCKED: (
        403,
        f"Too many wrong codes. For {int(CODE_LOCK.total_seconds() // 60)} minutes this link decides nothing that "
        "needs a code.",
    ),
    Hurdle.BAD_ENTRY: (422, "Nothing was decided; what you chose is kept below. Please correct this:"),
}
