"""POST /api/approvals: a program decides by a signed call, once, in its own name."""

import base64
import hashlib
import hmac
import json
from datetime import date
from typing import Any

import httpx
import pytest

from monitor.domain.action import ActionState, Verb
from monitor.web.context import Approver
from tests.review_scene import Scene, a_proposal, a_run
from tests.web.conftest import Site
from tests.web.people import add_user

SECRET = "whsec_" + base64.b64encode(b"0123456789abcdef0123456789abcdef").decode()
OTHER = "whsec_" + base64.b64encode(b"fedcba9876543210fedcba9876543210").decode()
KEY = "nightly-2026-11-29:shop:A-1"


@pytest.fixture
def hook(site: Site) -> Site:
    """A site whose webhook may approve."""
    site.open(approver=Approver("erp", (OTHER, SECRET), may_approve=True))
    return site


def signed(scene: Scene, body: bytes, *, secret: str = SECRET, id: str = "msg_1", late_s: int = 0) -> dict[str, str]:
    """Return the headers of a call as its sender makes them."""
    stamp = str(int(scene.clock.now().timestamp()) - late_s)
    key = base64.b64decode(secret.removeprefix("whsec_"))
    mark = base64.b64encode(hmac.digest(key, f"{id}.{stamp}.".encode() + body, hashlib.sha256)).decode()
    return {"webhook-id": id, "webhook-timestamp": stamp, "webhook-signature": f"v1,{mark}"}


def call(site: Site, *decisions: dict[str, Any], **how: Any) -> httpx.Response:
    body = json.dumps({"decisions": list(decisions)}).encode()
    answer: httpx.Response = site.client.post("/api/approvals", content=body, headers=signed(site.scene, body, **how))
    return answer


def asks(decision: str = "approve", **other: Any) -> dict[str, Any]:
    return {"action": KEY, "version": 1, "decision": decision} | other


def test_a_signed_call_approves_in_the_name_of_the_webhook(hook: Site) -> None:
    (action,) = hook.scene.propose()

    answer = call(hook, asks())

    assert answer.status_code == 200
    (row,) = answer.json()["results"]
    assert (row["action"], row["decision"], row["by"], row["new_price"]) == (KEY, "approve", "erp", "26.90")
    with hook.scene.store.read() as unit:
        (decision,) = unit.actions.decisions(action.id)
    assert (decision.actor.kind, decision.actor.name, decision.actor.nonce) == ("webhook", "erp", "msg_1")
    assert len(hook.scene.writes_of(action.id)) == 1


def test_a_repeat_gets_200_and_the_same_body_whatever_became_of_the_price(hook: Site) -> None:
    (action,) = hook.scene.propose()
    first = call(hook, asks())
    hook.scene.clock.forward(minutes=10)
    with hook.scene.store.write() as unit:
        assert unit.actions.move(action.id, 1, ActionState.APPROVED, ActionState.EXECUTING)

    again = [call(hook, asks()), call(hook, asks(), id="msg_2")]

    assert [(answer.status_code, answer.content) for answer in again] == [(200, first.content)] * 2
    assert hook.scene.decisions_of(action.id) == [Verb.APPROVE]


@pytest.mark.parametrize(("first", "then"), [("approve", "reject"), ("reject", "approve"), ("approve", "snooze")])
def test_a_contradiction_is_409_and_says_what_stands(hook: Site, first: str, then: str) -> None:
    (action,) = hook.scene.propose()
    call(hook, asks(first))
    until = {"until": "2026-12-05T00:00:00+01:00"} if then == "snooze" else {}

    answer = call(hook, asks(then, **until), id="msg_2")

    assert answer.status_code == 409
    assert answer.json()["results"][0]["stands"]["decision"] == first
    assert hook.scene.decisions_of(action.id) == [Verb(first)]


def test_the_same_id_with_another_decision_decides_nothing(hook: Site) -> None:
    hook.scene.propose(a_proposal(), a_proposal("B-2"))
    call(hook, asks())

    answer = call(hook, asks(action="nightly-2026-11-29:shop:B-2"))

    assert answer.status_code == 409
    assert "asked for other decisions before" in answer.json()["error"]
    assert hook.scene.action(2).state is ActionState.PENDING


def test_a_call_that_was_decided_in_part_gets_the_same_answer_again(hook: Site) -> None:
    """Its sender did not get the first answer; the row that could not be decided left no decision."""
    hook.scene.propose(a_proposal(), a_proposal("B-2"))
    rows = (asks(), asks(action="nightly-2026-11-29:shop:B-2", version=7))

    first, again = call(hook, *rows), call(hook, *rows)

    assert (again.status_code, again.content) == (first.status_code, first.content)
    assert [row.get("decision", row.get("outcome")) for row in again.json()["results"]] == ["approve", "stale"]
    assert hook.scene.decisions_of(1) == [Verb.APPROVE]


def test_an_edited_price_is_repeated_like_any_other(hook: Site) -> None:
    (action,) = hook.scene.propose()

    first, again = call(hook, asks(price="26.50")), call(hook, asks(price="26.5"))
    plain = call(hook, asks(), id="msg_2")

    assert (first.status_code, again.content) == (200, first.content)
    assert first.json()["results"][0]["new_price"] == "26.50"
    assert plain.status_code == 409
    assert hook.scene.action(action.id).version == 2


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        (asks(version=2), 409),
        (asks(action="nightly-2026-11-29:shop:none"), 404),
        (asks(action=77), 404),
        (asks(price="1,50"), 422),
        (asks(price="0.10"), 422),
        (asks("snooze"), 422),
        (asks("cancel"), 422),
        (asks("revert"), 422),
    ],
)
def test_what_cannot_be_decided_is_said_and_changes_nothing(hook: Site, asked: dict[str, Any], status: int) -> None:
    (action,) = hook.scene.propose()

    assert call(hook, asked).status_code == status
    assert hook.scene.action(action.id).state is ActionState.PENDING


