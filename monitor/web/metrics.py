"""GET /metrics: the figures of the monitor in Prometheus' text format.

Everything is counted from the database when it is asked for, so every process tells the same and a restart loses
nothing. Counting takes a few short queries; scrape once a minute or less.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from fastapi import APIRouter
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector
from starlette.responses import Response

from monitor.domain.durability import Durability, durability_json
from monitor.domain.run import RunState
from monitor.domain.status import RunStatus
from monitor.web.context import Context
from monitor.web.look import durability, run_status

_ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Figures in Prometheus' text format",
        "content": {"text/plain": {"example": "price_monitor_completion_rate 1.0\n"}},
    },
    401: {"description": "It needs a token with the scope metrics, unless only this machine can connect"},
}


def metrics_routes(context: Context) -> APIRouter:
    """Return /metrics."""
    router = APIRouter()

    @router.head("/metrics", include_in_schema=False)
    @router.get("/metrics", summary="Figures for Prometheus", response_class=Response, responses=_ANSWERS)
    def metrics() -> Response:
        registry = CollectorRegistry(auto_describe=False)
        registry.register(_Collected(context))
        return Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)

    return router


class _Collected(Collector):
    def __init__(self, context: Context) -> None:
        self._context = context

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yield every figure."""
        store = self._context.store
        figures, run = durability(store), run_status(store)
        with store.read() as unit:
            pending, unsettled = len(unit.actions.pending()), len(unit.effects.open(1_000))
        if figures is not None:
            yield from _durability(figures)
        yield _gauge("pending_proposals", "Proposals that wait for a decision.", pending)
        yield _gauge("open_effects", "Effects that began and have not ended, or of which nobody knows.", unsettled)
        if run is not None:
            yield from _night(run)


def _durability(figures: Durability) -> Iterator[GaugeMetricFamily]:
    shown = durability_json(figures)
    for name, words in (
        ("resumption_success", "Share of interrupted jobs that were resumed, last 90 days."),
        ("duplicate_action_rate", "Share of written prices and sent mails beyond the first, last 90 days."),
        ("completion_rate", "Share of nights with a report, last 90 days."),
    ):
        yield _gauge(name, words, shown[name])
    yield _gauge("nights", "Nights in the last 90 days.", figures.nights)
    yield _gauge("interrupted_jobs", "Jobs that lost their worker, last 90 days.", figures.interruptions)
    waits = _family("time_to_resume_seconds", "From a worker's death to the next claim, last 90 days.", "quantile")
    for quantile, value in (("0.5", shown["time_to_resume_p50_s"]), ("0.95", shown["time_to_resume_p95_s"])):
        waits.add_metric([quantile], float("nan") if value is None else value)
    yield waits


def _night(run: RunStatus) -> Iterator[GaugeMetricFamily]:
    yield _gauge("run_due_timestamp_seconds", "When the newest night was due.", run.due_at.timestamp())
    yield _labelled("run_state", "The newest night, 1 for the state it is in.", "state", _one_of(run.state))
    yield _gauge("run_partial", "1 when the newest report was made without some competitors.", int(run.partial))
    yield _gauge("run_jobs", "Competitors of the newest night.", run.jobs_total)
    yield _gauge("run_jobs_ended", "Of those, the ones whose job has ended.", run.jobs_ended)
    yield _gauge("run_jobs_failed", "Of those, the ones whose job failed.", run.jobs_failed)
    yield _gauge("run_tool_calls", "Tool calls of the newest night.", run.tool_calls)
    yield _gauge("run_alerts", "Alerts of the newest night.", len(run.alerts))
    yield _labelled("run_observations", "Watches of the newest night by outcome.", "outcome", run.observations)
    yield _labelled("run_proposals", "Proposals of the newest night by state.", "state", run.proposals)
    yield _labelled("run_mails", "Mails of the newest night by state.", "state", run.mails)


def _one_of(state: RunState) -> dict[str, int]:
    return {each.value: int(each is state) for each in RunState}


def _family(name: str, words: str, label: str | None = None) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"price_monitor_{name}", words, labels=[label] if label else None)


def _gauge(name: str, words: str, value: Any) -> GaugeMetricFamily:
    family = _family(name, words)
    family.add_metric([], value)
    return family


def _labelled(name: str, words: str, label: str, values: Mapping[str, int]) -> GaugeMetricFamily:
    family = _family(name, words, label)
    for word, value in values.items():
        family.add_metric([word], value)
    return family
