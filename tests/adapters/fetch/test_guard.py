"""No form of a private address is ever connected to: a listener that every connection would reach sees none."""

import socket

import pytest

from monitor.adapters.fetch import HttpFetcher
from monitor.adapters.http import Answer, CallRules, Client, Resolver, Unanswered
from monitor.adapters.http.resolve import system_lookup
from monitor.domain.page import FetchRules, Miss, MissReason
from tests.rawshop import Elsewhere, Names, RawShop, answer, moved

#: Hosts that are or resolve to something that is not a public shop.
HOSTS = [
    # loopback, in every notation a resolver takes
    "127.0.0.1", "127.0.0.2", "127.255.255.254", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.1",
    "0x7f.0x0.0x0.0x1", "0177.0.0.1", "0177.0x0.1", "017700000001", "00000177.0.0.1", "127.0.0.1.",
    "localhost", "LOCALHOST", "localhost.", "loop.test", "[::1]", "[0:0:0:0:0:0:0:1]", "[::127.0.0.1]",
    "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:127.0.0.1]",
    # this host, private, shared, benchmarking, documentation, multicast, reserved, broadcast
    "0.0.0.0", "0", "0.1.2.3", "[::]", "10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.254",
    "192.168.0.1", "192.168.255.254", "3232235777", "100.64.0.1", "100.127.255.254", "192.0.0.8",
    "192.0.2.1", "198.18.0.1", "198.51.100.7", "203.0.113.9", "192.88.99.1", "224.0.0.1", "239.255.255.250",
    "240.0.0.1", "255.255.255.255",
    # link-local and the metadata services of the clouds
    "169.254.169.254", "169.254.170.2", "169.254.0.1", "2852039166", "0xA9FEA9FE", "0251.0376.0251.0376",
    "[::ffff:169.254.169.254]", "[::ffff:a9fe:a9fe]", "100.100.100.200", "192.0.0.192", "168.63.129.16",
    "[fd00:ec2::254]", "[fd20:ce::254]", "metadata.test",
    # IPv6: unique local, link-local, site-local, multicast, documentation, and IPv4 in disguise
    "[fc00::1]", "[fd12:3456:789a::1]", "[fe80::1]", "[fec0::1]", "[ff02::1]", "[2001:db8::1]", "[3fff::1]",
    "[64:ff9b::7f00:1]", "[64:ff9b::a9fe:a9fe]", "[64:ff9b:1::a00:1]", "[2002:7f00:1::]", "[2002:a9fe:a9fe::1]",
    "[2001:0:7f00:1::]", "[::a00:1]", "[100::1]", "[5f00::1]",
    "[2606:4700::5efe:7f00:1]", "[2606:4700::200:5efe:a00:1]",
    # one bad address among good ones refuses the name; full-width digits and dots
    "[::ffff:0:7f00:1]", "[64:ff9b:1:ffff::7f00:1]", "[2001:10::1]", "[4000::1]", "172.16.1", "0xa9.254.43518",
    "mixed.test", "mixed6.test", "１２７.0.0.1", "127。0。0。1",
]  # fmt: skip

#: URLs that are refused before anybody is asked for an address.
URLS = [
    "file:///etc/passwd", "ftp://alpkontor.example/", "gopher://alpkontor.example/", "data:text/html,x",
    "javascript:alert(1)", "//alpkontor.example/", "alpkontor.example/p", "", "http://", "http:///p",
    "http://alpkontor.example@127.0.0.1/", "http://user:pass@alpkontor.example/", "http://@alpkontor.example/",
    "http://alpkontor.example:22/", "http://alpkontor.example:6379/", "http://alpkontor.example:0/",
    "http://alpkontor.example:99999/", "http://alpkontor.example:8o/", "http://alpkontor.example\\@127.0.0.1/",
    "http://alpkontor.example /", "http://alpkontor.example/\r\nHost: x", "http://127.0.0.1\t/", "http://[::1/",
    "http://[2606:4700::1]x/", "http://[2606:4700::1]:80:80/", "http://\ud800.example/", "http://alpkontor.example/\udfff",
    "http:/127.0.0.1/", "http:127.0.0.1", "http://alpkontor.example:+80/", "http://alpkontor.example:８０/",
    "http://alpkontor.example\u200b/", "http://xn--/", "blob:http://alpkontor.example/",
    "http://[fe80::1%25eth0]/", "http://[v1.x]/", "http://127.0.0.1%2f/", "http://a..example/",
    "http://alpkontor.example#@127.0.0.1:22/" + "x" * 9000, "http://" + "a" * 64 + ".example/", "http://☃.example/",
]  # fmt: skip


