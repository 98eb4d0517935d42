"""What other programs call: starting runs signed or by token, single checks, lists and exports."""

import base64
import hashlib
import hmac
import json
from datetime import date, timedelta
from typing import Any

import pytest

from monitor.domain.catalogue import Catalogue
from monitor.domain.extraction import Extraction, Outcome
from monitor.domain.run import Run
from monitor.errors import MonitorError
from monitor.flow.begin import NobodyToVisit, NothingToVisit
from monitor.flow.check import Checked, ChecksSpent, NotInTime, NotOurs
from tests.review_scene import Scene, a_proposal
from tests.web.conftest import TOKEN, Begun, Site

BEARER = {"authorization": f"Bearer {TOKEN}"}
SECRET = "whsec_" + base64.b64encode(b"0123456789abcdef0123456789abcdef").decode()


def signed(scene: Scene, body: bytes, secret: str = SECRET) -> dict[str, str]:
    stamp, key = str(int(scene.clock.now().timestamp())), base64.b64decode(secret.removeprefix("whsec_"))
    mark = base64.b64encode(hmac.digest(key, f"m1.{stamp}.".encode() + body, hashlib.sha256)).decode()
    return {"webhook-id": "m1", "webhook-timestamp": stamp, "webhook-signature": f"v1,{mark}"}


class One:
    """Begins runs of one competitor, as the app does."""

    def __init__(self, run: Run) -> None:
        self.run, self.asked = run, list[str]()

    def __call__(self, origin: str, competitor: str) -> Run:
        self.asked.append(f"{origin} {competitor}")
        if competitor == "nobody":
            raise NobodyToVisit(competitor)
        return self.run


def test_one_competitor_is_started_by_name_and_a_repeat_gets_the_same_run(site: Site) -> None:
    one = One(site.scene.run)
    site.open(begin=Begun(site.scene.run), begin_one=one)

    answers = [site.client.post("/api/runs", json={"competitor": "acme"}, headers=BEARER) for _ in range(2)]

    assert [answer.status_code for answer in answers] == [202, 202]
    assert answers[0].json() == answers[1].json()
    assert one.asked == ["api acme", "api acme"]
    assert site.client.post("/api/runs", json={"competitor": "nobody"}, headers=BEARER).status_code == 404


def test_a_night_with_nothing_to_visit_is_refused_with_what_to_configure(site: Site) -> None:
    def nothing(_origin: str) -> Run:
        raise NothingToVisit(date(2026, 11, 29), Catalogue((), (), ()))

    site.open(begin=nothing)

    answer = site.client.post("/api/runs", headers=BEARER)

    assert answer.status_code == 409
    assert "nothing to visit" in answer.json()["error"]
    assert "competitors.toml" in answer.json()["error"]


@pytest.mark.parametrize("body", [b"[]", b"{", b'{"competitor": 7}', b'{"competitor": ""}', b'{"shop": "acme"}'])
def test_a_body_that_cannot_be_read_starts_nothing(site: Site, body: bytes) -> None:
    begun = Begun(site.scene.run)
    site.open(begin=begun, begin_one=One(site.scene.run))

    answer = site.client.post("/api/runs", content=body, headers=BEARER)

    assert (answer.status_code, begun.origins) == (422, [])
    assert "Nothing was done" in answer.json()["error"]


def test_a_signed_call_starts_a_run_without_a_token(site: Site) -> None:
    begun = Begun(site.scene.run)
    site.open(begin=begun, api_token=None, runs_secrets=(SECRET,))

    assert site.client.post("/api/runs", headers=signed(site.scene, b"")).status_code == 202
    assert begun.origins == ["api"]


@pytest.mark.parametrize("wrong", ["body", "key", "age", "none set"])
def test_a_call_that_is_not_signed_right_starts_nothing(site: Site, wrong: str) -> None:
    begun = Begun(site.scene.run)
    site.open(begin=begun, runs_secrets=() if wrong == "none set" else (SECRET,))
    other = "whsec_" + base64.b64encode(b"another key of thirty-two bytes!").decode()
    headers = signed(site.scene, b"{}" if wrong == "body" else b"", other if wrong == "key" else SECRET)
    if wrong == "age":
        site.scene.clock.forward(minutes=6)

    assert site.client.post("/api/runs", headers=headers).status_code == 401
    assert begun.origins == []


