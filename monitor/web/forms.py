"""Reads the form of a review page: what was shown, what was chosen, and who sent it.

Every row was rendered as a hidden field `row` with `id:version:hash`; `verb-{id}` is what was chosen for it.
"Approve all" stands for the rows that came back as shown and were not chosen otherwise, never for what else
may be pending by now. A form that our page cannot have sent raises UnreadableForm.
"""

from dataclasses import dataclass
from urllib.parse import parse_qs

from starlette.requests import Request

from monitor.domain.action import Verb
from monitor.domain.report.clean import clean
from monitor.domain.review import MAX_REASON, Choice
from monitor.errors import CannotSucceed
from monitor.ports.review import Signer
from monitor.web.visitor import visitor

#: Largest form that is read; 2,000 rows with reasons fit.
MAX_FORM_BYTES = 1_000_000
_MAX_FIELDS = 10_000
_VERBS = {verb.value: verb for verb in (Verb.APPROVE, Verb.REJECT, Verb.CANCEL)}


class UnreadableForm(CannotSucceed):
    """A posted form is not one of ours; nothing was decided."""

    def __init__(self, reason: str, status: int = 422) -> None:
        super().__init__(f"The form could not be accepted: {reason}. Nothing was changed; load the page again.")
        self.status = status


@dataclass(frozen=True, slots=True)
class Posted:
    """A form as it came back."""

    nonce: str
    code: str
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields of a form as they came."""

    values: dict[str, list[str]]

    def one(self, name: str) -> str:
        """Return the value of a field, empty when it is missing; raises UnreadableForm when it has several."""
        return _one(self.values, name)

    def all(self, name: str) -> list[str]:
        """Return every value of a field in the order in which they stood."""
        return self.values.get(name, [])


async def posted_form(request: Request) -> Posted:
    """Read the form of a review page."""
    return read_form(await _body(request))


async def posted_fields(request: Request) -> Fields:
    """Read the fields of any form."""
    return Fields(_fields(await _body(request)))


async def signed_form(request: Request, signer: Signer) -> Fields:
    """Read a form of a signed-in person; one without the token of this session raises UnreadableForm.

    Every route that a cookie opens and that changes something reads its form by this function.
    """
    fields, who = await posted_fields(request), visitor()
    holder = who.session.id if who.session is not None else who.user.name if who.user is not None else None
    if holder is None or not signer.is_seal("form", holder, fields.one("form_token")):
        raise UnreadableForm("it does not belong to this session", 403)
    return fields


async def _body(request: Request) -> bytes:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise UnreadableForm(f"it was sent as {clean(kind, 60) or 'nothing'}", 415)
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MAX_FORM_BYTES:
            raise UnreadableForm("it is too large", 413)
    return body


def _fields(body: bytes) -> dict[str, list[str]]:
    try:
        return parse_qs(body.decode("ascii"), max_num_fields=_MAX_FIELDS, errors="strict")
    except (UnicodeDecodeError, ValueError):
        raise UnreadableForm("its fields are damaged") from None


def read_form(body: bytes) -> Posted:
    """Read the fields of a review form; the rows come in the order in which they were shown."""
    fields = _fields(body)
    everything = _one(fields, "all")
    if everything not in ("", Verb.APPROVE.value):
        raise UnreadableForm("it asks for something unknown")
    rows = fields.get("row", [])
    choices = tuple(choice for row in rows if (choice := _choice(row, fields, everything)))
    if len({choice.action_id for choice in choices}) != len(choices):
        raise UnreadableForm("a row is in it twice")
    return Posted(_one(fields, "nonce"), "".join(_one(fields, "code").split()), choices)


def _one(fields: dict[str, list[str]], name: str) -> str:
    values = fields.get(name, [""])
    if len(set(values)) != 1:
        raise UnreadableForm("it contradicts itself")
    return values[0]


def _choice(row: str, fields: dict[str, list[str]], everything: str) -> Choice | None:
    number, version, content_hash = ([*row.split(":"), "", "", ""])[:3]
    is_row = all(part.isascii() and part.isdecimal() and len(part) < 18 for part in (number, version))
    if not is_row or len(content_hash) != 64:  # SHA-256 in hex
        raise UnreadableForm("a row is damaged")
    word = _one(fields, f"verb-{number}") or everything
    if word in ("", "leave"):
        return None
    if word not in _VERBS:
        raise UnreadableForm("it asks for something unknown")
    reason = clean(_one(fields, f"reason-{number}"), MAX_REASON) or None
    verb = _VERBS[word]
    return Choice(int(number), int(version), content_hash, verb, reason if verb is Verb.REJECT else None)
