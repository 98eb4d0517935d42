"""Reads how far the nights are, in one consistent read each; the pages, the API and the command line share it."""

import json
from collections.abc import Mapping
from datetime import timedelta

from monitor.domain.durability import Durability, measured
from monitor.domain.message import worth_telling
from monitor.domain.past import NightLine
from monitor.domain.run import Job, JobKind, Run
from monitor.domain.status import ActionLine, JobStatus, RunStatus, TokenLine, job_line, status_of
from monitor.domain.unread import Rest
from monitor.durable.incarnation import FENCE_AFTER
from monitor.ports.jobs import WorkerRow
from monitor.ports.store import Store, Unit

#: Runs in a list.
RECENT = 14
#: Roles of processes that take no jobs.
_IDLE = frozenset({"web", "scheduler"})
#: What to do about a night on which nobody works.
NOBODY = "No process works on it now. `monitor up` or `monitor run` goes on where it stopped."
#: How far the figures of durability look back.
LOOK_BACK = timedelta(days=90)


def run_status(store: Store, run_id: str | None = None) -> RunStatus | None:
    """Return the status of one run, by default of the newest; None when there is none."""
    with store.read() as unit:
        run = unit.runs.get(run_id) if run_id else next(iter(unit.runs.latest(1)), None)
        return None if run is None else _status(unit, run)


def recent(store: Store, limit: int = RECENT) -> tuple[RunStatus, ...]:
    """Return the newest runs, newest first."""
    with store.read() as unit:
        return tuple(_status(unit, run) for run in unit.runs.latest(limit))


def nights(store: Store, limit: int = RECENT) -> tuple[NightLine, ...]:
    """Return the newest nights in short, newest first."""
    with store.read() as unit:
        return unit.past.nights(limit)


def _status(unit: Unit, run: Run) -> RunStatus:
    return status_of(
        run,
        now=unit.now,
        jobs=unit.jobs.of_run(run.id),
        results=unit.past.results(run.id),
        proposals=unit.actions.counts(run.id),
        mails=unit.mails.of_run(run.id),
        alerts=worth_telling(unit.alerts.of_run(run.id)),
        report=unit.reports.get(run.id) is not None,
    )


def competitor_names(store: Store, run_id: str) -> Mapping[str, str]:
    """Return the names that a run's competitors had when it began, by id; nothing when that is not known any more."""
    with store.read() as unit:
        run = unit.runs.get(run_id)
        frozen = None if run is None else unit.blobs.get(run.catalogue_hash)
    # Only the names: a page that loads itself again must not build a catalogue of thousands of products.
    found = json.loads(frozen) if frozen else {}
    return {one["id"]: one["name"] for one in found.get("competitors", ())}


def processes(store: Store) -> tuple[WorkerRow, ...]:
    """Return the working processes, by role and host."""
    with store.read() as unit:
        return tuple(sorted(unit.workers.all(), key=lambda row: (row.role, row.host, row.started_at)))


def is_worked_on(store: Store) -> bool:
    """Say whether any process that works on nights was heard of lately.

    One that died a moment ago still counts: its silence begins to tell when it would have fenced itself.
    """
    with store.read() as unit:
        since = unit.now - FENCE_AFTER
        return any(row.role not in _IDLE and row.heartbeat_at >= since for row in unit.workers.all())


def durability(store: Store, look_back: timedelta = LOOK_BACK, run_id: str | None = None) -> Durability | None:
    """Return what crashes cost in the nights since then, or in one night; None when that is not known."""
    with store.read() as unit:
        if run_id is not None and unit.runs.get(run_id) is None:
            return None
        since = None if run_id is not None else unit.now - look_back
        return measured(unit.metrics.counted(since=since, run_id=run_id))


def job_status(store: Store, job_id: int) -> JobStatus | None:
    """Return one job with its steps and what it read."""
    with store.read() as unit:
        job = unit.jobs.get(job_id)
        return None if job is None else _job_status(unit, job)


def find_job(store: Store, run_id: str, key: str) -> JobStatus | None:
    """Return the job of one competitor (or of the synthesis, key '') in one run."""
    with store.read() as unit:
        job = unit.jobs.find(run_id, key)
        return None if job is None else _job_status(unit, job)


def _job_status(unit: Unit, job: Job) -> JobStatus:
    is_visit = job.kind is JobKind.COMPETITOR
    read = unit.observations.of_run(job.run_id, job.key) if is_visit else ()
    use = unit.jobs.token_use(job.run_id)
    return JobStatus(
        job=job_line(job, unit.now, Rest.of(unit.past.results(job.run_id).get(job.key, ()))),
        run=job.run_id,
        plan=unit.jobs.steps(job.id),
        observations=read,
        interruptions=unit.jobs.interruptions(job.id),
        facts=unit.shops.facts(job.key) if is_visit else {},
        actions=() if is_visit else _open_actions(unit, job.run_id),
        artifacts=unit.blobs.of_job(job.run_id, job.id if is_visit else None),
        tokens=TokenLine(use.used, use.reserved, use.cap) if use.spent else None,
    )


def _open_actions(unit: Unit, run_id: str) -> tuple[ActionLine, ...]:
    return tuple(
        ActionLine(action.proposal.action_key, action.version, action.state, action.proposal.sku)
        for action in unit.actions.pending()
        if action.proposal.run_id == run_id
    )
