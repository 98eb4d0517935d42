"""What a shop shows instead of its goods is told from goods whose names remind of it."""

import pytest

from monitor.domain.extraction import Outcome
from monitor.extract import extract

URL = "https://alpkontor.example/p/1"


def read(title: str, body: str, attributes: str = "") -> tuple[Outcome, str]:
    page = f"<html><head><title>{title}</title></head><body {attributes}>{body}</body></html>"
    found = extract(page.encode(), URL, "text/html; charset=utf-8")
    return found.outcome, found.reason


@pytest.mark.parametrize(
    ("title", "body", "reason"),
    [
        ("x", "<meta http-equiv='refresh' content='0;url=/p/2'>", "sent_on"),
        ("x", "<script>location.href = '/p/2'</script>", "sent_on"),
        ("Maintenance", "<h1>Sorry</h1>", "maintenance"),
        ("Alpkontor - Maintenance", "<p>Back at 9</p>", "maintenance"),
        ("Alpkontor", "<h1>We'll be back soon!</h1>", "maintenance"),
        ("Alpkontor", "<h1>Site under construction</h1>", "maintenance"),
        ("Alpkontor", "<h1>Hallo</h1><p>Wegen Wartungsarbeiten ist der Shop nicht erreichbar</p>", "maintenance"),
        ("Boutique en maintenance", "<p>A bientôt</p>", "maintenance"),
        ("Tienda en mantenimiento", "<p>Volvemos</p>", "maintenance"),
        ("Sklep", "<h1>Przerwa techniczna</h1>", "maintenance"),
        ("Coming soon", "<p>Sign up</p>", "maintenance"),
        ("Opening soon", "<input type='password'>", "password_page"),
        ("Shop", "<p>Enter store using password</p><input type='password'>", "password_page"),
        ("Choose your region", "<ul><li>EU</li></ul>", "location_needed"),
        ("Shop", "<p>Dieser Shop ist in Ihrem Land nicht verfügbar</p>", "location_needed"),
        ("Shop", "<p>Enter your postcode to see prices</p>", "location_needed"),
        ("Altersprüfung", "<h1>Bist du über 18?</h1>", "age_gate"),
        ("Datenschutzeinstellungen", "<button>Alle akzeptieren</button>", "consent_wall"),
        ("Avant de continuer", "<button>Tout accepter</button>", "consent_wall"),
        ("Anmelden | Alpkontor", "<input type='password'>", "login_page"),
        ("Please log in", "<input type='password'>", "login_page"),
        ("alpkontor.example", "<h1>Buy this domain</h1><p>2,499 USD</p>", "parked"),
    ],
)
def test_a_notice_is_no_price_and_says_what_it_is(title: str, body: str, reason: str) -> None:
    assert read(title, f"{body}<p>Free shipping over 50.00 EUR</p>") == (Outcome.NO_PRICE, reason)


@pytest.mark.parametrize(
    ("title", "body"), [("Warteschlange", "<h1>Bitte warten</h1>"), ("Shop", "<h1>You are now in line</h1>")]
)
def test_a_waiting_room_keeps_visitors_out_like_a_wall(title: str, body: str) -> None:
    assert read(title, f"{body}<p>Free shipping over 50.00 EUR</p>") == (Outcome.BLOCKED, "waiting_room")


@pytest.mark.parametrize(
    "name",
    [
        "Bike maintenance kit",
        "Wartungsset für Zelte",
        "Coming soon T-shirt",
        "Waiting room chair",
        "Privacy settings sign",
        "Under construction puzzle",
        "Cookie consent mug",
        "Are you over 18? party game",
        "Log in hoodie",
    ],
)
def test_goods_whose_names_remind_of_a_notice_are_read(name: str) -> None:
    body = f"<h1>{name}</h1><p class='price'>49.90 EUR</p><button>Add to cart</button>"

    assert read(name, body)[0] is Outcome.OK


def test_a_banner_over_a_full_page_hides_nothing() -> None:
    banner = "<div class='cookie'><h2>Before you continue</h2><button>Accept all</button></div>"
    body = f"{banner}<h1>Rope 60</h1><p class='price'>149.00 EUR</p><button>Add to cart</button>" + "<p>Text.</p>" * 400

    assert read("Rope 60", body)[0] is Outcome.OK


@pytest.mark.parametrize(
    "head",
    [
        "<meta http-equiv='refresh' content='300;url=/p/2'>",  # shown for five minutes
        "<meta http-equiv='refresh' content='5;url=/p/1#top'>",  # the page itself again
        "<meta http-equiv='refresh' content='5'>",
        "<noscript><meta http-equiv='refresh' content='0;url=/no-script'></noscript>",
        "<script>if (old) { location.href = '/p/2' }</script>",
    ],
)
def test_a_page_of_goods_that_may_send_some_visitors_on_is_read(head: str) -> None:
    body = f"{head}<h1>Rope 60</h1><p class='price'>149.00 EUR</p><button>Add to cart</button>"

    assert read("Rope 60", body)[0] is Outcome.OK
