"""The review page behind a mailed link: showing, deciding, and everything that must not decide."""

import re
import string
from datetime import date, timedelta
from decimal import Decimal
from typing import Any
from urllib.parse import urlsplit

import pytest

from monitor.domain.action import ActionState, Verb
from monitor.domain.money import Money
from monitor.domain.plan import CodeRule
from monitor.web.shop_prices import SeenPrice
from tests.review_scene import Scene, a_proposal, a_run
from tests.web.conftest import Forms, Site, words

ALPHABET = string.ascii_letters + string.digits + "-_."
HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "{{7*7}}",
    "{% raw %}",
    "\u202egnp.exe",
    "</fieldset></form><form action='https://evil.example'>",
]


def state(scene: Scene, action_id: int) -> ActionState:
    return scene.action(action_id).state


def test_opening_the_link_decides_nothing_however_often(site: Site) -> None:
    (action,) = site.scene.propose()
    path = site.path()

    for _ in range(3):
        answer = site.client.get(path, headers={"user-agent": "Mozilla/5.0 HeadlessChrome/126"})
        assert answer.status_code == 200

    after = site.counts()
    assert (after["decisions"], after["writes"]) == (0, 0)
    assert (after["opened"], after["nonces"]) == (3, 3)
    assert state(site.scene, action.id) is ActionState.PENDING


def test_head_writes_nothing_at_all_and_answers_as_get_would(site: Site) -> None:
    site.scene.propose()
    path = site.path()
    before = site.counts()

    head = site.client.head(path)

    assert head.status_code == 200
    assert site.counts() == before
    get = site.client.get(path)
    assert {**head.headers} == {**get.headers}


@pytest.mark.parametrize("verb", ["OPTIONS", "PUT", "PATCH", "DELETE", "PROPFIND"])
def test_other_verbs_are_refused_and_change_nothing(site: Site, verb: str) -> None:
    site.scene.propose()
    path = site.path()
    before = site.counts()

    for address in (path, f"{path}/decide", "/"):
        answer = site.client.request(verb, address)
        assert answer.status_code == 405
        assert answer.headers["allow"]
        assert answer.headers["x-frame-options"] == "DENY"
    assert site.client.get(f"{path}/decide").status_code == 405
    assert site.client.post(path).status_code == 405
    assert site.counts() == before


def test_a_form_sent_as_it_was_rendered_decides_nothing(site: Site) -> None:
    """A mail scanner that opens the page and presses the first button, scripts or not."""
    actions = site.scene.propose(*(a_proposal(f"A-{n}") for n in range(5)))
    path = site.path()
    page = site.client.get(path).text
    forms = Forms(page)

    assert "checked" not in page
    assert "<script" not in page
    assert forms.actions == [f"{path}/decide"]
    answer = site.send(path, forms.as_rendered())

    assert answer.status_code == 422
    assert all(state(site.scene, action.id) is ActionState.PENDING for action in actions)


@pytest.mark.parametrize(
    ("rules", "new", "count"),
    [
        ({"require_code": CodeRule.ALWAYS}, "26.90", 1),
        ({}, "24.90", 1),  # a step of more than 10 %
        ({}, "12.00", 1),  # below cost
        ({}, "26.90", 21),  # more than 20 rows at once
    ],
    ids=["always", "large-step", "below-cost", "many"],
)
def test_a_scanner_that_ticks_everything_stops_at_the_code(
    site: Site, rules: dict[str, Any], new: str, count: int
) -> None:
    site.scene.review(**rules)
    site.open()
    actions = site.scene.propose(*(a_proposal(f"A-{n}", new=new) for n in range(count)))
    path = site.path()
    form = site.form(path) | {f"verb-{action.id}": "approve" for action in actions}

    answer = site.send(path, form | {"code": ""})

    assert answer.status_code == 403
    assert {state(site.scene, action.id) for action in actions} == {ActionState.PENDING}