def test_some_rows_of_a_call_are_decided_while_others_say_why_not(hook: Site) -> None:
    hook.scene.propose(a_proposal(), a_proposal("B-2"))

    answer = call(hook, asks(), {"action": 2, "version": 9, "decision": "reject"})

    assert answer.status_code == 409
    assert [row.get("decision", row.get("outcome")) for row in answer.json()["results"]] == ["approve", "stale"]


def test_two_prices_of_one_product_are_not_approved_in_one_call(hook: Site) -> None:
    (old,) = hook.scene.propose()
    with hook.scene.store.write() as unit:
        run = a_run(unit, date(2026, 11, 30))
        new, _ = unit.actions.propose(a_proposal(new="25.90", run_id=run.id))

    answer = call(hook, asks(action=old.id), asks(action=new.id))

    assert (answer.status_code, answer.json()["error"].split(",")[0]) == (422, "A-1 would be approved twice")
    assert [hook.scene.decisions_of(one.id) for one in (old, new)] == [[], []]


def test_a_webhook_that_may_not_approve_may_still_reject(site: Site) -> None:
    (action,) = site.scene.propose()
    site.open(approver=Approver("chat", (SECRET,)))

    assert call(site, asks()).status_code == 403
    assert site.scene.decisions_of(action.id) == []
    assert call(site, asks("reject")).status_code == 200


@pytest.mark.parametrize(
    "change",
    [
        {"webhook-signature": "v1,AAAA"},
        {"webhook-signature": ""},
        {"webhook-id": "msg_2"},
        {"webhook-timestamp": "1"},
        {"webhook-timestamp": "x"},
        {"webhook-timestamp": "9" * 11},
        {"webhook-id": ""},
    ],
)
def test_threat_51_a_call_that_is_forged_or_altered_decides_nothing(hook: Site, change: dict[str, str]) -> None:
    (action,) = hook.scene.propose()
    body = json.dumps({"decisions": [asks()]}).encode()

    answer = hook.client.post("/api/approvals", content=body, headers=signed(hook.scene, body) | change)

    assert answer.status_code == 401
    altered = hook.client.post("/api/approvals", content=body + b" ", headers=signed(hook.scene, body))
    assert altered.status_code == 401
    assert call(hook, asks(), late_s=301).status_code == 401
    assert call(hook, asks(), late_s=-301).status_code == 401
    assert hook.scene.decisions_of(action.id) == []


def test_either_of_two_keys_is_right_while_they_are_changed(hook: Site) -> None:
    hook.scene.propose()

    assert call(hook, asks(), secret=OTHER).status_code == 200


def test_the_published_example_verifies() -> None:
    """The vector that the sending side is tested with too."""
    from datetime import UTC, datetime

    from monitor.domain.standard_webhook import signing_keys, verified

    body = b'{"type":"price.change.requested","timestamp":"2026-11-29T06:30:00Z","data":{"sku":"A-1"}}'
    headers = {
        "webhook-id": "pc_01",
        "webhook-timestamp": "1795933800",
        "webhook-signature": "v1,SpVpGx6e960ePZuEOIVrRoEeVVuSokTdLDdbl+Q6Vs0=",
    }
    keys = signing_keys(["whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="])

    assert verified(keys, headers, body, datetime.fromtimestamp(1795933800, UTC)) == "pc_01"


def test_without_a_key_there_is_no_webhook(site: Site) -> None:
    assert call(site, asks()).status_code == 404


def test_the_webhook_needs_no_sign_in_because_it_is_signed(hook: Site) -> None:
    hook.scene.propose()
    add_user(hook.scene)
    hook.open(approver=Approver("erp", (SECRET,), may_approve=True), is_loopback=False)

    assert call(hook, asks()).status_code == 200


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"{",
        b"[" * 100_000,
        b'{"decisions": []}',
        b'{"decisions": [1]}',
        b'{"decisions": [{"action": 1, "version": NaN, "decision": "approve"}]}',
        b'{"decisions": [{"action": true, "version": 1, "decision": "approve"}]}',
        b'{"decisions": [{"action": "a", "version": 1, "decision": "approve", "extra": 1}]}',
        b'{"decisions": [{"action": "a\\u0000", "version": 1, "decision": "approve"}]}',
        b'{"decisions": [{"action": "a", "version": 1, "decision": ["approve"]}]}',
        b'{"decisions": [{"action": "a", "version": 1, "decision": "snooze", "until": "soon"}]}',
        b'{"decisions": [{"action": 1, "version": 1, "decision": "reject", "decision": "approve"}]}',
        b'{"decisions": [{"action": "\\ud800", "version": 1, "decision": "approve"}]}',
        "\ufeff{}".encode(),
        b"\xff\xfe",
    ],
)
def test_a_body_of_another_form_is_said_to_be(hook: Site, body: bytes) -> None:
    answer = hook.client.post("/api/approvals", content=body, headers=signed(hook.scene, body))

    assert answer.status_code == 422
    assert answer.json()["error"].startswith("The call could not be read")
