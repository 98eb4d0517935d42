"""What a status code and its headers say before anybody reads the page.

`classify` speaks only when the answer cannot be a product page; None means that extraction reads it. It
is not the last word on bot walls: extraction also recognises those that come with status 200. A mark
counts only where it is certain (a header that is sent with challenges only, or a text in an answer that is no page);
what rides on every page of a protected shop (`cf-ray`, `__cf_bm`, sensor scripts) is no evidence.

Sources: what the vendors say of `cf-mitigated`, `x-amzn-waf-action` and `x-vercel-mitigated`;
internetarchive/heritrix3#760.
"""

import re
from typing import NamedTuple
from urllib.parse import urlsplit

from monitor.domain.extraction import Outcome
from monitor.domain.page import Miss, MissReason, Page
from monitor.domain.robots import RobotsKind, RobotsVerdict

#: Bytes of an answer that is no page that are searched for a vendor's mark.
MARK_BYTES = 32_000

#: Statuses with which a shop asks us to slow down; 430 is Shopify's.
SLOW_DOWN = frozenset({429, 430, 503})

#: Statuses after which one more try tonight is reasonable; 304 when nothing was offered that it could confirm.
WORTH_A_RETRY = frozenset({304, 500, 502, 504, 520, 522, 524})

#: Media types without text in which a price could stand.
_NOT_PAGES = ("image/", "audio/", "video/", "font/", "application/pdf")

#: How an HTML page begins and ends; the end is looked for in its last bytes first.
_OPENED = re.compile(rb"<(?:!doctype\s+html|html|body)\b", re.IGNORECASE)
_CLOSED = re.compile(rb"</(?:html|body)\b", re.IGNORECASE)
_TAIL = 4_000
#: Headers of an answer that is complete only when what they announce has come; the client refuses it otherwise.
_ANNOUNCING = ("content-length", "transfer-encoding")
#: What may be half a tag or half an amount.
_HALF = re.compile(rb"[0-9<]")

_BODY_MARKS = (
    (b"window._cf_chl_opt", "cloudflare", "Cloudflare challenge"),
    (b"cf_chl_", "cloudflare", "Cloudflare challenge"),
    (b'data-translate="block_headline"', "cloudflare", "Cloudflare block"),
    (b"Attention Required! | Cloudflare", "cloudflare", "Cloudflare block"),
    (b"captcha-delivery.com", "datadome", "DataDome captcha"),
    (b'id="px-captcha"', "perimeterx", "HUMAN (PerimeterX) captcha"),
    (b"Incapsula incident ID", "incapsula", "Imperva Incapsula block"),
    (b"_Incapsula_Resource", "incapsula", "Imperva Incapsula block"),
    (b"sec-if-cpt-container", "akamai", "Akamai challenge"),
    (b"awsWafCookieDomainList", "aws_waf", "AWS WAF challenge"),
    (b"anubis_challenge", "anubis", "Anubis challenge"),
    (b"/errors/validateCaptcha", "amazon", "Amazon captcha"),
    (b"Vercel Security Checkpoint", "vercel", "Vercel security checkpoint"),
    (b"Sucuri WebSite Firewall", "sucuri", "Sucuri firewall"),
    (b"<title>DDOS-GUARD</title>", "ddos_guard", "DDoS-Guard check"),
)


class NoReading(NamedTuple):
    """Why an answer is not read for a price."""

    outcome: Outcome
    reason: str
    words: str


def classify(page: Page) -> NoReading | None:
    """Say what an answer is by its status and headers, or None when extraction should read the page."""
    wall = _wall(page)
    if wall:
        reason, name = wall
        return NoReading(Outcome.BLOCKED, reason, f"the shop answered with a bot wall: {name}")
    if page.final_url != page.url and _path(page.final_url) == "/password" != _path(page.url):
        return NoReading(Outcome.FAILED, "password_page", "the shop is closed to visitors: its password page came")
    if page.status == 200:
        return _not_a_page(page) or _cut_off(page)
    return _by_status(page.status)


#: What a miss is told as, where it is no failure of the visit.
_TOLD_AS = {MissReason.ROBOTS: Outcome.ROBOTS, MissReason.WAITING_ROOM: Outcome.BLOCKED}


def without_page(miss: Miss) -> NoReading:
    """Turn a miss into an outcome; its code becomes the reason and its words stay."""
    return NoReading(_TOLD_AS.get(miss.reason, Outcome.FAILED), miss.reason.value, miss.words)


def closed_by(found: RobotsVerdict, url: str) -> NoReading:
    """Return why a page is not asked for: the shop's robots.txt, or the operator's own setting."""
    if found.is_refused(url):
        words = "competitors.toml refuses this address (refuse); it was not asked for"
        return NoReading(Outcome.ROBOTS, "refused_by_setting", words)
    reason = f"robots_{found.kind.value}"
    if found.kind is RobotsKind.UNREACHABLE:
        return NoReading(Outcome.ROBOTS, reason, f"{found.words}, so nothing was asked of this host")
    return NoReading(Outcome.ROBOTS, reason, "the shop's robots.txt closes this page to us; it was not asked for")


