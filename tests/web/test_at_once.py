"""Many readers at once, over a real server: one decision, one write, and every answer tells the truth."""

import re
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import httpx
import pytest

from monitor.adapters.clock import SystemClock
from monitor.domain.action import ActionState, Verb
from monitor.flow.submit import submit_due
from monitor.web.app import create_app
from tests.fake_shop import Books, FakeShop
from tests.review_scene import Scene, SetClock, a_proposal
from tests.web.conftest import Forms, context_of
from tests.web.running import running

pytestmark = pytest.mark.slow


@pytest.fixture
def scene(migrated_url: str) -> Iterator[Scene]:
    """A night on each database, at the real time, because PostgreSQL's cannot be set."""
    made = Scene(migrated_url, SetClock(datetime.now(UTC)))
    yield made
    made.close()


def proposals(scene: Scene, count: int) -> list[int]:
    later = datetime.now(UTC) + timedelta(days=2)
    return [action.id for action in scene.propose(*(a_proposal(f"A-{n:03}", expires_at=later) for n in range(count)))]


def at_once(posts: list[tuple[str, dict[str, object]]]) -> list[httpx.Response]:
    """Send all of these at the same moment."""
    barrier, answers = threading.Barrier(len(posts)), [httpx.Response(500)] * len(posts)

    def send(place: int, url: str, form: dict[str, object]) -> None:
        with httpx.Client(trust_env=False, timeout=60) as client:
            barrier.wait()
            answers[place] = client.post(url, data=form)

    threads = [threading.Thread(target=send, args=(place, *post)) for place, post in enumerate(posts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


def form_of(base: str, path: str) -> dict[str, object]:
    page = httpx.get(base + path, trust_env=False, timeout=60)
    return dict(Forms(page.text).as_rendered())


def test_the_same_form_posted_two_hundred_times_at_once_is_one_decision_and_one_write(scene: Scene) -> None:
    (number,) = proposals(scene, 1)
    scene.writes(undo_window=timedelta(0))
    path = scene.link().url.removeprefix("http://127.0.0.1:8080")
    with running(create_app(context_of(scene))) as base:
        form = form_of(base, path) | {f"verb-{number}": "approve"}
        answers = at_once([(f"{base}{path}/decide", form)] * 200)
        results = {answer.headers.get("location") for answer in answers}
        page = httpx.get(base + str(results.copy().pop()), trust_env=False).text

    assert [answer.status_code for answer in answers] == [303] * 200
    assert len(results) == 1
    assert scene.decisions_of(number) == [Verb.APPROVE]
    assert len(scene.writes_of(number)) == 1
    assert "Approved: 27.90 EUR → 26.90 EUR." in page
    books = Books(A_000="27.90")
    scene.clock.at = datetime.now(UTC)
    _work_at_once(scene, books, workers=4)
    assert len(books.calls) == len(books.changes) == 1
    assert scene.writes_of(number) == ["applied"]


def _work_at_once(scene: Scene, books: Books, *, workers: int) -> None:
    """Let several workers execute what is approved at the same moment."""
    barrier = threading.Barrier(workers)

    def work(owner: str) -> None:
        barrier.wait()
        submit_due(scene.store, FakeShop(books), scene.plan, owner, SystemClock())

    threads = [threading.Thread(target=work, args=(f"worker-{n}",)) for n in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_approving_and_rejecting_at_the_same_moment_leaves_what_the_one_decision_says(scene: Scene) -> None:
    numbers = proposals(scene, 25)
    anna, zoe = (
        scene.link(who).url.removeprefix("http://127.0.0.1:8080") for who in ("anna@x.example", "zoe@x.example")
    )
    scene.review(large_batch=100)
    with running(create_app(context_of(scene))) as base:
        yes, no = (form_of(base, path) for path in (anna, zoe))
        posts = [
            post
            for number in numbers
            for post in (
                (f"{base}{anna}/decide", _about(yes, number, "approve") | {"nonce": _nonce(base, anna)}),
                (f"{base}{zoe}/decide", _about(no, number, "reject") | {"nonce": _nonce(base, zoe)}),
            )
        ]
        answers = at_once(posts)

    assert {answer.status_code for answer in answers} == {303}
    for number in numbers:
        (verb,) = scene.decisions_of(number)
        is_approved = verb is Verb.APPROVE
        assert scene.action(number).state is (ActionState.APPROVED if is_approved else ActionState.REJECTED)
        assert len(scene.writes_of(number)) == (1 if is_approved else 0)


def _nonce(base: str, path: str) -> str:
    found = re.search(r'name="nonce" value="([^"]+)"', httpx.get(base + path, trust_env=False, timeout=60).text)
    assert found is not None
    return found[1]


def _about(form: dict[str, object], number: int, verb: str) -> dict[str, object]:
    rows = form["row"]
    assert isinstance(rows, list)
    return {"row": [row for row in rows if row.startswith(f"{number}:")], f"verb-{number}": verb}


def test_a_page_of_five_hundred_proposals_is_there_quickly_and_is_decided_as_a_whole(scene: Scene) -> None:
    numbers = proposals(scene, 500)
    link = scene.link()
    path = link.url.removeprefix("http://127.0.0.1:8080")
    with running(create_app(context_of(scene))) as base:
        form = form_of(base, path) | {"all": "approve", "code": link.code}
        (answer,) = at_once([(f"{base}{path}/decide", form)])

    assert answer.status_code == 303
    with scene.store.read() as unit:
        assert unit.actions.counts(scene.run.id) == {ActionState.APPROVED: len(numbers)}
