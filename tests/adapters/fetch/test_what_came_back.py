"""What shops answer instead of a product: each has its outcome, its words for the report, and never a price.

Every case is a night after one on which 149.00 EUR was read, over a real socket, into the real database.
"""

import gzip
from dataclasses import dataclass, replace

import pytest

from monitor.domain.observation import Observation
from monitor.domain.report import build
from tests.nights import MADE, RUN, a_catalogue, a_job, a_night
from tests.rawshop import moved
from tests.visits import PATH, Visits, page, product_page


@dataclass(frozen=True)
class Case:
    """One answer and what is made of it."""

    routes: dict[str, object]
    told: tuple[str, str]
    words: str  #: part of the sentence in the report
    asked: int = 1  #: requests of the night, robots.txt left out


def html(title: str, body: str, attributes: str = "") -> str:
    """A small page."""
    return f"<html><head><title>{title}</title></head><body {attributes}>{body}</body></html>"


CHALLENGE = html(
    "Just a moment...",
    "<noscript>Enable JavaScript and cookies to continue</noscript><p class='price'>Orders over €899 ship free</p>"
    "<script>window._cf_chl_opt={}</script>",
)
ROBOT_CHECK = html(
    "Robot Check", "<p>Type the characters you see in this image</p><p>€899</p><form action='/c'></form>"
)
LISTING = html(
    "Ropes",
    "<h1>Ropes</h1>"
    + "".join(
        f"<li class='card'><a href='/p/{n}'>Rope {n}</a><b class='price'>{n}.90 €</b></li>" for n in range(9, 29)
    ),
    "class='category'",
)
HOME = product_page("19.00", name="Product of the day", sku="DAY")
GONE = html("Page not found", "<h1>Page not found</h1><p>Free shipping over 899 EUR</p>", "class='template-404'")
PASSWORD = html(
    "Alpkontor",
    "<h1>Opening soon</h1><form>Enter store using password<input type='password'></form><p>From 9.90 EUR</p>",
    "class='template-password'",
)
MAINTENANCE = html(
    "Alpkontor - Wartung",
    "<h1>Wir sind gleich zurück</h1><p>Wegen Wartungsarbeiten ist unser Shop nicht erreichbar. Gutschein: 10 EUR.</p>",
)
CONSENT = html(
    "Before you continue to Alpkontor",
    "<h1>Before you continue</h1><p>We use cookies. Plus costs 2.99 EUR.</p><form><button>Accept all</button></form>",
)
WHERE = html("Choose your country", "<h1>Choose your country or region</h1><li>Austria (EUR)</li><li>Norway (NOK)</li>")
NOT_HERE = html("Sorry", "<h1>This shop is not available in your country</h1><p>Free shipping over 50 EUR</p>")
AGE = html("Age verification", "<h1>Are you over 18?</h1><p>Win 50.00 EUR</p><button>Yes</button><button>No</button>")
QUEUE = html("Waiting room", "<h1>You are now in line</h1><p>Your estimated wait time is 4 minutes. From 9.99 EUR.</p>")
LOGIN = html("Log in - Alpkontor", "<h1>Log in</h1><form><input type='password'></form><p>Members save 10 EUR</p>")
PARKED = html("alpkontor.example", "<h1>This domain is for sale</h1><p>Buy now for 2,499 USD</p>")
SHELL = html("Alpkontor", "<div id='root'></div><script src='/app.js'></script>")

