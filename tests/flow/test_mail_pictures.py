"""The pictures of the morning mail: beside the HTML, never instead of words, and never in the way of the mail."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from decimal import Decimal
from email import message_from_bytes, policy
from email.message import EmailMessage

import pytest

from monitor.domain.night import night_of
from monitor.domain.picture import Chart, Form, Tables, Theme
from monitor.domain.standing import Portfolio, Standing
from monitor.flow.report import report
from monitor.ports.charts import ChartFailed
from monitor.ports.jobs import NewRun
from tests.core_scene import SetClock, opened
from tests.flow.test_report import ANNA, Night
from tests.nights import BEGAN, RUN

#: The head of a PNG of 1168 x 400 pixels; no more of it is read here.
PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + (1168).to_bytes(4, "big") + (400).to_bytes(4, "big")


@dataclass
class Drawing:
    """Returns the head of a PNG, and remembers what it was asked to draw."""

    breaks: frozenset[Chart] = frozenset()
    asked: dict[Chart, Tables] = field(default_factory=dict)

    def draw(
        self, chart: Chart, tables: Tables, form: Form, *, theme: Theme = Theme.LIGHT, width: int = 0, height: int = 0
    ) -> bytes:
        """Return the picture."""
        assert (form, theme) == (Form.PNG, Theme.LIGHT)
        if chart in self.breaks:
            raise ChartFailed(chart, "no memory")
        self.asked[chart] = tables
        return PNG


@pytest.fixture
def night(own_sqlite_url: str) -> Iterator[Night]:
    clock = SetClock(BEGAN)
    store = opened(own_sqlite_url, clock)
    yield Night(store, clock)
    store.close()


def _earlier_nights(night: Night, count: int) -> None:
    """Store the figures of nights before."""
    day = night.clock.at.date()
    with night.store.write() as unit:
        for back in range(1, count + 1):
            date = day - timedelta(days=back)
            run, _ = unit.runs.begin(
                NewRun(night.plan.schedule, night_of(date, night.plan.schedule), "manual", "c", "p", 0, {})
            )
            unit.standings.keep((_standing(run.id),), Portfolio(1, 1, None, None, None, None, 0, 1, 1))


def _standing(run_id: str) -> Standing:
    return Standing(run_id, "TJ-40", "Kettle", "EUR", Decimal(10), Decimal(9), "globex", Decimal(9), 2, 1, 1)


def _mail(night: Night, drawing: Drawing) -> EmailMessage:
    assert report(night.store, night.renderer, RUN, issue_link=night.issue, charts=drawing)
    message = message_from_bytes(night.mails()[ANNA].content, policy=policy.default)
    assert isinstance(message, EmailMessage)
    return message


def test_a_picture_stands_beside_the_html_under_the_name_that_it_is_shown_by(night: Night) -> None:
    night.collect("TJ-40")
    mail = _mail(night, Drawing())

    plain, related = mail.get_payload()
    html, picture = related.get_payload()
    assert (plain.get_content_type(), related.get_content_type()) == ("text/plain", "multipart/related")
    assert picture["Content-ID"] == "<strip>"
    assert picture.get_content() == PNG
    assert picture.get_content_disposition() == "inline"
    shown = html.get_content()
    assert 'src="cid:strip"' in shown
    assert 'width="584"' in shown
    assert "in percent of ours today" in shown


def test_the_picture_shows_the_proposals_of_the_mail_in_its_order(night: Night) -> None:
    night.collect("TJ-40", "TJ-41")
    drawing = Drawing()
    _mail(night, drawing)
    tables = drawing.asked[Chart.STRIP]
    assert [row["place"] for row in tables["proposals"]] == [0, 1]
    assert all("→" in row["text"] for row in tables["proposals"])


def test_a_picture_that_cannot_be_drawn_is_left_out_and_the_mail_leaves(night: Night) -> None:
    night.collect("TJ-40")
    mail = _mail(night, Drawing(breaks=frozenset(Chart)))
    kinds = [part.get_content_type() for part in mail.walk()]
    assert kinds == ["multipart/alternative", "text/plain", "text/html"]
    assert "cid:" not in mail.get_body(("html",)).get_content()  # type: ignore[union-attr]


def test_a_trend_is_drawn_from_the_third_night_on(night: Night) -> None:
    night.collect("TJ-40")
    _earlier_nights(night, 2)
    drawing = Drawing()
    _mail(night, drawing)
    assert Chart.PORTFOLIO not in drawing.asked


def test_nothing_is_drawn_when_nobody_gets_a_mail_or_nothing_is_proposed(night: Night) -> None:
    night.collect("TJ-40", propose=False)
    drawing = Drawing()
    _mail(night, drawing)
    assert drawing.asked == {}


def test_a_mail_with_pictures_is_the_same_bytes_when_it_is_made_again(night: Night) -> None:
    night.collect("TJ-40")
    first = _mail(night, Drawing()).as_bytes()
    assert not report(night.store, night.renderer, RUN, issue_link=night.issue, charts=Drawing())
    assert message_from_bytes(night.mails()[ANNA].content, policy=policy.default).as_bytes() == first
