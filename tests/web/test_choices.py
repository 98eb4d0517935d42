"""What a reader can choose besides yes and no: another price, another day, the old price again, a fresh start."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from email import message_from_bytes, policy
from typing import Any

import pytest

from monitor.domain.access import AccessEventKind, Role
from monitor.domain.action import ActionState, Verb, WriteState
from monitor.domain.money import Money
from monitor.flow.submit import submit_due
from monitor.web.shop_prices import SeenPrice
from tests.fake_shop import Books, FakeShop
from tests.review_scene import ANNA, AT, Scene, a_proposal
from tests.web.conftest import Forms, Site, words
from tests.web.people import SAME, Browser, add_user

LIMITS = {"limits": {"lower": {"code": "MIN_PRICE", "amount": "24.00"}, "upper": {"code": "MSRP", "amount": "29.00"}}}


class Seen:
    """Prices of the shop as they were read."""

    def __init__(self, **prices: str) -> None:
        self.prices = prices

    def known(self, skus: Any) -> dict[str, SeenPrice]:
        """Return what is known of these products."""
        found = {sku: self.prices.get(sku.replace("-", "_")) for sku in skus}
        return {sku: SeenPrice(Money(Decimal(price), "EUR"), AT) for sku, price in found.items() if price}


def written(scene: Scene, action_id: int, *, state: WriteState = WriteState.APPLIED, before: str = "27.90") -> None:
    """Carry the write of an approved action to its end, as the executor does."""
    scene.clock.forward(seconds=121)
    with scene.store.write() as unit:
        (write,) = unit.writes.of_action(action_id)
        claimed = unit.writes.claim(write.id, "w1", timedelta(minutes=1))
        assert claimed is not None
        unit.writes.close(claimed, state, before={"price": before, "currency": "EUR", "compare_at": None})


def test_a_price_can_be_approved_at_another_price_as_the_next_version(site: Site) -> None:
    (action,) = site.scene.propose(a_proposal(facts=LIMITS | {"weekly_effect": "-10.00"}))

    answer = site.decide(site.path(), "approve_at", action.id, **{f"price-{action.id}": "26.50"})

    assert answer.status_code == 303
    after = site.scene.action(action.id)
    assert (after.version, after.state, after.proposal.new_price) == (2, ActionState.APPROVED, Decimal("26.50"))
    assert after.proposal.facts["weekly_effect"] == "-14.00"
    with site.scene.store.read() as unit:
        (decision,), (write,) = unit.actions.decisions(action.id), unit.writes.of_action(action.id)
    assert (write.target_price, write.version) == (Decimal("26.50"), 2)
    assert decision.figures["facts"]["amended"] == {
        "how": "edited",
        "by": ANNA,
        "from_version": 1,
        "from_price": "26.90",
    }
    assert "27.90 EUR → 26.50 EUR" in words(site.client.get(answer.headers["location"]).text)


@pytest.mark.parametrize(
    "typed", ["-1", "0", "1e9", "NaN", "1,50", "２４", "", "24.999", "1" * 12, "24.90 EUR", "0.00", "Infinity"]
)
def test_threat_32_a_crafted_price_is_refused_as_a_whole(site: Site, typed: str) -> None:
    action, other = site.scene.propose(a_proposal(), a_proposal("B-2"))
    path = site.path()
    form: dict[str, Any] = site.form(path) | {f"verb-{action.id}": "approve_at", f"price-{action.id}": typed}

    answer = site.send(path, form | {f"verb-{other.id}": "approve"})

    assert answer.status_code == 422
    assert site.scene.action(action.id).version == 1
    assert [site.scene.decisions_of(each.id) for each in (action, other)] == [[], []]


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("23.99", "below the lowest price that its rule allows, 24.00 EUR"),
        ("29.01", "above the highest price that its rule allows, 29.00 EUR"),
        ("27.90", "is the price it has already"),
    ],
)
def test_a_typed_price_stays_within_the_limits_of_its_rule(site: Site, typed: str, said: str) -> None:
    (action,) = site.scene.propose(a_proposal(facts=LIMITS))

    answer = site.decide(site.path(), "approve_at", action.id, **{f"price-{action.id}": typed})

    assert answer.status_code == 422
    assert said in words(answer.text)
    assert f'name="price-{action.id}" value="{typed}"' in answer.text
    assert site.scene.action(action.id).version == 1


def test_a_typed_price_stays_within_one_step(site: Site) -> None:
    (action,) = site.scene.propose(a_proposal())

    answer = site.decide(site.path(), "approve_at", action.id, **{f"price-{action.id}": "13.90"})

    assert answer.status_code == 422
    assert "more than 50 % away from 27.90 EUR" in words(answer.text)


def test_a_typed_price_ends_as_its_rule_asks(site: Site) -> None:
    rules = '[[rules]]\nid = "match-lowest"\npriority = 1\ntarget = {reference = "lowest"}\n'
    rules += 'rounding = {endings = ["0.90", "0.50"]}\n'
    site.scene.plan = replace(site.scene.plan, rules=rules)
    site.open()
    (action,) = site.scene.propose(a_proposal())

    refused = site.decide(site.path(), "approve_at", action.id, **{f"price-{action.id}": "26.49"})

    assert refused.status_code == 422
    assert "does not end in 0.90, 0.50" in words(refused.text)
    assert site.decide(site.path(), "approve_at", action.id, **{f"price-{action.id}": "26.50"}).status_code == 303


def test_a_typed_price_below_a_kept_compare_at_price_only(site: Site) -> None:
    (action,) = site.scene.propose(a_proposal(facts={"compare_at": "28.50"}))

    answer = site.decide(site.path(), "approve_at", action.id, **{f"price-{action.id}": "28.60"})

    assert answer.status_code == 422
    assert "not below the compare-at price of 28.50 EUR, which is kept" in words(answer.text)


def test_a_large_typed_price_asks_for_the_code(site: Site) -> None:
    (action,) = site.scene.propose(a_proposal())
    typed = {f"price-{action.id}": "20.00"}

    assert site.decide(site.path(), "approve_at", action.id, **typed).status_code == 403
    code = site.scene.link().code
    assert site.decide(site.path(), "approve_at", action.id, code=code, **typed).status_code == 303


def test_a_price_that_was_typed_counts_also_with_a_plain_yes(site: Site) -> None:
    (action,) = site.scene.propose(a_proposal())

    site.decide(site.path(), "approve", action.id, **{f"price-{action.id}": "26.50"})

    assert site.scene.action(action.id).proposal.new_price == Decimal("26.50")


def test_the_proposed_price_typed_again_makes_no_version(site: Site) -> None:
    (action,) = site.scene.propose(a_proposal())

    site.decide(site.path(), "approve_at", action.id, **{f"price-{action.id}": "26.9"})

    assert (site.scene.action(action.id).version, site.scene.decisions_of(action.id)) == (1, [Verb.APPROVE])


def test_a_proposal_put_off_comes_back_on_its_day_without_an_old_approval(site: Site) -> None:
    (action,) = site.scene.propose(a_proposal(expires_at=AT + timedelta(days=30)))

    answer = site.decide(site.path(), "snooze", action.id, **{f"until-{action.id}": "2026-12-02"})

    assert answer.status_code == 303
    stored = site.scene.action(action.id)
    assert (stored.state, stored.snoozed_until) == (ActionState.SNOOZED, AT.replace(month=12, day=1, hour=23, minute=0))
    site.scene.clock.forward(days=3)
    with site.scene.store.write() as unit:
        unit.actions.expire(10)
    assert site.scene.action(action.id).state is ActionState.PENDING
    assert site.scene.writes_of(action.id) == []


@pytest.mark.parametrize("day", ["2026-11-29", "2020-01-01", "", "tomorrow", "2027-11-29", "9999-12-31"])
def test_a_day_that_is_none_is_said_and_nothing_is_decided(site: Site, day: str) -> None:
    (action,) = site.scene.propose()

    answer = site.decide(site.path(), "snooze", action.id, **{f"until-{action.id}": day})

    assert answer.status_code == 422
    assert "to put it off until" in words(answer.text) or "more than 90 days" in words(answer.text)
    assert site.scene.action(action.id).state is ActionState.PENDING


def test_an_applied_price_can_be_given_back_once(site: Site) -> None:
    (action,) = site.scene.propose(
        a_proposal(facts={"compare_at": None, "compare_at_change": {"action": "set", "amount": "30.00"}})
    )
    path = site.path()
    site.decide(path, "approve", action.id)
    written(site.scene, action.id)
    page = site.client.get(path).text
    assert "Set the old price again" in page

    answers = [site.decide(path, "revert", action.id) for _ in range(2)]

    assert [answer.status_code for answer in answers] == [303, 303]
    with site.scene.store.read() as unit:
        new, old = unit.actions.of_sku("A-1")
        (write,) = unit.writes.of_action(new.id)
    assert (old.state, new.state) == (ActionState.APPLIED, ActionState.APPROVED)
    assert (write.expected_price, write.target_price) == (Decimal("26.90"), Decimal("27.90"))
    assert new.proposal.facts["compare_at_change"] == {"action": "clear"}
    assert site.scene.decisions_of(action.id) == [Verb.APPROVE, Verb.REVERT]
    assert "The old price was asked for before" in words(site.client.get(answers[1].headers["location"]).text)


def test_the_page_of_a_second_reader_says_where_the_change_is_when_it_is_loaded(site: Site) -> None:
    (action,) = site.scene.propose()
    site.decide(site.path(), "approve", action.id)
    late = site.path(recipient="zoe@example.com")
    result = site.decide(late, "approve", action.id).headers["location"]
    before = words(site.client.get(result).text)
    written(site.scene, action.id)

    after = words(site.client.get(result).text)

    assert "Now:" not in before
    assert "Now: Approved and applied in the shop." in after


def test_an_old_price_below_cost_is_set_again_with_the_code_only(site: Site) -> None:
    """The change that was applied was small and led above cost; giving it back leads below."""
    (action,) = site.scene.propose(a_proposal(old="27.00", new="27.90", facts={"cost": "27.50", "evidence": []}))
    path = site.path()
    site.decide(path, "approve", action.id)
    written(site.scene, action.id, before="27.00")

    without = site.decide(path, "revert", action.id)
    coded = site.decide(path, "revert", action.id, code=site.scene.link().code)

    assert (without.status_code, coded.status_code) == (403, 303)
    assert site.scene.decisions_of(action.id) == [Verb.APPROVE, Verb.REVERT]


def test_threat_52_an_old_price_is_not_set_over_one_that_somebody_changed(site: Site) -> None:
    (action,) = site.scene.propose()
    path = site.path()
    site.decide(path, "approve", action.id)
    written(site.scene, action.id)
    site.decide(path, "revert", action.id)
    site.scene.clock.forward(seconds=121)

    shop = FakeShop(Books(A_1="25.00"))  # neither ours nor the old one
    submit_due(site.scene.store, shop, site.scene.plan, "w1", site.scene.clock)

    with site.scene.store.read() as unit:
        new = unit.actions.of_sku("A-1")[0]
    assert new.state is ActionState.CONFLICT
    assert shop.books.changes == []


def test_a_conflict_can_be_proposed_again_from_the_price_of_the_shop(site: Site) -> None:
    (action,) = site.scene.propose()
    path = site.path()
    site.decide(path, "approve", action.id)
    written(site.scene, action.id, state=WriteState.CONFLICT, before="26.50")
    answer = site.decide(path, "renew", action.id)

    assert answer.status_code == 303
    after = site.scene.action(action.id)
    assert (after.version, after.state) == (2, ActionState.PENDING)
    assert (after.proposal.old_price, after.proposal.new_price) == (Decimal("26.50"), Decimal("26.90"))
    assert site.decide(path, "approve", action.id).status_code == 303
    assert site.scene.decisions_of(action.id) == [Verb.APPROVE, Verb.RENEW, Verb.APPROVE]


def test_s7_a_price_changed_in_the_shop_is_shown_and_can_be_proposed_from(site: Site) -> None:
    (action,) = site.scene.propose(a_proposal(new="24.90"))
    site.open(shop_prices=Seen(A_1="26.50"))
    path = site.path()

    assert "27.90 EUR when proposed, 26.50 EUR now" in words(site.client.get(path).text)
    assert site.decide(path, "renew", action.id).status_code == 303

    after = site.scene.action(action.id)
    assert (after.version, after.state, after.proposal.old_price) == (2, ActionState.PENDING, Decimal("26.50"))
    assert site.scene.writes_of(action.id) == []


def test_s7_a_shop_that_has_the_price_already_is_said_before_the_decision(site: Site) -> None:
    site.scene.propose(a_proposal(new="24.90"))
    site.open(shop_prices=Seen(A_1="24.90"))

    assert "charges 24.90 EUR already; approving it will change nothing" in words(site.client.get(site.path()).text)


def test_s2_the_page_says_what_becomes_of_the_compare_at_price(site: Site) -> None:
    site.scene.propose(
        a_proposal("V", "100.00", "108.00", facts={"compare_at": "120.00", "compare_at_change": {"action": "clear"}}),
        a_proposal("W", "50.00", "48.00", facts={"compare_at": "60.00"}),
        a_proposal("X", "30.00", "31.00", facts={"compare_at": None}),
    )

    page = words(site.client.get(site.path()).text)

    assert "Compare-at price 120.00 EUR → none" in page
    assert "Compare-at price 60.00 EUR, unchanged" in page
    assert "Compare-at price none, unchanged" in page


def test_evidence_that_is_too_old_does_not_support_an_approval(site: Site) -> None:
    old = (AT - timedelta(hours=80)).isoformat()
    (action,) = site.scene.propose(a_proposal(facts={"observed_at": old}))
    path = site.path()

    assert "What it rests on was read 80 hours ago" in words(site.client.get(path).text)
    answer = site.decide(path, "approve", action.id)

    assert answer.status_code == 409
    assert "more than 72 hours ago" in words(answer.text)
    assert site.scene.action(action.id).state is ActionState.PENDING
    assert site.decide(path, "reject", action.id).status_code == 303


def test_a_link_to_share_shows_everything_and_decides_nothing(site: Site) -> None:
    (action,) = site.scene.propose()
    page = words(site.client.get(site.path()).text)
    shared = "/a/" + page.partition("decides nothing: http://127.0.0.1:8080/a/")[2].split()[0]

    shown = site.client.get(shared)

    assert shown.status_code == 200
    assert "Product A-1" in shown.text
    assert Forms(shown.text).actions == []
    row = f"{action.id}:{action.version}:{action.content_hash}"
    assert site.send(shared, {"row": row, f"verb-{action.id}": "approve", "nonce": "n"}).status_code == 404
    assert site.client.post(f"{shared}/fresh").status_code == 404


def signed_in(site: Site, role: Role = Role.APPROVER) -> Browser:
    add_user(site.scene, role=role)
    browser = Browser(site.scene)
    assert browser.sign_in().status_code == 303
    return browser


def test_somebody_signed_in_decides_in_their_own_name_and_without_a_code(site: Site) -> None:
    (action,) = site.scene.propose(a_proposal(new="20.00"))
    path, browser = site.path(), signed_in(site)
    form = Forms(browser.get(path).text).as_rendered() | {f"verb-{action.id}": "approve"}

    assert browser.send(f"{path}/decide", form).status_code == 303

    with site.scene.store.read() as unit:
        (decision,) = unit.actions.decisions(action.id)
    actor = decision.actor
    assert (actor.kind, actor.name) == ("user", "anna")
    assert actor.link
    assert actor.nonce
    assert actor.session


def test_a_viewer_who_is_signed_in_still_needs_the_code(site: Site) -> None:
    (action,) = site.scene.propose(a_proposal(new="20.00"))
    path, browser = site.path(), signed_in(site, Role.VIEWER)
    form = Forms(browser.get(path).text).as_rendered() | {f"verb-{action.id}": "approve"}

    assert browser.send(f"{path}/decide", form).status_code == 403
    assert site.scene.decisions_of(action.id) == []


def test_threat_33_wrong_codes_lock_the_link_and_are_recorded_and_told(site: Site) -> None:
    (action,) = site.scene.propose(a_proposal(new="20.00"))
    path, code = site.path(), site.scene.link().code
    wrong = f"{(int(code) + 1) % 1_000_000:06d}"

    answers = [site.decide(path, "approve", action.id, code=wrong).status_code for _ in range(5)]
    locked = site.decide(path, "approve", action.id, code=code)

    assert answers == [403] * 5
    assert locked.status_code == 403
    assert "Too many wrong codes" in locked.text
    with site.scene.store.read() as unit:
        assert [event.kind for event in unit.access.events(10)] == [AccessEventKind.CODE_LOCKED]
        (alert,) = unit.alerts.latest(10)
    assert ANNA in alert.words
    assert site.scene.action(action.id).state is ActionState.PENDING


def mailed(site: Site) -> list[str]:
    with site.scene.store.writer.begin() as connection:
        rows = connection.exec_driver_sql("SELECT recipient, content FROM mails ORDER BY id").all()
    texts = []
    for recipient, content in rows:
        body = message_from_bytes(content, policy=policy.default).get_body(("plain",))
        assert body is not None
        texts.append(f"{recipient}\n{body.get_content()}")
    return texts


def reading(site: Site, *recipients: str) -> None:
    plan = site.scene.plan
    site.scene.plan = replace(plan, mail=replace(plan.mail, recipients=recipients))
    site.open()


def test_a_fresh_link_goes_to_the_address_on_record_and_ends_the_old_ones(site: Site) -> None:
    reading(site, ANNA)
    site.scene.propose(a_proposal(expires_at=AT + timedelta(days=9)))
    path = site.path()
    site.scene.clock.forward(hours=80)

    answer = site.client.post(f"{path}/fresh", headers=SAME)

    assert answer.status_code == 202
    (mail,) = mailed(site)
    assert mail.startswith(ANNA)
    fresh = "/a/" + mail.partition("http://127.0.0.1:8080/a/")[2].split()[0]
    assert site.client.get(fresh).status_code == 200
    assert site.client.get(path).status_code == 410


def test_a_fresh_link_ends_one_that_still_works(site: Site) -> None:
    reading(site, ANNA)
    site.scene.propose()
    path = site.path()

    site.client.post(f"{path}/fresh", headers=SAME)

    assert site.client.get(path).status_code == 410
    assert len(mailed(site)) == 1


def test_threat_39_asking_for_a_fresh_link_tells_nothing(site: Site) -> None:
    """The same answer for a reader, for one who is none any more, and for somebody who asks too often."""
    reading(site, ANNA)
    reader, gone = site.path(), site.path(recipient="gone@example.com")

    answers = [site.client.post(f"{path}/fresh", headers=SAME) for path in (reader, reader, gone)]

    assert {answer.status_code for answer in answers} == {202}
    assert len({answer.text for answer in answers}) == 1
    assert len(mailed(site)) == 1


def test_threat_38_a_forged_host_does_not_get_into_mail(site: Site) -> None:
    reading(site, ANNA)
    path = site.path()

    site.client.post(f"{path}/fresh", headers=SAME | {"host": "evil.example", "x-forwarded-host": "evil.example"})

    (mail,) = mailed(site)
    assert "evil.example" not in mail
    assert "http://127.0.0.1:8080/a/" in mail


def test_s5_the_page_says_which_markets_keep_their_own_price(site: Site) -> None:
    site.scene.propose(a_proposal())

    class Worldly(Seen):
        def known(self, skus: Any) -> dict[str, SeenPrice]:
            return {sku: replace(one, elsewhere=("US: 29.00 USD",)) for sku, one in super().known(skus).items()}

    site.open(shop_prices=Worldly(A_1="27.90"))

    page = words(site.client.get(site.path()).text)
    assert "Fixed prices of other markets stay as they are: US: 29.00 USD." in page
