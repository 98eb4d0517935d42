"""What comes from the environment: addresses of services, and secrets, never written into TOML.

The process environment wins over the `.env` file of the config directory; an empty value counts as
not set. Secrets that are short, or look like the words of an example, are refused, so that nobody runs with
the key of a manual. Values never appear in an error message or in a representation.
"""

import base64
import binascii
import re
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from enum import StrEnum
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from monitor.settings.services import address_problems, broker_address, database_address
from monitor.settings.shop import KNOWN_KEYS, ShopKeys, ShopKind, key_problems, shop_keys

#: Variables the program reads, and what each is for.
KNOWN = {
    "MONITOR_CONFIG": "the config directory",
    "MONITOR_RESOURCES": "a folder with templates of your own",
    "MONITOR_DATABASE_URL": "PostgreSQL instead of the SQLite file",
    "MONITOR_REDIS_URL": "Redis or Valkey instead of the in-process broker",
    "MONITOR_SECRET_KEYS": "keys that sign links, separated by commas, the newest last",
    "MONITOR_SMTP_URL": "the mail server",
    "MONITOR_SHOP_SECRET": "the key that signs calls to the shop's webhook",
    **KNOWN_KEYS,
    "MONITOR_API_TOKEN": "a token of the HTTP API with every scope",
    "MONITOR_APPROVAL_SECRET": "keys that verify the approval webhook, separated by commas",
    "MONITOR_ALERT_URLS": "where alerts are told besides the mail, as apprise writes it, separated by blanks",
    "MONITOR_WEBHOOK_SECRET": "keys that sign run.finished, separated by commas",
    "MONITOR_RUNS_SECRET": "keys that verify a signed POST /api/runs, separated by commas",
    "MONITOR_LOG": "json or console",
}

#: Shortest secret key and API token, in characters.
SHORTEST_SECRET = 32

#: Variables of other readers that are fine in a `.env` file: compose.yaml takes these from one.
_OF_OTHERS = frozenset({"MONITOR_USER", "MONITOR_DIR"})

#: Variables that are looked at before a `.env` file is, so that they say nothing in one.
_TOO_LATE = frozenset({"MONITOR_CONFIG", "MONITOR_RESOURCES"})

_LINE = re.compile(r"(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)")
_PLACEHOLDER = re.compile(
    r"change.?(me|this|it)|example|placeholder|secret|password|your[-_ ]|insert|replace|default|dummy|sample|<|\.\.\.",
    re.IGNORECASE,
)
_GENERATE = "generate one with: python -c 'import secrets; print(secrets.token_hex(32))'"


class LogForm(StrEnum):
    """How the log is written."""

    JSON = "json"  #: one object per line, for machines
    CONSOLE = "console"  #: for people


class Tls(StrEnum):
    """How a mail connection is protected."""

    NONE = "none"  #: not at all, only towards this machine
    STARTTLS = "starttls"  #: upgraded before anything is said; a server that cannot is refused
    IMPLICIT = "implicit"  #: from the first byte (smtps)


@dataclass(frozen=True, slots=True)
class Smtp:
    """The mail server."""

    host: str
    port: int
    tls: Tls
    user: str | None = None
    password: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Secrets:
    """What must not be seen."""

    keys: tuple[str, ...] = field(repr=False)  #: sign links; oldest first, the last one signs
    shop: str | None = field(default=None, repr=False)  #: `whsec_` and base64, signs webhook calls
    api_token: str | None = field(default=None, repr=False)
    approval: tuple[str, ...] = field(default=(), repr=False)  #: `whsec_` and base64, verify POST /api/approvals
    channels: tuple[str, ...] = field(default=(), repr=False)  #: where alerts are told besides the mail
    events: tuple[str, ...] = field(default=(), repr=False)  #: `whsec_` and base64, sign run.finished
    runs: tuple[str, ...] = field(default=(), repr=False)  #: `whsec_` and base64, verify POST /api/runs
    shop_keys: ShopKeys = field(default_factory=ShopKeys, repr=False)  #: of the shop's own API


@dataclass(frozen=True, slots=True)
class Environment:
    """The environment, read and checked."""

    secrets: Secrets
    smtp: Smtp | None = None
    database_url: str | None = field(default=None, repr=False)
    redis_url: str | None = field(default=None, repr=False)
    log: LogForm = LogForm.CONSOLE