CASES: dict[str, Case] = {
    # walls
    "a challenge with a number in it": Case(
        {PATH: page(CHALLENGE, status=403, headers={"Server": "cloudflare", "Cf-Mitigated": "challenge"})},
        ("blocked", "cloudflare"),
        "Cloudflare challenge",
    ),
    "a captcha that says 200": Case({PATH: page(ROBOT_CHECK)}, ("blocked", "unnamed_wall"), "captcha"),
    "a plain refusal": Case({PATH: page("no", status=403)}, ("blocked", "refused"), "refuses to show"),
    "a demand to log in": Case({PATH: page("no", status=401)}, ("blocked", "refused"), "HTTP 401"),
    "closed for legal reasons": Case({PATH: page("no", status=451)}, ("blocked", "refused"), "HTTP 451"),
    "a wall behind a redirect": Case(
        {PATH: moved("/.within.website/?redir=1"), "/.within.website/?redir=1": page("<h1>checking</h1>")},
        ("blocked", "anubis"),
        "Anubis",
        2,
    ),
    # gone, and redirected
    "gone": Case({PATH: page("", status=404)}, ("not_found", "http_404"), "the page is gone (HTTP 404)"),
    "gone for good": Case({PATH: page("", status=410)}, ("not_found", "http_410"), "HTTP 410"),
    "gone with status 200": Case({PATH: page(GONE)}, ("not_found", "soft_404"), "answered 200"),
    "redirected to a category": Case(
        {PATH: moved("/ropes/", status=301), "/ropes/": page(LISTING)},
        ("not_found", "redirected"),
        "no longer a product page: redirected to",
        2,
    ),
    "redirected to the home page": Case(
        {PATH: moved("/"), "/": page(HOME)}, ("not_found", "redirected"), "the shop's home page", 2
    ),
    "redirected to another product": Case(
        {
            PATH: moved("/p/rope-60-v2", status=301),
            "/p/rope-60-v2": page(product_page("179.00", name="Rope 60 v2", sku="AK-9")),
        },
        ("not_found", "redirected"),
        "http://alpkontor.example/p/rope-60-v2",
        2,
    ),
    "redirected to another shop": Case(
        {PATH: moved("http://rival.test/p/rope-60")}, ("failed", "redirected_away"), "http://rival.test/p/rope-60"
    ),
    "redirected to a search": Case(
        {PATH: moved("/search?q=rope"), "/search?q=rope": page(LISTING)},
        ("not_found", "redirected"),
        "lists several",
        2,
    ),
    "sent on by a tag": Case(
        {PATH: page("<meta content='0; URL=/p/rope-60-v2&amp;x' http-equiv=Refresh><p>Moved, 9.90 EUR</p>")},
        ("failed", "sent_on"),
        "sends visitors on to http://alpkontor.example/p/rope-60-v2&x,",
    ),
    "sent on by a script": Case(
        {PATH: page("<title>x</title><script>window.location.replace('http://rival.test/')</script>")},
        ("failed", "sent_on"),
        "sends visitors on to http://rival.test/,",
    ),
    "a redirect loop": Case({PATH: moved(PATH)}, ("failed", "redirects"), "redirect loop", 2),
    "a redirect without end": Case(
        {PATH: moved("/1"), **{f"/{n}": moved(f"/{n + 1}") for n in range(1, 9)}},
        ("failed", "redirects"),
        "too many redirects",
        6,
    ),
    "a page of other goods at the same address": Case(
        {PATH: page(LISTING)}, ("listing", "listing"), "a list of products"
    ),
    # closed
    "maintenance": Case({PATH: page("later", status=503)}, ("failed", "unavailable"), "maintenance or overload", 2),
    "maintenance with status 200": Case({PATH: page(MAINTENANCE)}, ("failed", "maintenance"), "maintenance"),
    "a password page": Case(
        {PATH: moved("/password"), "/password": page(PASSWORD)}, ("failed", "password_page"), "password", 2
    ),
    "a password page at the same address": Case({PATH: page(PASSWORD)}, ("failed", "password_page"), "password"),
    "a consent wall": Case({PATH: page(CONSENT)}, ("failed", "consent_wall"), "consent"),
    "a consent wall elsewhere": Case(
        {PATH: moved("http://consent.alpkontor.example/x")}, ("failed", "consent_wall"), "consent"
    ),
    "a choice of country": Case({PATH: page(WHERE)}, ("failed", "location_needed"), "country"),
    "not sold here": Case({PATH: page(NOT_HERE)}, ("failed", "location_needed"), "country"),
    "a question of age": Case({PATH: page(AGE)}, ("failed", "age_gate"), "age"),
    "a waiting room": Case({PATH: page(QUEUE)}, ("blocked", "waiting_room"), "waiting room"),
    "a waiting room elsewhere": Case(
        {PATH: moved("http://alpkontor.queue-it.net/?c=alp")}, ("blocked", "waiting_room"), "waiting room at"
    ),
    "a login": Case(
        {PATH: moved("/login?next=x"), "/login?next=x": page(LOGIN)}, ("failed", "login_page"), "log in", 2
    ),
    "a domain for sale": Case({PATH: page(PARKED)}, ("failed", "parked"), "for sale"),
    # another market
    "another currency": Case(
        {PATH: page(product_page("165.00", currency="USD"))}, ("ambiguous", "currency_changed"), "showed USD and so far"
    ),
    "another country": Case(
        {PATH: moved("/us/p/rope-60"), "/us/p/rope-60": page(product_page("165.00", currency="USD"))},
        ("ambiguous", "currency_changed"),
        "USD",
        2,
    ),
    # not a page
    "nothing": Case({PATH: page("")}, ("no_price", "empty"), "no content"),
    "a shell for scripts": Case({PATH: page(SHELL)}, ("no_price", "no_clear_price"), "price"),
    "an error in JSON": Case(
        {PATH: page('{"error":"internal","price":"899.00"}', headers={"Content-Type": "application/json"})},
        ("no_price", "unknown_json"),
        "known shape",
    ),
    "a picture": Case(
        {PATH: page(b"\x89PNG\r\n\x1a\n" + bytes(999), headers={"Content-Type": "image/png"})},
        ("failed", "not_a_page"),
        "image/png",
    ),
    "a file": Case(
        {PATH: page(b"%PDF-1.7 149.00 EUR", headers={"Content-Type": "application/pdf"})},
        ("failed", "not_a_page"),
        "application/pdf",
    ),
    "an error of the shop": Case({PATH: page("x", status=500)}, ("failed", "server_error"), "an error of its own", 2),
    "a teapot": Case({PATH: page("x", status=418)}, ("failed", "http_418"), "not a page (HTTP 418)"),
    "only a part": Case({PATH: page(product_page(), status=206)}, ("failed", "http_206"), "HTTP 206"),
    "half an answer": Case(
        {PATH: lambda c: c.sendall(page(product_page())[:-90])}, ("failed", "incomplete"), "ended before it was", 2
    ),
    "half a gzip stream": Case(
        {PATH: page(gzip.compress(product_page())[:-40], headers={"Content-Encoding": "gzip"})},
        ("failed", "incomplete"),
        "ends before its end",
        2,
    ),
    "no gzip under its header": Case(
        {PATH: page(b"\x00\x01149.00 EUR", headers={"Content-Encoding": "gzip"})},
        ("failed", "unreadable"),
        "and is not",
    ),
    "too large": Case(
        {PATH: page(gzip.compress(product_page() + bytes(6_000_000)), headers={"Content-Encoding": "gzip"})},
        ("failed", "too_large"),
        "larger than 5,000,000 bytes",
    ),
    "too large, as announced": Case(
        {PATH: lambda c: c.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 9000000\r\n\r\n149.00 EUR")},
        ("failed", "too_large"),
        "announced 9,000,000 bytes",
    ),
    "no HTTP": Case(
        {PATH: lambda c: c.sendall(b"149.00 EUR\r\n\r\n")}, ("failed", "protocol"), "does not answer in HTTP"
    ),
    "a closed door": Case({PATH: lambda _c: None}, ("failed", "incomplete"), "closed the connection without", 3),
    "an unknown coding": Case(
        {PATH: page("149.00 EUR", headers={"Content-Encoding": "sdch"})}, ("failed", "encoding"), "'sdch'"
    ),
}


def reported(seen: Observation) -> str:
    """What the morning's report says of a watch that was not read."""
    facts = a_night(
        catalogue=a_catalogue([seen.sku], [seen.competitor]),
        jobs=(a_job(seen.competitor),),
        observations=(replace(seen, run_id=RUN),),
    )
    (gap,) = build(facts, now=MADE).trust.gaps
    return gap.why


@pytest.mark.parametrize("name", CASES)
def test_what_came_back_is_named_and_is_no_price(name: str, scene: Visits) -> None:
    case = CASES[name]
    scene.shop.routes.update(case.routes)  # type: ignore[arg-type]
    night = scene.night(price_first="149.00")

    assert (night.told, night.seen.words) == (case.told, night.seen.words)
    assert case.words.lower() in night.seen.words.lower()
    said = "no price on the page" if night.told[0] == "no_price" else case.words
    assert said.lower() in reported(night.seen).lower()
    assert len(night.asked) == case.asked
    assert night.seen.price is None
    (span,) = scene.history
    assert (str(span.price), span.last_seen_at < scene.clock.at) == ("149", True)
