"""Lets requests in: everything needs a person or a token unless it is listed here as open.

    open to everybody   /a/… (the token in the address decides), /static/, /healthz, /readyz, the sign-in page and
                        POST /api/approvals and a signed POST /api/runs, which carry their own signature
    /metrics            open while the web listens on loopback only, else a token with the scope `metrics`
    /api/…              reading: a token with `read`, or a signed-in person; anything else: a token with `runs:trigger`,
                        never a cookie
    everything else     a signed-in person; what changes something also comes from one of our own pages and carries
                        the form token (see `monitor.web.forms.signed_form`)

Until somebody can sign in there is nobody to ask for, so the web listens on loopback only (see `serve`), shows
everything to whoever is on this machine, and changes nothing: no POST is let in but those that are open.
A browser that was led here under another name (DNS rebinding) is turned away.
"""

import hmac
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import quote, urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from monitor.domain.access import Scope as TokenScope
from monitor.domain.access import User
from monitor.errors import StoreUnavailable
from monitor.flow.admit import admitted
from monitor.web.context import Context
from monitor.web.origin import address_of, is_among, is_from_our_page
from monitor.web.pages import Pages, problem, wants_json
from monitor.web.visitor import Visitor, welcome

#: Prefixes and addresses that need nobody.
_OPEN_PREFIXES = ("/a/", "/static/")
_OPEN = frozenset({"/healthz", "/readyz", "/sign-in", "/api/approvals"})
_READS = frozenset({"GET", "HEAD"})

#: What a form's token is sealed for; the text is the session's id.
FORM = "form"


class Door:
    """Wraps the application, inside the guard that adds headers."""

    def __init__(self, app: ASGIApp, context: Context, pages: Pages) -> None:
        """Take the application, what it may reach, and what answers who is not let in."""
        self._app, self._context, self._pages = app, context, pages
        self._asking = Asking(context)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let one request in, or answer it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        try:
            answer = await run_in_threadpool(self._met, request)
        except StoreUnavailable:
            answer = self._pages.unavailable(request)
        if isinstance(answer, Response):
            await answer(scope, receive, send)
            return
        welcome(answer)
        await self._app(scope, receive, send)

    def _met(self, request: Request) -> Visitor | Response:
        path = request.url.path
        who = self._asking.visitor(request)
        if path in _OPEN or path.startswith(_OPEN_PREFIXES) or self._is_signed_start(request):
            return who
        if request.method not in (*_READS, "POST"):
            words = "This address does not answer that kind of request. Nothing was changed."
            answer = self._refusal(request, 405, "Not that way", words)
            answer.headers["Allow"] = "GET, HEAD, POST"
            return answer
        who = Visitor(is_open_house=True) if who.user is None and self._asking.is_open_house() else who
        if who.is_open_house and not self._is_called_by_our_name(request):
            words = "Until somebody can sign in, this answers only under the names of this machine."
            return self._refusal(request, 403, "Not under this name", words)
        if path == "/metrics" and self._context.is_loopback:
            return who
        if path == "/metrics" or wants_json(request):
            return self._program(request, who)
        return self._person(request, who)

    def _is_signed_start(self, request: Request) -> bool:
        """Say whether the route itself will ask for a signature; see `monitor.web.starting`."""
        is_start = request.method == "POST" and request.url.path == "/api/runs"
        return is_start and bool(self._context.runs_secrets) and "webhook-signature" in request.headers

    def _program(self, request: Request, who: Visitor) -> Visitor | Response:
        is_reading = request.method in _READS
        if is_reading and who.may_look:
            return who
        scope = TokenScope.METRICS if request.url.path == "/metrics" else TokenScope.READ
        scope = scope if is_reading else TokenScope.RUNS_TRIGGER
        if self._asking.has_token(request, scope):
            return who
        if not is_reading and not self._asking.can_have_tokens():
            words = (
                "Starting a night over HTTP is off. Set MONITOR_API_TOKEN, or make a token with `monitor tokens add "
                "NAME --scope runs:trigger`, and send it as `Authorization: Bearer …`."
            )
            return problem(403, words)
        words = (
            f"This needs a token with the scope {scope.value}: send it as `Authorization: Bearer …`; "
            f"`monitor tokens add NAME --scope {scope.value}` makes one."
        )
        return problem(401, words, {"WWW-Authenticate": "Bearer"})

    def _person(self, request: Request, who: Visitor) -> Visitor | Response:
        is_reading = request.method in _READS
        if not who.may_look:
            if is_reading:
                target = request.url.path + (f"?{request.url.query}" if request.url.query else "")
                return RedirectResponse(f"/sign-in?next={quote(target, safe='/')}", 303)
            words = "You are not signed in, or your session has ended. Nothing was changed; sign in and send it again."
            return self._refusal(request, 403, "Not signed in", words)
        if is_reading:
            return who
        if who.user is None:
            words = "Nobody can sign in yet, so nothing can be changed here. Add somebody with: monitor users add NAME"
            return self._refusal(request, 403, "Nobody can sign in yet", words)
        if not is_from_our_page(request, self._context.plan.review.public_url, may_be_silent=False):
            words = "The form was not sent from one of our pages. Nothing was changed."
            return self._refusal(request, 403, "Not from this page", words)
        return who

    def _refusal(self, request: Request, status: int, title: str, words: str) -> Response:
        return problem(status, words) if wants_json(request) else self._pages.error(status, title, words)

    def _is_called_by_our_name(self, request: Request) -> bool:
        """Say whether the browser asked for this machine, or for the address that mails name."""
        host = urlsplit(f"//{request.headers.get('host', '')}").hostname or ""
        if host in ("localhost", urlsplit(self._context.plan.review.public_url).hostname):
            return True
        try:
            return ip_address(host).is_loopback
        except ValueError:
            return False


