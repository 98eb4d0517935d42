"""The mail, the text part, the stored page and the alert as they are rendered from the real templates."""

import re
from collections import Counter
from dataclasses import dataclass, replace
from html.parser import HTMLParser
from itertools import pairwise

import pytest
from selectolax.lexbor import LexborHTMLParser

from monitor.adapters.render import MAX_MAIL_BYTES, JinjaRenderer, Templates
from monitor.domain.extraction import Outcome
from monitor.domain.message import Alert, AlertKind
from monitor.domain.report import NightFacts, Report, build
from monitor.domain.report.view import Notice
from monitor.resources import find_all
from tests.nights import MADE, RUN, a_full_night, a_night, a_write, an_action, an_observation


@dataclass(frozen=True)
class Link:
    url: str = "https://prices.acme.example/a/eyJpZCI6MX0.abc.def"
    code: str = "482913"


NIGHTS = {"quiet": a_night(), "full": a_full_night(), "big": a_full_night(500), "nothing": a_full_night(0)}


@pytest.fixture(scope="module")
def renderer() -> JinjaRenderer:
    return JinjaRenderer(Templates(find_all("templates")))


def made(facts: NightFacts) -> Report:
    return build(facts, now=MADE)


def shown(html: str) -> str:
    """Return what a person sees of a mail: no head, no preheader, tags as spaces."""
    tree = LexborHTMLParser(html)
    tree.strip_tags(["head", "style"])
    for hidden in tree.css("div[style*='display']"):
        hidden.decompose()
    body = tree.body
    assert body is not None
    return body.text(separator=" ")


def numbers(text: str) -> Counter[str]:
    return Counter(re.findall(r"\d+(?:[.:,]\d+)*", text))


@pytest.mark.parametrize("facts", NIGHTS.values(), ids=list(NIGHTS))
def test_html_and_text_carry_the_same_numbers_equally_often(renderer: JinjaRenderer, facts: NightFacts) -> None:
    mail = renderer.mail(made(facts), Link() if made(facts).needs.total else None)

    assert numbers(shown(mail.html)) == numbers(mail.text)


def test_the_page_says_what_the_mail_says_but_for_the_personal_link(renderer: JinjaRenderer) -> None:
    report = made(NIGHTS["full"])
    page, mail = renderer.page(report), renderer.mail(report)

    assert shown(page).split() == ["Status", "of", "this", "night", *shown(mail.html).split()]
    assert f'href="/runs/{RUN}"' in page
    assert "/runs/" not in mail.html
    assert "/a/" not in page
    assert "Code for large changes" not in page


def test_mail_text_and_page_name_what_was_not_read(renderer: JinjaRenderer) -> None:
    report = made(a_night(observations=(an_observation(outcome=Outcome.NO_PRICE),)))
    mail = renderer.mail(report)

    for text in (shown(mail.html), mail.text, shown(renderer.page(report))):
        assert "Trail jacket TJ-40 at Globex: no price on the page" in text
        assert "Globex, 0 of 1 read: " in text


def test_the_mail_has_one_button_its_bare_address_on_a_line_and_the_code_as_text(renderer: JinjaRenderer) -> None:
    mail = renderer.mail(made(NIGHTS["full"]), Link())
    links = LexborHTMLParser(mail.html).css("a")

    assert [(a.text(), a.attributes["href"]) for a in links] == [
        ("Review 6 changes", Link.url),
        (Link.url, Link.url),
    ]
    assert {Link.url, f"Code for large changes: {Link.code}"} <= set(mail.text.splitlines())
    assert Link.code in shown(mail.html)


def test_a_mail_without_decisions_has_nothing_to_press(renderer: JinjaRenderer) -> None:
    mail = renderer.mail(made(NIGHTS["quiet"]))

    assert LexborHTMLParser(mail.html).css_first("a") is None
    assert "No price change is proposed tonight." in mail.text


def test_sections_come_in_reading_order(renderer: JinjaRenderer) -> None:
    mail = renderer.mail(made(NIGHTS["full"]), Link())
    order = [
        "6 to decide",
        "Usable, but 2 competitors could not be read.",
        "Review 6 changes",
        "Needs you",
        "What moved",
        "Out of the ordinary",
        "Approved prices since the last report",
        f"Run {RUN}",
    ]

    for text in (shown(mail.html).lower(), mail.text.lower()):
        places = [text.index(words.lower()) for words in order]
        assert all(before < after for before, after in pairwise(places))


