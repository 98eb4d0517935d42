"""The auditor's pages: the record of a price, what a reading rests on, and every run."""

import json
import re
from html import unescape

import pytest

from monitor.domain.action import ActionState
from monitor.flow.review import decide
from tests.review_scene import AT, BY_ANNA, Scene, a_proposal, a_run, choice
from tests.web.conftest import Site

EVIDENCE = {
    "url": "https://acme.example/a",
    "final_url": "https://acme.example/a?x=1",
    "status": 200,
    "outcome": "ok",
    "reason": "ok",
    "words": "structured data and page agree",
    "price": "26.90",
    "currency": "EUR",
    "name": "<b>Mug</b>",
    "sku": None,
    "gtin": None,
    "candidates": [
        {"source": "json-ld", "text": "26.90", "amount": "26.90", "currency": "EUR", "role": "current"}
        | {"verdict": "chosen", "reason": "the offer of this product"},
        {"source": "dom", "text": "from 3.90", "amount": None, "currency": None, "role": "other"}
        | {"verdict": "rejected", "reason": "a range"},
    ],
}


def _words(page: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page)).split())


def _page(site: Site, path: str) -> str:
    answer = site.client.get(path)
    assert answer.status_code == 200, path
    return str(answer.text)


@pytest.fixture
def evidence(scene: Scene) -> str:
    with scene.store.write() as unit:
        return unit.blobs.put(json.dumps(EVIDENCE).encode())


def test_the_record_of_a_price_says_who_when_and_on_what_it_rests(site: Site, evidence: str) -> None:
    (action,) = site.scene.propose(a_proposal("A-1", facts={"evidence": [evidence]}))
    decide(site.scene.store, site.scene.plan, BY_ANNA, [choice(action)])

    for asked in ("A-1", str(action.id), action.proposal.action_key):
        page = _page(site, f"/audit?q={asked}")
        words = _words(page)
        assert "27.90 EUR → 26.90 EUR" in words
        assert "proposed by rule match-lowest: Acme has it for less." in words
        assert "approve of version 1 by anna@example.com at the command line" in words
        assert f'href="/evidence/{evidence}"' in page
    assert "Product A-1" in _words(_page(site, "/audit"))


def test_the_record_of_nothing_says_so(site: Site) -> None:
    assert "Nothing has been approved yet." in _words(_page(site, "/audit"))
    assert "Nothing is kept about “<script>”" in _words(_page(site, "/audit?q=%3Cscript%3E"))


def test_a_reading_shows_every_amount_with_its_verdict_and_nothing_of_the_page_is_markup(
    site: Site, evidence: str
) -> None:
    page = _page(site, f"/evidence/{evidence}")
    words = _words(page)
    assert "Price 26.90 EUR" in words
    assert "chosen 26.90 EUR current json-ld 26.90 the offer of this product" in words
    assert "rejected – other dom from 3.90 a range" in words
    assert "&lt;b&gt;Mug" in page


@pytest.mark.parametrize("body", [b"\x00\x01", b"[1]", b'{"settings": 1}'])
def test_other_stored_bytes_are_not_shown_as_evidence(site: Site, body: bytes) -> None:
    with site.scene.store.write() as unit:
        digest = unit.blobs.put(body)
    for named in (digest, "0" * 64, "x"):
        assert site.client.get(f"/evidence/{named}").status_code == 404


def test_every_run_is_listed_page_by_page(site: Site) -> None:
    days = [AT.date().replace(day=1, month=month, year=2020 + year) for year in range(5) for month in range(1, 13)]
    with site.scene.store.write() as unit:
        for day in days:
            a_run(unit, day)
    first, second = _page(site, "/runs"), _page(site, "/runs?page=2")
    found = re.findall(r'href="/runs/(nightly-[0-9-]+)"', first + second)
    assert found == [site.scene.run.id, *(f"nightly-{day}" for day in reversed(days))]
    assert 'rel="next" href="/runs?page=2"' in first
    assert 'rel="prev" href="/runs?page=1"' in second
    assert "There are no older nights." in _words(_page(site, "/runs?page=99"))
    assert site.scene.propose()[0].state is ActionState.PENDING
