"""What needs a person on the first page: a mail that is held, writes that are stopped or off."""

from datetime import timedelta

import pytest

from monitor.domain.access import Role
from monitor.domain.message import Mail, MailState
from tests.review_scene import ANNA, Scene
from tests.web.conftest import Forms, words
from tests.web.people import Browser, add_user

KEY = f"report:nightly-2026-11-29:{ANNA}"


def _mail(scene: Scene) -> Mail:
    with scene.store.read() as unit:
        found = unit.mails.get(KEY)
    assert found is not None
    return found


@pytest.fixture
def held(scene: Scene) -> Mail:
    """The morning mail, of which nobody knows whether it arrived."""
    with scene.store.write() as unit:
        unit.mails.post(
            dedupe_key=KEY,
            run_id=scene.run.id,
            recipient=ANNA,
            subject="[Acme] 7 price decisions",
            content=b"the same bytes",
            message_id="<1@acme>",
            not_before=unit.now,
        )
    with scene.store.write() as unit:
        mail = unit.mails.claim(unit.mails.due(1)[0], timedelta(minutes=1))
        assert mail is not None
        unit.mails.close(mail, MailState.UNKNOWN, "no answer after the message was handed over")
    return _mail(scene)


def _signed_in(scene: Scene, role: Role) -> Browser:
    add_user(scene, "anna", role)
    browser = Browser(scene)
    browser.sign_in()
    return browser


def test_a_held_mail_leaves_again_on_the_word_of_an_approver(scene: Scene, held: Mail) -> None:
    browser = _signed_in(scene, Role.APPROVER)
    page = browser.get("/").text
    assert "may or may not have arrived and is held. Ask the recipient" in words(page)
    assert "no answer after the message was handed over" in page

    forms = Forms(page)
    assert f"/mails/{held.id}/resend" in forms.actions
    answer = browser.send(f"/mails/{held.id}/resend", {"form_token": forms.as_rendered()["form_token"][0]})

    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    again = _mail(scene)
    assert (again.state, again.content, again.message_id) == (MailState.PENDING, held.content, held.message_id)
    assert "on the word of anna" in str(again.error)
    assert "is held" not in words(browser.get("/").text)


def test_a_mail_that_is_not_held_is_not_sent_again(scene: Scene, held: Mail) -> None:
    browser = _signed_in(scene, Role.APPROVER)
    form = {"form_token": browser.form_token()}
    assert browser.send(f"/mails/{held.id}/resend", form).status_code == 303
    answer = browser.send(f"/mails/{held.id}/resend", form)
    assert answer.status_code == 409
    assert "neither held nor given up" in words(answer.text)
    assert browser.send("/mails/x/resend", form).status_code == 404


def test_a_viewer_and_a_form_of_another_session_send_nothing(scene: Scene, held: Mail) -> None:
    viewer = _signed_in(scene, Role.VIEWER)
    assert "Send it again" not in viewer.get("/").text
    assert viewer.send(f"/mails/{held.id}/resend", {"form_token": viewer.form_token()}).status_code == 403
    add_user(scene, "ben", Role.APPROVER)
    ben = Browser(scene)
    ben.sign_in("ben")
    assert ben.send(f"/mails/{held.id}/resend", {"form_token": viewer.form_token()}).status_code == 403
    assert _mail(scene).state is MailState.UNKNOWN


def test_writes_that_are_stopped_or_off_cannot_be_overlooked(scene: Scene) -> None:
    browser = _signed_in(scene, Role.APPROVER)
    scene.propose()
    assert "All writes are stopped" not in words(browser.get("/").text)
    assert "Writing to the shop is on." in words(browser.get("/settings").text)

    with scene.store.write() as unit:
        unit.holds.throw(is_stopped=True, by="ben", reason="prices look odd")
    for path in ("/", "/queue", "/settings"):
        assert "All writes are stopped. ben stopped them at 29 Nov 2026" in words(browser.get(path).text), path
        assert "(prices look odd)" in browser.get(path).text
    with scene.store.write() as unit:
        unit.holds.throw(is_stopped=False, by="ben", reason=None)
    assert "All writes are stopped" not in words(browser.get("/").text)

    scene.writes(enabled=False)
    off = Browser(scene)
    off.sign_in()
    for path in ("/", "/queue", "/settings"):
        assert "Writing to the shop is off." in words(off.get(path).text), path
    assert "Writing to the shop" not in words(off.get(f"/runs/{scene.run.id}").text)