def ends_visit(found: NoReading) -> bool:
    """Say whether no further page of this competitor is asked for tonight: it has told us to stay away."""
    return found.outcome is Outcome.BLOCKED


def asks_to_slow_down(page: Page, why: NoReading) -> bool:
    """Say whether the shop asks for time; a wall that comes with the same status is no such request."""
    return page.status in SLOW_DOWN and why.reason in ("rate_limited", "unavailable")


def may_pass(answer: Page | Miss) -> bool:
    """Say whether one more try tonight may give another answer."""
    if isinstance(answer, Miss):
        return answer.may_pass
    return answer.status in WORTH_A_RETRY or (answer.status == 200 and _cut_off(answer) is not None)


def _not_a_page(page: Page) -> NoReading | None:
    kind = (page.content_type or "").partition(";")[0].strip().lower()
    if not page.body and page.headers.get("content-disposition", "").strip().lower().startswith("attachment"):
        return NoReading(Outcome.FAILED, "not_a_page", f"the answer is a file to download ({kind}), not a page")
    is_text = page.body.lstrip()[:1] in (b"<", b"{", b"[")
    if is_text or not kind.startswith(_NOT_PAGES):
        return None
    return NoReading(Outcome.FAILED, "not_a_page", f"the answer is {kind}, not a page")


def _cut_off(page: Page) -> NoReading | None:
    """Say whether a page ends in the middle: nobody closes it, and it ends in a word or within its boxes.

    An answer that ends with its connection tells nothing of what is missing; `149.00` cut after its first digit is a
    price of 1. Of 970 pages of shops that came whole none looks so. One whose end was announced and came may be the
    work of a shop that never closes its pages; but lengths count characters, and programs die in the middle of a page.
    So there it takes both an open box and half a tag or a number at the very end.
    """
    body = page.body
    if _CLOSED.search(body, max(len(body) - _TAIL, 0)) or not _OPENED.search(body, 0, MARK_BYTES):
        return None
    if _CLOSED.search(body):
        return None
    low, last = body.lower(), body.rstrip().rpartition(b">")[2]
    is_open = low.count(b"<div") > low.count(b"</div")
    is_announced = any(name in page.headers for name in _ANNOUNCING)
    if not (is_open and _HALF.search(last) if is_announced else is_open or last):
        return None
    words = "the page ends in the middle: its connection was closed, or its length is wrong, before it was complete"
    return NoReading(Outcome.FAILED, MissReason.INCOMPLETE.value, words)


def _wall(page: Page) -> tuple[str, str] | None:
    return _wall_by_header(page) or (_wall_by_body(page.body) if page.status != 200 else None)


def _wall_by_header(page: Page) -> tuple[str, str] | None:
    headers, status = page.headers, page.status
    if headers.get("cf-mitigated", "").strip().lower() == "challenge":
        return "cloudflare", "Cloudflare challenge"
    if headers.get("x-amzn-waf-action", "").strip().lower() in ("challenge", "captcha"):
        return "aws_waf", "AWS WAF challenge"
    if headers.get("x-vercel-mitigated", "").strip().lower() in ("challenge", "deny"):
        return "vercel", "Vercel security checkpoint"
    if ".within.website" in page.final_url and f"{_path(page.final_url)}/".startswith("/.within.website/"):
        return "anubis", "Anubis challenge"
    if status == 403 and "x-datadome" in headers and "x-dd-b" in headers:
        return "datadome", "DataDome block"
    if status in (403, 429) and "x-kpsdk-ct" in headers:
        return "kasada", "Kasada block"
    if status == 403 and headers.get("server", "").strip().lower() == "akamaighost":
        return "akamai", "Akamai block"
    return None


def _wall_by_body(body: bytes) -> tuple[str, str] | None:
    head = body[:MARK_BYTES]
    return next(((reason, name) for mark, reason, name in _BODY_MARKS if mark in head), None)


def _by_status(status: int) -> NoReading:
    if status in (404, 410):
        return NoReading(Outcome.NOT_FOUND, f"http_{status}", f"the page is gone (HTTP {status})")
    if status in (401, 403, 451, 999):  # the last is no status of HTTP; it says "request denied"
        return NoReading(Outcome.BLOCKED, "refused", f"the shop refuses to show the page (HTTP {status})")
    if status in (429, 430):
        return NoReading(Outcome.BLOCKED, "rate_limited", f"the shop asks us to slow down (HTTP {status})")
    if status == 503:
        return NoReading(Outcome.FAILED, "unavailable", "the shop is not available, maintenance or overload (HTTP 503)")
    if status >= 500:
        return NoReading(Outcome.FAILED, "server_error", f"the shop has an error of its own (HTTP {status})")
    if status == 304:
        words = "the shop says the page is unchanged (HTTP 304), but there is no copy that this could confirm"
        return NoReading(Outcome.FAILED, "not_modified", words)
    return NoReading(Outcome.FAILED, f"http_{status}", f"the answer is not a page (HTTP {status})")


def _path(url: str) -> str:
    return urlsplit(url).path.rstrip("/") or "/"
