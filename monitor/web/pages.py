"""Makes the HTML answers: one place that knows the templates and their common values."""

from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse

from monitor.web.context import Context
from monitor.web.guard import CHART_POLICY
from monitor.web.static import Static
from monitor.web.visitor import visitor


@dataclass(frozen=True, slots=True)
class Item:
    """One entry of the navigation."""

    path: str
    label: str


#: The pages that a person may go to, in this order; whoever may not look sees none of them.
NAVIGATION = (
    Item("/", "Tonight"),
    Item("/queue", "Needs you"),
    Item("/products", "Products"),
    Item("/competitors", "Competitors"),
    Item("/matches", "Matches"),
    Item("/executions", "Executions"),
    Item("/audit", "Audit"),
    Item("/settings", "Settings"),
)


class Pages:
    """Renders pages for one application."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self.static = Static()

    def page(self, template: str, status: int = 200, *, here: str = "", **values: Any) -> HTMLResponse:
        """Return a rendered page.

        Args:
            template: its name below `templates`; it extends `web/base.html`.
            status: of the answer.
            here: the path of the navigation's entry that this page belongs to.
            values: what the template shows besides what every page has: `visitor`, `navigation`, `brand`.
        """
        return HTMLResponse(self._context.templates.render(template, self._common(here) | values), status)

    def stream(self, template: str, status: int = 200, *, here: str = "", **values: Any) -> Response:
        """Return a page that is rendered while it is sent; for pages of many rows, which come as iterators."""
        parts = self._context.templates.stream(template, self._common(here) | values)
        return StreamingResponse(parts, status, media_type="text/html")

    def charted(self, template: str, *, here: str = "", **values: Any) -> HTMLResponse:
        """Return a page that may run our own scripts and ask this server for data, and nothing else."""
        answer = self.page(template, here=here, **values)
        answer.headers["Content-Security-Policy"] = CHART_POLICY
        return answer

    def _common(self, here: str) -> dict[str, Any]:
        who = visitor()
        return {
            "brand": self._context.plan.mail.brand,
            "static": self.static,
            "visitor": who,
            "navigation": NAVIGATION if who.may_look else (),
            "here": here,
        }

    def error(self, status: int, title: str, words: str, **values: Any) -> HTMLResponse:
        """Return a page that says what is wrong and what to do; never more than its words."""
        given = {"outcomes": (), "fresh": None} | values
        return self.page("web/error.html", status, title=title, words=words, **given)

    def not_found(self) -> HTMLResponse:
        """Return the one page for everything that is not there, so that it tells nothing about why."""
        words = "There is nothing at this address. If it came from a mail, copy the whole link, up to the last letter."
        return self.error(404, "Not found", words)

    def unavailable(self, request: Request) -> Response:
        """Return the answer while the database does not answer."""
        words = "The database does not answer at the moment. Nothing was changed; try again in a minute."
        if wants_json(request) or request.url.path == "/metrics":
            return problem(503, words, {"Retry-After": "30"})
        return self.error(503, "Not now", words)

    def failed(self, path: str, number: str) -> Response:
        """Return the answer to an unforeseen error; the number finds it in the log."""
        words = f"Something went wrong here and was written to the log under {number}. Nothing was changed by halves."
        if path.startswith("/api/"):
            return problem(500, words)
        return self.error(500, "That did not work", words)


def problem(status: int, words: str, headers: dict[str, str] | None = None) -> Response:
    """Return an error of the API."""
    return JSONResponse({"error": words}, status, headers)


def wants_json(request: Request) -> bool:
    """Say whether a request is one of the API, so that its errors are JSON."""
    return request.url.path.startswith("/api/")
