"""Which interruptions make a step suspect and which do not; what a dead worker leaves open is seen at once."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest

from monitor.adapters.db.store import SqlStore
from monitor.domain.action import WriteState
from monitor.domain.durability import Cause, EffectState
from monitor.domain.message import MailState
from monitor.domain.run import Run
from monitor.domain.status import Interruption
from monitor.durable import Incarnation
from monitor.durable.suspect import is_suspect
from monitor.flow.sweep import recover_dead
from tests.core_scene import Counter, Counting, begun, job_of, worked
from tests.write_scene import LEASE, WriteScene

NOW = datetime(2026, 11, 29, 2, tzinfo=UTC)
HOUR = timedelta(hours=1)
DIED, STOPPED, SILENT, LIFE = Cause.DIED, Cause.STOPPED, Cause.SILENT, Cause.ANOTHER_LIFE


@pytest.mark.parametrize(
    ("causes", "expected"),
    [
        ([], False),
        ([DIED], False),
        ([DIED, DIED], True),
        ([STOPPED] * 9, False),  # nine deploys
        ([LIFE] * 9, False),  # nine restarts of the database
        ([SILENT, SILENT], False),  # the database was away twice
        ([SILENT, SILENT, SILENT], True),  # it makes every process hang
        ([DIED, SILENT], False),
        ([DIED, STOPPED, LIFE, SILENT, SILENT], True),
    ],
)
def test_deaths_make_a_step_suspect_and_deploys_do_not(causes: list[Cause], expected: bool) -> None:
    interruptions = [Interruption(3, cause, NOW, NOW) for cause in causes]

    assert is_suspect(3, interruptions) is expected
    assert not is_suspect(4, interruptions), "what happened in another step says nothing about this one"


@dataclass
class Locks:
    """Says of everybody in it that they are dead."""

    dead: set[str] = field(default_factory=set)

    def is_dead(self, worker_id: str) -> bool:
        return worker_id in self.dead

    def forget(self, worker_id: str) -> None:
        self.dead.discard(worker_id)


class Killed(BaseException):
    """Stands for SIGKILL."""


def a_death(store: SqlStore, run: Run, *, is_draining: bool) -> Counter:
    """Work on acme's job until the process dies in its first step, and let a neighbour see it."""
    me = Incarnation("test")

    def die(_n: int) -> None:
        if is_draining:
            me.drain()
            me.beat(store)
        raise Killed

    with store.write() as unit:
        unit.workers.register(me.id, "test", "host", 1)
    counter = Counter(during=die)
    with pytest.raises(Killed):
        worked(store, job_of(store, run), Counting(), counter, me)
    assert recover_dead(store, Locks({me.id}), "neighbour") == (job_of(store, run).id,)
    return counter


@pytest.mark.parametrize(("is_draining", "cause"), [(False, DIED), (True, STOPPED)])
def test_a_process_that_is_killed_while_it_is_being_stopped_did_not_die_of_its_step(
    store: SqlStore, is_draining: bool, cause: Cause
) -> None:
    run = begun(store)
    for _ in range(3):
        a_death(store, run, is_draining=is_draining)

    with store.read() as unit:
        seen = unit.jobs.interruptions(job_of(store, run).id)
    assert [each.cause for each in seen] == [cause] * 3
    assert is_suspect(1, seen) is not is_draining


def test_a_mail_of_a_dead_sender_is_held_at_once(store: SqlStore) -> None:
    with store.write() as unit:
        unit.workers.register("dead", "test", "host", 1)
        unit.mails.post(
            dedupe_key="m",
            run_id=None,
            recipient="anna@brand.example",
            subject="Night",
            content=b"hello",
            message_id="<1@brand.example>",
            not_before=unit.now - HOUR,
        )
        assert unit.mails.claim(unit.mails.due(1)[0], HOUR, "dead")
    assert recover_dead(store, Locks(), "me") == ()
    with store.write() as unit:
        assert unit.mails.lost(10) == (), "its sender lives"

    recover_dead(store, Locks({"dead"}), "me")

    with store.write() as unit:
        (lost,) = unit.mails.lost(10)
    assert lost.state is MailState.UNKNOWN


@pytest.mark.parametrize(
    ("is_calling", "left"), [(False, WriteState.QUEUED), (True, WriteState.UNKNOWN)], ids=["claimed", "calling"]
)
def test_a_price_write_of_a_dead_worker_is_found_at_once(migrated_url: str, is_calling: bool, left: WriteState) -> None:
    scene = WriteScene(migrated_url)
    write = scene.approve()
    with scene.store.write() as unit:
        unit.workers.register("dead", "test", "host", 1)
        claimed = unit.writes.claim(write.id, "dead", LEASE)
        assert claimed is not None
        if is_calling:
            unit.writes.call(claimed, {"price": "27.90"}, LEASE)
    with scene.store.write() as unit:
        assert unit.writes.lost(10) == (), "its worker lives"

    recover_dead(scene.store, Locks({"dead"}), "me")

    with scene.store.write() as unit:
        assert unit.writes.lost(10) == (write.id,)
    assert scene.state(write) is left
    scene.close()


def test_an_effect_of_a_dead_worker_is_found_at_once(store: SqlStore) -> None:
    with store.write() as unit:
        unit.workers.register("dead", "test", "host", 1)
        unit.effects.claim("k", {}, "dead", HOUR, repeatable=False)

    recover_dead(store, Locks({"dead"}), "me")

    with store.write() as unit:
        found = unit.effects.claim("k", {}, "me", HOUR, repeatable=False)
    assert getattr(found, "state", None) is EffectState.UNKNOWN
