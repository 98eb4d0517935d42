"""Our own OpenAPI description, read by a program that tries to break what it describes."""

import base64
import hashlib
import hmac
import json
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings

from monitor.web.app import build, create_app
from monitor.web.context import Approver
from monitor.web.pages import Pages
from tests.review_scene import Scene, a_proposal
from tests.web.conftest import TOKEN, TestClient, context_of

#: What other programs ask for; what the pages of the dashboard ask for is described with them.
OURS = {
    "/api/status",
    "/api/runs",
    "/api/runs/{run_id}",
    "/api/runs/{run_id}/jobs/{competitor}",
    "/api/approvals",
    "/api/actions",
    "/api/checks",
    "/api/products/{sku}/history",
    "/api/runs/{run_id}/events",
    "/healthz",
    "/readyz",
    "/metrics",
}

SECRET = "whsec_" + base64.b64encode(b"0123456789abcdef0123456789abcdef").decode()


@pytest.fixture
def described(scene: Scene) -> tuple[Any, Scene]:
    """The description and a scene with something in it."""
    scene.propose(a_proposal(), a_proposal("B-2"))
    context = context_of(scene, approver=Approver("erp", (SECRET,), may_approve=True))
    return context, scene


def document(context: Any) -> dict[str, Any]:
    described: dict[str, Any] = json.loads(json.dumps(build(context, Pages(context)).openapi()))
    return described


def test_every_operation_is_described_with_an_example_and_its_errors(described: tuple[Any, Scene]) -> None:
    context, _ = described
    paths = document(context)["paths"]

    assert set(paths) >= OURS
    for path in sorted(OURS):
        for verb, operation in paths[path].items():
            assert operation["summary"], path
            good = next(answer for status, answer in operation["responses"].items() if status.startswith("2"))
            contents = good.get("content", {})
            is_shown = any("example" in content or "examples" in content for content in contents.values())
            assert is_shown, f"{verb} {path} shows no example"


def signed(body: bytes, scene: Scene, number: int) -> dict[str, str]:
    stamp, key = str(int(scene.clock.now().timestamp())), base64.b64decode(SECRET.removeprefix("whsec_"))
    mark = base64.b64encode(hmac.digest(key, f"m{number}.{stamp}.".encode() + body, hashlib.sha256)).decode()
    return {"webhook-id": f"m{number}", "webhook-timestamp": stamp, "webhook-signature": f"v1,{mark}"}


@pytest.mark.slow
def test_nothing_that_the_description_allows_or_forbids_is_a_server_error(described: tuple[Any, Scene]) -> None:
    """Generated calls, good and bad ones, with the token, signed where a signature is asked for."""
    context, scene = described
    app = create_app(context)
    client = TestClient(app, base_url="http://127.0.0.1:8080", raise_server_exceptions=False)
    schema = schemathesis.openapi.from_dict(document(context))
    tried: list[int] = []

    def check(case: Any) -> None:
        sent = case.as_transport_kwargs(base_url="http://127.0.0.1:8080")
        headers = {name: value for name, value in dict(sent.get("headers") or {}).items() if _may_be_sent(value)}
        body = json.dumps(sent["json"]).encode() if "json" in sent else b""
        signature = signed(body, scene, len(tried)) if sent["url"].endswith("/api/approvals") else {}
        answer = client.request(
            sent["method"],
            sent["url"],
            params=sent.get("params"),
            content=body,
            headers=headers | {"authorization": f"Bearer {TOKEN}"} | signature,
        )
        tried.append(answer.status_code)
        assert answer.status_code < 500, (sent, answer.text)
        assert "Traceback" not in answer.text

    for found in schema.get_all_operations():
        few = settings(max_examples=25, deadline=None, database=None, phases=[Phase.generate])
        settings(few, suppress_health_check=list(HealthCheck))(given(case=found.ok().as_strategy())(check))()
    assert len(tried) > 100
    assert {200, 202, 404, 422} <= set(tried)


def _may_be_sent(value: Any) -> bool:
    return isinstance(value, str) and value.isascii() and value.isprintable()
