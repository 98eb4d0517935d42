"""Signing in and out, and a person's own account: the password, and where they are signed in.

The sign-in form carries a token that is sealed to a cookie of the same browser, so that nobody can be signed in as
somebody else by another site. A session's cookie holds a random value whose hash is what is stored.
"""

import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from monitor.domain.access import SESSION_LIFETIME, User
from monitor.flow.admit import PasswordRefused, Refused, SignedIn, change_password, sign_in, sign_out
from monitor.web.context import Context
from monitor.web.forms import Fields, UnreadableForm, posted_fields, signed_form
from monitor.web.origin import is_from_our_page, where_of
from monitor.web.pages import Pages
from monitor.web.review_facts import local_time
from monitor.web.visitor import visitor

_READ = ["GET", "HEAD"]
_SIGN_IN = "sign-in"
_WRONG = "That name and password do not belong together. Passwords are case-sensitive."
_NOBODY = "Nobody can sign in yet. `monitor users add NAME` on the monitor's machine adds somebody."


def sign_in_routes(context: Context, pages: Pages) -> APIRouter:
    """Return the routes of the sign-in page and the account page."""
    router, desk = APIRouter(include_in_schema=False), SignInDesk(context, pages)

    @router.api_route("/sign-in", methods=_READ)
    def show(request: Request) -> Response:
        return desk.show(request, next_path(request.query_params.get("next", "/")))

    @router.post("/sign-in")
    async def enter(request: Request) -> Response:
        return await _with_form(request, desk.enter, posted_fields(request), pages)

    @router.post("/sign-out")
    async def leave(request: Request) -> Response:
        return await _with_form(request, desk.leave, signed_form(request, context.signer), pages)

    @router.api_route("/account", methods=_READ)
    def account(request: Request) -> Response:
        is_changed = "changed" in request.query_params
        words = "Your password is changed, and every other browser of yours is signed out." if is_changed else None
        return desk.account(words=words, is_good=is_changed)

    @router.post("/account/password")
    async def password(request: Request) -> Response:
        return await _with_form(request, desk.password, signed_form(request, context.signer), pages)

    @router.post("/account/sessions")
    async def sessions(request: Request) -> Response:
        return await _with_form(request, desk.end_sessions, signed_form(request, context.signer), pages)

    return router


async def _with_form(
    request: Request, act: Callable[[Request, Fields], Response], reading: Awaitable[Fields], pages: Pages
) -> Response:
    try:
        fields = await reading
    except UnreadableForm as unreadable:
        return pages.error(unreadable.status, "Form not accepted", str(unreadable))
    return await run_in_threadpool(act, request, fields)


def next_path(text: str) -> str:
    """Return where to go after signing in: a path of ours, whatever else was asked for."""
    is_ours = text.startswith("/") and not text.startswith(("//", "/\\")) and text.isprintable() and "\\" not in text
    return text if is_ours and len(text) < 500 and not text.startswith("/sign-") else "/"