class Answering:
    """Checks that answer as they are told."""

    def __init__(self, what: Checked | MonitorError) -> None:
        self.what, self.asked = what, list[tuple[str, timedelta, str | None]]()

    def watched(self, competitor: str, sku: str) -> str:
        return f"https://{competitor}.example/{sku}"

    def check(self, url: str, deadline: timedelta, *, sku: str | None = None) -> Checked:
        self.asked.append((url, deadline, sku))
        if isinstance(self.what, MonitorError):
            raise self.what
        return self.what


READ = Checked("https://acme.example/A-1", "acme", "A-1", Extraction(Outcome.NO_PRICE, "sold_out", "no price"), 2, 0.5)


def test_a_check_of_a_page_or_a_watch_is_answered_whatever_came_of_it(site: Site) -> None:
    checks = Answering(READ)
    site.open(checks=checks)

    page = site.client.post("/api/checks", json={"url": "https://acme.example/A-1"}, headers=BEARER)
    watch = site.client.post("/api/checks", json={"competitor": "acme", "sku": "A-1", "deadline_s": 5}, headers=BEARER)

    assert (page.status_code, page.json()["outcome"], page.json()["price"]) == (200, "no_price", None)
    assert watch.json() == page.json()
    twenty, five = timedelta(seconds=20), timedelta(seconds=5)
    assert checks.asked == [("https://acme.example/A-1", twenty, None), ("https://acme.example/A-1", five, "A-1")]


@pytest.mark.parametrize(
    ("error", "status"), [(NotOurs("not ours"), 404), (ChecksSpent("spent"), 429), (NotInTime("later"), 503)]
)
def test_a_check_that_cannot_be_made_says_why(site: Site, error: MonitorError, status: int) -> None:
    site.open(checks=Answering(error))

    answer = site.client.post("/api/checks", json={"url": "https://acme.example/"}, headers=BEARER)

    assert (answer.status_code, answer.json()) == (status, {"error": str(error)})


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"url": "https://a.example/", "sku": "A"},
        {"competitor": "acme"},
        {"url": "https://a.example/", "deadline_s": 0},
    ],
)
def test_a_check_of_nothing_or_too_much_is_refused(site: Site, body: dict[str, Any]) -> None:
    checks = Answering(READ)
    site.open(checks=checks)

    assert site.client.post("/api/checks", json=body, headers=BEARER).status_code == 422
    assert site.client.post("/api/checks", json=body).status_code == 401
    assert checks.asked == []


def test_actions_are_listed_by_what_waits_by_run_and_by_product(site: Site) -> None:
    site.scene.propose(a_proposal(), a_proposal("B-2"))

    waiting = site.client.get("/api/actions").json()
    assert [(one["sku"], one["state"], one["new_price"]) for one in waiting["actions"]] == [
        ("A-1", "pending", "26.90"),
        ("B-2", "pending", "26.90"),
    ]
    assert site.client.get("/api/actions?run=nightly-2026-11-29&limit=1").json()["total"] == 2
    assert [one["sku"] for one in site.client.get("/api/actions?sku=B-2").json()["actions"]] == ["B-2"]
    assert site.client.get("/api/actions?state=applied").json() == {"actions": [], "total": 0}
    assert site.client.get("/api/actions?state=maybe").status_code == 422
    assert site.client.get("/api/actions?run=nightly-1999-01-01").status_code == 404


@pytest.mark.parametrize("form", ["csv", "xlsx", "jsonl"])
def test_exports_are_downloaded_as_files(site: Site, form: str) -> None:
    site.scene.propose(a_proposal())

    answer = site.client.get(f"/exports/proposals.{form}?run=nightly-2026-11-29")

    assert answer.status_code == 200
    assert answer.headers["content-disposition"] == f'attachment; filename="proposals-nightly-2026-11-29.{form}"'
    if form == "jsonl":
        assert json.loads(answer.text.splitlines()[0])["new_price"] == "26.90"


def test_an_export_that_is_not_there_is_said(site: Site) -> None:
    for path in ("/exports/secrets.csv", "/exports/proposals.pdf", "/exports/proposals.csv?run=nightly-1999-01-01"):
        assert site.client.get(path).status_code == 404
