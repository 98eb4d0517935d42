"""Stage review: deciding once, by link or otherwise."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest

from monitor.domain.action import Action, ActionState, Actor, Verb
from monitor.domain.plan import CodeRule
from monitor.domain.review import RowOutcome, needs_code
from monitor.flow.review import CODE_LOCK, CODE_TRIES, Form, FormAnswer, Hurdle, answer_form, decide
from tests.review_scene import ANNA, BY_ANNA, Scene, a_proposal, a_run, choice

ZOE = Actor("cli", "zoe@example.com")


@pytest.fixture
def scene(own_sqlite_url: str) -> Iterator[Scene]:
    made = Scene(own_sqlite_url)
    yield made
    made.close()


def outcomes(scene: Scene, *choices: object, actor: Actor = BY_ANNA) -> list[RowOutcome]:
    return [result.outcome for result in decide(scene.store, scene.plan, actor, choices)]  # type: ignore[arg-type]


def link_id(scene: Scene, recipient: str = ANNA) -> str:
    scene.link(recipient)
    with scene.store.read() as unit:
        return next(link.id for link in unit.links.of_run(scene.run.id) if link.recipient == recipient)


def post(scene: Scene, *choices: object, nonce: str = "n1", code: str = "", is_shown: bool = True) -> FormAnswer:
    """Send a form that was shown under this number, or one that was not shown again for it."""
    link = link_id(scene)
    if is_shown:
        with scene.store.write() as unit:
            unit.links.issue_nonce(link, scene.signer.digest(nonce), timedelta(days=1))
    form = Form(nonce, choices, code)  # type: ignore[arg-type]
    return answer_form(scene.store, scene.signer, scene.plan, link, form, BY_ANNA, min_age=timedelta(0))


def test_an_approval_and_its_write_are_one(scene: Scene) -> None:
    (action,) = scene.propose()

    (result,) = decide(scene.store, scene.plan, BY_ANNA, [choice(action)])

    assert result.outcome is RowOutcome.DECIDED
    assert result.by == ANNA
    assert "27.90 EUR → 26.90 EUR" in result.words
    assert scene.action(action.id).state is ActionState.APPROVED
    with scene.store.read() as unit:
        (write,) = unit.writes.of_action(action.id)
    assert (str(write.target_price), str(write.expected_price)) == ("26.9", "27.9")
    assert write.not_before == scene.clock.now() + timedelta(seconds=120)


def test_while_writes_are_off_an_approval_is_recorded_as_a_dry_run(scene: Scene) -> None:
    scene.writes(enabled=False)
    (action,) = scene.propose()

    decide(scene.store, scene.plan, BY_ANNA, [choice(action)])

    assert scene.writes_of(action.id) == ["dry_run"]


def test_a_rejection_keeps_its_reason_and_writes_nothing(scene: Scene) -> None:
    (action,) = scene.propose()

    assert outcomes(scene, choice(action, Verb.REJECT, reason="  Not the same product  ")) == [RowOutcome.DECIDED]

    assert scene.writes_of(action.id) == []
    with scene.store.read() as unit:
        assert unit.actions.decisions(action.id)[0].reason == "Not the same product"


@pytest.mark.parametrize("first", [Verb.APPROVE, Verb.REJECT])
@pytest.mark.parametrize("second", [Verb.APPROVE, Verb.REJECT])
def test_the_first_decision_stands_and_the_second_is_told_whose_it_was(scene: Scene, first: Verb, second: Verb) -> None:
    (action,) = scene.propose()
    outcomes(scene, choice(action, first))
    state = scene.action(action.id).state
    scene.clock.forward(hours=5)

    (late,) = decide(scene.store, scene.plan, ZOE, [choice(action, second)])

    assert late.outcome is RowOutcome.ALREADY
    assert (late.by, late.at) == (ANNA, scene.clock.now() - timedelta(hours=5))
    assert scene.action(action.id).state is state
    assert scene.decisions_of(action.id) == [first]


def test_figures_that_changed_since_hold_up_only_their_own_row(scene: Scene) -> None:
    seen, other = scene.propose(a_proposal("A-1"), a_proposal("B-2"))
    scene.propose(a_proposal("A-1", new="25.90"))

    stale, fine = decide(scene.store, scene.plan, BY_ANNA, [choice(seen), choice(other)])

    assert (stale.outcome, fine.outcome) == (RowOutcome.STALE, RowOutcome.DECIDED)
    assert "25.90 EUR" in stale.words
    assert scene.writes_of(seen.id) == []
    assert scene.writes_of(other.id) == ["queued"]


def test_a_proposal_past_its_time_is_not_decided(scene: Scene) -> None:
    (action,) = scene.propose()
    scene.clock.forward(hours=48)

    assert outcomes(scene, choice(action)) == [RowOutcome.EXPIRED]


def test_a_superseded_proposal_is_not_decided(scene: Scene) -> None:
    (old,) = scene.propose()
    with scene.store.write() as unit:
        tonight = a_run(unit, date(2026, 11, 30))
        new, _ = unit.actions.propose(a_proposal(run_id=tonight.id, new="24.90"))
        unit.actions.supersede(new)

    (result,) = decide(scene.store, scene.plan, BY_ANNA, [choice(old)])

    assert result.outcome is RowOutcome.EXPIRED
    assert "later night" in result.words
    assert scene.writes_of(old.id) == []


def test_what_does_not_exist_is_refused_in_words(scene: Scene) -> None:
    (action,) = scene.propose()

    (result,) = decide(scene.store, scene.plan, BY_ANNA, [replace(choice(action), action_id=999)])

    assert result.outcome is RowOutcome.REFUSED
    assert "999" in result.words


def test_snoozing_needs_a_later_date(scene: Scene) -> None:
    (action,) = scene.propose()
    later = scene.clock.now() + timedelta(days=1)

    assert outcomes(scene, choice(action, Verb.SNOOZE)) == [RowOutcome.REFUSED]
    assert outcomes(scene, choice(action, Verb.SNOOZE, until=scene.clock.now())) == [RowOutcome.REFUSED]
    assert outcomes(scene, choice(action, Verb.SNOOZE, until=later)) == [RowOutcome.DECIDED]
    assert scene.action(action.id).snoozed_until == later


def test_an_approval_can_be_taken_back_before_it_is_written(scene: Scene) -> None:
    (action,) = scene.propose()
    outcomes(scene, choice(action))

    assert outcomes(scene, choice(action, Verb.CANCEL)) == [RowOutcome.DECIDED]
    assert outcomes(scene, choice(action, Verb.CANCEL)) == [RowOutcome.ALREADY]

    assert scene.action(action.id).state is ActionState.CANCELLED
    assert scene.writes_of(action.id) == ["cancelled"]
    assert scene.decisions_of(action.id) == [Verb.APPROVE, Verb.CANCEL]


def test_what_is_being_written_cannot_be_taken_back(scene: Scene) -> None:
    (action,) = scene.propose()
    outcomes(scene, choice(action))
    scene.clock.forward(seconds=121)
    with scene.store.write() as unit:
        (write,) = unit.writes.of_action(action.id)
        assert unit.writes.claim(write.id, "w1", timedelta(minutes=1)) is not None

    (result,) = decide(scene.store, scene.plan, BY_ANNA, [choice(action, Verb.CANCEL)])

    assert result.outcome is RowOutcome.REFUSED
    assert "Too late" in result.words
    assert scene.decisions_of(action.id) == [Verb.APPROVE]


@pytest.mark.parametrize("before", [None, Verb.REJECT])
def test_what_was_never_approved_cannot_be_taken_back(scene: Scene, before: Verb | None) -> None:
    (action,) = scene.propose()
    if before:
        outcomes(scene, choice(action, before))

    (result,) = decide(scene.store, scene.plan, BY_ANNA, [choice(action, Verb.CANCEL)])

    assert result.outcome is RowOutcome.REFUSED
    assert "nothing to take back" in result.words


def test_a_newer_approval_takes_the_place_of_one_that_is_not_yet_written(scene: Scene) -> None:
    scene.writes(enabled=False)
    (old,) = scene.propose()
    outcomes(scene, choice(old))
    with scene.store.write() as unit:
        tonight = a_run(unit, date(2026, 11, 30))
        new, _ = unit.actions.propose(a_proposal(run_id=tonight.id, new="24.90"))

    assert outcomes(scene, choice(new)) == [RowOutcome.DECIDED]
    assert scene.action(old.id).state is ActionState.SUPERSEDED
    assert (scene.writes_of(old.id), scene.writes_of(new.id)) == (["cancelled"], ["dry_run"])


def test_a_link_made_again_is_the_same_link_with_the_same_code(scene: Scene) -> None:
    first, again = scene.link(), scene.link()

    assert again.code == first.code
    assert first.url.startswith("http://127.0.0.1:8080/a/")
    tokens = [each.url.rpartition("/")[2] for each in (first, again)]
    assert len({scene.signer.read(token, "review") for token in tokens}) == 1
    assert scene.link("zoe@example.com").code != first.code


def test_the_link_of_a_later_night_ends_those_before(scene: Scene) -> None:
    scene.link()
    with scene.store.write() as unit:
        tonight = a_run(unit, date(2026, 11, 30))
    scene.link(run_id=tonight.id)

    with scene.store.read() as unit:
        old, new = unit.links.of_run(scene.run.id), unit.links.of_run(tonight.id)
    assert all(link.revoked_at is not None for link in old)
    assert all(link.revoked_at is None for link in new)


def test_a_form_posted_again_gives_the_first_results(scene: Scene) -> None:
    (action,) = scene.propose()
    first = post(scene, choice(action))
    scene.clock.forward(minutes=10)
    again = post(scene, choice(action, Verb.REJECT), is_shown=False)

    assert [result.outcome for result in first.results] == [RowOutcome.DECIDED]
    assert again.is_repeat
    assert again.is_changed
    assert not post(scene, choice(action), is_shown=False).is_changed
    assert (again.batch, again.results) == (first.batch, first.results)
    assert scene.decisions_of(action.id) == [Verb.APPROVE]


def test_a_form_that_was_never_shown_decides_nothing(scene: Scene) -> None:
    (action,) = scene.propose()

    answer = post(scene, choice(action), is_shown=False)

    assert answer.hurdle is Hurdle.NOT_SHOWN
    assert scene.action(action.id).state is ActionState.PENDING


def test_a_form_that_comes_back_too_quickly_decides_nothing(scene: Scene) -> None:
    (action,) = scene.propose()
    link = link_id(scene)
    with scene.store.write() as unit:
        unit.links.issue_nonce(link, scene.signer.digest("n1"), timedelta(days=1))
    form = Form("n1", (choice(action),))

    def sent() -> FormAnswer:
        wait = timedelta(seconds=1)
        return answer_form(scene.store, scene.signer, scene.plan, link, form, BY_ANNA, min_age=wait)

    assert sent().hurdle is Hurdle.TOO_QUICK
    scene.clock.forward(seconds=1)
    assert sent().hurdle is None


def test_a_form_without_a_choice_decides_nothing_and_may_be_sent_again(scene: Scene) -> None:
    (action,) = scene.propose()

    assert post(scene).hurdle is Hurdle.NOTHING_CHOSEN
    assert post(scene, choice(action), is_shown=False).hurdle is None


def test_an_expired_link_decides_nothing(scene: Scene) -> None:
    (action,) = scene.propose(a_proposal(expires_at=scene.clock.now() + timedelta(days=30)))
    link_id(scene)
    scene.clock.forward(hours=72)

    assert post(scene, choice(action)).hurdle is Hurdle.OVER
    assert scene.action(action.id).state is ActionState.PENDING


def test_a_large_change_asks_for_the_code(scene: Scene) -> None:
    (action,) = scene.propose(a_proposal(new="20.00"))
    code = scene.link().code
    wrong = f"{(int(code) + 1) % 1_000_000:06d}"

    assert post(scene, choice(action)).hurdle is Hurdle.CODE_MISSING
    refused = post(scene, choice(action), code=wrong, is_shown=False)
    assert (refused.hurdle, refused.tries_left) == (Hurdle.CODE_WRONG, 4)
    assert scene.action(action.id).state is ActionState.PENDING
    assert post(scene, choice(action), code=code, is_shown=False).hurdle is None
    assert scene.action(action.id).state is ActionState.APPROVED


def test_wrong_codes_lock_the_link_even_for_the_right_one(scene: Scene) -> None:
    (action,) = scene.propose(a_proposal(new="20.00", expires_at=scene.clock.now() + timedelta(days=30)))
    code = scene.link().code
    wrong = f"{(int(code) + 1) % 1_000_000:06d}"
    tried = [post(scene, choice(action), nonce=f"n{n}", code=wrong).tries_left for n in range(CODE_TRIES)]

    assert tried == [4, 3, 2, 1, 0]
    assert post(scene, choice(action), code=code, is_shown=False).hurdle is Hurdle.LOCKED
    scene.clock.forward(seconds=CODE_LOCK.total_seconds())
    assert post(scene, choice(action), code=code, is_shown=False).hurdle is None


def sized(action: Action, count: int, verb: Verb = Verb.APPROVE) -> list[tuple[Action, Verb]]:
    return [(action, verb)] * count


@pytest.mark.parametrize(
    ("new", "count", "verb", "is_asked"),
    [
        ("25.11", 1, Verb.APPROVE, False),  # -10 % exactly
        ("25.10", 1, Verb.APPROVE, True),
        ("30.70", 1, Verb.APPROVE, True),
        ("25.10", 1, Verb.REJECT, False),  # a rejection changes no price
        ("26.90", 20, Verb.APPROVE, False),
        ("26.90", 21, Verb.APPROVE, True),
        ("26.90", 21, Verb.REJECT, True),
        ("25.10", 99, Verb.CANCEL, False),  # taking back can only prevent
    ],
)
def test_the_code_is_asked_for_big_steps_and_many_rows(
    scene: Scene, new: str, count: int, verb: Verb, is_asked: bool
) -> None:
    (action,) = scene.propose(a_proposal(new=new))

    assert needs_code(sized(action, count, verb), scene.plan.review) is is_asked


def test_the_code_is_asked_below_cost(scene: Scene) -> None:
    (action,) = scene.propose(a_proposal(facts={"cost": "27.00"}))

    assert needs_code([(action, Verb.APPROVE)], scene.plan.review)


@pytest.mark.parametrize(("rule", "is_asked"), [(CodeRule.ALWAYS, True), (CodeRule.NEVER, False)])
def test_the_operator_may_ask_always_or_never(scene: Scene, rule: CodeRule, is_asked: bool) -> None:
    scene.review(require_code=rule)
    new = "26.90" if rule is CodeRule.ALWAYS else "1.00"
    (action,) = scene.propose(a_proposal(new=new))

    assert needs_code([(action, Verb.APPROVE)], scene.plan.review) is is_asked
    assert needs_code([(action, Verb.CANCEL)], scene.plan.review) is False


ODD = {"second_look": [{"code": "MARKET_BREAKER", "words": "All shops together moved 9 of 10 prices at once"}]}


def test_what_needs_a_second_look_is_approved_by_itself_only(scene: Scene) -> None:
    one, two, plain = scene.propose(a_proposal(facts=ODD), a_proposal("B-2", facts=ODD), a_proposal("C-3"))
    rows = decide(scene.store, scene.plan, BY_ANNA, [choice(one), choice(two), choice(plain)])

    assert [row.outcome for row in rows] == [RowOutcome.REFUSED, RowOutcome.REFUSED, RowOutcome.DECIDED]
    assert "approved by itself, not with others at once. All shops together moved 9 of 10 prices" in rows[0].words
    assert scene.action(one.id).state is ActionState.PENDING

    (row,) = decide(scene.store, scene.plan, BY_ANNA, [choice(one)])
    assert (row.outcome, scene.action(one.id).state) == (RowOutcome.DECIDED, ActionState.APPROVED)
    again = decide(scene.store, scene.plan, BY_ANNA, [choice(one), choice(two)])
    assert [row.outcome for row in again] == [RowOutcome.ALREADY, RowOutcome.REFUSED], "a repeat is told as one"


def test_what_needs_a_second_look_is_rejected_and_put_off_with_others(scene: Scene) -> None:
    one, two = scene.propose(a_proposal(facts=ODD), a_proposal("B-2", facts=ODD))
    later = scene.clock.now() + timedelta(days=1)

    rows = decide(scene.store, scene.plan, BY_ANNA, [choice(one, Verb.REJECT), choice(two, Verb.SNOOZE, until=later)])

    assert [row.outcome for row in rows] == [RowOutcome.DECIDED, RowOutcome.DECIDED]


def test_a_program_takes_no_second_look(scene: Scene) -> None:
    (action,) = scene.propose(a_proposal(facts=ODD))

    (row,) = decide(scene.store, scene.plan, Actor("webhook", "bot"), [choice(action)])

    assert (row.outcome, scene.action(action.id).state) == (RowOutcome.REFUSED, ActionState.PENDING)
    assert "approved by a person" in row.words


def test_a_second_look_asks_for_the_code_however_small_the_change(scene: Scene) -> None:
    (action,) = scene.propose(a_proposal(old="27.90", new="27.80", facts=ODD))

    assert needs_code([(action, Verb.APPROVE)], scene.plan.review)
    assert not needs_code([(action, Verb.CANCEL)], scene.plan.review)


def test_a_failure_in_the_middle_leaves_neither_decision_nor_write(scene: Scene, tmp_path: Path) -> None:
    first, second = scene.propose(a_proposal("A-1"), a_proposal("B-2"))
    with scene.store.writer.begin() as connection:
        connection.exec_driver_sql(
            f"CREATE TRIGGER broken BEFORE INSERT ON writes WHEN NEW.action_id = {second.id} "
            "BEGIN SELECT RAISE(ABORT, 'disk full'); END"
        )

    with pytest.raises(Exception, match="disk full"):
        decide(scene.store, scene.plan, BY_ANNA, [choice(first), choice(second)])

    for action in (first, second):
        assert scene.action(action.id).state is ActionState.PENDING
        assert scene.decisions_of(action.id) == []
        assert scene.writes_of(action.id) == []
