"""Files that pages load: the stylesheet, scripts, chart specifications. Read once, compressed once, cached for long.

An address carries the hash of the whole set, so a new version has new addresses.
"""

import gzip
import hashlib
from dataclasses import dataclass

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from monitor import resources

_FOLDER = "templates/web/static"
_KINDS = {"js": "text/javascript", "json": "application/json", "txt": "text/plain", "css": "text/css"}
_FOR_LONG = "public, max-age=31536000, immutable"
_STYLE = "style.css"


@dataclass(frozen=True, slots=True)
class _File:
    body: bytes
    packed: bytes
    kind: str


class Static:
    """The files of one application."""

    def __init__(self) -> None:
        found = {path.name: path.read_bytes() for path in resources.find(_FOLDER).iterdir() if path.is_file()}
        found[_STYLE] = resources.find(f"templates/web/{_STYLE}").read_bytes()
        self._files = {
            name: _File(body, gzip.compress(body, 6, mtime=0), _KINDS[name.rpartition(".")[2]])
            for name, body in sorted(found.items())
        }
        whole = hashlib.sha256(b"".join(hashlib.sha256(file.body).digest() for file in self._files.values()))
        self.version = whole.hexdigest()[:12]

    def address(self, name: str) -> str:
        """Return where a file is, with its version."""
        return f"/static/{name}?v={self.version}"

    def routes(self) -> APIRouter:
        """Return the route that serves them."""
        router = APIRouter(include_in_schema=False)

        @router.api_route("/static/{name}", methods=["GET", "HEAD"])
        def file(name: str, request: Request) -> Response:
            found = self._files.get(name)
            if found is None:
                return Response("There is no such file.", 404, media_type="text/plain")
            cache = _FOR_LONG if "v" in request.query_params else "no-cache"
            headers = {"Cache-Control": cache, "Vary": "Accept-Encoding"}
            if "gzip" in request.headers.get("accept-encoding", ""):
                return Response(found.packed, media_type=found.kind, headers=headers | {"Content-Encoding": "gzip"})
            return Response(found.body, media_type=found.kind, headers=headers)

        return router
