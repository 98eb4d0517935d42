"""A model of everything that may happen to approved prices, for hypothesis to play against a store and a shop.

People decide, decide twice, take back, ask for the old price again; nights propose anew; workers crash before or after
any commit, pause at one while others go on, and hear late answers; the shop fails in its ways, and somebody changes its
prices. The shop of the model is the hardest that we support: no key, no comparison, only a mark of its last change.

What must hold after every step: each approved version has changed the shop at most once, and only to what it approved.
At the end, once everything has had time to settle: the shop has the last approved price, or a person is told.

Assumed, and said in `docs/shops.md`: a call that got no answer takes effect within its quarantine or never.
"""

import atexit
import shutil
import tempfile
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from monitor.adapters.db.store import SqlStore
from monitor.adapters.shops.one_by_one import OneByOne
from monitor.domain.action import Action, ActionState, Actor, PriceWrite, Verb, WriteState
from monitor.domain.money import Money
from monitor.domain.plan import NightPlan, ReviewPlan, WritePlan
from monitor.domain.review import Choice
from monitor.domain.shop_price import ShopPrice
from monitor.errors import CannotSucceed, OutcomeUnknown, RetryLater
from monitor.flow.review import decide
from monitor.flow.submit import submit_due
from monitor.ports.shop import ProductGone
from monitor.ports.store import Unit
from tests.fake_shop import Fault
from tests.review_scene import SetClock, a_proposal, a_run, opened

SKUS = ("A-1", "B-2")
ANNA = Actor("cli", "anna@example.com")
PRICES = st.sampled_from(["20.00", "21.00", "22.00", "23.00", "24.00"])
#: Longer than a lease and a quarantine together.
LONG = timedelta(seconds=200)
#: What steps did, over all examples of a session.
COUNTED: Counter[str] = Counter()

_FAULTS = (
    Fault.HANG_AFTER_COMMIT,
    Fault.ERROR_BEFORE,
    Fault.LATE,
    Fault.SILENT_NOOP,
    Fault.THROTTLE,
    Fault.REFUSE,
    Fault.DRIFT,
    Fault.STALE_READ,
)
_OPEN = (ActionState.APPROVED, ActionState.EXECUTING, ActionState.UNKNOWN)
_FOR_A_PERSON = (WriteState.CONFLICT, WriteState.FAILED, WriteState.EXPIRED, WriteState.TARGET_GONE)


class Crash(BaseException):
    """The process is gone."""


class ModelShop(OneByOne):
    """A shop that sets what it is told, remembers no key and marks its last change."""

    reads = True

    def __init__(self) -> None:
        self.prices = {sku: Decimal("20.00") for sku in SKUS}
        self.revisions: Counter[str] = Counter()
        self.changes: Counter[str] = Counter()
        self.log: list[tuple[str, str, Decimal]] = []
        self.faults: deque[Fault] = deque()
        self.late: list[tuple[str, str, Decimal]] = []
        self.stale: dict[str, ShopPrice] = {}
        self.gone: set[str] = set()
        self.while_calling: Callable[[], None] | None = None

    def read(self, sku: str) -> ShopPrice | None:
        """Return the price, or an old one when a cache answers."""
        if sku in self.gone:
            return None
        now = ShopPrice(Money(self.prices[sku], "EUR"), revision=str(self.revisions[sku]))
        return self.stale.pop(sku, now)

    def write(self, write: PriceWrite) -> str:
        """Set the price, or fail as the next fault says."""
        COUNTED["calls"] += 1
        fault = self.faults.popleft() if self.faults else Fault.NONE
        if fault is Fault.THROTTLE:
            raise RetryLater("throttled")
        if fault is Fault.REFUSE:
            raise CannotSucceed("refused")
        if write.sku in self.gone:
            raise ProductGone("gone")
        before = self.read(write.sku)
        change = (write.id, write.sku, write.target_price)
        if fault is Fault.LATE:
            self.late.append(change)
        elif fault not in (Fault.ERROR_BEFORE, Fault.SILENT_NOOP):
            self.set(*change)
        if fault is Fault.STALE_READ and before is not None:
            self.stale[write.sku] = before
        if fault is Fault.DRIFT:
            self.set("somebody", write.sku, Decimal("9.99"))
        waiting, self.while_calling = self.while_calling, None
        if waiting is not None:
            waiting()
        if fault in (Fault.HANG_AFTER_COMMIT, Fault.ERROR_BEFORE, Fault.LATE):
            raise OutcomeUnknown(fault.value)
        return "set"

    def set(self, who: str, sku: str, price: Decimal) -> None:
        """Change a price and remember who did; the same price again is no change."""
        if self.prices[sku] != price:
            self.prices[sku] = price
            self.revisions[sku] += 1
            self.changes[who] += 1
            COUNTED["changes by us"] += who != "somebody"
            self.log.append((who, sku, price))

    def land(self) -> None:
        """Let what was under way arrive."""
        while self.late:
            self.set(*self.late.pop(0))


