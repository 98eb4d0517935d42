"""Which URLs and addresses may be visited, and whose they are. The real refusals are proven on sockets."""

from ipaddress import IPv4Address, IPv6Address, ip_address

import httpx
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from monitor.domain.address import UrlRefused, address_refusal, admit, belongs, registrable, target


@pytest.mark.parametrize(
    ("url", "host", "port", "exact"),
    [
        ("https://Shop.Example/P?x=1#top", "shop.example", 443, "https://shop.example/P?x=1"),
        ("http://shop.example", "shop.example", 80, "http://shop.example/"),
        ("http://shop.example:8080/p", "shop.example", 8080, "http://shop.example:8080/p"),
        ("https://straße.example/ü?q=é", "xn--strae-oqa.example", 443, "https://xn--strae-oqa.example/%C3%BC?q=%C3%A9"),
        ("http://[2606:4700::0:1]/", "2606:4700::1", 80, "http://[2606:4700::1]/"),
        ("http://shop.example/a/../b/./c", "shop.example", 80, "http://shop.example/b/c"),
        ("http://shop.example/a/%2e%2E/%2e/b/..", "shop.example", 80, "http://shop.example/"),
        ("http://shop.example/../../b/.", "shop.example", 80, "http://shop.example/b/"),
        ("http://shop.example/.a/.../b..?q=/../", "shop.example", 80, "http://shop.example/.a/.../b..?q=/../"),
        ("http://my_shop.example./", "my_shop.example.", 80, "http://my_shop.example./"),
        (
            "https://shop.example/p%20q?variant=1&a=%2F",
            "shop.example",
            443,
            "https://shop.example/p%20q?variant=1&a=%2F",
        ),
    ],
)
def test_a_url_is_read_once_and_strictly(url: str, host: str, port: int, exact: str) -> None:
    found = target(url)

    assert (found.host, found.port, found.url) == (host, port, exact)
    assert target(found.url) == found


def test_a_refusal_names_the_url_the_reason_and_the_accepted_forms() -> None:
    with pytest.raises(UrlRefused, match="its scheme is ftp") as caught:
        target("ftp://shop.example/list.csv")

    assert caught.value.url == "ftp://shop.example/list.csv"
    assert "Write an http:// or https:// address" in str(caught.value)


_PIECES = st.sampled_from(
    ["http://", "https://", "//", "/", "\\", "@", ":", "?", "#", "[", "]", "%", ".", "..", "a", "shop.example",
     "127.0.0.1", "::1", "80", "8080", "0x7f.1", "。", "ß", " ", "\t", "\r\n", "%40", "%2f", "user", "xn--", "-", "_",
     "ſ", "①", "\u200b"]
)  # fmt: skip


@given(st.lists(_PIECES, max_size=9).map("".join))
@example("http://shop.example\\@127.0.0.1/")
@example("http://shop.example#@127.0.0.1/")
@example("http://shop.example?@127.0.0.1/")
def test_the_client_reads_an_accepted_url_as_we_judged_it(url: str) -> None:
    """Two parsers that disagree about the host are how guards are walked around."""
    for start in ("", "http://"):
        try:
            found = target(start + url)
        except UrlRefused:
            continue
        try:
            sent = httpx.URL(found.url)
        except httpx.InvalidURL:
            continue  # refused a second time, by the client
        assert (sent.scheme, sent.raw_host.decode(), sent.port or {"http": 80, "https": 443}[sent.scheme]) == (
            found.scheme,
            found.host,
            found.port,
        )
        assert sent.userinfo == b""


@given(st.integers(0, 2**32 - 1).map(IPv4Address) | st.integers(0, 2**128 - 1).map(IPv6Address))
def test_no_address_that_python_calls_private_is_taken(address: IPv4Address | IPv6Address) -> None:
    if address_refusal(str(address)) is None:
        assert address.is_global
        odd = (address.is_multicast, address.is_reserved, address.is_loopback, address.is_link_local)
        assert not any(odd)


