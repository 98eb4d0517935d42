"""Serve the web application of an opened app until the process is asked to stop."""

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
    server_of(app, host, port).run()
