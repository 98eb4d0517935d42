"""The demo's postbox takes what the real mail adapter sends, and shows it without letting it do anything."""

import smtplib
from email.message import EmailMessage
from http.client import HTTPConnection, HTTPResponse
from urllib.parse import urlsplit

import pytest

from monitor.demo.link import code_in, link_in
from monitor.demo.postbox import Postbox


def a_mail(*, html: str = "<html><head></head><body><p>Hello</p></body></html>") -> EmailMessage:
    mail = EmailMessage()
    mail["Subject"], mail["From"], mail["To"] = (
        "3 <b>prices</b> to decide",
        "monitor@brand.example",
        "anna@brand.example",
    )
    mail["Date"] = "Sun, 29 Nov 2026 06:30:00 +0100"
    text = "Review 3 changes:\nhttp://127.0.0.1:1/a/token.abc\nCode for large changes: 123456\n\n.a line with a dot\n"
    mail.set_content(text)
    mail.add_alternative(html, subtype="html")
    return mail


@pytest.fixture
def postbox(tmp_path):
    with Postbox(tmp_path / "mail") as opened:
        yield opened


def send(postbox: Postbox, mail: EmailMessage) -> None:
    with smtplib.SMTP("127.0.0.1", urlsplit(postbox.smtp_url).port or 0, timeout=10) as smtp:
        smtp.send_message(mail)


def get(postbox: Postbox, path: str) -> tuple[HTTPResponse, str]:
    connection = HTTPConnection(urlsplit(postbox.url).netloc, timeout=10)
    connection.request("GET", path)
    answer = connection.getresponse()
    body = answer.read().decode()
    connection.close()
    return answer, body


def test_a_mail_is_kept_as_a_file_exactly_as_it_came(postbox):
    send(postbox, a_mail())

    (letter,) = postbox.letters()
    assert letter.path.name == "01.eml"
    assert letter.subject == "3 <b>prices</b> to decide"
    assert "\n.a line with a dot" in letter.text.replace("\r\n", "\n")
    assert b"\n.a line with a dot" in letter.path.read_bytes().replace(b"\r\n", b"\n")


def test_the_review_link_and_the_code_are_found_in_the_text(postbox):
    send(postbox, a_mail())

    (letter,) = postbox.letters()
    assert link_in(letter) == "http://127.0.0.1:1/a/token.abc"
    assert code_in(letter) == "123456"


def test_the_list_and_the_mail_are_shown_with_everything_escaped(postbox):
    send(postbox, a_mail())
    _, listed = get(postbox, "/")
    _, shown = get(postbox, "/1")
    _, text = get(postbox, "/1/text")

    assert "3 &lt;b&gt;prices&lt;/b&gt; to decide" in listed
    assert '<iframe src="/1/html"' in shown
    assert "Review 3 changes" in text


def test_the_html_of_a_mail_runs_nothing_and_loads_nothing_from_elsewhere(postbox):
    html = "<html><head></head><body><script>alert(1)</script><img src='https://elsewhere.example/x.png'></body></html>"
    send(postbox, a_mail(html=html))

    answer, body = get(postbox, "/1/html")
    policy = answer.getheader("Content-Security-Policy") or ""
    assert "default-src 'none'" in policy
    assert "img-src 'self' data:" in policy
    assert "sandbox" in policy
    assert "allow-scripts" not in policy
    assert '<base target="_blank">' in body


def test_a_picture_inside_a_mail_is_served_from_the_postbox(postbox):
    mail = a_mail(html="<html><head></head><body><img src='cid:chart@brand'></body></html>")
    mail.get_payload()[1].add_related(b"\x89PNG", "image", "png", cid="<chart@brand>")  # type: ignore[union-attr]
    send(postbox, mail)

    _, body = get(postbox, "/1/html")
    assert "/1/part/chart%40brand" in body
    connection = HTTPConnection(urlsplit(postbox.url).netloc, timeout=10)
    connection.request("GET", "/1/part/chart%40brand")
    answer = connection.getresponse()
    assert (answer.status, answer.getheader("Content-Type"), answer.read()) == (200, "image/png", b"\x89PNG")
    connection.close()


@pytest.mark.parametrize("path", ["/2", "/x", "/1/part/none", "/9999999999"])
def test_what_is_not_there_is_a_404(postbox, path):
    send(postbox, a_mail())

    answer, _ = get(postbox, path)
    assert answer.status == 404


def test_a_mail_that_breaks_off_before_its_final_dot_is_not_kept(postbox):
    smtp = smtplib.SMTP("127.0.0.1", urlsplit(postbox.smtp_url).port or 0, timeout=10)
    smtp.ehlo()
    smtp.mail("a@brand.example")
    smtp.rcpt("b@brand.example")
    smtp.docmd("DATA")
    smtp.send(b"Subject: half\r\n")
    smtp.close()
    send(postbox, a_mail())

    assert [letter.subject for letter in postbox.letters()] == ["3 <b>prices</b> to decide"]
