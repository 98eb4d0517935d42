"""Reads the form of a review page: what was shown, what was chosen, and who sent it.

Every row was rendered as a hidden field `row` with `id:version:hash`; `verb-{id}` is what was chosen for it.
"Approve all" stands for the rows that came back as shown and were not chosen otherwise, never for what else
may be pending by now. A form that our page cannot have sent raises UnreadableForm.
"""

from dataclasses import dataclass
from ipaddress import ip_address, ip_network
from urllib.parse import parse_qs, urlsplit

from starlette.requests import Request

from monitor.domain.action import Verb
from monitor.domain.report.clean import clean
from monitor.domain.review import MAX_REASON, Choice
from monitor.errors import CannotSucceed

#: Largest form that is read; 2,000 rows with reasons fit.
MAX_FORM_BYTES = 1_000_000
_MAX_FIELDS = 10_000
_MAX_AGENT = 120
_VERBS = {verb.value: verb for verb in (Verb.APPROVE, Verb.REJECT, Verb.CANCEL)}


class UnreadableForm(CannotSucceed):
    """A posted form is not one of ours; nothing was decided."""

    def __init__(self, reason: str, status: int = 422) -> None:
        super().__init__(f"The form could not be read: {reason}. Nothing was decided; open the link again.")
        self.status = status


@dataclass(frozen=True, slots=True)
class Posted:
    """A form as it came back."""

    nonce: str
    code: str
    choices: tuple[Choice, ...]


async def posted_form(request: Request) -> Posted:
    """Read the body of a POST."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise UnreadableForm(f"it was sent as {clean(kind, 60) or 'nothing'}", 415)
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MAX_FORM_BYTES:
            raise UnreadableForm("it is too large", 413)
    return read_form(body)


def read_form(body: bytes) -> Posted:
    """Read the fields of a form; the rows come in the order in which they were shown."""
    try:
        fields = parse_qs(body.decode("ascii"), max_num_fields=_MAX_FIELDS, errors="strict")
    except (UnicodeDecodeError, ValueError):
        raise UnreadableForm("its fields are damaged") from None
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


def is_from_our_page(request: Request, public_url: str) -> bool:
    """Say whether a POST comes from a page of ours, or from something that is no browser.

    A browser tells where a form was; one that tells nothing is let through, because the token in the
    address is the authority here and no cookie is.
    """
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin"
    origin = request.headers.get("origin")
    return origin is None or origin == origin_of(public_url)


def origin_of(url: str) -> str:
    """Return `scheme://host[:port]` of a URL, in lower case."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}".lower()


def network_of(request: Request) -> str | None:
    """Return the network that a request came from, not the person's address: /24 of IPv4, /48 of IPv6."""
    try:
        address = ip_address(request.client.host if request.client else "")
    except ValueError:
        return None
    return str(ip_network((address, 24 if address.version == 4 else 48), strict=False))


def agent_of(request: Request) -> str | None:
    """Return the start of the browser's name, or None."""
    return clean(request.headers.get("user-agent", ""), _MAX_AGENT) or None
