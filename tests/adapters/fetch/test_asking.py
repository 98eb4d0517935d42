"""What goes over the wire is what httpx would have sent."""

import httpcore
import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.adapters.http.asking import request_to
from monitor.domain.address import UrlRefused, target

PATHS = [
    "",
    "/",
    "/p/rope-9.8mm?variant=4&q=a+b",
    "/a//b/./c/../d",
    "/.well-known/x",
    "/a/..",
    "/%7Ea/%zz/%",
    "/q?a=[1]&b={2}|3^`\"<>'",
    "/käse?größe=9,8",
    "/p?",
    "/p#part",
    "/a;b=1,c:@d!$&'()*",
    "?only=query",
]
HOSTS = [
    "http://shop.example",
    "https://shop.example:8443",
    "https://[2001:db8::1]",
    "http://127.0.0.1:80",
    "http://a_b.example.",
]


def _same(url: str, method: str = "GET", body: bytes = b"") -> None:
    to = target(url)
    ours = request_to(to, method, {"Accept": "text/html"}, body)
    theirs = httpx.Request(method, to.url, headers=[("accept", "text/html")], content=body or None)

    assert (ours.url.scheme, ours.url.host, ours.url.port, ours.url.target) == (
        theirs.url.raw_scheme,
        theirs.url.raw_host,
        theirs.url.port,
        theirs.url.raw_path,
    )
    unordered = sorted((name.lower(), value) for name, value in ours.headers if name != b"accept-encoding")
    assert unordered == sorted((name.lower(), value) for name, value in theirs.headers.raw)
    assert b"".join(ours.stream) == theirs.content  # type: ignore[arg-type]
    url = ours.url
    assert url.origin == httpcore.URL(scheme=url.scheme, host=url.host, port=url.port, target=url.target).origin


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("path", PATHS)
def test_the_address_is_written_as_httpx_writes_it(host: str, path: str) -> None:
    _same(host + path)


@given(st.text(st.sampled_from("ab/.?%&=27Fé'[]{}|\"<>`^~;,:@!$()*+-_"), max_size=30))
def test_any_path_is_written_as_httpx_writes_it(path: str) -> None:
    _same(f"https://shop.example/{path}")


@pytest.mark.parametrize(
    ("method", "body"), [("POST", b""), ("POST", b"{}"), ("PUT", b"x"), ("DELETE", b""), ("HEAD", b"")]
)
def test_a_body_is_announced_as_httpx_announces_it(method: str, body: bytes) -> None:
    _same("https://shop.example/p", method, body)


def test_a_host_that_is_named_stays() -> None:
    asked = request_to(target("http://127.0.0.1/"), "GET", {"Host": "shop.example"}, b"")

    assert [value for name, value in asked.headers if name.lower() == b"host"] == [b"shop.example"]


def test_an_address_that_httpx_cannot_read_is_refused() -> None:
    with pytest.raises(UrlRefused, match="cannot be read"):
        request_to(target("http://999.1.1.1/"), "GET", {}, b"")
