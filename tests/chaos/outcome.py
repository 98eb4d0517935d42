"""What a night left, without what may differ between two runs of the same night: instants, ids, tries.

`rows` is every row of every table, for comparing a database with itself.
"""

from collections.abc import Callable
from typing import Any

from sqlalchemy import Engine, Row, select

from monitor.adapters.clock import SystemClock
from monitor.adapters.db.schema import metadata
from monitor.adapters.db.store import SqlStore
from monitor.domain.run import Job, Step

#: Told about an unclear end, and the mails that tell it: a kill during that call makes them.
_UNCLEAR = (":unknown",)


def with_store(url: str, ask: Callable[[SqlStore], Any]) -> Any:
    """Open a database, ask it something and close it."""
    store = SqlStore(url, SystemClock())
    try:
        return ask(store)
    finally:
        store.close()


def rows(engine: Engine, *, without: tuple[str, ...] = ()) -> dict[str, list[tuple[Any, ...]]]:
    """Return every row of every table."""
    with engine.begin() as connection:
        return {
            table.name: sorted((tuple(row) for row in connection.execute(select(table))), key=repr)
            for table in metadata.sorted_tables
            if table.name not in without
        }


def outcome(store: SqlStore) -> dict[str, Any]:
    """Return what must be the same however often a night was interrupted."""
    with store.read() as unit:
        runs = unit.runs.latest(10)
        jobs = [job for run in runs for job in unit.jobs.of_run(run.id)]
        left: dict[str, Any] = {
            "runs": [(run.id, run.state.value, run.partial, run.open_jobs) for run in runs],
            "jobs": {job.name: _job(job, unit.jobs.steps(job.id)) for job in jobs},
        }
    left["decisions"] = _decisions(store)
    for table, columns in _COMPARED.items():
        found = _selected(store, table, columns)
        left[table] = sorted((row for row in found if not _is_unclear(row)), key=repr)
    return left


def _job(job: Job, steps: tuple[Step, ...]) -> Any:
    assert job.calls_used == sum(step.attempts * step.cost for step in steps), f"{job.name}: a start was not charged"
    assert [step.seq for step in steps] == list(range(1, len(steps) + 1))
    took = [(step.tool, step.args, step.state.value, step.cost, _result(step), step.error) for step in steps]
    return (job.state.value, job.next_seq, job.error, job.owner, job.lease_until, took)


def _result(step: Step) -> dict[str, Any]:
    """Return a step's result without what only this one call of it did, which a repeat finds done."""
    return {name: value for name, value in (step.result or {}).items() if name not in ("written", "stored")}


_COMPARED = {
    "observations": "competitor sku url outcome reason words price currency list_price availability name",
    "spans": "competitor sku price currency list_price availability",
    "actions": "key version state sku old_price new_price rule_id",
    "writes": "channel sku version state target_price expected_price",
    "reports": "run_id",
    "mails": "dedupe_key recipient state",
    "alerts": "key",
    "links": "run_id recipient purpose",
    "artifacts": "kind ref",
}


def _selected(store: SqlStore, name: str, columns: str) -> list[tuple[Any, ...]]:
    table = metadata.tables[name]
    with store.reader.begin() as connection:
        found: list[Row[Any]] = list(connection.execute(select(*(table.c[column] for column in columns.split()))))
    return [tuple(row) for row in found]


def _decisions(store: SqlStore) -> list[tuple[Any, ...]]:
    actions, decisions = metadata.tables["actions"], metadata.tables["decisions"]
    told = select(actions.c.key, decisions.c.version, decisions.c.verb, decisions.c.actor_name)
    with store.reader.begin() as connection:
        return sorted((tuple(row) for row in connection.execute(told.join_from(decisions, actions))), key=repr)


def _is_unclear(row: tuple[Any, ...]) -> bool:
    return any(isinstance(value, str) and mark in value for value in row[:1] for mark in _UNCLEAR)


def unclear_mails(left: dict[str, Any]) -> int:
    """Return how many mails are held because nobody knows whether the server took them, and make them sent."""
    held = [row for row in left["mails"] if row[2] == "unknown"]
    left["mails"] = sorted([(*row[:2], "sent") if row in held else row for row in left["mails"]], key=repr)
    return len(held)
