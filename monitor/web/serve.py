"""Serve the web application of an opened app until the process is asked to stop."""

import signal
from contextlib import suppress

import uvicorn

from monitor.web.app import create_app, server
from monitor.web.context import Context
from monitor.web.shop_prices import ShopPrices
from monitor.wiring import App


def context_of(app: App) -> Context:
    """Return what the web side may reach of an app."""
    return Context(
        store=app.store,
        plan=app.plan,
        signer=app.signer,
        templates=app.templates,
        begin=app.begin,
        api_token=app.settings.secrets.api_token,
        shop_prices=ShopPrices(app.shop, app.clock),
    )


def server_of(app: App, host: str | None = None, port: int | None = None) -> uvicorn.Server:
    """Return the server; address and port are those of `web` in monitor.toml unless they are given."""
    web = app.settings.web
    return server(create_app(context_of(app)), host or web.host, web.port if port is None else port)


def serve(app: App, host: str | None = None, port: int | None = None) -> None:
    """Serve until SIGTERM or SIGINT."""
    until_asked_to_stop(server_of(app, host, port))


def until_asked_to_stop(web: uvicorn.Server) -> None:
    """Run a server until SIGTERM or SIGINT, then return, so that the caller can leave in order.

    When it has shut down, uvicorn raises the signal once more for whoever was there before: by default SIGTERM
    would end the process on the spot, without a checkpoint of the steps under way.
    """
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with suppress(KeyboardInterrupt):
            web.run()
    finally:
        signal.signal(signal.SIGTERM, before)