def test_approving_leads_to_the_result_page(site: Site) -> None:
    (action,) = site.scene.propose()
    path = site.path()

    answer = site.decide(path, "approve", action.id)

    assert answer.status_code == 303
    assert re.fullmatch(re.escape(path) + r"/r/[\w-]+", answer.headers["location"])
    result = site.client.get(answer.headers["location"])
    assert result.status_code == 200
    assert "Approved: 27.90 EUR → 26.90 EUR." in words(result.text)
    assert "anna@example.com, 29 Nov 2026, 07:30 (UTC+01:00)" in words(result.text)
    assert site.scene.writes_of(action.id) == ["queued"]


def test_a_rejection_records_its_reason_and_who(site: Site) -> None:
    (action,) = site.scene.propose()
    path = site.path()
    agent = {"user-agent": "Firefox"}
    form = site.form(path) | {f"verb-{action.id}": "reject", f"reason-{action.id}": " Not the same\r\nproduct "}

    assert site.client.post(f"{path}/decide", data=form, headers=agent).status_code == 303

    with site.scene.store.read() as unit:
        (decision,) = unit.actions.decisions(action.id)
    assert (decision.verb, decision.reason) == (Verb.REJECT, "Not the same product")
    assert (decision.actor.kind, decision.actor.name, decision.actor.agent) == ("link", "anna@example.com", "Firefox")
    assert decision.actor.link
    page = words(site.client.get(path).text)
    assert "Rejected" in page
    assert "Not the same product" in page


def test_the_same_form_sent_again_is_answered_with_the_same_page(site: Site) -> None:
    (action,) = site.scene.propose()
    path = site.path()
    form = site.form(path) | {f"verb-{action.id}": "approve"}

    first, again = site.send(path, form), site.send(path, form)
    site.scene.clock.forward(days=1)
    tomorrow = site.send(path, form)

    assert [answer.status_code for answer in (first, again, tomorrow)] == [303, 303, 303]
    assert first.headers["location"] == again.headers["location"] == tomorrow.headers["location"]
    assert site.scene.decisions_of(action.id) == [Verb.APPROVE]
    assert site.scene.writes_of(action.id) == ["queued"]


def test_a_second_reader_is_told_who_decided_and_when(site: Site) -> None:
    (action,) = site.scene.propose()
    anna, zoe = site.path(), site.path(recipient="zoe@example.com")
    form = site.form(zoe) | {f"verb-{action.id}": "reject"}
    assert site.decide(anna, "approve", action.id).status_code == 303

    late = site.send(zoe, form)

    assert late.status_code == 303
    page = words(site.client.get(late.headers["location"]).text)
    assert "Decided before by anna@example.com" in page
    assert site.scene.decisions_of(action.id) == [Verb.APPROVE]


def test_figures_that_changed_are_refused_for_their_row_only_and_shown_anew(site: Site) -> None:
    first, second = site.scene.propose(a_proposal("A-1"), a_proposal("B-2"))
    path = site.path()
    form = site.form(path) | {f"verb-{first.id}": "approve", f"verb-{second.id}": "approve"}
    site.scene.propose(a_proposal("A-1", new="25.90"))

    answer = site.send(path, form)

    assert answer.status_code == 409
    assert "25.90 EUR" in answer.text
    assert "checked" not in answer.text
    assert state(site.scene, first.id) is ActionState.PENDING
    assert site.scene.writes_of(first.id) == []
    assert state(site.scene, second.id) is ActionState.APPROVED
    fresh: dict[str, Any] = Forms(answer.text).as_rendered() | {f"verb-{first.id}": "approve"}
    assert site.send(path, fresh).status_code == 303
    assert str(site.scene.action(first.id).proposal.new_price) == "25.9"


