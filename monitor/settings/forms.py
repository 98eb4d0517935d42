"""The forms a setting may take: each is a type that reads what a TOML file holds or says what it accepts.

Read strictly: a number in quotes is not a number, `1` is not a switch, a list is a list.
"""

import re
from collections.abc import Callable
from datetime import time, timedelta
from decimal import Decimal
from difflib import get_close_matches
from enum import StrEnum
from functools import lru_cache
from typing import Annotated, Any
from zoneinfo import available_timezones

from pydantic import BeforeValidator

from monitor.domain.catalogue_file import currency_code, web_address
from monitor.domain.csv_table import suggestion
from monitor.domain.quiet_hours import read_window

_MAIL_ADDRESS = re.compile(r"[^\s@<>,;:\"()\[\]\\]+@[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?")


def whole(least: int, most: int) -> BeforeValidator:
    """Accept a whole number within bounds."""

    def read(value: Any) -> int:
        if type(value) is not int or not least <= value <= most:
            raise ValueError(f"{shown(value)} is not a whole number from {least} to {most}")
        return value

    return BeforeValidator(read)


def number(least: str, most: str) -> BeforeValidator:
    """Accept an exact number within bounds, in quotes or not."""

    def read(value: Any) -> Decimal:
        exact = Decimal(value) if _is_number(value) else None
        if exact is None or not Decimal(least) <= exact <= Decimal(most):
            raise ValueError(f"{shown(value)} is not a number from {least} to {most}, with a dot before its decimals")
        return exact

    return BeforeValidator(read)


def span(unit: str, least: str, most: str) -> BeforeValidator:
    """Accept a duration as a number of `unit` (`seconds`, `hours` or `days`)."""

    def read(value: Any) -> timedelta:
        exact = Decimal(value) if _is_number(value) else None
        if exact is None or not Decimal(least) <= exact <= Decimal(most):
            raise ValueError(f"{shown(value)} is not a number of {unit} from {least} to {most}")
        seconds = exact * {"hours": 3600, "days": 86_400}.get(unit, 1)
        return timedelta(microseconds=int(seconds * 1_000_000))

    return BeforeValidator(read)


def _is_number(value: Any) -> bool:
    if isinstance(value, str):
        return re.fullmatch(r"-?\d{1,12}(\.\d{1,6})?", value, re.ASCII) is not None
    return type(value) is int or (isinstance(value, Decimal) and value.is_finite())


def _read_time(value: Any) -> time:
    if isinstance(value, str) and re.fullmatch(r"([01]\d|2[0-3]):[0-5]\d", value, re.ASCII):
        return time.fromisoformat(value)
    if type(value) is time and (value.second, value.microsecond) == (0, 0):
        return value
    raise ValueError(f'{shown(value)} is not a time of day; write hours and minutes from 00:00 to 23:59 as "02:00"')


@lru_cache(maxsize=1)
def zones() -> frozenset[str]:
    """Return the names of the time zones this machine knows, those of tzdata included."""
    return frozenset(available_timezones()) - {"localtime", "posixrules", "Factory"}


def read_zone(value: Any) -> str:
    """Return the name of a time zone; raises ValueError when this machine does not know it."""
    if isinstance(value, str) and value in zones():
        return value
    near = _near_zones(value) if isinstance(value, str) else []
    hint = f", did you mean {' or '.join(near)}?" if near else ""
    raise ValueError(f'{shown(value)} is not a time zone{hint}; write an IANA name, for example "Europe/Berlin"')


def _near_zones(text: str) -> list[str]:
    """Return at most three names close to `text`, whose city or whole name resembles it."""
    wanted = text.strip().lower().replace(" ", "_")
    by_words = {name.lower(): name for name in zones()} | {name.rpartition("/")[2].lower(): name for name in zones()}
    return list(dict.fromkeys(by_words[word] for word in get_close_matches(wanted, by_words, n=3, cutoff=0.75)))


def words(most: int, *, least: int = 1) -> BeforeValidator:
    """Accept one line of printable text."""

    def read(value: Any) -> str:
        if not isinstance(value, str) or not least <= len(value.strip()) <= most or not value.isprintable():
            raise ValueError(f"{shown(value)} is not one line of {least} to {most} printable characters")
        return value.strip()

    return BeforeValidator(read)


def slug(most: int) -> BeforeValidator:
    """Accept a name that may stand in a key: lower-case letters, digits and hyphens."""

    def read(value: Any) -> str:
        if not isinstance(value, str) or not re.fullmatch(rf"[a-z0-9][a-z0-9-]{{0,{most - 1}}}", value):
            raise ValueError(
                f"{shown(value)} is not a name for keys; write 1 to {most} lower-case letters a-z, digits and hyphens"
            )
        return value

    return BeforeValidator(read)


