"""The signed webhook, against a receiver that checks signatures and against one that says anything."""

import base64
import json
import socket
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from monitor.adapters.clock import SystemClock
from monitor.adapters.http import Client
from monitor.adapters.shops import WebhookShop
from monitor.adapters.shops.signature import keys_of, signed
from monitor.adapters.shops.webhook import price_change
from monitor.domain.money import Money
from monitor.domain.shop_price import ShopPrice
from monitor.errors import CannotSucceed, Misconfigured, OutcomeUnknown, RetryLater
from monitor.ports.shop import ProductGone, ShopConflict
from tests.contracts.test_shop import a_write
from tests.fake_shop import Books
from tests.receiver import SECRET, Receiver, is_signed
from tests.review_scene import AT, SetClock

OTHER_SECRET = f"whsec_{base64.b64encode(b'another key, at least twenty-four').decode()}"


@pytest.fixture
def receiver():
    with Receiver(Books(A_1="27.90")) as receiver:
        yield receiver


def _shop(receiver: Receiver, **other) -> WebhookShop:
    given = {"read_url": receiver.url, "deadline": timedelta(seconds=2), "secrets": [SECRET], "clock": SystemClock()}
    given |= other
    return WebhookShop(receiver.url, given.pop("secrets"), Client(), given.pop("clock"), **given)


def test_a_signature_is_the_one_of_the_specification():
    at = datetime.fromtimestamp(1795933800, UTC)
    body = b'{"type":"price.change.requested","timestamp":"2026-11-29T06:30:00Z","data":{"sku":"A-1"}}'

    headers = signed(keys_of([SECRET]), "pc_01", at, body)

    assert headers == {
        "webhook-id": "pc_01",
        "webhook-timestamp": "1795933800",
        "webhook-signature": "v1,SpVpGx6e960ePZuEOIVrRoEeVVuSokTdLDdbl+Q6Vs0=",
    }


def test_while_a_secret_is_replaced_both_sign(receiver):
    _shop(receiver, secrets=[OTHER_SECRET, SECRET]).write(a_write())

    assert len(receiver.headers[0]["webhook-signature"].split()) == 2
    assert is_signed(receiver.headers[0], receiver.bodies[0], SECRET)
    assert is_signed(receiver.headers[0], receiver.bodies[0], OTHER_SECRET)


@pytest.mark.parametrize(
    "secret", ["", "secret", "whsec_", "whsec_c2hvcnQ=", "whsec_not base64 at all, whatever its length"]
)
def test_a_secret_of_another_form_is_refused_and_not_shown(secret):
    with pytest.raises(Misconfigured, match="whsec_ and the base64 of 24 to 64 random bytes") as raised:
        keys_of([secret])

    assert len(secret) < 7 or secret not in str(raised.value)


def test_a_call_carries_what_the_receiver_needs_to_compare_and_to_remember(receiver):
    write = a_write(key="6f0c2d")

    assert _shop(receiver).write(write) == "applied"

    headers, document = receiver.headers[0], json.loads(receiver.bodies[0])
    assert (headers["webhook-id"], headers["idempotency-key"]) == ("6f0c2d", '"6f0c2d"')
    assert headers["content-type"] == "application/json"
    assert document["type"] == "price.change.requested"
    assert document["data"] == {
        "write_id": "6f0c2d",
        "proposal_id": 1,
        "version": 1,
        "channel": "shop",
        "sku": "A-1",
        "currency": "EUR",
        "expected_price": "27.90",
        "new_price": "24.90",
        "compare_at": {"action": "keep"},
    }


def test_a_repeat_later_is_the_same_message_with_a_new_time(receiver):
    write, clock = a_write(), SetClock()
    for _ in range(2):
        receiver.say(200)
        _shop(receiver, clock=clock).write(write)
        clock.forward(minutes=5)

    first, later = receiver.headers
    assert receiver.bodies[0] == receiver.bodies[1]
    assert (first["webhook-id"], first["idempotency-key"]) == (later["webhook-id"], later["idempotency-key"])
    assert int(later["webhook-timestamp"]) - int(first["webhook-timestamp"]) == 300
    assert first["webhook-signature"] != later["webhook-signature"]