def read_env_file(text: str, name: str) -> tuple[dict[str, str], list[str]]:
    """Return the assignments of a `.env` file and what is wrong with its lines."""
    found: dict[str, str] = {}
    problems = []
    for number, line in enumerate(text.lstrip("\ufeff").splitlines(), start=1):
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        match = _LINE.fullmatch(stripped)
        if not match:
            problems.append(f"{name}, line {number}: not an assignment; write NAME=value")
        elif match[1] in _TOO_LATE:
            problems.append(f"{name}, line {number}: {match[1]} is read before this file; set it in the environment")
        elif match[1].startswith("MONITOR_") and match[1] not in KNOWN.keys() | _OF_OTHERS:
            known = ", ".join(KNOWN)
            problems.append(f"{name}, line {number}: unknown variable {match[1]}{_meant(match[1])}; known: {known}")
        else:
            found[match[1]] = _unquoted(match[2])
    return found, problems


def unknown_variables(environ: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield each variable that looks like ours and is not, with `, did you mean …?` or nothing."""
    for name in sorted(environ):
        if name.startswith("MONITOR_") and name not in KNOWN.keys() | _OF_OTHERS:
            yield name, _meant(name)


def _meant(word: str) -> str:
    close = get_close_matches(word, KNOWN, n=1, cutoff=0.6)
    return f", did you mean {close[0]}?" if close else ""


def _unquoted(value: str) -> str:
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1]
    return re.split(r"\s+#", value, maxsplit=1)[0]


def read_environment(values: Mapping[str, str], *, shop: str) -> tuple[Environment | None, list[str]]:
    """Return the checked environment, or None with everything that is wrong with it.

    Args:
        values: variables by name.
        shop: the kind of our shop, which says whose keys it needs.
    """
    given = {name: values[name].strip() for name in KNOWN if values.get(name, "").strip()}
    secret = _secret_problems(given, webhook=shop == ShopKind.WEBHOOK)
    problems = [*secret, *key_problems(given, shop), *_service_problems(given)]
    if problems:
        return None, problems
    mail = given.get("MONITOR_SMTP_URL")
    return Environment(
        secrets=Secrets(
            keys=_listed(given, "MONITOR_SECRET_KEYS"),
            shop=given.get("MONITOR_SHOP_SECRET"),
            api_token=given.get("MONITOR_API_TOKEN"),
            approval=_listed(given, "MONITOR_APPROVAL_SECRET"),
            events=_listed(given, "MONITOR_WEBHOOK_SECRET"),
            runs=_listed(given, "MONITOR_RUNS_SECRET"),
            channels=tuple(given.get("MONITOR_ALERT_URLS", "").split()),
            shop_keys=shop_keys(given),
        ),
        smtp=smtp_server(mail) if mail else None,
        database_url=database_address(database) if (database := given.get("MONITOR_DATABASE_URL")) else None,
        redis_url=broker_address(broker) if (broker := given.get("MONITOR_REDIS_URL")) else None,
        log=LogForm(given.get("MONITOR_LOG", LogForm.CONSOLE)),
    ), []


def _listed(given: Mapping[str, str], name: str) -> tuple[str, ...]:
    return tuple(key.strip() for key in given.get(name, "").split(",") if key.strip())


def _secret_problems(given: Mapping[str, str], *, webhook: bool) -> Iterator[str]:
    keys = _listed(given, "MONITOR_SECRET_KEYS")
    if not keys:
        yield "MONITOR_SECRET_KEYS: not set; links cannot be signed without it. `monitor init` generates one"
    for position, key in enumerate(keys, start=1):
        if weakness := weakness_of(key):
            yield f"MONITOR_SECRET_KEYS: key {position} of {len(keys)} {weakness}; {_GENERATE}"
    if (token := given.get("MONITOR_API_TOKEN")) and (weakness := weakness_of(token)):
        yield f"MONITOR_API_TOKEN: the token {weakness}; {_GENERATE}"
    for name in ("MONITOR_APPROVAL_SECRET", "MONITOR_WEBHOOK_SECRET", "MONITOR_RUNS_SECRET"):
        for key in _listed(given, name):
            if weakness := _shop_weakness(key):
                yield f"{name}: a key {weakness}; write whsec_ and 24 to 64 random bytes in base64"
    shop = given.get("MONITOR_SHOP_SECRET")
    if shop is None and webhook:
        yield 'MONITOR_SHOP_SECRET: not set, and shop.kind = "webhook" signs its calls with it'
    if shop is not None and (weakness := _shop_weakness(shop)):
        yield f"MONITOR_SHOP_SECRET: the key {weakness}; write whsec_ and 24 to 64 random bytes in base64"


def weakness_of(secret: str) -> str | None:
    """Say why a secret is refused (`is 7 characters long, …`), or None when it is good enough."""
    if _PLACEHOLDER.search(secret):
        return "is the placeholder of an example"
    if len(secret) < SHORTEST_SECRET:
        return f"is {len(secret)} characters long, at least {SHORTEST_SECRET} are needed"
    if len(set(secret)) < 10:
        return f"has only {len(set(secret))} different characters"
    return None


def _shop_weakness(secret: str) -> str | None:
    if _PLACEHOLDER.search(secret):
        return "is the placeholder of an example"
    try:
        decoded = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except (binascii.Error, ValueError):
        return "is not base64"
    if not secret.startswith("whsec_") or not 24 <= len(decoded) <= 64:
        return f"does not begin with whsec_ or does not hold 24 to 64 bytes (it holds {len(decoded)})"
    return "is not random" if len(set(decoded)) < 10 else None


def _service_problems(given: Mapping[str, str]) -> Iterator[str]:
    yield from address_problems(given)
    if mail := given.get("MONITOR_SMTP_URL"):
        try:
            smtp_server(mail)
        except ValueError as problem:
            yield f"MONITOR_SMTP_URL: {problem}"
    log = given.get("MONITOR_LOG")
    if log is not None and log not in set(LogForm):
        yield f"MONITOR_LOG: {log!r} is not a form of the log; write json or console"


def smtp_server(url: str) -> Smtp:
    """Read `smtp://user:password@host:587?tls=starttls` or `smtps://…`.

    Without `tls`, the connection is upgraded by STARTTLS, except towards this machine.

    Raises:
        ValueError: what is wrong, without the password.
    """
    accepted = "write smtp://user:password@host:587?tls=starttls or smtps://host:465, special characters as %XX"
    try:
        parts = urlsplit(url)
        port, host = parts.port, parts.hostname
    except ValueError:
        raise ValueError(f"host or port cannot be read; {accepted}") from None
    if parts.scheme not in {"smtp", "smtps"} or not host:
        raise ValueError(f"the scheme {parts.scheme[:20]!r} or the host is wrong; {accepted}")
    tls = _tls(parts, accepted)
    user = unquote(parts.username) if parts.username else None
    password = unquote(parts.password) if parts.password else None
    if (user is None) != (password is None):
        raise ValueError(f"user and password belong together, one of them is missing; {accepted}")
    if password is not None and tls is Tls.NONE and not _is_this_machine(host):
        raise ValueError(f"tls=none would send the password in clear to {host}; write tls=starttls")
    default = {Tls.IMPLICIT: 465, Tls.STARTTLS: 587, Tls.NONE: 25}[tls]
    return Smtp(host, port or default, tls, user, password)


def _tls(parts: SplitResult, accepted: str) -> Tls:
    asked = parse_qs(parts.query, keep_blank_values=True)
    if unknown := sorted(set(asked) - {"tls"}):
        raise ValueError(f"unknown parameter {unknown[0]!r}; {accepted}")
    if parts.scheme == "smtps":
        default = Tls.IMPLICIT
    else:
        default = Tls.NONE if _is_this_machine(parts.hostname or "") else Tls.STARTTLS
    wanted = asked.get("tls", [default])[-1]
    if wanted not in set(Tls) or (parts.scheme == "smtps" and wanted != Tls.IMPLICIT):
        raise ValueError(f"tls={wanted} is not possible here; write tls=starttls, tls=implicit or tls=none")
    return Tls(wanted)


def _is_this_machine(host: str) -> bool:
    return host in {"localhost", "::1"} or host.startswith("127.")


def generated_secrets() -> dict[str, str]:
    """Return new random secrets, by variable."""
    return {
        "MONITOR_SECRET_KEYS": secrets.token_hex(32),
        "MONITOR_API_TOKEN": secrets.token_hex(24),
        "MONITOR_SHOP_SECRET": "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode("ascii"),
    }