def test_a_row_of_the_right_version_with_other_figures_is_refused(site: Site) -> None:
    """The next night may stand behind the same version with other evidence."""
    (action,) = site.scene.propose()
    path = site.path()
    form = site.form(path) | {"row": f"{action.id}:1:{'0' * 64}", f"verb-{action.id}": "approve"}

    assert site.send(path, form).status_code == 409
    assert site.scene.decisions_of(action.id) == []


def test_a_proposal_past_its_time_is_answered_as_gone(site: Site) -> None:
    (action,) = site.scene.propose(a_proposal(expires_at=site.scene.clock.now() + timedelta(hours=1)))
    path = site.path()
    form = site.form(path) | {f"verb-{action.id}": "approve"}
    site.scene.clock.forward(hours=1)

    assert site.send(path, form).status_code == 410
    assert site.scene.writes_of(action.id) == []


def test_a_superseded_night_cannot_be_approved_any_more(site: Site) -> None:
    (old,) = site.scene.propose()
    path = site.path()
    form = site.form(path) | {f"verb-{old.id}": "approve"}
    with site.scene.store.write() as unit:
        tonight = a_run(unit, date(2026, 11, 30))
        new, _ = unit.actions.propose(a_proposal(run_id=tonight.id, new="24.90"))
        unit.actions.supersede(new)

    assert site.send(path, form).status_code == 410
    assert site.scene.writes_of(old.id) == []
    site.path(run_id=tonight.id)  # the mail of the later night
    assert site.client.get(path).status_code == 410


def test_the_link_of_the_night_before_decides_until_the_new_mail_leaves(site: Site) -> None:
    """The report is made at night and its mail waits for the morning; nobody is left without a link in between."""
    (old,) = site.scene.propose()
    path = site.path()
    with site.scene.store.write() as unit:
        tonight = a_run(unit, date(2026, 11, 30))
        new, _ = unit.actions.propose(a_proposal(run_id=tonight.id, new="24.90"))
        unit.actions.supersede(new)
    site.path(run_id=tonight.id, due_at=site.scene.clock.now() + timedelta(hours=4))

    page = words(site.client.get(path).text)
    assert "It works until 29 Nov 2026, 11:30 (UTC+01:00)" in page
    assert "1 price change to review" in page
    assert "Replaced by a later proposal" in page
    assert site.decide(path, "approve", new.id, code=site.scene.link().code).status_code == 303
    assert (state(site.scene, old.id), state(site.scene, new.id)) == (ActionState.SUPERSEDED, ActionState.APPROVED)
    site.scene.clock.forward(hours=4)
    assert site.client.get(path).status_code == 410


def test_the_same_form_with_other_choices_is_told_that_the_first_ones_stand(site: Site) -> None:
    (action,) = site.scene.propose()
    path = site.path()
    form = site.form(path)
    told = "This form had been sent before; its first decisions stand, and nothing else was changed."

    first = site.send(path, form | {f"verb-{action.id}": "approve"})
    other = site.send(path, form | {f"verb-{action.id}": "reject"})

    assert other.status_code == 303
    assert told in site.client.get(other.headers["location"]).text
    assert told not in site.client.get(first.headers["location"]).text
    assert site.scene.decisions_of(action.id) == [Verb.APPROVE]


def test_a_form_that_comes_back_at_once_is_told_why_and_keeps_its_choices(site: Site) -> None:
    (action,) = site.scene.propose()
    site.open(min_form_age=timedelta(seconds=1))

    answer = site.decide(site.path(), "approve", action.id)

    assert answer.status_code == 403
    assert "came back faster than a person reads it" in answer.text
    assert 'value="approve" checked' in answer.text
    assert state(site.scene, action.id) is ActionState.PENDING


def test_what_still_waits_from_an_earlier_night_is_on_the_newest_page(site: Site) -> None:
    (old,) = site.scene.propose(a_proposal("OLD-1"))
    with site.scene.store.write() as unit:
        tonight = a_run(unit, date(2026, 11, 30))
        unit.actions.propose(a_proposal("NEW-1", run_id=tonight.id))
    path = site.path(run_id=tonight.id)

    assert site.decide(path, "approve", old.id).status_code == 303
    assert state(site.scene, old.id) is ActionState.APPROVED