class FragileStore:
    """A store at whose n-th commit something happens."""

    def __init__(self, inner: SqlStore) -> None:
        self.inner = inner
        self.at: int | None = None
        self.before: Callable[[], None] | None = None
        self.after: Callable[[], None] | None = None

    def arm(
        self, at: int, *, before: Callable[[], None] | None = None, after: Callable[[], None] | None = None
    ) -> None:
        """Let `before` or `after` happen around the `at`-th commit from now."""
        self.at, self.before, self.after = at, before, after

    def disarm(self) -> None:
        """Let nothing happen."""
        self.at = self.before = self.after = None

    @contextmanager
    def write(self, *, urgent: bool = False, joint: bool = False) -> Iterator[Unit]:
        """Open a transaction of the real store."""
        self.at = None if self.at is None else self.at - 1
        is_now = self.at == 0
        before, after = (self.before, self.after) if is_now else (None, None)
        if is_now:
            self.disarm()
        with self.inner.write(urgent=urgent, joint=joint) as unit:
            yield unit
            if before is not None:
                before()
        if after is not None:
            after()

    @contextmanager
    def read(self) -> Iterator[Unit]:
        """Open a reading transaction of the real store."""
        with self.inner.read() as unit:
            yield unit


def _folder() -> str:
    """Return a new folder, in memory where there is one: thousands of commits would wait for the disk."""
    memory = Path("/dev/shm")
    return tempfile.mkdtemp(prefix="model-", dir=memory if memory.is_dir() else None)


def _crash() -> None:
    COUNTED["crashes"] += 1
    raise Crash


@dataclass
class Ground:
    """Where every example of a process is played: two stores on one file, which is an empty database at the start.

    Opening a store anew for each example would compile every statement again, a sixth of the time. A restart goes over
    to the other store, which has no connection open.
    """

    clock: SetClock
    folder: Path
    stores: deque[SqlStore]

    @classmethod
    def laid(cls) -> "Ground":
        """Return a new one, with an empty database beside the one that is played on."""
        clock, folder = SetClock(), Path(_folder())
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        opened(f"sqlite:///{folder}/empty.sqlite3", clock).close()
        url = f"sqlite:///{folder}/model.sqlite3"
        return cls(clock, folder, deque([SqlStore(url, clock), SqlStore(url, clock)]))

    def cleared(self) -> SqlStore:
        """Return a store on an empty database."""
        self.clock.at = SetClock().at
        for store in self.stores:
            store.close()
        for journal in self.folder.glob("model.sqlite3?*"):  # the file is written over: a store knows it by its inode
            journal.unlink()
        for file in self.folder.glob("empty.sqlite3*"):
            shutil.copyfile(file, self.folder / file.name.replace("empty", "model"))
        return self.stores[0]

    def restarted(self) -> SqlStore:
        """Return the other store; the connections of this one are closed."""
        self.stores[0].close()
        self.stores.rotate()
        return self.stores[0]