@dataclass(slots=True)
class Asking:
    """Finds out who asks."""

    context: Context
    _somebody_can: bool = False

    def is_open_house(self) -> bool:
        """Say whether nobody can sign in; once somebody could, this process stays closed."""
        if not self._somebody_can:
            with self.context.store.read() as unit:
                self._somebody_can = unit.access.has_users()
        return not self._somebody_can and self.context.is_loopback

    def visitor(self, request: Request) -> Visitor:
        """Return the person behind a cookie, or whom a proxy vouches for; nobody for anything else."""
        secret = request.cookies.get(self.context.cookie_name)
        found = admitted(self.context.store, self.context.signer, secret) if secret else None
        if found is not None:
            session, user = found
            return Visitor(user, session, self.context.signer.seal(FORM, session.id))
        vouched = self._vouched(request)
        return Visitor() if vouched is None else Visitor(vouched, None, self.context.signer.seal(FORM, vouched.name))

    def _vouched(self, request: Request) -> User | None:
        """Return the person whom a trusted proxy names in its header; anybody else's header is not looked at."""
        header, proxies = self.context.user_header, self.context.proxies
        peer = address_of(request)  # the connection itself, whatever is forwarded
        if header is None or peer is None or not is_among(peer, proxies):
            return None
        named = request.headers.getlist(header)
        if len(named) != 1:
            return None
        with self.context.store.read() as unit:
            user = unit.access.user(named[0].strip().lower())
        return user if user is not None and user.disabled_at is None else None

    def can_have_tokens(self) -> bool:
        """Say whether any token could be right."""
        if self.context.api_token:
            return True
        with self.context.store.read() as unit:
            return any(token.revoked_at is None for token in unit.access.tokens())

    def has_token(self, request: Request, scope: TokenScope) -> bool:
        """Say whether a program brought a token with this scope; the one of the environment has every scope."""
        kind, _, given = request.headers.get("authorization", "").partition(" ")
        given = given.strip()
        if kind.lower() != "bearer" or not given:
            return False
        if self.context.api_token and hmac.compare_digest(given.encode(), self.context.api_token.encode()):
            return True
        digest = self.context.signer.digest(given)
        with self.context.store.write() as unit:
            return unit.access.token(digest, scope) is not None