@dataclass(frozen=True, slots=True)
class SignInDesk:
    """Answers the requests of people who come and go."""

    context: Context
    pages: Pages

    def show(self, request: Request, target: str, *, status: int = 200, words: str | None = None) -> Response:
        """Return the sign-in page."""
        if visitor().user is not None:
            return RedirectResponse(target, 303)
        seed = request.cookies.get(self._form_cookie) or secrets.token_urlsafe(24)
        sealed = self.context.signer.seal(_SIGN_IN, seed)
        with self.context.store.read() as unit:
            is_open = unit.access.has_users()
        page = self.pages.page(
            "web/sign_in.html", status, target=target, form_token=sealed, words=words, nobody="" if is_open else _NOBODY
        )
        page.set_cookie(
            self._form_cookie, seed, path="/", secure=self.context.is_https, httponly=True, samesite="strict"
        )
        return page

    @property
    def _form_cookie(self) -> str:
        return f"{self.context.cookie_name}-form"

    def enter(self, request: Request, fields: Fields) -> Response:
        """Sign somebody in."""
        context, target = self.context, next_path(fields.one("next"))
        seed = request.cookies.get(self._form_cookie, "")
        is_ours = is_from_our_page(request, context.plan.review.public_url, may_be_silent=False)
        if not is_ours or not seed or not context.signer.is_seal(_SIGN_IN, seed, fields.one("form_token")):
            words = "The form had to be loaded afresh, because it was not loaded in this browser. Please try again."
            return self.show(request, target, status=403, words=words)
        name, password = fields.one("name")[:200], fields.one("password")[:1000]
        where = where_of(request, context.proxies)
        answer = sign_in(context.store, context.passwords, context.signer, name, password, where)
        if isinstance(answer, Refused):
            return self._refused(request, target, answer)
        return self._with_session(RedirectResponse(target, 303), answer)

    def _refused(self, request: Request, target: str, answer: Refused) -> Response:
        if answer.until is None:
            return self.show(request, target, status=403, words=_WRONG)
        with self.context.store.read() as unit:
            seconds = max(1, int((answer.until - unit.now).total_seconds()) + 1)
        words = f"There were too many wrong tries. This one was not looked at; try again in {_waits(seconds)}."
        page = self.show(request, target, status=429, words=words)
        page.headers["Retry-After"] = str(seconds)
        return page

    def _with_session(self, answer: Response, opened: SignedIn) -> Response:
        answer.set_cookie(
            self.context.cookie_name,
            opened.secret,
            max_age=int(SESSION_LIFETIME.total_seconds()),
            path="/",
            secure=self.context.is_https,
            httponly=True,
            samesite="lax",  # strict would lose the session on the first click in a mail
        )
        return answer

    def leave(self, request: Request, fields: Fields) -> Response:
        """Sign out and forget the cookie."""
        session = visitor().session
        if session is not None:
            sign_out(self.context.store, session, where_of(request, self.context.proxies))
        answer = RedirectResponse("/sign-in", 303)
        answer.delete_cookie(self.context.cookie_name, path="/", secure=self.context.is_https, httponly=True)
        answer.headers["Clear-Site-Data"] = '"cache"'
        return answer

    def account(self, *, status: int = 200, words: str | None = None, is_good: bool = False) -> Response:
        """Return the page of a person's own account."""
        who = visitor()
        if who.user is None:
            return self._nobody()
        with self.context.store.read() as unit:
            sessions = unit.access.sessions_of(who.user.name)
        zone = self.context.plan.schedule.zone
        shown = [
            {
                "id": each.id,
                "is_this": who.session is not None and each.id == who.session.id,
                "since": local_time(each.created_at, zone),
                "seen": local_time(each.seen_at, zone),
                "from": " · ".join(filter(None, (each.network, each.agent))) or "unknown",
            }
            for each in sessions
        ]
        return self.pages.page(
            "web/account.html", status, here="/account", sessions=shown, words=words, is_good=is_good
        )

    def _nobody(self) -> Response:
        return self.pages.error(404, "No accounts yet", _NOBODY)

    def password(self, request: Request, fields: Fields) -> Response:
        """Change the password of whoever is signed in."""
        who, context = visitor(), self.context
        if who.session is None:
            return self.pages.error(
                403, "Not here", "Your password is kept by what signed you in. Nothing was changed."
            )
        if fields.one("new") != fields.one("again"):
            return self.account(status=422, words="The two new passwords differ. Nothing was changed.")
        where = where_of(request, context.proxies)
        try:
            answer = change_password(
                context.store,
                context.passwords,
                context.signer,
                who.session,
                fields.one("old"),
                fields.one("new"),
                where,
            )
        except PasswordRefused as refused:
            return self.account(status=422, words=str(refused))
        if isinstance(answer, Refused):
            words = "That is not your present password." if answer.until is None else "There were too many wrong tries."
            return self.account(status=403, words=f"{words} Nothing was changed.")
        return self._with_session(RedirectResponse("/account?changed", 303), answer)

    def end_sessions(self, request: Request, fields: Fields) -> Response:
        """End one session of whoever is signed in, or all but this one."""
        who, which = visitor(), fields.one("session")
        user: User | None = who.user
        if user is None:
            return self._nobody()
        with self.context.store.write() as unit:
            if which == "others":
                unit.access.revoke_sessions(user.name, besides=who.session.id if who.session else None)
            else:
                unit.access.revoke_sessions(user.name, only=which)
        return RedirectResponse("/account", 303)


def _waits(seconds: int) -> str:
    return f"{seconds} s" if seconds < 120 else f"{-(-seconds // 60)} minutes"
