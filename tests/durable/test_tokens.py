"""The night's token cap: reserved before a call, settled after, told at 80 and 100 %; on both databases."""

import threading
from collections.abc import Iterator
from datetime import timedelta

import pytest

from monitor.adapters.clock import SystemClock
from monitor.adapters.db.store import SqlStore
from monitor.domain.durability import Cause
from monitor.domain.run import Claim
from monitor.durable.budgets import reserve_tokens, settle_tokens
from monitor.errors import LeaseLost
from tests.core_scene import begun, job_of


@pytest.fixture
def store(migrated_url: str) -> Iterator[SqlStore]:
    made = SqlStore(migrated_url, SystemClock())
    yield made
    made.close()


def claimed(store: SqlStore) -> Claim:
    """Begin a night with a cap of 1,000 tokens and claim acme's job."""
    job = job_of(store, begun(store))
    with store.write() as unit:
        claim = unit.jobs.claim(job.id, "me", timedelta(seconds=60))
    assert claim is not None
    return claim


def reserved(store: SqlStore, claim: Claim, tokens: int) -> bool:
    """Reserve in a transaction of its own."""
    with store.write() as unit:
        return reserve_tokens(unit, claim, tokens)


def told(store: SqlStore, claim: Claim) -> list[str]:
    """Return the levels that were told."""
    with store.read() as unit:
        return [alert.key.rpartition(":")[2] for alert in unit.alerts.of_run(claim.job.run_id)]


def test_the_cap_is_told_at_four_fifths_and_when_it_refuses(store: SqlStore) -> None:
    claim = claimed(store)

    assert reserved(store, claim, 700)
    assert told(store, claim) == []
    assert reserved(store, claim, 200)
    assert told(store, claim) == ["80"]
    assert not reserved(store, claim, 200)
    assert not reserved(store, claim, 200)
    assert told(store, claim) == ["80", "100"]
    assert reserved(store, claim, 100)


def test_what_was_not_used_is_given_back(store: SqlStore) -> None:
    claim = claimed(store)
    assert reserved(store, claim, 900)

    with store.write() as unit:
        settle_tokens(unit, claim, 900, 50)

    assert reserved(store, claim, 900)
    with store.read() as unit:
        assert unit.jobs.token_use(claim.job.run_id).spent == 950


def test_a_call_that_used_more_than_it_reserved_is_told(store: SqlStore) -> None:
    """Else the next reservation would begin above four fifths and cross nothing."""
    claim = claimed(store)
    assert reserved(store, claim, 700)
    assert told(store, claim) == []

    with store.write() as unit:
        settle_tokens(unit, claim, 700, 850)

    assert told(store, claim) == ["80"]


def test_a_crash_loop_cannot_spend_more_than_the_cap(store: SqlStore) -> None:
    """Each life reserves and dies in the call, so nothing is settled."""
    claim = claimed(store)
    granted = 0
    for _ in range(10):
        granted += reserved(store, claim, 300)
        with store.write() as unit:
            unit.jobs.recover_from("me", Cause.DIED)
            again = unit.jobs.claim(claim.job.id, "me", timedelta(seconds=60))
        assert again is not None
        claim = again

    assert granted == 3


def test_a_zombie_cannot_settle(store: SqlStore) -> None:
    claim = claimed(store)
    assert reserved(store, claim, 300)
    with store.write() as unit:
        unit.jobs.recover_from("me", Cause.DIED)

    with pytest.raises(LeaseLost), store.write() as unit:
        settle_tokens(unit, claim, 300, 1)


def test_eight_at_once_do_not_pass_the_cap(store: SqlStore) -> None:
    claim, barrier = claimed(store), threading.Barrier(8)
    granted: list[bool] = []

    def ask() -> None:
        barrier.wait()
        granted.append(reserved(store, claim, 300))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sum(granted) == 3
