"""The message as it is stored and sent: headers that nobody can inject into, text first, HTML beside it.

The bytes are made once. A retry sends the same ones with the same Message-ID, so that a mail server that
already took them can tell. Auto-Submitted keeps out-of-office answers away (RFC 3834, section 5),
X-Auto-Response-Suppress does so for Exchange.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import EmailPolicy
from email.utils import parseaddr

from monitor.domain.plan import MailPlan
from monitor.domain.report.clean import ascii_clean, clean

_HEADER_LIMIT = 320
_SUBJECT_LIMIT = 150


class _OneLineSubject(EmailPolicy):
    """Keeps a plain subject on one line: the library may begin one of over 68 characters with an empty line.

    Lines of up to 998 characters are allowed (RFC 5322, section 2.1.1).
    """

    def fold_binary(self, name: str, value: str) -> bytes:
        """Return a header as it is sent."""
        if name.lower() == "subject" and value.isascii():
            return f"{name}: {value}{self.linesep}".encode("ascii")
        return super().fold_binary(name, value)


_ON_THE_WIRE = _OneLineSubject(linesep="\r\n")


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that goes with a letter."""

    name: str  #: plain, such as `proposals-2026-11-29.csv`
    kind: str  #: media type, such as `text/csv`
    body: bytes


def message_id(kind: str, key: str, recipient: str, sender: str) -> str:
    """Return the Message-ID of a mail, the same whenever it is asked for.

    >>> message_id("report", "nightly-2026-11-29", "anna@acme.example", "monitor@acme.example")
    '<report.nightly-2026-11-29.4b4a1a1d8f2e@acme.example>'
    """
    digest = hashlib.sha256(f"{key}\0{recipient}".encode()).hexdigest()[:12]
    plain_key = re.sub(r"[^A-Za-z0-9.-]+", "-", key).strip("-.")[:60]
    return f"<{kind}.{plain_key}.{digest}@{_domain(sender)}>"


def letter(
    plan: MailPlan,
    *,
    recipient: str,
    subject: str,
    message_id: str,
    at: datetime,
    text: str,
    html: str | None = None,
    pictures: Mapping[str, bytes] | None = None,
    attachments: Sequence[Attachment] = (),
) -> bytes:
    """Return an RFC 5322 message to one recipient, seven-bit clean, with CRLF line ends.

    Args:
        plan: sender and reply address.
        at: the date it carries.
        text: the whole content as plain text.
        html: the same content for those who see it.
        pictures: PNGs that the HTML shows as `cid:NAME`, by name.
        attachments: files beside the letter, in this order.
    """
    message = EmailMessage(policy=_ON_THE_WIRE)
    message["From"] = _address(plan.sender, name=plan.brand)
    message["To"] = _header(recipient)
    if plan.reply_to:
        message["Reply-To"] = _header(plan.reply_to)
    message["Subject"] = clean(subject, _SUBJECT_LIMIT)
    message["Date"] = at
    message["Message-ID"] = _header(message_id)
    message["Auto-Submitted"] = "auto-generated"
    message["X-Auto-Response-Suppress"] = "All"
    message.set_content(text, cte="quoted-printable")
    if html is not None:
        message.add_alternative(html, subtype="html", cte="quoted-printable")
        _show(message, pictures or {})
    for one in attachments:
        kind, _, subtype = one.kind.partition("/")
        message.add_attachment(one.body, maintype=kind, subtype=subtype, filename=one.name)
    return message.as_bytes()


def _show(message: EmailMessage, pictures: Mapping[str, bytes]) -> None:
    """Put pictures beside the HTML part, which turns into multipart/related (RFC 2387)."""
    shown = message.get_body(("html",))
    for name, body in pictures.items():
        if isinstance(shown, EmailMessage):
            shown.add_related(body, "image", "png", cid=f"<{name}>", filename=f"{name}.png", disposition="inline")


def _header(value: str) -> str:
    return clean(value, _HEADER_LIMIT)


def _address(sender: str, *, name: str) -> str:
    """Return the sender with the brand as its name, unless it has a name of its own."""
    given, address = parseaddr(_header(sender))
    try:
        return str(Address(given or clean(name, 60), addr_spec=address))
    except (ValueError, IndexError):
        return _header(sender)


def _domain(sender: str) -> str:
    domain = parseaddr(_header(sender))[1].rpartition("@")[2]
    return re.sub(r"[^A-Za-z0-9.-]", "", ascii_clean(domain, 200)).strip(".-") or "localhost"