def one_of(kind: type[StrEnum]) -> BeforeValidator:
    """Accept one of the words of an enumeration."""
    known = [member.value for member in kind]

    def read(value: Any) -> StrEnum:
        if not isinstance(value, str) or value not in known:
            hint = suggestion(value, known) if isinstance(value, str) else ""
            raise ValueError(f"{shown(value)} is not one of {', '.join(map(repr, known))}{hint}")
        return kind(value)

    return BeforeValidator(read)


def _read_switch(value: Any) -> bool:
    if type(value) is not bool:
        raise ValueError(f"{shown(value)} is neither true nor false; write it without quotes")
    return value


def text_of(read: Callable[[str], str]) -> BeforeValidator:
    """Accept a text that `read` accepts."""

    def checked(value: Any) -> str:
        if not isinstance(value, str):
            raise ValueError(f"{shown(value)} is not a text; write it in double quotes")
        return read(value)

    return BeforeValidator(checked)


def list_of(read: Callable[[str], str]) -> BeforeValidator:
    """Accept a list of different texts that `read` accepts."""

    def checked(value: Any) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise ValueError(f'{shown(value)} is not a list of texts; write ["one", "two"]')
        items = tuple(read(item) for item in value)
        if twice := next((item for item in items if items.count(item) > 1), None):
            raise ValueError(f"{twice!r} is in the list twice")
        return items

    return BeforeValidator(checked)


def mail_address(text: str) -> str:
    """Return a bare mail address; raises ValueError otherwise."""
    if not _MAIL_ADDRESS.fullmatch(text) or not text.isprintable() or len(text) > 254:
        raise ValueError(f"{text!r} is not a mail address; write it bare, for example anna@brand.example")
    domain = text.rpartition("@")[2].lower()
    if domain != "localhost" and not all("." in domain and part for part in domain.split(".")):
        words = f"{domain!r} is no domain that mail reaches; write it with its ending, for example {text}.example"
        raise ValueError(f"{text!r} is not a mail address: {words}")
    return text


def host_and_port(text: str) -> str:
    """Return `host:port` as it is; raises ValueError otherwise."""
    host, _, port = text.rpartition(":")
    if not host or not re.fullmatch(r"\d{1,5}", port, re.ASCII) or not 0 < int(port) < 65_536 or "/" in host:
        raise ValueError(f'{text!r} is not an address with a port; write it as "127.0.0.1:8600"')
    return text


def quiet_window(text: str) -> str:
    """Return a window of quiet hours as it is; raises ValueError otherwise."""
    read_window(text)
    return text


def path_pattern(text: str) -> str:
    """Return a path as robots.txt writes it, with `*` and `$`; raises ValueError otherwise."""
    if not re.fullmatch(r"[/*][\x21-\x7e]{0,500}", text, re.ASCII) or "#" in text:
        raise ValueError(
            f'{text[:80]!r} is not a path; write it as robots.txt does, for example "/outlet/" or "/*?sort="'
        )
    return text


def host_name(text: str) -> str:
    """Return a host name or address without port; raises ValueError otherwise."""
    if not re.fullmatch(r"[A-Za-z0-9._-]+|[0-9a-fA-F:]+", text, re.ASCII):
        raise ValueError(f'{text!r} is not a host; write a name or an address, for example "127.0.0.1"')
    return text


def base_address(text: str) -> str:
    """Return an absolute URL without query, fragment or slash at its end; raises ValueError otherwise."""
    if "?" in text or "#" in text:
        raise ValueError(f"{text!r} holds a query or a fragment; write only scheme, host and path")
    return web_address(text).rstrip("/")


def shown(value: Any) -> str:
    """Return a setting as its file would show it, shortened."""
    if isinstance(value, bool):
        return "true" if value else "false"
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


Switch = Annotated[bool, BeforeValidator(_read_switch)]
ClockTime = Annotated[time, BeforeValidator(_read_time)]
Zone = Annotated[str, BeforeValidator(read_zone)]
Currency = Annotated[str, text_of(currency_code)]
MailAddress = Annotated[str, text_of(mail_address)]
MailAddresses = Annotated[tuple[str, ...], list_of(mail_address)]
HostPorts = Annotated[tuple[str, ...], list_of(host_and_port)]
WebAddress = Annotated[str, text_of(web_address)]
BaseAddress = Annotated[str, text_of(base_address)]
HostName = Annotated[str, text_of(host_name)]