@given(st.integers(0, 2**32 - 1).map(IPv4Address))
def test_an_ipv4_address_in_ipv6_clothes_is_judged_as_itself_or_refused(address: IPv4Address) -> None:
    plain = address_refusal(str(address))

    assert (address_refusal(f"::ffff:{address}") is None) == (plain is None)
    for clothes in (f"64:ff9b::{address}", f"::{address}", str(IPv6Address((0x2002 << 112) | (int(address) << 80)))):
        assert address_refusal(clothes) is not None


@pytest.mark.parametrize("address", ["93.184.216.34", "8.8.8.8", "2606:4700:4700::1111", "2a00:1450:4001:80b::200e"])
def test_a_public_address_is_taken(address: str) -> None:
    assert address_refusal(address) is None


@pytest.mark.parametrize(
    ("address", "taken"),
    [
        ("127.0.0.1", True), ("127.8.9.1", True), ("::1", True), ("10.1.2.3", True), ("172.20.0.2", True),
        ("192.168.1.5", True), ("100.64.1.1", True), ("fd12::1", True), ("::ffff:127.0.0.1", True),
        ("0.0.0.0", False), ("169.254.169.254", False), ("169.254.1.1", False), ("fe80::1", False),
        ("fd00:ec2::254", False), ("100.100.100.200", False), ("224.0.0.1", False), ("64:ff9b::7f00:1", False),
        ("255.255.255.255", False), ("nonsense", False),
    ],
)  # fmt: skip
def test_an_operator_can_open_loopback_and_private_places_only(address: str, taken: bool) -> None:
    assert (address_refusal(address, allowed=True) is None) is taken


@given(st.ip_addresses())
def test_what_is_public_stays_public_when_a_place_is_allowed(address: IPv4Address | IPv6Address) -> None:
    if address_refusal(str(address)) is None:
        assert address_refusal(str(address), allowed=True) is None
    assert ip_address(str(address)) == address


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("www.shop.co.uk", "shop.co.uk"),
        ("shop.de", "shop.de"),
        ("a.b.shop.com.au", "shop.com.au"),
        ("one.myshopify.com", "one.myshopify.com"),
        ("cdn.alpkontor.example", "alpkontor.example"),
        ("xn--strae-oqa.de", "xn--strae-oqa.de"),
        ("SHOP.DE.", "shop.de"),
        ("localhost", None),
        ("127.0.0.1", None),
        ("2130706433", None),
        ("0x7f.1", None),
        ("::1", None),
    ],
)
def test_a_registrable_domain_comes_from_the_public_suffix_list(host: str, domain: str | None) -> None:
    assert registrable(host) == domain


@pytest.mark.parametrize(
    ("url", "ours"),
    [
        ("https://www.shop.de/p", True),  # a subdomain of the registrable domain
        ("https://shop.de:444/p", True),  # the port is judged elsewhere
        ("https://cdn.feeds.test/f.xml", True),  # an extra host, exactly
        ("https://other.feeds.test/f.xml", False),
        ("https://evilshop.de/p", False),
        ("https://shop.de.evil.test/p", False),
        ("http://127.0.0.1:8001/p", True),
        ("http://127.0.0.1:8002/p", False),
        ("http://127.0.0.1/p", False),
    ],
)
def test_a_host_belongs_to_a_competitor_by_domain_or_exactly(url: str, ours: bool) -> None:
    assert belongs(target(url), ("shop.de", "cdn.feeds.test", "127.0.0.1:8001")) is ours


def test_another_port_needs_the_exact_place() -> None:
    admit(target("https://shop.de/"), frozenset())
    admit(target("http://shop.de:8080/"), frozenset({"shop.de:8080"}))
    for allowed in (frozenset[str](), frozenset({"shop.de:80"}), frozenset({"www.shop.de:8080"})):
        with pytest.raises(UrlRefused, match="port 8080 is not allowed"):
            admit(target("http://shop.de:8080/"), allowed)
