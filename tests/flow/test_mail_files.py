"""The proposals as files in the morning mail: only when `mail.attachments` asks, and readable as decisions again."""

import io
from collections.abc import Iterator
from dataclasses import replace
from email import message_from_bytes, policy
from email.message import EmailMessage

import pytest
from openpyxl import load_workbook

from monitor.domain.action import Verb
from monitor.flow.report import report
from monitor.wiring.exports import attached, decisions_from
from tests.core_scene import SetClock, opened
from tests.flow.test_report import ANNA, Night
from tests.nights import BEGAN, RUN


@pytest.fixture
def night(own_sqlite_url: str) -> Iterator[Night]:
    clock = SetClock(BEGAN)
    store = opened(own_sqlite_url, clock)
    yield Night(store, clock)
    store.close()


def files_of(night: Night, *forms: str, skus: tuple[str, ...] = ("TJ-40",)) -> dict[str, tuple[str, bytes]]:
    """Return the files of Anna's mail by name, each with its media type."""
    night.plan = replace(night.plan, mail=replace(night.plan.mail, attachments=forms))
    night.collect(*skus)
    assert report(night.store, night.renderer, RUN, issue_link=night.issue, attach=attached)
    message = message_from_bytes(night.mails()[ANNA].content, policy=policy.default)
    assert isinstance(message, EmailMessage)
    return {
        str(part.get_filename()): (part.get_content_type(), part.get_payload(decode=True))  # type: ignore[misc]
        for part in message.iter_attachments()
    }


def test_a_mail_has_the_files_that_the_setting_asks_for(night: Night) -> None:
    found = files_of(night, "csv", "xlsx")

    sheet = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    assert {name: kind for name, (kind, _) in found.items()} == {
        f"proposals-{RUN}.csv": "text/csv",
        f"proposals-{RUN}.xlsx": sheet,
    }


@pytest.mark.parametrize(("forms", "skus"), [((), ("TJ-40",)), (("csv",), ())])
def test_without_the_setting_or_a_proposal_there_is_no_file(
    night: Night, forms: tuple[str, ...], skus: tuple[str, ...]
) -> None:
    assert files_of(night, *forms, skus=skus) == {}


def test_what_somebody_writes_into_the_attached_sheet_comes_back_as_a_decision(night: Night) -> None:
    _, body = files_of(night, "xlsx")[f"proposals-{RUN}.xlsx"]
    book = load_workbook(io.BytesIO(body))
    rows = book.active
    assert rows is not None
    names = [cell.value for cell in rows[1]]  # type: ignore[index]
    rows.cell(row=2, column=names.index("decision") + 1, value="approve")  # type: ignore[union-attr]
    out = io.BytesIO()
    book.save(out)

    (choice,) = decisions_from(out.getvalue(), "proposals.xlsx")
    assert choice.verb is Verb.APPROVE