def test_five_hundred_proposals_with_the_longest_texts_stay_below_what_gmail_clips(renderer: JinjaRenderer) -> None:
    long = "wörds & <more> of it " * 40
    facts = a_full_night(500)
    full = replace(
        facts,
        actions=tuple(
            replace(action, proposal=replace(action.proposal, title=long, words=long)) for action in facts.actions
        ),
        exceptions=tuple(Notice(long, f"SKU-{number}") for number in range(100)),
        writes=tuple(a_write(error=long) for _ in range(100)),
    )
    mail = renderer.mail(made(full), Link())

    assert len(mail.html.encode()) < MAX_MAIL_BYTES <= 90_000
    assert "and 475 more on the review page." in mail.text


def test_a_mail_that_would_be_clipped_shows_fewer_rows_and_counts_them_in_both_parts() -> None:
    small = JinjaRenderer(Templates(find_all("templates")), max_mail_bytes=40_000)
    mail = small.mail(made(NIGHTS["big"]), Link())
    shown_rows = len(LexborHTMLParser(mail.html).css("td.why"))

    assert len(mail.html.encode()) <= 40_000
    assert 10 < shown_rows < 25
    assert f"and {500 - shown_rows} more on the review page." in mail.text
    assert numbers(shown(mail.html)) == numbers(mail.text)


def test_styles_are_inline_and_only_media_queries_and_outlook_rules_stay_in_the_head(renderer: JinjaRenderer) -> None:
    html = renderer.mail(made(NIGHTS["full"]), Link()).html
    tree = LexborHTMLParser(html)
    styles = [style.text() for style in tree.css("style")]

    assert "@media (prefers-color-scheme: dark)" in styles[0]
    assert not re.search(r"^\.card", styles[0], re.MULTILINE)
    button = tree.css_first("td.button")
    assert button is not None
    assert "background: #1f5f5b" in str(button.attributes["style"])
    assert tree.css_first("meta[name='color-scheme']") is not None


def test_the_mail_uses_nothing_that_mail_programs_drop(renderer: JinjaRenderer) -> None:
    html = renderer.mail(made(NIGHTS["full"]), Link()).html

    for dropped in ("<script", "<form", "<link", "<img", "<svg", "@import", "url(", "flex", "grid", "position:"):
        assert dropped not in html
    assert {table.attributes.get("role") for table in LexborHTMLParser(html).css("table:not(.rows)")} == {
        "presentation"
    }
    for rows in LexborHTMLParser(html).css("table.rows"):
        assert {th.attributes.get("scope") for th in rows.css("th")} == {"col"}


class Balanced(HTMLParser):
    """Fails on a tag that is closed out of order."""

    VOID = frozenset({"meta", "br"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("facts", NIGHTS.values(), ids=list(NIGHTS))
def test_page_and_mail_are_well_formed(renderer: JinjaRenderer, facts: NightFacts) -> None:
    for html in (renderer.mail(made(facts), Link()).html, renderer.page(made(facts))):
        parser = Balanced()
        parser.feed(html)
        assert parser.open == []


HOSTILE = "<img src=x onerror=alert(1)>\"'\u202eEVIL\u200b{{ 7*7 }}\r\nBcc: x"


def test_hostile_texts_are_shown_as_text_and_reorder_nothing(renderer: JinjaRenderer) -> None:
    facts = a_night(
        actions=(an_action(title=HOSTILE, words=HOSTILE, sku="S" + HOSTILE),),
        exceptions=(Notice(HOSTILE, HOSTILE),),
        alerts=(Alert("k", AlertKind.JOB, RUN, HOSTILE, MADE),),
    )
    mail, page = renderer.mail(made(facts), Link()), renderer.page(made(facts))

    for html in (mail.html, page):
        assert "<img" not in html
        assert "{{ 7*7 }}" in html
    for text in (mail.html, mail.text, page):
        assert not re.search("[\u202e\u200b\r\0]", text)


def test_an_alert_says_what_happened_in_both_parts(renderer: JinjaRenderer) -> None:
    alert = Alert("k", AlertKind.DEADLINE, RUN, "No report at 05:30 <b>", MADE)
    mail = renderer.alert(alert, "Acme", "Europe/Berlin")

    assert "The night has no report" in mail.text
    assert "No report at 05:30 <b>" in mail.text
    assert "No report at 05:30 &lt;b" in mail.html
    assert numbers(shown(mail.html)) == numbers(mail.text)
    assert "2026-11-29 03:41 Europe/Berlin" in mail.text