class Mostly(Names):
    """Numbers are read by the operating system, as in life; names come from the table."""

    def __call__(self, host: str, port: int) -> list[str]:
        if host in self.table:
            return super().__call__(host, port)
        if host.rstrip(".").rpartition(".")[2].lower() in ("localhost",) or host[:1].isdigit():
            return list(system_lookup(host, port))
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")


@pytest.fixture
def names() -> Names:
    return Mostly(
        alpkontor_example="93.184.216.34",
        loop_test="127.0.0.1",
        metadata_test="169.254.169.254",
        mixed_test=["93.184.216.34", "10.0.0.7"],
        mixed6_test=["93.184.216.34", "2606:4700::1111", "fe80::1%eth0", "8.8.8.8"],
    )


def test_the_listener_would_see_a_connection(client: Client, shop: RawShop) -> None:
    """The control of this file: a public address does arrive at the listener."""
    shop.routes["/"] = answer(b"hello")

    got = client.send("GET", "http://alpkontor.example/")

    assert isinstance(got, Answer)
    assert got.body == b"hello"
    assert shop.connections == 1


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_private_address_is_refused_in_every_form(
    scheme: str, host: str, client: Client, shop: RawShop, elsewhere: Elsewhere
) -> None:
    got = client.send("GET", f"{scheme}://{host}/latest/meta-data/")

    assert isinstance(got, Unanswered)
    assert got.reason in (MissReason.REFUSED_ADDRESS, MissReason.REFUSED_URL, MissReason.DNS)
    assert not got.sent
    assert (elsewhere.meant, shop.connections) == ([], 0)


@pytest.mark.parametrize(
    ("host", "helps"), [("10.0.0.1", True), ("[::1]", True), ("169.254.169.254", False), ("224.0.0.1", False)]
)
def test_allow_addresses_is_named_only_where_it_helps(host: str, helps: bool, client: Client) -> None:
    got = client.send("GET", f"http://{host}/")

    assert isinstance(got, Unanswered)
    assert (f"name {host}:80 in allow_addresses" in got.words) is helps


def test_almost_every_form_is_refused_as_an_address_and_not_by_accident(client: Client) -> None:
    """A form that merely fails to resolve proves little; so most of the table must be judged as addresses."""
    reasons = [client.send("GET", f"http://{host}/") for host in HOSTS]

    judged = [got for got in reasons if isinstance(got, Unanswered) and got.reason is MissReason.REFUSED_ADDRESS]
    assert len(judged) >= 60
    assert len(HOSTS) - len(judged) <= 6


@pytest.mark.parametrize("url", URLS)
def test_a_url_that_is_no_web_address_is_refused_before_a_look_up(
    url: str, client: Client, shop: RawShop, names: Names
) -> None:
    got = client.send("GET", url)

    assert isinstance(got, Unanswered)
    assert (got.reason, got.sent) == (MissReason.REFUSED_URL, False)
    assert (names.asked, shop.connections) == ([], 0)


@pytest.mark.parametrize("host", HOSTS)
def test_a_redirect_to_a_private_address_is_not_followed(host: str, fetcher: HttpFetcher, shop: RawShop) -> None:
    """The hosts a visit may end at are opened as wide as they go, so that only the guard can refuse."""
    shop.routes["/p"] = moved(f"http://{host}/latest/")
    everywhere = tuple(name.strip("[]").lower() for name in HOSTS) + tuple(f"{h.lower()}:80" for h in HOSTS)

    got = fetcher.fetch("http://alpkontor.example/p", FetchRules(hosts=everywhere))

    assert isinstance(got, Miss)
    assert shop.connections == 1
    assert got.requests == 1


