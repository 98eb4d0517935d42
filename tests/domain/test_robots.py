"""robots.txt as RFC 9309 reads it."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.domain.page import Miss, MissReason, Page
from monitor.domain.robots import (
    MAX_BYTES,
    RobotsKind,
    RobotsVerdict,
    ignored,
    robots_text,
    robots_url,
    verdict,
)

SHOP = "https://alpkontor.example"


def said(text: str | bytes, status: int = 200) -> RobotsVerdict:
    body = text.encode() if isinstance(text, str) else text
    url = f"{SHOP}/robots.txt"
    return verdict(Page(url, url, status, {"content-type": "text/plain"}, body, 1))


def missed(reason: MissReason) -> RobotsVerdict:
    return verdict(Miss(f"{SHOP}/robots.txt", reason, "because", 1, may_pass=False))


WITH_MARK = b"\xef\xbb\xbf" + (
    b"User-agent: *\nDisallow: /internal/\nAllow: /internal/feed.xml\nDisallow: /*?sort_by=\nDisallow: /cart\n\n"
    b"User-agent: otherbot\nDisallow: /\nCrawl-delay: 20\n\n"
    b"User-agent: PriceBot\nUser-agent: *\nCrawl-delay: 3\n"
)


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/p/rope-60", True),
        ("/internal/x", False),
        ("/internal/feed.xml", True),  # the longest rule wins
        ("/ropes?sort_by=price", False),
        ("/ropes?page=2&sort_by=price", True),  # the rule wants the question mark right before it
        ("/cart.js", False),  # a rule is a prefix
        ("/", True),
        ("/robots.txt", True),
    ],
)
def test_a_file_with_a_byte_order_mark_and_three_groups_is_read_right(path: str, allowed: bool) -> None:
    found = said(WITH_MARK)

    assert found.kind is RobotsKind.RULES
    assert found.allows(SHOP + path, "pricebot") is allowed


def test_a_group_shared_with_everybody_joins_everybodys_rules() -> None:
    found = said(WITH_MARK)

    assert found.crawl_delay("pricebot") == timedelta(seconds=3)
    assert found.crawl_delay("otherbot") == timedelta(seconds=20)
    assert found.allows(f"{SHOP}/p", "otherbot") is False


@pytest.mark.parametrize(
    ("text", "path", "allowed"),
    [
        # longest match, Allow on a tie, patterns
        ("User-agent: *\nAllow: /p\nDisallow: /", "/p/1", True),
        ("User-agent: *\nDisallow: /p\nAllow: /p", "/p/1", True),
        ("User-agent: *\nAllow: /page\nDisallow: /*.html", "/page.html", False),
        ("User-agent: *\nDisallow: /*.pdf$", "/a.pdf", False),
        ("User-agent: *\nDisallow: /*.pdf$", "/a.pdf?x", True),
        ("User-agent: *\nDisallow: *A4*", "/paper-A4-white", False),
        ("User-agent: *\nDisallow: /x/", "/X/1", True),  # paths mind their case
        ("User-agent: *\nDisallow: /stra%C3%9Fe", "/straße", False),
        ("User-agent: *\nDisallow: /ツ", "/%E3%83%84", False),
        # empty rules, comments, unknown lines, line ends
        ("User-agent: *\nDisallow:", "/p", True),
        ("", "/p", True),
        ("# nothing\n\n", "/p", True),
        ("User-agent: * # all\r\nDisallow: / # everything\r\n", "/p", False),
        ("User-agent: *\rDisallow: /", "/p", False),
        ("Disallow: /\n", "/p", True),  # a rule before any group counts for nobody
        ("User-agent: x\nUnknown: y\nUser-agent: *\nDisallow: /", "/p", False),
        ("User-agent: *\nSitemap: https://alpkontor.example/s.xml\n\nDisallow: /", "/p", False),
        # whose group
        ("User-agent: pricebot\nDisallow: /a\n\nUser-agent: *\nDisallow: /", "/p", True),
        ("User-agent: PRICEBOT\nDisallow: /", "/p", False),
        ("User-agent: pricebot/2.0 (x)\nDisallow: /", "/p", False),
        ("User-agent: price\nDisallow: /", "/p", True),  # a prefix of our name is somebody else
        ("User-agent: pricebot-images\nDisallow: /", "/p", True),
        ("User-agent: bot\nDisallow: /", "/p", True),
        ("User-agent: a\nUser-agent: pricebot\nDisallow: /", "/p", False),
        ("User-agent: pricebot\nDisallow: /a\n\nUser-agent: pricebot\nDisallow: /b", "/b", False),  # merged
        ("User-agent: pricebot\nCrawl-delay: 9\n\nUser-agent: *\nDisallow: /", "/p", True),
        ("User-agent: *\nDisallow: /\n\nUser-agent: pricebot\nAllow: /", "/p", True),
    ],
)
def test_a_rule_is_read_as_the_rfc_says(text: str, path: str, allowed: bool) -> None:
    assert said(text).allows(SHOP + path, "pricebot") is allowed


@pytest.mark.parametrize(
    ("body", "path", "allowed"),
    [
        # what editors and templates make of a file
        ("\ufeffUser-agent: *\r\nDisallow: /p\r\n".encode("utf-16"), "/p/1", False),
        (b"\xfe\xff" + "User-agent: *\nDisallow: /p".encode("utf-16-be"), "/p/1", False),
        (b"\xef\xbb\xbf\xef\xbb\xbfUser-agent: *\nDisallow: /p", "/p/1", False),
        (b"User-agent\x00: *\x00\nDis\x00allow: /p", "/p/1", False),
        (b"User-agent: *\r\r\nDisallow: /p\r\r\n", "/p/1", False),
        (b"User-agent:*\nDisallow:/p", "/p/1", False),
        (b"  USER-AGENT :  *  \n\tDISALLOW\t:\t/p\t", "/p/1", False),
        (b"User-agent: *\nDisallow: /caf\xe9/", "/p/1", True),
        (b"User-agent: *\n\xef\xbb\xbfDisallow: /p", "/p/1", False),  # two files joined
        ("User-agent: *\nAllow: /a\u2028Disallow: /p".encode(), "/p/1", True),  # no line end by the RFC
        (b"User-agent: *\nAllow: /a\x0cDisallow: /p", "/p/1", True),
        (b"User-agent: *\nDisallow: /p # of /p only", "/p/1", False),
        # many names, many rules, long lines
        (b"".join(b"User-agent: bot%d\n" % n for n in range(3_000)) + b"User-agent: *\nDisallow: /p", "/p/1", False),
        (b"".join(b"User-agent: bot%d\nDisallow: /\n\n" % n for n in range(3_000)), "/p/1", True),
        (b"User-agent: *\n" + b"Disallow: /x\n" * 20_000 + b"Disallow: /p", "/p/1", False),
        (b"User-agent: *\nDisallow: /" + b"a" * 100_000 + b"\nDisallow: /p", "/p/1", False),
        (b"User-agent: *\nDisallow: /" + b"*a" * 200 + b"\nDisallow: /q", "/" + "a" * 190 + "b", True),
        # percent-encodings and patterns
        (b"User-agent: *\nDisallow: /%7Ejoe/", "/~joe/p", False),
        (b"User-agent: *\nDisallow: /a%2fb", "/a/b", True),
        (b"User-agent: *\nDisallow: /a%2fb", "/a%2Fb", False),
        (b"User-agent: *\nDisallow: /%e3%83%84", "/\u30c4", False),
        (b"User-agent: *\nDisallow: /p?id=", "/p?id=3", False),
        (b"User-agent: *\nDisallow: /p?id=", "/p?x=1&id=3", True),
        (b"User-agent: *\nAllow: /$\nDisallow: /", "/", True),
        (b"User-agent: *\nAllow: /$\nDisallow: /", "/p", False),
        (b"User-agent: *\nDisallow: /*/print$", "/p/1/print", False),
        (b"User-agent: *\nDisallow: /*/print$", "/p/1/print?x", True),
        (b"User-agent: *\nDisallow: *", "/p", False),
        (b"User-agent: *\nDisallow: /a$b", "/a$b", False),
        (b"User-agent: *\nDisallow: /a%2Ab", "/axxb", True),
        (b"User-agent: *\nDisallow: /%70", "/p", False),
        (b"User-agent: *\nDisallow: /p", "/%70", False),
        # where an address leads is what counts
        (b"User-agent: *\nDisallow: /closed/", "/open/../closed/1", False),
        (b"User-agent: *\nDisallow: /closed/", "/open/%2e%2E/closed/1", False),
        (b"User-agent: *\nDisallow: /closed/", "/closed/../open/1", True),
    ],
)
def test_a_file_that_nobody_looked_after_is_read_as_it_was_meant(body: bytes, path: str, allowed: bool) -> None:
    assert said(body).allows(SHOP + path, "pricebot") is allowed


@given(st.binary(max_size=400) | st.text(max_size=200).map(lambda text: f"User-agent: *\nDisallow: {text}".encode()))
def test_no_file_makes_the_reader_raise(body: bytes) -> None:
    found = said(body)

    assert found.allows(f"{SHOP}/robots.txt", "pricebot") in (True, False)
    assert found.crawl_delay("pricebot") <= timedelta(seconds=30)


def test_our_whole_user_agent_names_its_product_token() -> None:
    found = said("User-agent: price-monitor\nDisallow: /\n\nUser-agent: price\nAllow: /")

    assert not found.allows(f"{SHOP}/p", "price-monitor/1.2 (+https://brand.example/bot)")


@pytest.mark.parametrize(
    ("status", "kind", "allowed"),
    [
        (200, RobotsKind.RULES, False),
        (404, RobotsKind.ABSENT, True),
        (410, RobotsKind.ABSENT, True),
        (400, RobotsKind.ABSENT, True),
        (401, RobotsKind.WITHHELD, True),
        (403, RobotsKind.WITHHELD, True),
        (302, RobotsKind.ABSENT, True),  # a redirect to nowhere
        (429, RobotsKind.UNREACHABLE, False),
        (500, RobotsKind.UNREACHABLE, False),
        (503, RobotsKind.UNREACHABLE, False),
        (206, RobotsKind.RULES, False),  # every 2xx is a success
    ],
)
def test_the_status_decides_before_the_text(status: int, kind: RobotsKind, allowed: bool) -> None:
    found = said("User-agent: *\nDisallow: /", status)

    assert (found.kind, found.allows(f"{SHOP}/p", "pricebot")) == (kind, allowed)
    assert found.allows(f"{SHOP}/robots.txt", "pricebot")


def test_a_refused_robots_file_is_reported() -> None:
    assert said("", 403).words == "robots.txt itself is refused (HTTP 403)"


@pytest.mark.parametrize(
    ("reason", "kind"),
    [
        (MissReason.REDIRECTS, RobotsKind.ABSENT),
        (MissReason.REDIRECTED_AWAY, RobotsKind.ABSENT),
        (MissReason.DNS, RobotsKind.UNREACHABLE),
        (MissReason.CONNECT, RobotsKind.UNREACHABLE),
        (MissReason.DEADLINE, RobotsKind.UNREACHABLE),
        (MissReason.INCOMPLETE, RobotsKind.UNREACHABLE),
        (MissReason.TLS, RobotsKind.UNREACHABLE),
    ],
)
def test_no_answer_closes_the_shop_and_a_lost_redirect_does_not(reason: MissReason, kind: RobotsKind) -> None:
    found = missed(reason)

    assert found.kind is kind
    assert found.allows(f"{SHOP}/p", "pricebot") is (kind is RobotsKind.ABSENT)
    assert "because" in found.words


@pytest.mark.parametrize(
    "start", ["<!DOCTYPE html>", "  \n<html>", "<HEAD>", "<?xml version='1.0'?>", "<!-- x --><html>"]
)
def test_a_page_in_place_of_the_file_counts_as_empty(start: str) -> None:
    found = said(f"{start}\nUser-agent: *\nDisallow: /")

    assert (found.kind, found.text) == (RobotsKind.RULES, "")
    assert found.allows(f"{SHOP}/p", "pricebot")


@pytest.mark.parametrize("start", ["<!-- cached -->", "<!-- a -->\n <!-- b\nc -->", "<!-- never closed"])
def test_a_comment_of_a_cache_does_not_open_what_the_rules_behind_it_close(start: str) -> None:
    assert not said(f"{start}\nUser-agent: *\nDisallow: /").allows(f"{SHOP}/p", "pricebot")


def test_only_the_first_500_kb_count_and_the_line_they_cut_does_not() -> None:
    rule = b"Disallow: /closed-%06d\n"
    body = b"User-agent: *\n" + b"".join(rule % number for number in range(30_000))
    assert len(body) > MAX_BYTES
    last = robots_text(body).splitlines()[-1]
    found = said(body)

    assert not found.allows(f"{SHOP}/closed-000001", "pricebot")
    assert not found.allows(SHOP + last.removeprefix("Disallow: "), "pricebot")
    assert found.allows(f"{SHOP}/closed-029999", "pricebot")
    assert len(last) == len("Disallow: /closed-000001")


@pytest.mark.parametrize(
    ("line", "asked", "kept"),
    [
        ("Crawl-delay: 2.5", 2.5, 2.5),
        ("crawl-delay:10", 10, 10),
        ("Crawl-delay: 300", 300, 30),
        ("Crawl-delay: 2,5", 2.5, 2.5),
        ("Crawl-delay: 10s", 10, 10),
        ("Crawl-delay: 7 seconds # please", 7, 7),
        ("Crawl-delay: 10 (in seconds)", 10, 10),
        ("Crawl-delay: 5-10", None, 0),
        ("Crawl-delay:", None, 0),
        ("Crawl-delay: 1e12", 86_400, 30),
        ("Crawl-delay: soon", None, 0),
        ("Crawl-delay: -1", None, 0),
        ("Crawl-delay: inf", None, 0),
        ("Disallow: /x", None, 0),
    ],
)
def test_a_crawl_delay_is_kept_up_to_thirty_seconds(line: str, asked: float | None, kept: float) -> None:
    found = said(f"User-agent: *\n{line}\n")

    assert found.asked_delay("pricebot") == (None if asked is None else timedelta(seconds=asked))
    assert found.crawl_delay("pricebot") == timedelta(seconds=kept)


def test_sitemaps_are_listed_once_in_file_order() -> None:
    text = "Sitemap: https://a.example/2.xml\nUser-agent: *\nSitemap: https://a.example/1.xml\nsitemap: https://a.example/2.xml"

    assert said(text).sitemaps() == ("https://a.example/2.xml", "https://a.example/1.xml")


def test_a_verdict_survives_its_checkpoint() -> None:
    for found in (said(WITH_MARK), said("", 404), missed(MissReason.DNS)):
        assert RobotsVerdict.from_json(found.as_json()) == found


@pytest.mark.parametrize(
    ("url", "where"),
    [
        ("https://alpkontor.example/p/rope?x=1#y", "https://alpkontor.example/robots.txt"),
        ("http://127.0.0.1:8001/p", "http://127.0.0.1:8001/robots.txt"),
    ],
)
def test_the_file_lies_at_the_root_of_the_same_place(url: str, where: str) -> None:
    assert robots_url(url) == where


# --- what the operator set --------------------------------------------------------------------------------------

CLOSED = RobotsVerdict(RobotsKind.RULES, "read", "User-agent: *\nDisallow: /cart\nDisallow: /p/private")


@pytest.mark.parametrize(
    ("refuse", "allow", "path", "allowed"),
    [
        ((), (), "/p/1", True),
        (("/p/",), (), "/p/1", False),
        (("/",), (), "/p/1", False),
        (("/*?sort=",), (), "/ropes?sort=price", False),
        (("/p/1$",), (), "/p/12", True),
        ((), ("/p/private",), "/p/private", True),
        ((), ("/p/private",), "/cart", False),
        (("/p/private/1",), ("/p/private",), "/p/private/1", False),  # refusing is stronger
    ],
)
def test_the_operator_can_refuse_and_allow_paths(
    refuse: tuple[str, ...], allow: tuple[str, ...], path: str, allowed: bool
) -> None:
    found = CLOSED.as_set(refuse, allow)

    assert found.allows(f"https://shop.example{path}", "pricebot") is allowed
    assert found.is_refused(f"https://shop.example{path}") is (not allowed and path != "/cart")


def test_a_file_that_is_ignored_closes_nothing_but_what_the_operator_refuses() -> None:
    found = ignored(("/outlet/",))

    assert found.allows("https://shop.example/cart", "pricebot")
    assert not found.allows("https://shop.example/outlet/1", "pricebot")


def test_an_unreachable_file_is_not_overruled_by_allowed_paths() -> None:
    found = RobotsVerdict(RobotsKind.UNREACHABLE, "HTTP 503").as_set((), ("/",))

    assert not found.allows("https://shop.example/p/1", "pricebot")