class SubmitModel(RuleBasedStateMachine):
    """See the module."""

    ground: Ground | None = None

    def __init__(self) -> None:
        super().__init__()
        self.ground = SubmitModel.ground = SubmitModel.ground or Ground.laid()
        self.clock = self.ground.clock
        self.store = FragileStore(self.ground.cleared())
        self.shop = ModelShop()
        self.plan = NightPlan(writes=WritePlan(enabled=True, undo_window=timedelta(0)), review=ReviewPlan())
        self.day = date(2026, 11, 29)
        self.drifted_at = dict.fromkeys(SKUS, self.clock.now() - LONG)

    @initialize()
    def begin(self) -> None:
        """Begin the first night."""
        with self.store.write() as unit:
            a_run(unit, day=self.day)

    # nights and people

    @rule(sku=st.sampled_from(SKUS), price=PRICES, is_stale=st.sampled_from([False, False, True]))
    def propose(self, sku: str, price: str, is_stale: bool) -> None:
        """A later night proposes, from the price the shop has or from one that is out of date."""
        self._step("nights")
        self._proposed(sku, price, Decimal("20.00") if is_stale else self.shop.prices[sku])

    @rule(sku=st.sampled_from(SKUS), price=PRICES)
    def propose_and_approve(self, sku: str, price: str) -> None:
        """A later night proposes and somebody approves at once: the way of most prices."""
        self._step("nights")
        self._proposed(sku, price, self.shop.prices[sku])
        self._decide(sku, Verb.APPROVE)

    @rule(sku=st.sampled_from(SKUS), price=PRICES)
    def approve_and_work(self, sku: str, price: str) -> None:
        """The same, and a worker goes round."""
        self.propose_and_approve(sku, price)
        self._round("worker-1")

    def _proposed(self, sku: str, price: str, old: Decimal) -> None:
        self.day += timedelta(days=1)
        if old == Decimal(price):
            return
        with self.store.write() as unit:
            run = a_run(unit, day=self.day)
            until = self.clock.now() + timedelta(hours=48)
            proposal = replace(a_proposal(sku, str(old), price, expires_at=until), run_id=run.id)
            action, is_new = unit.actions.propose(proposal)
            if is_new:
                unit.actions.supersede(action)
                unit.writes.withdraw(action)

    @rule(
        sku=st.sampled_from(SKUS),
        verb=st.sampled_from(
            [Verb.APPROVE, Verb.APPROVE, Verb.APPROVE, Verb.REJECT, Verb.CANCEL, Verb.REVERT, Verb.RENEW]
        ),
        crash=st.sampled_from([None, None, None, "before", "after"]),
        age=st.integers(0, 1),
    )
    def decide(self, sku: str, verb: Verb, crash: str | None, age: int) -> None:
        """Somebody decides about the latest proposal or the one before it, twice; the process may die at the commit."""
        self._step("decisions")
        if crash:
            self.store.arm(1, **{crash: _crash})
        self._decide(sku, verb, age)
        self.store.disarm()

    def _decide(self, sku: str, verb: Verb, age: int = 0) -> None:
        known = self._actions(sku)
        if len(known) <= age:
            return
        action = known[age]
        asked = Choice(action.id, action.version, action.content_hash, verb)
        for _ in range(2):
            try:
                decide(self.store, self.plan, ANNA, [asked])
            except Crash:
                pass
            finally:
                self.store.disarm()

    # workers

    @rule()
    def work(self) -> None:
        """A worker goes round."""
        self._step("rounds")
        self._round("worker-1")

    @rule(at=st.integers(1, 6), is_after=st.booleans(), sku=st.sampled_from(SKUS), price=PRICES)
    def work_and_die(self, at: int, is_after: bool, sku: str, price: str) -> None:
        """A worker dies before or after one of its commits."""
        self.propose_and_approve(sku, price)
        self.store.arm(at, **{"after" if is_after else "before": _crash})
        self._round("worker-that-dies")

    @rule(at=st.integers(1, 6), sku=st.sampled_from(SKUS), price=PRICES)
    def work_and_pause(self, at: int, sku: str, price: str) -> None:
        """A worker is stopped after one of its commits for longer than its lease, while another goes on."""
        self.propose_and_approve(sku, price)
        self.store.arm(at, after=self._meanwhile)
        self._round("worker-that-pauses")

    @rule()
    def work_and_hear_late(self) -> None:
        """A worker gets its answer when its lease is over and another has settled the write."""
        self._step("late replies")
        self._proposed("B-2", "23.00", self.shop.prices["B-2"])
        self._decide("B-2", Verb.APPROVE)
        self.shop.while_calling = self._meanwhile
        self._round("worker-that-waits")
        self.shop.while_calling = None

    @rule()
    def die_while_calling(self) -> None:
        """A worker dies when the shop has the price and the answer is on its way."""
        self._step("rounds")
        self._proposed("A-1", "23.00", self.shop.prices["A-1"])
        self._decide("A-1", Verb.APPROVE)
        self.shop.while_calling = _crash
        self._round("worker-that-dies")
        self.shop.while_calling = None

    # the shop and the operator

    @rule(fault=st.sampled_from(_FAULTS))
    @precondition(lambda self: len(self.shop.faults) < 3)
    def break_shop(self, fault: Fault) -> None:
        """The next call goes wrong."""
        self._step("faults")
        self.shop.faults.append(fault)

    @rule(sku=st.sampled_from(SKUS), price=PRICES)
    def drift(self, sku: str, price: str) -> None:
        """Somebody changes the price in the shop, perhaps back to what it was."""
        self._step("drifts")
        self.shop.set("somebody", sku, Decimal(price))
        self.drifted_at[sku] = self.clock.now()

    @rule(seconds=st.sampled_from([0, 20, 61, 130, 1200, 90_000]))
    def wait(self, seconds: int) -> None:
        """Time passes; what is under way arrives within its quarantine, sometimes at once."""
        self._step("waits")
        self.shop.land()
        self.clock.forward(seconds=seconds)

    @rule(sku=st.sampled_from(SKUS), what=st.sampled_from(["restart", "delete", "stop", "off", "lock"]))
    def hold_up(self, sku: str, what: str) -> None:
        """Every process starts anew, the product is deleted, or somebody holds writes up."""
        self._step(f"{what}s")
        if what == "restart":
            assert self.ground is not None
            self.store = FragileStore(self.ground.restarted())
        elif what == "delete":
            self.shop.gone.add(sku)
        elif what == "off":
            self._switch(enabled=False)
        else:
            with self.store.write() as unit:
                if what == "stop":
                    unit.holds.throw(is_stopped=True, by="anna", reason=None)
                else:
                    unit.holds.lock(sku, by="zoe", until=None, reason=None)

    @rule()
    def go_on(self) -> None:
        """What held writes up is taken away again."""
        self._step("releases")
        self._release()

    def _release(self) -> None:
        self.shop.gone.clear()
        self._switch(enabled=True)
        with self.store.write() as unit:
            unit.holds.throw(is_stopped=False, by="anna", reason=None)
            for sku in SKUS:
                unit.holds.release(sku, by="zoe")

    def _switch(self, *, enabled: bool) -> None:
        self.plan = replace(self.plan, writes=replace(self.plan.writes, enabled=enabled))

    # what must hold

    @invariant()
    def each_version_changes_the_shop_at_most_once(self) -> None:
        """No write has changed the shop twice."""
        twice = {who: count for who, count in self.shop.changes.items() if count > 1 and who != "somebody"}
        assert not twice, f"changed more than once: {twice}"

    def teardown(self) -> None:
        """Let everything settle, then look at the end."""
        try:
            self._settle()
            self._check_the_end()
        finally:
            self.store.inner.close()
            COUNTED["examples"] += 1

    def _settle(self) -> None:
        self.shop.faults.clear()
        self.shop.while_calling = None
        self.store.disarm()
        self._release()
        for _ in range(30):
            self.shop.land()
            self.clock.forward(minutes=20)
            self._round("worker-1")
            if not any(action.state in _OPEN for sku in SKUS for action in self._actions(sku)):
                return

    def _check_the_end(self) -> None:
        self.each_version_changes_the_shop_at_most_once()
        with self.store.read() as unit:
            alerts = {alert.key for alert in unit.alerts.latest(1000)}
            for sku in SKUS:
                writes = [write for action in unit.actions.of_sku(sku) for write in unit.writes.of_action(action.id)]
                self._check_changes(sku, writes)
                states = {action.state for action in unit.actions.of_sku(sku)}
                assert not states & set(_OPEN), f"{sku}: left open, {states}"
                for write in writes:
                    is_told = f"write:{write.id}:{write.state}" in alerts
                    assert write.state not in _FOR_A_PERSON or is_told, f"{write} ended without a word"
                self._check_last(unit, sku, writes)

    def _check_changes(self, sku: str, writes: list[PriceWrite]) -> None:
        """Nothing but approved prices has reached the shop, each by the write of its version."""
        targets = {write.id: write.target_price for write in writes}
        for who, where, price in self.shop.log:
            if where == sku and who != "somebody":
                assert targets.get(who) == price, f"{who} set {price}"

    def _check_last(self, unit: Unit, sku: str, writes: list[PriceWrite]) -> None:
        done = [write for write in writes if write.state in (WriteState.APPLIED, WriteState.APPLIED_NOOP)]
        last = max(writes, key=lambda write: (write.created_at, write.action_id), default=None)
        if last is None or last not in done or last.finished_at is None or sku in self.shop.gone:
            return
        if self.drifted_at[sku] < last.finished_at and not self._somebody_was_last(sku):
            assert self.shop.prices[sku] == last.target_price, f"{sku} has {self.shop.prices[sku]}, not {last}"

    def _somebody_was_last(self, sku: str) -> bool:
        whose = [who for who, where, _ in self.shop.log if where == sku]
        return bool(whose) and whose[-1] == "somebody"

    # helpers of the rules

    def _step(self, kind: str) -> None:
        COUNTED["steps"] += 1
        COUNTED[kind] += 1
        self.clock.forward(seconds=1)

    def _round(self, owner: str) -> None:
        try:
            submit_due(self.store, self.shop, self.plan, owner, self.clock)
        except Crash:
            pass
        finally:
            self.store.disarm()

    def _meanwhile(self) -> None:
        """Time passes for a worker that is stopped, and another goes on."""
        COUNTED["pauses"] += 1
        for _ in range(3):
            self.shop.land()
            self.clock.forward(seconds=LONG.total_seconds())
            submit_due(self.store, self.shop, self.plan, "another-worker", self.clock)

    def _actions(self, sku: str) -> tuple[Action, ...]:
        with self.store.read() as unit:
            return unit.actions.of_sku(sku)