def test_an_allowed_loopback_shop_is_reached_by_its_exact_place_only(shop: RawShop) -> None:
    shop.routes["/"] = answer(b"demo")
    client = Client()
    allowed = CallRules(allow_addresses=frozenset({shop.authority}))
    try:
        assert isinstance(client.send("GET", shop.url("/"), rules=allowed), Answer)
        for other in (f"http://localhost:{shop.port}/", f"http://127.1:{shop.port}/", "http://127.0.0.1/"):
            got = client.send("GET", other, rules=allowed)
            assert isinstance(got, Unanswered)
            assert got.reason in (MissReason.REFUSED_URL, MissReason.REFUSED_ADDRESS)
    finally:
        client.close()
    assert len(shop.requests) == 1


@pytest.mark.parametrize(
    "address", ["169.254.169.254", "169.254.170.2", "fd00:ec2::254", "100.100.100.200", "168.63.129.16", "fe80::1"]
)
def test_metadata_stays_refused_for_an_allowed_host(address: str, shop: RawShop, elsewhere: Elsewhere) -> None:
    client = Client(resolver=Resolver(Names(intranet_test=address)), network=elsewhere)
    allowed = CallRules(allow_addresses=frozenset({"intranet.test:80"}))

    got = client.send("POST", "http://intranet.test/", rules=allowed)

    assert isinstance(got, Unanswered)
    assert got.reason is MissReason.REFUSED_ADDRESS
    assert shop.connections == 0


def test_an_open_connection_to_an_allowed_address_serves_nobody_else(shop: RawShop) -> None:
    """Same client, same thread, same place: the second caller was not allowed to go there."""
    shop.routes["/"] = answer(b"demo")
    client = Client()
    try:
        client.send("GET", shop.url("/"), rules=CallRules(allow_addresses=frozenset({shop.authority})))
        got = client.send("GET", shop.url("/"), rules=CallRules(ports=frozenset({shop.port})))
    finally:
        client.close()

    assert isinstance(got, Unanswered)
    assert got.reason is MissReason.REFUSED_ADDRESS
    assert len(shop.requests) == 1


def test_a_name_that_turns_private_is_looked_up_once_per_connection(shop: RawShop, elsewhere: Elsewhere) -> None:
    """DNS rebinding: between the judgement and the connection nobody is asked again."""
    shop.routes["/"] = answer(b"first")
    answers = iter(["93.184.216.34", "127.0.0.1"])
    asked: list[str] = []

    def rebinding(host: str, port: int) -> list[str]:
        asked.append(host)
        return [next(answers)]

    client = Client(resolver=Resolver(rebinding, keep_s=0), network=elsewhere)
    first = client.send("GET", "http://rebind.test/")
    assert (isinstance(first, Answer), len(asked)) == (True, 1)
    client.close()

    second = client.send("GET", "http://rebind.test/")
    client.close()

    assert isinstance(second, Unanswered)
    assert second.reason is MissReason.REFUSED_ADDRESS
    assert elsewhere.meant == [("93.184.216.34", 80)]


def test_a_proxy_in_the_environment_is_ignored(client: Client, shop: RawShop, monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy would resolve the name itself, past the guard."""
    with RawShop() as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "HTTPS_PROXY"):
            monkeypatch.setenv(name, proxy.url())
        shop.routes["/"] = answer(b"direct")
        got = client.send("GET", "http://alpkontor.example/")
        assert proxy.connections == 0

    assert isinstance(got, Answer)
    assert got.body == b"direct"


def test_ipv4_is_tried_first_and_three_addresses_at_most(shop: RawShop) -> None:
    tried: list[str] = []

    class Closed(Elsewhere):
        def connect_tcp(self, host: str, port: int, *rest: object, **named: object) -> object:  # type: ignore[override]
            tried.append(host)
            raise OSError(111, "Connection refused")

    many = ["2606:4700::1", "93.184.216.34", "93.184.216.35", "2606:4700::2", "93.184.216.36", "93.184.216.37"]
    client = Client(resolver=Resolver(Names(many_test=many)), network=Closed(0))

    got = client.send("GET", "http://many.test/")

    assert isinstance(got, Unanswered)
    assert (got.reason, got.sent, got.may_pass) == (MissReason.CONNECT, False, True)
    assert got.words == "nobody answers at many.test:80 (93.184.216.36: Connection refused)"
    assert tried == ["93.184.216.34", "93.184.216.35", "93.184.216.36"]
