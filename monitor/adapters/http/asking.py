"""A request as it goes over the wire, built for httpcore without httpx's model of one.

httpx judges and writes addresses, once for each host and only for a path that a server could read in two ways; for all
others its answer is the text itself. Its models of a request and of its headers were a fifth of what a request costs.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import httpcore
import httpx

from monitor.adapters.http.decode import ACCEPTED
from monitor.domain.address import Target, UrlRefused

#: In a path or query: what httpx escapes or takes away, all else it sends as it is.
_REWRITTEN = re.compile(r"[^A-Za-z0-9_~!$&'()*+,;=:@?./%-]|%(?![0-9A-Fa-f]{2})|/\.")
#: A body is announced for these even when it is empty.
_WITH_BODY = frozenset({"POST", "PUT", "PATCH"})


@dataclass(frozen=True, slots=True)
class _Host:
    """What all requests to one host share."""

    origin: httpcore.Origin
    url: tuple[bytes, bytes, int | None]  #: scheme, host and port, None when the scheme says it
    name: bytes  #: of the Host header


class _Place(httpcore.URL):
    """An address whose origin is known already."""

    def __init__(self, host: _Host, path: bytes) -> None:
        self.scheme, self.host, self.port = host.url
        self.target = path
        self._origin = host.origin

    @property
    def origin(self) -> httpcore.Origin:
        return self._origin


def request_to(to: Target, method: str, headers: Mapping[str, str], body: bytes) -> httpcore.Request:
    """Return a request.

    Raises:
        UrlRefused: httpx cannot read the address.
    """
    sent = {name.lower(): value for name, value in headers.items()} | {"accept-encoding": ACCEPTED}
    try:
        host = _host(to.scheme, to.host, to.port)
        place = _Place(host, _path(to))
    except httpx.InvalidURL as invalid:
        raise UrlRefused(to.url, f"it cannot be read ({invalid})") from None
    raw = [(name.encode("ascii"), value.encode("utf-8")) for name, value in sent.items()]
    if "host" not in sent:
        raw.insert(0, (b"Host", host.name))
    if (body or method in _WITH_BODY) and "content-length" not in sent:
        raw.append((b"Content-Length", b"%d" % len(body)))
    return httpcore.Request(method, place, headers=raw, content=(body,) if body else ())


@lru_cache(maxsize=1024)
def _host(scheme: str, host: str, port: int) -> _Host:
    read = httpx.URL(scheme=scheme, host=host, port=port)
    parts = (read.raw_scheme, read.raw_host, read.port)
    return _Host(httpcore.URL(scheme=parts[0], host=parts[1], port=parts[2], target="/").origin, parts, read.netloc)


def _path(to: Target) -> bytes:
    text = to.url[to.url.index("/", len(to.scheme) + len("://")) :]
    return httpx.URL(to.url).raw_path if _REWRITTEN.search(text) else text.encode("ascii")
