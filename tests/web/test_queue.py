"""The queue: what waits, narrowed, and decided once as whoever is signed in."""

import re
from html import unescape
from typing import TypeAlias

import pytest

from monitor.domain.access import Role
from monitor.domain.action import Action, ActionState, Verb
from tests.review_scene import Scene, a_proposal
from tests.web.conftest import Forms
from tests.web.people import Browser, add_user

Actions: TypeAlias = tuple[Action, ...]


def _words(page: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page)).split())


def _states(scene: Scene) -> dict[str, ActionState]:
    with scene.store.read() as unit:
        return {action.proposal.sku: action.state for action in unit.actions.of_run(scene.run.id)}


@pytest.fixture
def actions(scene: Scene) -> Actions:
    return scene.propose(a_proposal("A-1"), a_proposal("A-2", new="24.90"), a_proposal("A-3", new="28.40"))


@pytest.fixture
def anna(scene: Scene, actions: Actions) -> Browser:
    add_user(scene, "anna")
    browser = Browser(scene)
    browser.sign_in("anna")
    return browser


def _form(browser: Browser, path: str = "/queue") -> dict[str, object]:
    return dict(Forms(browser.get(path).text).as_rendered())


def test_nothing_is_chosen_when_the_page_comes(anna: Browser) -> None:
    answer = anna.send("/queue", _form(anna))
    assert "Nothing was chosen, so nothing was decided." in _words(answer.text)
    assert set(_states(anna.scene).values()) == {ActionState.PENDING}


def test_a_choice_is_decided_once_as_the_person_who_is_signed_in(anna: Browser, actions: Actions) -> None:
    first = actions[0]
    form = _form(anna) | {f"verb-{first.id}": "approve"}
    assert "Approved" in _words(anna.send("/queue", form).text)
    again = _words(anna.send("/queue", form).text)
    assert "Decided before by anna" in again
    with anna.scene.store.read() as unit:
        decisions = unit.actions.decisions(first.id)
        assert [(one.verb, one.actor.kind, one.actor.name) for one in decisions] == [(Verb.APPROVE, "user", "anna")]
        assert len(unit.writes.of_action(first.id)) == 1


def test_all_that_is_shown_is_approved_except_what_was_chosen_otherwise(
    anna: Browser, actions: tuple[Action, ...]
) -> None:
    first, *others = actions
    answer = anna.send("/queue", _form(anna) | {"all": "approve", f"verb-{first.id}": "reject"})
    assert answer.status_code == 200
    states = _states(anna.scene)
    assert states.pop(first.proposal.sku) is ActionState.REJECTED
    assert set(states.values()) == {ActionState.APPROVED}
    assert len(states) == len(others)


def test_a_filter_narrows_what_approve_all_means(anna: Browser, actions: Actions) -> None:
    first = actions[0]
    path = f"/queue?q={first.proposal.sku}"
    anna.send(path, _form(anna, path) | {"all": "approve"})
    approved = [sku for sku, state in _states(anna.scene).items() if state is ActionState.APPROVED]
    assert approved == [first.proposal.sku]


@pytest.mark.parametrize("forged", [{}, {"form_token": ""}, {"form_token": "x"}])
def test_a_form_without_the_token_of_this_session_decides_nothing(
    anna: Browser, actions: tuple[Action, ...], forged: dict[str, str]
) -> None:
    first = actions[0]
    form = {name: value for name, value in _form(anna).items() if name != "form_token"} | forged
    answer = anna.send("/queue", form | {f"verb-{first.id}": "approve"})
    assert answer.status_code == 403
    assert set(_states(anna.scene).values()) == {ActionState.PENDING}


def test_a_viewer_looks_and_does_not_decide(scene: Scene, actions: Actions) -> None:
    add_user(scene, "vera", Role.VIEWER)
    vera = Browser(scene)
    vera.sign_in("vera")
    page = vera.get("/queue").text
    assert 'method="post" action="/queue' not in page
    assert "ask an administrator" in _words(page)
    first = actions[0]
    field = f"{first.id}:{first.version}:{first.content_hash}"
    form = {"form_token": vera.form_token(), "row": field, f"verb-{first.id}": "approve"}
    assert vera.send("/queue", form).status_code == 403
    assert set(_states(scene).values()) == {ActionState.PENDING}


def test_a_row_that_has_moved_on_is_told_and_not_decided(anna: Browser, actions: Actions) -> None:
    first = actions[0]
    form = _form(anna)
    anna.send("/queue", form | {f"verb-{first.id}": "reject"})
    answer = _words(anna.send("/queue", form | {f"verb-{first.id}": "approve"}).text)
    assert "Decided before by anna" in answer
    assert _states(anna.scene)[first.proposal.sku] is ActionState.REJECTED


def test_without_anything_waiting_the_page_says_so(anna: Browser) -> None:
    anna.send("/queue", _form(anna) | {"all": "approve"})
    assert "Nothing waits for a decision." in _words(anna.get("/queue").text)