def test_a_receiver_with_another_secret_refuses_and_nothing_is_changed(receiver):
    with pytest.raises(CannotSucceed, match="answered 401"):
        _shop(receiver, secrets=[OTHER_SECRET]).write(a_write())
    with pytest.raises(CannotSucceed, match="answered 401"):
        _shop(receiver, secrets=[OTHER_SECRET]).read("A-1")
    assert receiver.books.changes == []


def test_an_altered_body_or_an_old_time_is_not_signed(receiver):
    _shop(receiver).write(a_write())
    headers, body = receiver.headers[0], receiver.bodies[0]

    assert is_signed(headers, body)
    assert not is_signed(headers, body.replace(b"24.90", b"14.90"))
    assert not is_signed({**headers, "webhook-timestamp": str(int(headers["webhook-timestamp"]) - 301)}, body)
    assert not is_signed({**headers, "webhook-id": "another"}, body)


@pytest.mark.parametrize(
    ("status", "body", "raised", "words"),
    [
        (200, {"status": "conflict", "current_price": "26.90"}, ShopConflict, "has 26.90 for A-1"),
        (409, {"status": "conflict", "current_price": "26.90"}, ShopConflict, "has 26.90 for A-1"),
        (409, {"status": "in progress"}, OutcomeUnknown, "answered 409"),
        (409, None, OutcomeUnknown, "answered 409"),
        (202, {"status": "accepted"}, OutcomeUnknown, "not done yet"),
        (202, None, OutcomeUnknown, "not done yet"),
        (200, {"status": "applied", "price": "24.95"}, OutcomeUnknown, "not the price that was sent, 24.90"),
        (200, {"status": "error", "message": "no"}, CannotSucceed, "answered 200"),
        (200, {"status": "not_found"}, ProductGone, "has no A-1"),
        (404, {"status": "not_found"}, ProductGone, "has no A-1"),
        (404, b"<h1>Not Found</h1>", CannotSucceed, r"answered 404 \(<h1>Not Found"),
        (410, None, CannotSucceed, "answered 410"),
        (302, None, CannotSucceed, "answered 302"),
        (400, None, CannotSucceed, "answered 400"),
        (422, {"status": "invalid"}, CannotSucceed, "answered 422"),
        (408, None, OutcomeUnknown, "answered 408"),
        (500, None, OutcomeUnknown, "answered 500"),
        (502, None, OutcomeUnknown, "answered 502"),
        (503, None, OutcomeUnknown, "answered 503"),
        (504, b"gateway", OutcomeUnknown, "answered 504"),
        (429, None, RetryLater, "answered 429"),
    ],
)
def test_every_answer_is_a_yes_a_no_or_unknown(receiver, status, body, raised, words):
    receiver.say(status, body)

    with pytest.raises(raised, match=words) as caught:
        _shop(receiver).write(a_write())
    assert type(caught.value) is raised


@pytest.mark.parametrize(
    ("status", "body", "answer"),
    [
        (200, {"status": "applied", "price": "24.9"}, "applied"),
        (200, {"status": "already_applied"}, "already_applied"),
        (200, None, "delivered"),
        (204, None, "delivered"),
        (200, b"OK", "delivered"),
        (409, {"status": "conflict", "current_price": "24.90"}, "it had this price already"),
    ],
)
def test_what_counts_as_a_yes(receiver, status, body, answer):
    receiver.say(status, body)

    assert _shop(receiver).write(a_write()) == answer


def test_a_receiver_that_asks_to_wait_is_asked_again_then(receiver):
    clock = SetClock()
    for value, expected in (("90", AT + timedelta(seconds=90)), ("soon", None)):
        receiver.say(429, None, retry_after=value)
        with pytest.raises(RetryLater) as raised:
            _shop(receiver, clock=clock).write(a_write())
        assert raised.value.not_before == expected


def test_nobody_at_the_address_is_tried_again_later():
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    shop = WebhookShop(
        f"http://127.0.0.1:{port}/", [SECRET], Client(), SystemClock(), read_url=f"http://127.0.0.1:{port}/"
    )

    with pytest.raises(RetryLater):
        shop.write(a_write())
    with pytest.raises(RetryLater):
        shop.read("A-1")


def test_a_redirect_is_not_followed(receiver):
    receiver.say(307, None, location=f"{receiver.url}/elsewhere")

    with pytest.raises(CannotSucceed, match="answered 307"):
        _shop(receiver).write(a_write())
    assert len(receiver.bodies) == 1