def test_approve_all_covers_what_was_shown_and_nothing_that_came_later(site: Site) -> None:
    shown = site.scene.propose(*(a_proposal(f"A-{n}") for n in range(3)))
    path = site.path()
    form = site.form(path) | {"all": "approve", f"verb-{shown[1].id}": "reject", f"verb-{shown[2].id}": "leave"}
    (later,) = site.scene.propose(a_proposal("B-9"))

    assert site.send(path, form).status_code == 303

    assert [state(site.scene, action.id) for action in (*shown, later)] == [
        ActionState.APPROVED,
        ActionState.REJECTED,
        ActionState.PENDING,
        ActionState.PENDING,
    ]


ODD = {"second_look": [{"code": "DOWN_BREAKER", "words": "9 of 10 products with offers would move down"}]}


def test_approve_all_leaves_what_needs_a_second_look(site: Site) -> None:
    odd, *others = site.scene.propose(a_proposal(facts=ODD), a_proposal("B-2"), a_proposal("C-3"))
    path = site.path()
    page = site.client.get(path).text

    assert "I have reviewed the 2 changes that need no second look" in page
    assert "1 of these changes needs a second look" in words(page)
    assert "approved by itself only. 9 of 10 products with offers would move down." in words(page)
    assert site.send(path, site.form(path) | {"all": "approve"}).status_code == 303
    assert [site.scene.action(each.id).state for each in (odd, *others)] == [
        ActionState.PENDING,
        ActionState.APPROVED,
        ActionState.APPROVED,
    ]


def test_a_night_that_needs_a_second_look_is_approved_one_form_at_a_time_with_the_code(site: Site) -> None:
    one, two = site.scene.propose(a_proposal(facts=ODD), a_proposal("B-2", facts=ODD))
    link = site.scene.link()
    path = urlsplit(link.url).path

    assert 'name="all"' not in site.client.get(path).text
    assert site.decide(path, "approve", one.id).status_code == 403
    both = site.decide(path, "approve", one.id, two.id, code=link.code)
    assert (both.status_code, site.scene.action(one.id).state) == (409, ActionState.PENDING)
    assert "approved by itself, not with others at once" in words(both.text)
    crafted = {"row": [f"{each.id}:{each.version}:{each.content_hash}" for each in (one, two)], "all": "approve"}
    form = {name: value for name, value in site.form(path).items() if name != "alone"}
    assert site.send(path, form | crafted | {"code": link.code}).status_code == 409
    assert site.decide(path, "approve", one.id, code=link.code).status_code == 303
    assert [site.scene.action(each.id).state for each in (one, two)] == [ActionState.APPROVED, ActionState.PENDING]


def test_more_than_twenty_at_once_need_the_code_from_the_mail(site: Site) -> None:
    actions = site.scene.propose(*(a_proposal(f"A-{n:02}") for n in range(21)))
    path, code = site.path(), site.scene.link().code

    refused = site.decide(path, "approve", all="approve")
    assert refused.status_code == 403
    assert "six digits" in refused.text
    accepted = site.decide(path, "approve", all="approve", code=f"{code[:3]} {code[3:]}")

    assert accepted.status_code == 303
    assert {state(site.scene, action.id) for action in actions} == {ActionState.APPROVED}


def test_a_reader_who_forgot_the_code_does_not_choose_again(site: Site) -> None:
    (action,) = site.scene.propose(a_proposal(new="20.00"))
    path = site.path()

    answer = site.decide(path, "approve", action.id)

    assert answer.status_code == 403
    again: dict[str, Any] = Forms(answer.text).as_rendered()
    assert again[f"verb-{action.id}"] == ["approve"]
    assert site.send(path, again | {"code": site.scene.link().code}).status_code == 303


