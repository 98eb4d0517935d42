"""The stage report on a real store: one report per run, one mail per recipient, all or nothing."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, time, timedelta
from email import message_from_bytes, policy
from typing import Any

import pytest

from monitor.adapters.db.store import SqlStore
from monitor.adapters.render import JinjaRenderer, Templates
from monitor.domain.action import Actor, Verb
from monitor.domain.message import Alert, AlertKind, Mail
from monitor.domain.night import night_of
from monitor.domain.plan import NightPlan, ReviewPlan
from monitor.domain.report import Report
from monitor.domain.run import JobState, Run, RunState
from monitor.domain.snapshot import catalogue_to_json, plan_to_json
from monitor.flow.report import NothingToReport, report
from monitor.ports.jobs import NewRun
from monitor.ports.store import Unit
from monitor.resources import find_all
from tests.core_scene import SetClock, opened
from tests.nights import BEGAN, MADE, PLAN, RUN, a_catalogue, a_run, an_action, an_observation

ANNA, BEN = "anna@acme.example", "ben@acme.example"
TWO = replace(PLAN, mail=replace(PLAN.mail, recipients=(ANNA, BEN, ANNA)))
DAY = a_run().local_date


@dataclass(frozen=True)
class Link:
    url: str
    code: str


@dataclass
class Night:
    """A store with a night that has been collected."""

    store: SqlStore
    clock: SetClock
    plan: NightPlan = TWO
    issued: list[tuple[str, str]] = field(default_factory=list)
    due: list[datetime] = field(default_factory=list)
    renderer: JinjaRenderer = field(default_factory=lambda: JinjaRenderer(Templates(find_all("templates"))))

    def collect(self, *skus: str, propose: bool = True) -> Run:
        """Begin the night and record a reading, and a proposal unless told otherwise, for each product."""
        with self.store.write() as unit:
            run, _ = unit.runs.begin(self._new_run(unit, skus))
            for sku in skus:
                unit.observations.record(an_observation(sku))
                if propose:
                    unit.actions.propose(an_action(sku).proposal)
        self._end_jobs(run)
        self.clock.at = MADE
        return run

    def _new_run(self, unit: Unit, skus: tuple[str, ...]) -> NewRun:
        return NewRun(
            schedule=self.plan.schedule,
            night=night_of(DAY, self.plan.schedule),
            origin="schedule",
            catalogue_hash=unit.blobs.put(catalogue_to_json(a_catalogue(skus)).encode()),
            settings_hash=unit.blobs.put(plan_to_json(self.plan).encode()),
            token_cap=0,
            competitors={"globex": 12},
        )

    def _end_jobs(self, run: Run) -> None:
        with self.store.write() as unit:
            job = unit.jobs.find(run.id, "globex")
            assert job is not None
            claim = unit.jobs.claim(job.id, "worker", timedelta(minutes=5))
            assert claim is not None
            unit.jobs.end(claim, JobState.DONE)

    def issue(self, unit: Unit, plan: ReviewPlan, run_id: str, recipient: str, due_at: datetime) -> Link:
        self.due.append(due_at)
        self.issued.append((run_id, recipient))
        return Link(f"{plan.public_url}/a/{recipient}", f"{len(self.issued):06}")

    def report(self, **changes: Any) -> bool:
        return report(self.store, self.renderer, RUN, issue_link=changes.get("issue_link", self.issue))

    def mails(self) -> dict[str, Mail]:
        with self.store.read() as unit:
            return {mail.recipient: mail for mail in unit.mails.of_run(RUN)}


@pytest.fixture
def night(own_sqlite_url: str) -> Iterator[Night]:
    clock = SetClock(BEGAN)
    store = opened(own_sqlite_url, clock)
    yield Night(store, clock)
    store.close()


def test_a_report_is_stored_with_one_mail_per_recipient_and_the_run_is_reported(night: Night) -> None:
    night.collect("TJ-40")

    assert night.report()

    with night.store.read() as unit:
        stored, run = unit.reports.get(RUN), unit.runs.get(RUN)
    assert stored is not None
    assert run is not None
    assert Report.from_json(stored.model).needs.total == 1
    assert "1 to decide" in stored.html
    assert "1 to decide" in stored.text
    assert run.state is RunState.REPORTED
    assert set(night.mails()) == {ANNA, BEN}
    assert night.mails()[ANNA].dedupe_key == f"report:{RUN}:{ANNA}"


def test_each_recipient_gets_a_link_and_a_code_of_their_own(night: Night) -> None:
    night.collect("TJ-40")
    night.report()

    assert night.issued == [(RUN, ANNA), (RUN, BEN)]
    bodies = {}
    for recipient, mail in night.mails().items():
        message = message_from_bytes(mail.content, policy=policy.default)
        parts = [part.get_content() for part in message.walk() if not part.is_multipart()]
        assert str(message["To"]) == recipient
        assert str(message["Message-ID"]) == mail.message_id
        assert str(message["Subject"]) == mail.subject == "[Acme] 1 price decision, EUR 152/wk at stake - Sun 29 Nov"
        bodies[recipient] = parts
    assert all(f"/a/{ANNA}" in part and "000001" in part for part in bodies[ANNA])
    assert not any(BEN in part or "000002" in part for part in bodies[ANNA])
    with night.store.read() as unit:
        stored = unit.reports.get(RUN)
    assert stored is not None
    assert "/a/" not in stored.html + stored.text
    assert "000001" not in stored.html + stored.text


def test_a_second_report_changes_and_posts_nothing(night: Night) -> None:
    night.collect("TJ-40")
    night.report()
    before = night.mails()
    night.clock.forward(hours=3)

    assert not night.report()

    assert night.mails() == before
    assert len(night.issued) == 2


def test_a_crash_while_posting_leaves_nothing_and_the_next_try_everything(night: Night) -> None:
    night.collect("TJ-40")

    def crashing(unit: Unit, plan: ReviewPlan, run_id: str, recipient: str, due_at: datetime) -> Link:
        if recipient == BEN:
            raise KeyboardInterrupt
        return night.issue(unit, plan, run_id, recipient, due_at)

    with pytest.raises(KeyboardInterrupt):
        night.report(issue_link=crashing)

    with night.store.read() as unit:
        assert unit.reports.get(RUN) is None
        run = unit.runs.get(RUN)
    assert run is not None
    assert run.state is RunState.SYNTHESISING
    assert night.mails() == {}
    assert night.report()
    assert set(night.mails()) == {ANNA, BEN}


def test_a_quiet_night_is_mailed_too_and_issues_no_link(night: Night) -> None:
    night.collect("TJ-40", propose=False)
    night.report()

    assert night.issued == []
    assert night.mails()[ANNA].subject == "[Acme] no changes proposed (1/1 checked) - Sun 29 Nov"


def test_without_recipients_the_report_is_only_stored(night: Night) -> None:
    night.plan = replace(PLAN, mail=replace(PLAN.mail, recipients=()))
    night.collect("TJ-40")

    assert night.report()
    assert night.mails() == {}


@pytest.mark.parametrize(
    ("at", "not_before", "made_at", "leaves"),
    [
        (time(2), time(6, 30), "2026-11-29T02:41+00:00", "2026-11-29T05:30+00:00"),
        (time(2), time(6, 30), "2026-11-29T14:00+00:00", "2026-11-29T14:00+00:00"),  # catching up: at once
        (time(23), time(6, 30), "2026-11-29T23:30+00:00", "2026-11-30T05:30+00:00"),  # the morning after
    ],
)
def test_a_mail_leaves_in_the_morning_or_at_once_when_that_is_past(
    night: Night, at: time, not_before: time, made_at: str, leaves: str
) -> None:
    schedule = replace(PLAN.schedule, at=at, deadline=time(1) if at == time(23) else time(5, 30))
    night.plan = replace(TWO, schedule=schedule, mail=replace(TWO.mail, not_before=not_before))
    night.clock.at = datetime(2026, 11, 29, 22, 30, tzinfo=UTC)
    night.collect("TJ-40")
    night.clock.at = datetime.fromisoformat(made_at)

    night.report()

    assert night.mails()[ANNA].not_before == datetime.fromisoformat(leaves)
    assert set(night.due) == {datetime.fromisoformat(leaves)}


def test_alerts_and_what_the_synthesis_could_not_decide_stand_in_the_report(night: Night) -> None:
    night.collect("TJ-40")
    lease = timedelta(minutes=5)
    with night.store.write() as unit:
        unit.alerts.raise_once(Alert("k", AlertKind.BUDGET, RUN, "Globex spent its calls.", MADE))
        synthesis = unit.jobs.find(RUN, "")
        assert synthesis is not None
        claim = unit.jobs.claim(synthesis.id, "worker", lease)
        assert claim is not None
        unit.jobs.start(claim, 1, "propose", {}, 0, lease)
        exceptions = [{"sku": "TJ-41", "words": "The cost is missing."}]
        unit.jobs.finish(claim, 1, result={"exceptions": exceptions}, error=None, requests=0, lease=lease)

    night.report()

    with night.store.read() as unit:
        stored = unit.reports.get(RUN)
    assert stored is not None
    notices = Report.from_json(stored.model).notices
    assert [(one.sku, one.words) for one in notices] == [
        (None, "Globex spent its calls."),
        ("TJ-41", "The cost is missing."),
    ]


def test_what_a_rival_did_since_the_night_before_is_read_from_history(night: Night) -> None:
    with night.store.write() as unit:
        yesterday = BEGAN - timedelta(days=1)
        unit.observations.record(an_observation("TJ-40", run_id=_earlier(unit, 1).id, observed_at=yesterday))
    night.collect("TJ-40", propose=False)
    with night.store.write() as unit:
        cheaper = an_observation("TJ-40", price=an_action().proposal.new_price - 20)
        unit.observations.record(cheaper)

    night.report()

    with night.store.read() as unit:
        stored = unit.reports.get(RUN)
    assert stored is not None
    assert [one.words for one in Report.from_json(stored.model).market.moves] == ["new lowest"]


def _earlier(unit: Unit, days: int, name: str = "nightly") -> Run:
    plan, catalogue = plan_to_json(PLAN).encode(), catalogue_to_json(a_catalogue()).encode()
    night = night_of(DAY - timedelta(days=days), PLAN.schedule)
    digests = unit.blobs.put(catalogue), unit.blobs.put(plan)
    run, _ = unit.runs.begin(
        NewRun(
            replace(PLAN.schedule, name=name),
            night,
            "again" if "." in name else "schedule",
            *digests,
            0,
            {"globex": 12},
        )
    )
    return run


@pytest.mark.parametrize(("days", "name"), [(1, "nightly"), (0, "nightly-globex")], ids=["night before", "same night"])
def test_the_writes_of_earlier_nights_are_told_until_a_report_told_them(night: Night, days: int, name: str) -> None:
    night.clock.at = BEGAN - timedelta(hours=17)
    with night.store.write() as unit:
        run = _earlier(unit, days, name)
        action, _ = unit.actions.propose(an_action("TJ-30", run_id=run.id).proposal)
        by_anna = Actor("link", ANNA)
        assert unit.actions.decide(action, Verb.APPROVE, by_anna, batch="b", reason=None, until=None)
        approved = unit.actions.get(action.id)
        assert approved is not None
        unit.writes.queue(approved, not_before=unit.now, dry_run=False)
        for number in range(2, 10):
            _earlier(unit, days, f"{name}.{number}")
    night.clock.forward(minutes=10)
    night.collect("TJ-40", propose=False)

    night.report()

    with night.store.read() as unit:
        stored = unit.reports.get(RUN)
    assert stored is not None
    executions = Report.from_json(stored.model).executions
    assert [(one.sku, one.state) for one in executions] == [("TJ-30", "queued")]


def test_a_run_that_is_not_known_or_lost_what_it_froze_says_so(night: Night) -> None:
    with pytest.raises(NothingToReport, match="the run is not in the database"):
        night.report()

    with night.store.write() as unit:
        schedule = PLAN.schedule
        unit.runs.begin(NewRun(schedule, night_of(DAY, schedule), "manual", "gone", "gone", 0, {"globex": 12}))
    with pytest.raises(NothingToReport, match="the plan is not in the database"):
        night.report()
