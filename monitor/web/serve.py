"""Serve the web application of an opened app until the process is asked to stop."""

import socket
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from ipaddress import ip_address

import structlog
import uvicorn

from monitor.adapters.passwords import Argon2Passwords
from monitor.web.app import create_app, server
from monitor.web.context import Approver, Context
from monitor.web.listening import CannotListen, taken, url_of
from monitor.web.shop_prices import ShopPrices
from monitor.wiring import App
from monitor.wiring.checks import checks_of
from monitor.wiring.interpreter import rarely_looked_through
from monitor.wiring.leaving import has_been_asked, leaving_on_sigterm

_log = structlog.get_logger("monitor.web")
_LOOPBACK = "127.0.0.1"
#: Between two attempts to have an address that another program has.
_AGAIN_S = 5.0
#: What the page of a mailed link is made of.
REVIEW_TEMPLATES = ("review.html", "web/base.html", "web/rows.html")


def context_of(app: App, *, is_loopback: bool = True) -> Context:
    """Return what the web side may reach of an app."""
    web = app.settings.web
    return Context(
        store=app.store,
        plan=app.plan,
        signer=app.signer,
        templates=app.templates,
        begin=app.begin,
        passwords=Argon2Passwords(),
        renderer=app.renderer,
        api_token=app.settings.secrets.api_token,
        shop_prices=ShopPrices(app.shop, app.clock),
        charts=app.charts,
        settings=app.settings.shown,
        is_loopback=is_loopback,
        proxies=web.trusted_proxies,
        user_header=web.user_header,
        approver=_approver(app),
        begin_one=lambda origin, competitor: app.begin(origin, only=competitor),
        runs_secrets=app.settings.secrets.runs,
        checks=checks_of(app),
        now=app.files.plan,
    )


def _approver(app: App) -> Approver | None:
    hook, secrets = app.settings.approval_webhook, app.settings.secrets.approval
    return Approver(hook.name, secrets, hook.may_approve) if secrets else None


def server_of(app: App, host: str | None = None, port: int | None = None) -> uvicorn.Server:
    """Return the server; address and port are those of `web` in monitor.toml unless they are given.

    Until somebody can sign in it listens on loopback, whatever is configured.
    """
    web = app.settings.web
    bound = _host_of(app, host)
    # Compiling the page of a mailed link takes a third of a second, which its first reader should not wait for.
    threading.Thread(target=app.templates.warm, args=REVIEW_TEMPLATES, name="templates", daemon=True).start()
    context = context_of(app, is_loopback=_is_loopback(bound))
    return server(create_app(context), bound, web.port if port is None else port)


def _host_of(app: App, host: str | None) -> str:
    wanted = host or app.settings.web.host
    if _is_loopback(wanted) or _has_users(app):
        return wanted
    words = "Nobody can sign in yet. Add somebody with `monitor users add NAME`, then start the web again."
    _log.warning("loopback_only", wanted=wanted, listening=_LOOPBACK, words=words)
    return _LOOPBACK


def _has_users(app: App) -> bool:
    with app.store.read() as unit:
        return unit.access.has_users()


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def serve(
    app: App, host: str | None = None, port: int | None = None, *, on_listening: Callable[[str], None] | None = None
) -> None:
    """Serve until SIGTERM or SIGINT.

    Args:
        on_listening: is told the address once it is ours.

    Raises:
        CannotListen: another program has the address, or this machine has not.
    """
    wanted = app.settings.web.port if port is None else port
    bound = _host_of(app, host)
    held = taken(bound, wanted)
    if on_listening is not None:
        on_listening(url_of(held))
    web = server_of(app, bound, wanted)
    look_again = rarely_looked_through()
    try:
        until_asked_to_stop(web, held)
    finally:
        look_again()


def serve_beside(app: App, *, on_listening: Callable[[str], None], on_refused: Callable[[str], None]) -> None:
    """Serve beside other work until SIGTERM or SIGINT, which the web must not end: nights go on without a page.

    While its address cannot be had it is asked for again and again.

    Args:
        on_listening: is told the address once it is ours.
        on_refused: is told once, and not at each attempt, why there is no page.
    """
    told = ""
    with suppress(KeyboardInterrupt), leaving_on_sigterm():
        while not has_been_asked():
            try:
                serve(app, on_listening=on_listening)
                return
            except CannotListen as refused:
                if str(refused) != told:
                    told = str(refused)
                    _log.error("web_cannot_listen", host=refused.host, port=refused.port)
                    on_refused(told)
            time.sleep(_AGAIN_S)


def until_asked_to_stop(web: uvicorn.Server, held: Sequence[socket.socket]) -> None:
    """Run a server on sockets until SIGTERM or SIGINT, then return, so that the caller can leave in order.

    When it has shut down, uvicorn raises the signal once more for whoever was there before: by default SIGTERM
    would end the process on the spot, without a checkpoint of the steps under way.
    """
    with suppress(KeyboardInterrupt), leaving_on_sigterm():
        web.run(list(held))