def test_five_wrong_codes_lock_the_link(site: Site) -> None:
    (action,) = site.scene.propose(a_proposal(new="20.00"))
    path, code = site.path(), site.scene.link().code
    wrong = f"{(int(code) + 1) % 1_000_000:06d}"

    tried = [site.decide(path, "approve", action.id, code=wrong) for _ in range(5)]
    locked = site.decide(path, "approve", action.id, code=code)

    assert [answer.status_code for answer in tried] == [403] * 5
    assert "1 try left" in tried[3].text
    assert locked.status_code == 403
    assert "Too many wrong codes" in locked.text
    assert state(site.scene, action.id) is ActionState.PENDING


def test_an_approval_can_be_taken_back_on_the_result_page(site: Site) -> None:
    (action,) = site.scene.propose()
    path = site.path()
    result = site.decide(path, "approve", action.id).headers["location"]
    page = site.client.get(result).text
    form: dict[str, Any] = Forms(page).as_rendered()

    assert "until 07:32:00" in words(page)
    assert site.send(path, form).status_code == 422  # as rendered it takes back nothing
    assert state(site.scene, action.id) is ActionState.APPROVED
    taken = site.send(path, form | {f"verb-{action.id}": "cancel"})

    assert taken.status_code == 303
    assert "Taken back" in site.client.get(taken.headers["location"]).text
    assert site.scene.writes_of(action.id) == ["cancelled"]
    assert "Take back" not in site.client.get(result).text


def test_an_expired_link_says_so_and_shows_what_became_of_it(site: Site) -> None:
    (action,) = site.scene.propose()
    path = site.path()
    form = site.form(path) | {f"verb-{action.id}": "approve"}
    site.scene.clock.forward(hours=72)

    shown, posted = site.client.get(path), site.send(path, form)

    assert (shown.status_code, posted.status_code) == (410, 410)
    assert "Product A-1" in shown.text
    assert Forms(shown.text).actions == [f"{path}/fresh"]
    assert site.client.head(path).status_code == 410
    assert site.scene.decisions_of(action.id) == []


def test_a_revoked_link_is_over_in_each_of_its_spellings(site: Site) -> None:
    site.scene.propose()
    path = site.path()
    with site.scene.store.write() as unit:
        unit.links.revoke([site.scene.run.id], "the address left the company")

    answers = [site.client.get(path[:-1] + letter).status_code for letter in ALPHABET]

    assert answers.count(410) == 4
    assert answers.count(404) == len(ALPHABET) - 4


def test_a_tampered_token_is_the_same_404_wherever_it_was_touched(site: Site) -> None:
    site.scene.propose()
    path = site.path()
    token = path.removeprefix("/a/")
    flipped = [
        token[:place] + ("x" if token[place] != "x" else "y") + token[place + 1 :] for place in range(len(token))
    ]
    answers = {site.client.get(f"/a/{other}").text for other in flipped[:-1]}
    before = site.counts()

    assert len(answers) == 1
    assert {
        site.client.get(f"/a/{other}").status_code for other in [*flipped[:-1], "x", token.upper(), token + "!"]
    } == {404}
    assert site.client.post(f"/a/{flipped[3]}/decide", data={"nonce": "x"}).status_code == 404
    assert site.counts() == before


def test_the_four_spellings_of_a_token_are_one_link(site: Site) -> None:
    (action,) = site.scene.propose()
    path = site.path()
    spellings = [path[:-1] + letter for letter in ALPHABET if site.client.get(path[:-1] + letter).status_code == 200]

    assert len(spellings) == 4
    form = site.form(spellings[0]) | {f"verb-{action.id}": "approve"}
    answers = [site.send(spelling, form) for spelling in spellings]
    assert len({answer.headers["location"].rpartition("/")[2] for answer in answers}) == 1
    assert site.scene.decisions_of(action.id) == [Verb.APPROVE]


