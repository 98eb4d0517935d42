"""A living worker whose lock on PostgreSQL is lost goes on as a new incarnation; real connections are cut."""

import time
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text
from typer.testing import CliRunner

from monitor.adapters.db.migrate import migrate
from monitor.cli import command_line
from monitor.domain.run import JobState
from monitor.errors import LeaseLost
from monitor.wiring import Working, open_app
from tests.core_scene import begun, job_of

_CUT = """SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()"""


@pytest.mark.slow
def test_a_worker_whose_connections_are_cut_begins_another_life(tmp_path: Path, postgres_url: str) -> None:
    migrate(postgres_url)
    config = tmp_path / "shop"
    assert CliRunner().invoke(command_line(), ["init", str(config)]).exit_code == 0
    app = open_app(config, environ={"MONITOR_DATABASE_URL": postgres_url}, role="worker")
    working = Working(app)
    working.start()
    try:
        run = begun(app.store)
        former = app.me.id
        with app.store.write() as unit:
            claim = unit.jobs.claim(job_of(app.store, run).id, former, timedelta(seconds=15))
        assert claim is not None

        admin = create_engine(postgres_url)
        with admin.begin() as connection:
            connection.execute(text(_CUT))
        admin.dispose()
        deadline = time.monotonic() + 15
        while app.me.id == former and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(0.5)

        assert app.me.id != former
        assert not app.me.holds(claim)
        with app.store.read() as unit:
            assert [row.id for row in unit.workers.all()] == [app.me.id]
            job = unit.jobs.find(run.id, "acme")
            assert job is not None
            assert [each.cause for each in unit.jobs.interruptions(job.id)] == ["lock lost"]
        assert job.state is JobState.QUEUED
        with pytest.raises(LeaseLost), app.store.write() as unit:
            unit.jobs.end(claim, JobState.DONE)
    finally:
        working.stop()
        app.close()
