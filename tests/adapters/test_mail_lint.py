"""Every mail is made of what Outlook and Gmail keep; the lint itself is tried on what they drop."""

from dataclasses import dataclass, replace

import pytest

from monitor.adapters.render import MAX_MAIL_BYTES, JinjaRenderer, Templates
from monitor.domain.message import Alert, AlertKind
from monitor.domain.report import NightFacts, build
from monitor.ports.messages import Picture
from monitor.resources import find_all
from tests.mail_lint import findings
from tests.nights import MADE, NIGHTS, RUN, a_full_night, mail_pictures


@dataclass(frozen=True)
class Link:
    url: str = "https://prices.acme.example/a/eyJpZCI6MX0.abc.def"
    code: str = "482913"


@pytest.fixture(scope="module")
def renderer() -> JinjaRenderer:
    return JinjaRenderer(Templates(find_all("templates")))


PICTURES = mail_pictures({"strip": b"", "portfolio": b""}, width=560, height=300)


@pytest.mark.parametrize("facts", NIGHTS.values(), ids=list(NIGHTS))
@pytest.mark.parametrize("pictures", [PICTURES, ()], ids=["pictures", "none"])
def test_no_mail_of_a_night_holds_what_a_mail_program_drops(
    renderer: JinjaRenderer, facts: NightFacts, pictures: tuple[Picture, ...]
) -> None:
    assert findings(renderer.mail(build(facts, now=MADE), Link(), pictures).html) == []


def test_alerts_and_fresh_links_hold_nothing_either(renderer: JinjaRenderer) -> None:
    alert = Alert("k", AlertKind.DEADLINE, RUN, "No report at 05:30", MADE)

    assert findings(renderer.alert(alert, "Acme", "Europe/Berlin").html) == []
    assert findings(renderer.fresh_link(Link()).html) == []


def test_five_hundred_proposals_and_two_pictures_are_not_clipped(renderer: JinjaRenderer) -> None:
    facts = a_full_night(500)
    long = replace(
        facts, actions=tuple(replace(one, proposal=replace(one.proposal, title="Wörd " * 60)) for one in facts.actions)
    )

    for night in (facts, long):
        mail = renderer.mail(build(night, now=MADE), Link(), PICTURES)
        assert len(mail.html.encode()) < MAX_MAIL_BYTES == 90_000
        assert "cid:strip" in mail.html


def test_a_mail_keeps_its_dark_mode_when_styles_are_inlined(renderer: JinjaRenderer) -> None:
    html = renderer.mail(build(NIGHTS["full"], now=MADE), Link(), PICTURES).html

    assert '<meta name="color-scheme" content="light dark">' in html
    assert "@media (prefers-color-scheme: dark)" in html
    assert "[data-ogsc] .card" in html


@pytest.mark.parametrize(
    ("html", "found"),
    [
        ("<script>1</script>", "<script>"),
        ('<form action="https://a.example"></form>', "<form>"),
        ('<link rel="stylesheet" href="https://a.example/x.css">', "<link>"),
        ("<svg></svg>", "<svg>"),
        ('<td style="display: flex">', "style: flex"),
        ('<p style="display:inline-grid">', "style: grid"),
        ('<p style="color: red; position:absolute">', "style: position"),
        ('<p style="background-image: none">', "style: background_image"),
        ('<p style="background: url(x.png)">', "style: url"),
        ('<p style="width: calc(100% - 2px)">', "style: calculation"),
        ('<p style="color: var(--ink)">', "style: variable"),
        ('<p style="color: rgba(0,0,0,.5)">', "style: colour"),
        ('<p style="font-size: 2rem">', "style: unit"),
        ('<p style="color: red !important">', "!important inline on <p>"),
        ('<p style="padding: 3px">', "padding on <p>"),
        ('<a href="https://a.example" style="padding: 3px">go</a>', "padding on <a>"),
        ("<style>@import 'x.css';</style>", "style: import"),
        ("<style>.card { color: red }</style>", "only in <style>: .card"),
        (f"<style>@media (max-width: 480px) {{ {'p { color: red } ' * 600} }}</style>", "<style> of"),
        ('<img src="cid:strip" width="584">', "<img> without alt"),
        ('<img src="cid:strip" alt="prices">', "<img> without width"),
        ('<img src="https://a.example/x.png" alt="x" width="1">', "remote: src=https://a.example/x.png"),
        ('<table background="https://a.example/x.png"></table>', "remote: background="),
        ('<a href="javascript:go()">go</a>', "address: javascript:go()"),
        ('<a href="/relative">go</a>', "address: /relative"),
        ('<p onclick="go()">x</p>', "handler: onclick"),
    ],
)
def test_the_lint_finds_what_is_dropped(html: str, found: str) -> None:
    wrapped = html if not html.startswith("<td") else f"<table><tr>{html}</td></tr></table>"

    assert any(one.startswith(found) for one in findings(wrapped)), findings(wrapped)


@pytest.mark.parametrize(
    "html",
    [
        "<style>@media (prefers-color-scheme: dark) { .card { color: red !important; } }</style>",
        "<style>[data-ogsc] .card { color: red !important; }</style>",
        '<table><tr><td style="mso-padding-alt: 3px"><a href="https://a.example" style="padding: 3px">go</a></table>',
        '<a href="mailto:anna@acme.example">Anna</a><img src="cid:strip" alt="prices" width="584">',
    ],
)
def test_the_lint_lets_pass_what_is_kept_or_may_be_lost(html: str) -> None:
    assert findings(html) == []