def test_a_token_signed_for_something_else_opens_nothing(site: Site) -> None:
    site.scene.propose()
    site.path()
    with site.scene.store.read() as unit:
        shown, link = sorted(unit.links.of_run(site.scene.run.id), key=lambda one: one.purpose, reverse=True)
    assert (shown.purpose, link.purpose) == ("view", "review")

    assert site.client.get(f"/a/{site.scene.signer.sign(link.id, 'view')}").status_code == 404
    assert site.client.get(f"/a/{site.scene.signer.sign(shown.id, 'review')}").status_code == 404
    assert site.client.get(f"/a/{site.scene.signer.sign('no-such-link', 'review')}").status_code == 404


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"sec-fetch-site": "same-origin"}, 303),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
        ({"sec-fetch-site": "none"}, 403),
        ({"origin": "http://127.0.0.1:8080"}, 303),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://127.0.0.1:8080", "sec-fetch-site": "cross-site"}, 403),
        ({}, 303),  # no browser: the token is the authority, and no cookie is
    ],
)
def test_a_form_from_another_site_decides_nothing(site: Site, headers: dict[str, str], status: int) -> None:
    (action,) = site.scene.propose()
    path = site.path()
    form = site.form(path) | {f"verb-{action.id}": "approve"}

    assert site.send(path, form, **headers).status_code == status
    assert site.counts()["decisions"] == (1 if status == 303 else 0)


@pytest.mark.parametrize(
    ("spoil", "status"),
    [
        ({"row": "1:1"}, 422),
        ({"row": "x:1:" + "0" * 64}, 422),
        ({"row": "\u0661:1:" + "0" * 64}, 422),
        ({"row": ["1:1:" + "0" * 64, "1:2:" + "0" * 64], "all": "approve"}, 422),
        ({"verb-1": "delete"}, 422),
        ({"verb-1": ["approve", "reject"]}, 422),
        ({"all": "reject"}, 422),
        ({"verb-1": "approve", "nonce": "another"}, 403),
        ({"verb-1": "approve", "nonce": ["a", "b"]}, 422),
        ({"verb-1": "approve", "reason-1": "x" * 1_000_001}, 413),
    ],
)
def test_a_form_that_our_page_cannot_have_sent_decides_nothing(site: Site, spoil: dict[str, Any], status: int) -> None:
    site.scene.propose()
    path = site.path()

    assert site.send(path, site.form(path) | spoil).status_code == status
    assert site.counts()["decisions"] == 0


def test_another_kind_of_body_is_refused(site: Site) -> None:
    site.scene.propose()
    path = site.path()

    assert site.client.post(f"{path}/decide", json={"all": "approve"}).status_code == 415
    assert site.client.post(f"{path}/decide", files={"x": b"y"}).status_code == 415
    assert site.client.post(f"{path}/decide").status_code == 415


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_texts_are_shown_and_do_nothing(site: Site, text: str) -> None:
    offer = {"seller": "x", "name": text, "price": "1", "currency": text, "url": "javascript:alert(1)", "seen_at": text}
    facts = {"reference": {"offers": [offer]}, "cost": text, "limits": {"lower": {"code": text, "amount": text}}}
    (action,) = site.scene.propose(a_proposal(text, title=text, words=text, rule_id=text, facts=facts))
    path = site.path()
    pages = [site.client.get(path).text]
    answer = site.decide(path, "reject", action.id, **{f"reason-{action.id}": text})
    pages += [site.client.get(answer.headers["location"]).text, site.client.get(path).text]

    for page in pages:
        assert "<script" not in page
        assert "<img" not in page
        assert "evil.example'>" not in page
        assert "javascript:" not in page
        assert "\u202e" not in page
        assert len(Forms(page).actions) <= 1
    assert "{{7*7}}" not in text or "{{7*7}}" in pages[0]


