"""The page of matches: what the machine suggests is decided by a signed-in person, and remembered."""

import re
from html import unescape

import pytest

from monitor.domain.access import Role
from monitor.domain.catalogue import MatchState
from monitor.domain.match import Suggestion
from monitor.domain.match.compare import Basis
from monitor.domain.match.profile import Listing
from tests.review_scene import Scene
from tests.web.conftest import Forms
from tests.web.people import Browser, add_user


def _words(page: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page)).split())


@pytest.fixture
def suggested(scene: Scene) -> dict[str, int]:
    listings = {sku: Listing(f"https://acme.example/{sku}", f"<b>Mug</b> {sku}") for sku in ("A-1", "A-2")}
    pairs = [Suggestion("acme", sku, one, 90, Basis.TITLE, ("same title",)) for sku, one in listings.items()]
    with scene.store.write() as unit:
        unit.matches.suggest(pairs)
        return {one.sku: one.id for one in unit.matches.queue(MatchState.SUGGESTED)}


@pytest.fixture
def anna(scene: Scene, suggested: dict[str, int]) -> Browser:
    add_user(scene, "anna")
    browser = Browser(scene)
    browser.sign_in("anna")
    return browser


def _state(scene: Scene, number: int) -> tuple[MatchState, str]:
    with scene.store.read() as unit:
        found = unit.matches.get(number)
    assert found is not None
    return found.state, found.by


def test_a_pair_is_confirmed_or_rejected_and_says_who_did(anna: Browser, suggested: dict[str, int]) -> None:
    form = Forms(anna.get("/matches").text).as_rendered()
    first, second = suggested["A-1"], suggested["A-2"]
    chosen = {f"verb-{first}": "confirm", f"verb-{second}": "reject", f"reason-{second}": "another size"}
    said = _words(anna.send("/matches", form | chosen).text)
    assert "A-1: confirmed." in said
    assert "A-2: rejected." in said
    assert _state(anna.scene, first) == (MatchState.CONFIRMED, "anna")
    assert _state(anna.scene, second) == (MatchState.REJECTED, "anna")
    assert "another size by anna" in _words(anna.get("/matches?state=rejected").text)


def test_what_a_shop_wrote_is_shown_as_text(anna: Browser) -> None:
    page = anna.get("/matches").text
    assert "<b>Mug</b>" not in page
    assert "&lt;b&gt;Mug&lt;/b&gt; A-1" in page


def test_nothing_is_chosen_when_the_page_comes(anna: Browser, suggested: dict[str, int]) -> None:
    form = Forms(anna.get("/matches").text).as_rendered()
    anna.send("/matches", form)
    assert {_state(anna.scene, number)[0] for number in suggested.values()} == {MatchState.SUGGESTED}


@pytest.mark.parametrize("change", [{"form_token": "x"}, {"pair": "1 OR 1"}, {"verb": "drop"}])
def test_a_form_that_is_not_ours_decides_nothing(
    anna: Browser, suggested: dict[str, int], change: dict[str, str]
) -> None:
    form: dict[str, object] = dict(Forms(anna.get("/matches").text).as_rendered())
    verb = change.pop("verb", "confirm")
    answer = anna.send("/matches", form | {f"verb-{number}": verb for number in suggested.values()} | change)
    assert answer.status_code in (403, 422)
    assert {_state(anna.scene, number)[0] for number in suggested.values()} == {MatchState.SUGGESTED}


def test_a_viewer_and_nobody_decide_nothing(scene: Scene, suggested: dict[str, int]) -> None:
    add_user(scene, "vera", Role.VIEWER)
    vera = Browser(scene)
    vera.sign_in("vera")
    form = {"form_token": vera.form_token(), "pair": str(suggested["A-1"]), f"verb-{suggested['A-1']}": "confirm"}
    assert vera.send("/matches", form).status_code == 403
    assert Browser(scene).send("/matches", form).status_code in (303, 403)
    assert _state(scene, suggested["A-1"])[0] is MatchState.SUGGESTED
