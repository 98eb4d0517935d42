"""GET /metrics and the durability figures of the status page."""

from prometheus_client.parser import text_string_to_metric_families
from starlette.testclient import TestClient

from monitor.web.app import create_app
from tests.review_scene import Scene
from tests.web.conftest import context_of


def figures(scene: Scene) -> dict[str, float]:
    """Return what Prometheus would read, by name and label."""
    client = TestClient(create_app(context_of(scene)), base_url="http://127.0.0.1")
    answer = client.get("/metrics")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain; version=")
    return {
        sample.name + "".join(f"[{value}]" for value in sample.labels.values()): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


def test_prometheus_reads_the_night_and_what_crashes_cost(scene: Scene) -> None:
    found = figures(scene)

    assert found["price_monitor_resumption_success"] == 1
    assert found["price_monitor_duplicate_action_rate"] == 0
    assert found["price_monitor_completion_rate"] == 1
    assert found["price_monitor_run_state[collecting]"] == 1
    assert found["price_monitor_run_state[reported]"] == 0
    assert found["price_monitor_run_due_timestamp_seconds"] == scene.run.due_at.timestamp()
    assert str(found["price_monitor_time_to_resume_seconds[0.95]"]) == "nan"


def test_proposals_that_wait_are_counted(scene: Scene) -> None:
    from tests.review_scene import a_proposal

    before = figures(scene)["price_monitor_pending_proposals"]
    scene.propose(a_proposal("Z-9"))

    assert figures(scene)["price_monitor_pending_proposals"] == before + 1
