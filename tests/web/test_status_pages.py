"""The status pages, the JSON API and what holds for every request."""

import re
from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest

from monitor.domain.action import Verb
from monitor.domain.catalogue import Competitor
from monitor.domain.extraction import Outcome
from monitor.domain.message import Alert, AlertKind
from monitor.domain.observation import Observation
from monitor.domain.run import JobState
from monitor.domain.snapshot import catalogue_to_json
from monitor.errors import StoreUnavailable
from monitor.flow.review import decide
from monitor.ports.messages import StoredReport
from monitor.web.app import build
from monitor.web.pages import Pages
from tests.nights import a_catalogue
from tests.review_scene import AT, BY_ANNA, Scene, a_proposal, choice
from tests.web.conftest import TOKEN, Begun, Site, context_of, words

LEASE = timedelta(minutes=1)
BEARER = {"authorization": f"Bearer {TOKEN}"}


def a_night_under_way(scene: Scene) -> None:
    """One competitor, done after one call, with one reading; one proposal; one alert."""
    scene.propose(a_proposal())
    with scene.store.write() as unit:
        (job,) = unit.jobs.of_run(scene.run.id)
        claim = unit.jobs.claim(job.id, "w1", LEASE)
        assert claim is not None
        unit.jobs.start(claim, 1, "page", {"url": "https://acme.example/p"}, 1, LEASE)
        unit.jobs.finish(claim, 1, result={"outcome": "ok"}, error=None, requests=2, lease=LEASE)
        unit.observations.record(
            Observation(
                scene.run.id, "acme", "A-1", "https://acme.example/p", Outcome.OK, "", "", AT, Decimal("26.90"), "EUR"
            )
        )
        unit.jobs.end(claim, JobState.DONE)
        unit.alerts.raise_once(Alert("b", AlertKind.BUDGET, scene.run.id, "acme: <all> calls are spent", AT))


def test_the_status_is_the_newest_run_with_its_jobs(site: Site) -> None:
    a_night_under_way(site.scene)

    answer = site.client.get("/api/status").json()

    run = answer["run"]
    assert (run["run"], run["date"], run["state"]) == ("nightly-2026-11-29", "2026-11-29", "synthesising")
    assert (run["jobs_total"], run["jobs_ended"], run["tool_calls"]) == (1, 1, 1)
    assert run["observations"] == {"ok": 1}
    assert run["proposals"] == {"pending": 1}
    job = run["jobs"][0]
    assert (job["competitor"], job["state"], job["steps"]) == ("acme", "done", 1)
    assert (job["calls_used"], job["calls_limit"], job["requests_used"]) == (1, 12, 2)
    assert answer["pending_proposals"] == 1
    assert answer["next_night"] == {"date": "2026-11-30", "due_at": "2026-11-30T01:00:00+00:00"}


def test_a_shop_that_is_down_is_not_summed_up_as_closed_by_its_robots_txt(site: Site) -> None:
    a_night_under_way(site.scene)
    with site.scene.store.write() as unit:
        unit.observations.record(
            Observation(
                site.scene.run.id, "acme", "B-1", "https://acme.example/b", Outcome.ROBOTS, "robots_unreachable", "", AT
            )
        )

    page, run = words(site.client.get("/").text), site.client.get("/api/status").json()["run"]

    assert "robots.txt unreachable 1" in page
    assert "done, gaps" in page
    assert run["observations"] == {"ok": 1, "robots": 1}
    assert run["readings"] == {"read": 1, "robots.txt unreachable": 1}


def test_one_run_is_the_same_as_in_the_status(site: Site) -> None:
    a_night_under_way(site.scene)

    one = site.client.get("/api/runs/nightly-2026-11-29").json()

    assert one == site.client.get("/api/status").json()["run"]
    listed = site.client.get("/api/runs").json()["runs"]
    assert [each["run"] for each in listed] == ["nightly-2026-11-29"]
    assert "jobs" not in listed[0]


def test_one_job_shows_its_steps_and_readings_with_amounts_as_text(site: Site) -> None:
    a_night_under_way(site.scene)

    job = site.client.get("/api/runs/nightly-2026-11-29/jobs/acme").json()

    assert [(step["seq"], step["tool"], step["state"]) for step in job["plan"]] == [(1, "page", "done")]
    assert job["observations"][0]["price"] == "26.90"
    assert site.client.get("/api/runs/nightly-2026-11-29/jobs/synthesis").json()["job"]["kind"] == "synthesis"
    assert site.client.get("/api/runs/nightly-2026-11-29/jobs/none").status_code == 404


