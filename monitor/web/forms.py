"""Reads the form of a review page: what was shown, what was chosen, and who sent it.

Every row was rendered as a hidden field `row` with `id:version:hash`; `verb-{id}` is what was chosen for it, with a
reason, another price or a date beside it. "Approve all" stands for the rows that came back as shown and were not
chosen otherwise, never for what else may be pending by now, nor for rows that are approved by themselves only, which
come as `alone`, nor for settled ones, which come as `done`. A form that our page cannot have sent raises
UnreadableForm.
"""

from dataclasses import dataclass
from datetime import date, datetime, time
from urllib.parse import parse_qs
from zoneinfo import ZoneInfo

from starlette.requests import Request

from monitor.domain.action import Verb
from monitor.domain.report.clean import clean
from monitor.domain.review import MAX_REASON, Choice
from monitor.errors import CannotSucceed
from monitor.ports.review import Signer
from monitor.web.visitor import visitor

#: Largest form that is read; 2,000 rows with reasons fit.
MAX_FORM_BYTES = 1_000_000
_MAX_FIELDS = 15_000
_MAX_PRICE = 20
#: What a form may ask for; `approve_at` is an approval at the price that was typed beside it.
_VERBS = {verb.value: verb for verb in Verb} | {"approve_at": Verb.APPROVE}


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


async def posted_form(request: Request, zone: str) -> Posted:
    """Read the form of a review page; the days that it names are days of `zone`."""
    return read_form(await _body(request), zone)


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


def read_form(body: bytes, zone: str = "UTC") -> Posted:
    """Read the fields of a review form; the rows come in the order in which they were shown."""
    fields = Fields(_fields(body))
    return Posted(fields.one("nonce"), "".join(fields.one("code").split()), choices_of(fields, zone))


def choices_of(form: Fields, zone: str) -> tuple[Choice, ...]:
    """Return what a form of rows asks for, in the order in which they were shown; raises UnreadableForm."""
    fields = form.values
    everything = _one(fields, "all")
    if everything not in ("", Verb.APPROVE.value):
        raise UnreadableForm("it asks for something unknown")
    asked = [(row, everything) for row in fields.get("row", [])]
    asked += [(row, "") for name in ("alone", "done") for row in fields.get(name, [])]
    choices = tuple(choice for row, word in asked if (choice := _choice(row, fields, word, zone)))
    if len({choice.action_id for choice in choices}) != len(choices):
        raise UnreadableForm("a row is in it twice")
    return choices


def _one(fields: dict[str, list[str]], name: str) -> str:
    values = fields.get(name, [""])
    if len(set(values)) != 1:
        raise UnreadableForm("it contradicts itself")
    return values[0]


def _choice(row: str, fields: dict[str, list[str]], everything: str, zone: str) -> Choice | None:
    number, version, content_hash = ([*row.split(":"), "", "", ""])[:3]
    is_row = all(part.isascii() and part.isdecimal() and len(part) < 18 for part in (number, version))
    if not is_row or len(content_hash) != 64:  # SHA-256 in hex
        raise UnreadableForm("a row is damaged")
    typed = clean(_one(fields, f"price-{number}"), _MAX_PRICE)
    word = _one(fields, f"verb-{number}") or everything
    if word in ("", "leave"):
        return None
    if word not in _VERBS:
        raise UnreadableForm("it asks for something unknown")
    verb = _VERBS[word]
    reason = clean(_one(fields, f"reason-{number}"), MAX_REASON) or None
    return Choice(
        action_id=int(number),
        version=int(version),
        content_hash=content_hash,
        verb=verb,
        reason=reason if verb in (Verb.REJECT, Verb.SNOOZE) else None,
        until=_midnight(_one(fields, f"until-{number}"), zone) if verb is Verb.SNOOZE else None,
        # Typed and then plainly approved is no clear word: it is taken as typed, and the bounds are checked.
        price=typed if word == "approve_at" or (verb is Verb.APPROVE and typed) else None,
    )


def _midnight(text: str, zone: str) -> datetime | None:
    """Return the begin of a day as a form names it, None for what is no day."""
    try:
        return datetime.combine(date.fromisoformat(text), time(0), ZoneInfo(zone)) if len(text) == 10 else None
    except (ValueError, OverflowError):
        return None