@pytest.mark.parametrize("url", ["ftp://shop.example/", "shop.example", "http://user:word@shop.example/"])
def test_an_address_that_is_none_is_a_problem_of_the_configuration(url):
    with pytest.raises(Misconfigured, match=r"shop\.url and shop\.read_url in monitor\.toml"):
        WebhookShop(url, [SECRET], Client(), SystemClock())


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (b'{"sku": "A-1", "price": "27.90", "currency": "EUR"}', ShopPrice(Money(Decimal("27.90"), "EUR"))),
        (b'{"price": 27.90, "currency": "EUR"}', ShopPrice(Money(Decimal("27.90"), "EUR"))),
        (b'{"price": 0.1, "currency": "EUR"}', ShopPrice(Money(Decimal("0.1"), "EUR"))),
        (b'{"price": 5980, "currency": "JPY"}', ShopPrice(Money(Decimal(5980), "JPY"))),
        (b'{"price": null, "currency": "EUR"}', None),
        (b'{"status": "not_found"}', None),
    ],
)
def test_a_price_is_read_exactly(receiver, body, found):
    receiver.say(200, body)

    assert _shop(receiver).read("A-1") == found


@pytest.mark.parametrize(
    ("status", "body", "raised"),
    [
        (200, b"", CannotSucceed),
        (200, b"27.90", CannotSucceed),
        (200, b"[]", CannotSucceed),
        (200, b"[" * 30_000, CannotSucceed),
        (200, b'{"price": "27,90", "currency": "EUR"}', CannotSucceed),
        (200, b'{"price": "27.90"}', CannotSucceed),
        (200, b'{"price": true, "currency": "EUR"}', CannotSucceed),
        (200, b'{"price": 1e400, "currency": "EUR"}', CannotSucceed),
        (200, b'{"price": NaN, "currency": "EUR"}', CannotSucceed),
        (200, b'{"price": "27.90", "currency": "euros"}', CannotSucceed),
        (200, b'{"sku": "B-2", "price": "27.90", "currency": "EUR"}', CannotSucceed),
        (404, b'{"detail": "Not Found"}', CannotSucceed),
        (404, b"", CannotSucceed),
        (301, b"", CannotSucceed),
        (403, b"", CannotSucceed),
        (429, b"", RetryLater),
        (500, b"", RetryLater),
        (503, b"", RetryLater),
    ],
)
def test_a_price_that_is_not_clear_is_not_guessed(receiver, status, body, raised):
    """A 404 of a wrong address must not pass for a product that is gone."""
    receiver.say(status, body)

    with pytest.raises(raised):
        _shop(receiver).read("A-1")


def test_the_address_for_reading_may_have_the_sku_in_its_path(receiver):
    shop = _shop(receiver, read_url=f"{receiver.url}/{{sku}}/price?lang=en")
    receiver.say(200, {"price": "27.90", "currency": "EUR"})
    shop.read("A/1")
    receiver.say(200, {"price": "27.90", "currency": "EUR"})
    _shop(receiver, read_url=f"{receiver.url}?lang=en").read("A/1")

    assert receiver.asked == ["/prices/A%2F1/price?lang=en", "/prices?lang=en&sku=A%2F1"]


def test_a_webhook_without_a_reading_says_so(receiver):
    shop = _shop(receiver, read_url=None)

    assert not shop.reads
    with pytest.raises(CannotSucceed, match=r"set shop\.read_url in monitor\.toml"):
        shop.read("A-1")
    assert receiver.asked == []


def test_the_example_in_the_documentation_is_what_is_sent():
    page = (Path(__file__).parents[3] / "docs" / "shops.md").read_text(encoding="utf-8")
    example = page[page.index("POST /prices") :].partition("```")[0]
    head, _, wrapped = example.partition("\n\n")
    shown = dict(line.split(": ", 1) for line in head.splitlines()[1:])
    body = wrapped.replace("\n ", "").strip().encode()
    write = replace(
        a_write("TR-41", "129.00", "139.00", key=shown["webhook-id"]),
        action_id=123,
        created_at=datetime(2026, 11, 29, 6, 43, 51, tzinfo=UTC),
    )

    assert body == price_change(write)
    assert shown["Idempotency-Key"] == f'"{write.idempotency_key}"'
    at = datetime.fromtimestamp(int(shown["webhook-timestamp"]), UTC)
    assert shown["webhook-signature"] == signed(keys_of([SECRET]), write.idempotency_key, at, body)["webhook-signature"]