def test_every_time_has_an_offset_and_nothing_is_a_float(site: Site) -> None:
    a_night_under_way(site.scene)

    def check(value: Any) -> None:
        assert not isinstance(value, float)
        if isinstance(value, dict):
            for name, item in value.items():
                if name.endswith(("_at", "_until")) and item is not None:
                    assert datetime.fromisoformat(item).tzinfo is not None
                check(item)
        if isinstance(value, list):
            for item in value:
                check(item)

    check(site.client.get("/api/status").json())
    check(site.client.get("/api/runs/nightly-2026-11-29/jobs/acme").json())


def test_what_is_not_there_is_said_in_json(site: Site) -> None:
    for path in ("/api/runs/nightly-1999-01-01", "/api/nothing"):
        answer = site.client.get(path)
        assert answer.status_code == 404
        assert answer.json()["error"]
    assert site.client.delete("/api/runs").status_code == 405
    assert site.client.get("/api/runs?limit=many").status_code == 422


def test_starting_the_night_twice_gives_one_run(site: Site) -> None:
    begun = Begun(site.scene.run)
    site.open(begin=begun)

    answers = [site.client.post("/api/runs", headers=BEARER) for _ in range(2)]

    assert [answer.status_code for answer in answers] == [202, 202]
    assert answers[0].json() == answers[1].json()
    assert answers[0].json()["run"] == "nightly-2026-11-29"
    assert answers[0].headers["location"] == "/api/runs/nightly-2026-11-29"
    assert begun.origins == ["api", "api"]


@pytest.mark.parametrize("header", [{}, {"authorization": "Bearer wrong"}, {"authorization": f"Basic {TOKEN}"}])
def test_starting_the_night_needs_the_token(site: Site, header: dict[str, str]) -> None:
    begun = Begun(site.scene.run)
    site.open(begin=begun)

    answer = site.client.post("/api/runs", headers=header)

    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"
    assert begun.origins == []


@pytest.mark.parametrize("token", [None, ""])
def test_without_a_token_set_nobody_starts_a_night_over_http(site: Site, token: str | None) -> None:
    begun = Begun(site.scene.run)
    site.open(begin=begun, api_token=token)

    for header in ({}, {"authorization": "Bearer "}, {"authorization": "Bearer None"}):
        assert site.client.post("/api/runs", headers=header).status_code == 403
    assert begun.origins == []


def test_reading_starts_nothing_however_often(site: Site) -> None:
    a_night_under_way(site.scene)
    begun = Begun(site.scene.run)
    site.open(begin=begun)
    before = site.counts()

    for path in ("/", "/runs/nightly-2026-11-29", "/api/status", "/api/runs", "/healthz", "/readyz"):
        for _ in range(3):
            assert site.client.get(path).status_code == 200
    for path in ("/", "/runs/nightly-2026-11-29", "/healthz", "/readyz"):
        assert site.client.head(path).status_code == 200

    assert begun.origins == []
    assert site.counts() == before


def test_the_page_of_a_night_under_way_loads_itself_again(site: Site) -> None:
    a_night_under_way(site.scene)

    page = site.client.get("/").text

    assert 'http-equiv="refresh"' in page
    text = words(page)
    assert "Sunday, 29 November 2026" in text
    assert "1 of 1 competitor, 1 tool call" in text
    assert "acme: &lt;all&gt; calls are spent" in page


def test_a_finished_night_shows_its_report_as_it_was_stored(site: Site) -> None:
    a_night_under_way(site.scene)
    with site.scene.store.write() as unit:
        unit.reports.store(StoredReport(site.scene.run.id, {}, "<h1>As it was</h1>", "As it was", AT))
        unit.runs.close(site.scene.run.id, type(site.scene.run.state)("reported"))

    page = site.client.get("/").text
    report = site.client.get("/runs/nightly-2026-11-29/report")

    assert 'http-equiv="refresh"' not in page
    assert 'href="/runs/nightly-2026-11-29/report"' in page
    assert report.text == "<h1>As it was</h1>"
    assert "style-src 'unsafe-inline'" in report.headers["content-security-policy"]
    assert "script" not in report.headers["content-security-policy"]


def test_competitors_are_shown_by_the_name_they_had_when_the_night_began(site: Site) -> None:
    a_night_under_way(site.scene)
    assert "acme done" in words(site.client.get("/").text)

    catalogue = replace(a_catalogue(), competitors=(Competitor("acme", "Acme & Söhne", "https://acme.example"),))
    with site.scene.store.write() as unit:
        frozen = unit.blobs.put(catalogue_to_json(catalogue).encode())
    with site.scene.store.writer.begin() as connection:
        connection.exec_driver_sql("UPDATE runs SET catalogue_hash = ?", (frozen,))

    assert "Acme &amp; Söhne acme done" in words(site.client.get("/").text)