def test_every_answer_about_a_link_carries_the_headers(site: Site) -> None:
    (action,) = site.scene.propose()
    path = site.path()
    decided = site.decide(path, "approve", action.id)
    answers = [
        site.client.get(path),
        site.client.head(path),
        site.client.get("/a/nothing"),
        decided,
        site.client.get(decided.headers["location"]),
        site.send(path, {"nonce": "x"}),
    ]
    site.scene.clock.forward(hours=72)
    answers.append(site.client.get(path))

    assert [answer.status_code for answer in answers] == [200, 200, 404, 303, 200, 422, 410]
    for answer in answers:
        headers = answer.headers
        assert headers["cache-control"] == "no-store, private"
        assert headers["referrer-policy"] == "same-origin"
        assert headers["x-robots-tag"] == "noindex, nofollow"
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["cross-origin-opener-policy"] == "same-origin"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert headers["strict-transport-security"].startswith("max-age=")


def test_nothing_on_the_page_is_loaded_from_elsewhere_and_links_out_tell_nothing(site: Site) -> None:
    url = "https://acme.example/p?a=1&b=2"
    offer = {"seller": "acme", "name": "Acme", "price": "26.90", "currency": "EUR", "url": url, "in_stock": True}
    site.scene.propose(a_proposal(facts={"reference": {"offers": [offer]}}))
    page = site.client.get(site.path()).text

    outside = re.findall(r"<[^>]+(?:src|href|action)=\"(?:https?:)?//[^>]+>", page)
    assert len(outside) == 1
    assert "https://acme.example/p?a=1&amp;b=2" in outside[0]
    assert 'rel="noopener noreferrer nofollow"' in outside[0]


def test_the_host_header_is_not_believed(site: Site) -> None:
    site.scene.propose()
    path = site.path()

    page = site.client.get(path, headers={"host": "evil.example", "x-forwarded-host": "evil.example"})

    assert page.status_code == 200
    assert "evil.example" not in page.text
    assert site.scene.link().url.startswith("http://127.0.0.1:8080/a/")


class Prices:
    """A shop whose prices are known."""

    def __init__(self, **seen: SeenPrice) -> None:
        self.seen = seen

    def known(self, skus: Any) -> dict[str, SeenPrice]:
        return {sku: self.seen[sku] for sku in skus if sku in self.seen}


def test_a_price_that_changed_in_the_shop_is_shown_before_the_decision(site: Site) -> None:
    site.scene.propose(a_proposal("A1"), a_proposal("B2"), a_proposal("C3"))
    at = site.scene.clock.now()
    seen = {"A1": Money(Decimal("26.50"), "EUR"), "B2": Money(Decimal("27.9"), "EUR"), "C3": None}
    site.open(shop_prices=Prices(**{sku: SeenPrice(money, at) for sku, money in seen.items()}))

    page = words(site.client.get(site.path()).text)

    assert "27.90 EUR when proposed, 26.50 EUR now." in page
    assert page.count("when proposed") == 1
    assert "The shop does not have this product; approving it will change nothing" in page


def test_while_writing_is_off_the_page_says_so(site: Site) -> None:
    (action,) = site.scene.propose()
    site.scene.writes(enabled=False)
    site.open()
    path = site.path()

    assert "Writing to the shop is off." in site.client.get(path).text
    decided = site.decide(path, "approve", action.id)
    assert "Writing to the shop is off." in site.client.get(decided.headers["location"]).text
    assert site.scene.writes_of(action.id) == ["dry_run"]


def test_a_result_page_belongs_to_its_link(site: Site) -> None:
    (action,) = site.scene.propose()
    anna, zoe = site.path(), site.path(recipient="zoe@example.com")
    batch = site.decide(anna, "approve", action.id).headers["location"].rpartition("/")[2]

    assert site.client.get(f"{anna}/r/{batch}").status_code == 200
    assert site.client.get(f"{zoe}/r/{batch}").status_code == 404
    assert site.client.get(f"{anna}/r/none").status_code == 404
