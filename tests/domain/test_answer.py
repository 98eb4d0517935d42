"""What a status and its headers mean before anybody reads the page."""

from collections.abc import Mapping

import pytest

from monitor.domain.answer import NoReading, classify, ends_visit, may_pass, without_page
from monitor.domain.extraction import Outcome
from monitor.domain.page import Miss, MissReason, Page

URL = "https://alpkontor.example/p/rope-60"


def a_page(status: int = 200, headers: Mapping[str, str] | None = None, body: bytes = b"", final: str = URL) -> Page:
    return Page(URL, final, status, headers or {}, body, 1)


def found(page: Page) -> NoReading:
    why = classify(page)
    assert why is not None
    return why


CHALLENGE = b"<title>Just a moment...</title><p class=price>Orders over 899</p><script>window._cf_chl_opt={}</script>"


@pytest.mark.parametrize(
    ("page", "reason"),
    [
        (a_page(403, {"server": "cloudflare", "cf-mitigated": "challenge"}, CHALLENGE), "cloudflare"),
        (a_page(200, {"cf-mitigated": "challenge"}), "cloudflare"),
        (a_page(429, {"cf-mitigated": "challenge"}), "cloudflare"),  # a wall, not a request to slow down
        (a_page(503, {}, CHALLENGE), "cloudflare"),
        (a_page(403, {}, b'<h1 data-translate="block_headline">Sorry'), "cloudflare"),
        (a_page(403, {"x-datadome": "protected", "x-dd-b": "1"}), "datadome"),
        (a_page(403, {}, b"<script>var dd={}</script><script src=https://ct.captcha-delivery.com/c.js>"), "datadome"),
        (a_page(403, {}, b'<div id="px-captcha">'), "perimeterx"),
        (a_page(403, {"server": "AkamaiGHost"}, b"Access Denied"), "akamai"),
        (a_page(404, {}, b"Request unsuccessful. Incapsula incident ID: 1-2"), "incapsula"),
        (a_page(429, {"x-kpsdk-ct": "abc"}), "kasada"),
        (a_page(202, {"x-amzn-waf-action": "challenge"}), "aws_waf"),
        (a_page(405, {"x-amzn-waf-action": "captcha"}), "aws_waf"),
        (a_page(200, final="https://alpkontor.example/.within.website/?redir=%2Fp"), "anubis"),
        (a_page(429, {"x-vercel-mitigated": "challenge"}), "vercel"),  # a wall as well
        (a_page(403, {}, b"<title>Vercel Security Checkpoint</title>"), "vercel"),
        (a_page(202, {}, b"<script>window.awsWafCookieDomainList=[]</script>"), "aws_waf"),  # its header was dropped
        (a_page(403, {}, b"<title>Sucuri WebSite Firewall - Access Denied</title>"), "sucuri"),
        (a_page(403, {}, b"<title>DDOS-GUARD</title>"), "ddos_guard"),
        (a_page(999), "refused"),
        (a_page(403, {}, b"no"), "refused"),
        (a_page(401), "refused"),
        (a_page(451), "refused"),
        (a_page(429), "rate_limited"),
        (a_page(430), "rate_limited"),
    ],
)
def test_a_wall_is_blocked_and_ends_the_visit(page: Page, reason: str) -> None:
    why = found(page)

    assert (why.outcome, why.reason) == (Outcome.BLOCKED, reason)
    assert ends_visit(why)
    assert why.words


@pytest.mark.parametrize(
    "headers",
    [
        {"server": "cloudflare", "cf-ray": "8f", "set-cookie": "__cf_bm=1"},
        {"x-datadome": "protected"},
        {"x-iinfo": "1-2"},
        {"x-kpsdk-ct": "abc"},
        {"server": "AkamaiGHost"},
    ],
)
def test_what_a_protected_shop_sends_with_every_page_is_no_wall(headers: Mapping[str, str]) -> None:
    assert classify(a_page(200, headers, b"<h1>Rope 60</h1>" + CHALLENGE)) is None


@pytest.mark.parametrize(
    ("status", "outcome", "reason"),
    [
        (404, Outcome.NOT_FOUND, "http_404"),
        (410, Outcome.NOT_FOUND, "http_410"),
        (500, Outcome.FAILED, "server_error"),
        (502, Outcome.FAILED, "server_error"),
        (503, Outcome.FAILED, "unavailable"),
        (522, Outcome.FAILED, "server_error"),
        (304, Outcome.FAILED, "not_modified"),
        (204, Outcome.FAILED, "http_204"),
        (206, Outcome.FAILED, "http_206"),
        (302, Outcome.FAILED, "http_302"),
        (405, Outcome.FAILED, "http_405"),
    ],
)
def test_a_status_that_is_no_page_says_what_it_is(status: int, outcome: Outcome, reason: str) -> None:
    why = found(a_page(status))

    assert (why.outcome, why.reason) == (outcome, reason)
    assert str(status) in why.words
    assert not ends_visit(why)


def test_every_status_but_200_has_an_outcome_and_none_is_ok() -> None:
    for status in range(201, 600):
        assert found(a_page(status)).outcome in (Outcome.BLOCKED, Outcome.NOT_FOUND, Outcome.FAILED)


def test_a_closed_shops_password_page_is_not_read() -> None:
    why = found(a_page(200, final="https://alpkontor.example/password"))

    assert (why.outcome, why.reason) == (Outcome.FAILED, "password_page")


def test_a_miss_keeps_its_code_and_its_words() -> None:
    why = without_page(Miss(URL, MissReason.TLS, "the certificate has expired", 1, may_pass=False))
    closed = without_page(Miss(URL, MissReason.ROBOTS, "closed", 1, may_pass=False))

    assert why == (Outcome.FAILED, "tls", "the certificate has expired")
    assert closed.outcome is Outcome.ROBOTS


@pytest.mark.parametrize(
    ("status", "retried"), [(500, True), (502, True), (504, True), (503, False), (404, False), (403, False)]
)
def test_only_a_servers_stumble_is_tried_again(status: int, retried: bool) -> None:
    assert may_pass(a_page(status)) is retried