def test_each_process_is_shown_with_when_it_was_last_heard_of(site: Site) -> None:
    with site.scene.store.write() as unit:
        unit.workers.register("w1", "worker", "host-7", 42)
    assert "worker on host-7 last heard of 0 s ago" in words(site.client.get("/").text)
    site.scene.clock.forward(minutes=5)
    assert "worker on host-7 last heard of 5 min ago" in words(site.client.get("/").text)


def test_a_night_that_nobody_works_on_says_so_and_what_to_do(site: Site) -> None:
    a_night_under_way(site.scene)
    told = "No process works on it now. monitor up or monitor run goes on where it stopped."
    assert told in words(site.client.get("/").text)
    with site.scene.store.write() as unit:
        unit.workers.register("w1", "web", "host-7", 42)
    assert told in words(site.client.get("/").text), "who only serves pages takes no jobs"
    with site.scene.store.write() as unit:
        unit.workers.register("w2", "worker", "host-7", 43)
    assert told not in words(site.client.get("/").text)
    site.scene.clock.forward(seconds=11)
    assert told in words(site.client.get("/").text)


def test_an_approval_that_was_taken_back_is_called_so(site: Site) -> None:
    (action,) = site.scene.propose()
    for verb in (Verb.APPROVE, Verb.CANCEL):
        decide(site.scene.store, site.scene.plan, BY_ANNA, [choice(site.scene.action(action.id), verb)])

    assert "taken back 1" in words(site.client.get("/").text)


def test_a_run_that_is_not_there_is_a_page(site: Site) -> None:
    for path in ("/runs/none", "/runs/none/report", "/nothing", "/runs/", "/a/x/r/y"):
        answer = site.client.get(path)
        assert answer.status_code == 404
        assert "There is nothing at this address" in answer.text


def test_no_page_of_the_status_leads_to_a_review_link(site: Site) -> None:
    """Who may look at the night may not decide."""
    a_night_under_way(site.scene)
    site.path()

    for path in ("/", "/runs/nightly-2026-11-29", "/api/status", "/api/runs"):
        assert "/a/" not in re.sub(r"/api/", "", site.client.get(path).text)


def test_before_the_first_night_the_page_says_when_it_comes(site: Site) -> None:
    with site.scene.store.writer.begin() as connection:
        connection.exec_driver_sql("DELETE FROM jobs")
        connection.exec_driver_sql("DELETE FROM runs")

    assert "No run yet" in site.client.get("/").text
    assert site.client.get("/api/status").json()["run"] is None


class Broken:
    """A store that fails in a way that nobody foresaw, or that cannot be reached."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def read(self) -> Any:
        raise self.error

    write = read


@pytest.mark.parametrize(
    ("error", "status"), [(RuntimeError("secret at 0x7f"), 500), (StoreUnavailable("postgresql://monitor@db"), 503)]
)
def test_no_answer_carries_a_trace_or_what_the_error_said(
    site: Site, error: Exception, status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    path = site.path()
    site.open(store=Broken(error))

    for address in ("/", "/api/status", "/api/runs/x", "/runs/x/report", path):
        answer = site.client.get(address)
        assert answer.status_code == status
        assert "Traceback" not in answer.text
        assert str(error) not in answer.text
        assert answer.headers["content-security-policy"]
        assert answer.headers["cache-control"] == "no-store, private"
        assert answer.headers["content-type"].startswith("application/json" if "/api/" in address else "text/html")
    assert site.client.get("/readyz").status_code == 503
    assert site.client.get("/healthz").status_code == 200
    written = "".join(capsys.readouterr())
    assert path.removeprefix("/a/") not in written


def test_the_stylesheet_is_ours_and_may_be_kept(site: Site) -> None:
    page = site.client.get("/").text
    address = re.search(r'href="(/static/[^"]+)"', page)

    assert address is not None
    answer = site.client.get(address[1])
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/css")
    assert "immutable" in answer.headers["cache-control"]


def test_the_api_describes_itself(site: Site) -> None:
    context = context_of(site.scene)
    described = build(context, Pages(context)).openapi()

    assert set(described["paths"]) >= {"/api/status", "/api/runs", "/api/runs/{run_id}", "/healthz", "/readyz"}
    assert not any(path.startswith("/a/") for path in described["paths"])
    assert site.client.get("/api/openapi.json").status_code == 200
