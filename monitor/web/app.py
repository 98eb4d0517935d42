"""Builds the web application from its context, and the server that runs it."""

import secrets

import uvicorn
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from monitor import __version__
from monitor.errors import StoreUnavailable
from monitor.web.api import api_routes, health_routes
from monitor.web.approvals import approval_routes
from monitor.web.checking import checking_routes
from monitor.web.context import Context
from monitor.web.dashboard import dashboard_routes
from monitor.web.door import Door
from monitor.web.guard import FAILURE, Guard
from monitor.web.listing import listing_routes
from monitor.web.metrics import metrics_routes
from monitor.web.pages import Pages, problem, wants_json
from monitor.web.review import review_routes
from monitor.web.sign_in import sign_in_routes
from monitor.web.starting import starting_routes
from monitor.web.status import status_routes


def create_app(context: Context) -> ASGIApp:
    """Return the application: pages, API and health, behind the door, with the guard around all of it."""
    pages = Pages(context)
    return Guard(Door(build(context, pages), context, pages), pages.failed)


def build(context: Context, pages: Pages) -> FastAPI:
    """Return the application without door and guard, for its OpenAPI description."""
    app = FastAPI(
        title="Price monitor",
        version=__version__,
        openapi_url="/api/openapi.json",
        docs_url=None,  # its page loads scripts from elsewhere
        redoc_url=None,
        redirect_slashes=False,
    )
    app.include_router(review_routes(context, pages))
    app.include_router(sign_in_routes(context, pages))
    app.include_router(status_routes(context, pages))
    app.include_router(dashboard_routes(context, pages))
    app.include_router(pages.static.routes())
    app.include_router(api_routes(context))
    app.include_router(starting_routes(context))
    app.include_router(checking_routes(context))
    app.include_router(listing_routes(context))
    app.include_router(approval_routes(context))
    app.include_router(health_routes(context))
    app.include_router(metrics_routes(context))
    _answer_errors(app, pages)
    return app


def _answer_errors(app: FastAPI, pages: Pages) -> None:
    @app.exception_handler(HTTPException)
    async def not_so(request: Request, error: HTTPException) -> Response:
        headers = dict(error.headers or {})
        if wants_json(request):
            return problem(error.status_code, f"{request.method} {request.url.path}: {error.detail}.", headers)
        if error.status_code == 404:
            return pages.not_found()
        answer = pages.error(error.status_code, str(error.detail), "This address does not answer that kind of request.")
        answer.headers.update(headers)
        return answer

    @app.exception_handler(RequestValidationError)
    async def unreadable(_: Request, error: RequestValidationError) -> Response:
        wrong = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors())
        return problem(422, f"The request could not be read: {wrong}.")

    @app.exception_handler(Exception)
    async def unforeseen(request: Request, _: Exception) -> Response:
        request.scope[FAILURE] = number = secrets.token_hex(4)
        return pages.failed(request.url.path, number)

    @app.exception_handler(StoreUnavailable)
    async def no_store(request: Request, _: StoreUnavailable) -> Response:
        return pages.unavailable(request)


def server(app: ASGIApp, host: str, port: int) -> uvicorn.Server:
    """Return a server for the application.

    Its own access log is off, because it would write review links, which are secrets; headers of a proxy are
    not believed, because nothing here depends on them.
    """
    return uvicorn.Server(
        uvicorn.Config(
            app,
            host=host,
            port=port,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            log_config=None,
            lifespan="off",
            timeout_graceful_shutdown=5,
        )
    )
