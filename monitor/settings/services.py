"""Addresses of the database and the broker, in every form in which hosts hand them out.

Hosts write the same service in several ways: `postgres://`, a driver that another program would load, `valkey://`.
What means a service that is spoken here becomes the one form that the adapters open; everything else is refused by
name. No message shows more than a scheme, a file or a driver: the rest may hold a password.
"""

from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urlsplit

_DATABASE_FORM = "write postgresql://user:password@host:5432/name, or leave it unset for the SQLite file"
_BROKER_FORM = "write redis://host:6379/0, rediss://… with TLS, or unix:///path/to/socket"
_POSTGRESQL = frozenset({"postgres", "postgresql", "pgsql"})
#: Drivers whose addresses psycopg 3 reads as they are; libpq reads them for all of these.
_SAME_DRIVERS = frozenset({"", "psycopg", "psycopg2", "psycopg2cffi"})
_BROKERS = {"redis": "redis", "rediss": "rediss", "unix": "unix", "valkey": "redis", "valkeys": "rediss"}


def database_address(given: str) -> str:
    """Return `postgresql://…` or `sqlite:////absolute/path`; raises ValueError with what is wrong and what to write."""
    scheme, _, rest = given.partition("://")
    kind, _, driver = scheme.lower().partition("+")
    if "://" not in given:
        raise ValueError(f"there is no scheme; {_DATABASE_FORM}")
    if kind == "sqlite":
        return _sqlite(driver, rest)
    if kind not in _POSTGRESQL:
        raise ValueError(f"the scheme {scheme[:20]!r} is not known; {_DATABASE_FORM}")
    if driver not in _SAME_DRIVERS:
        raise ValueError(f"the driver {driver[:20]!r} is not used here; {_DATABASE_FORM}")
    _check_host(f"postgresql://{rest}", _DATABASE_FORM)
    if find_spec("psycopg") is None:
        raise ValueError("PostgreSQL needs psycopg, which is not installed; run: pip install 'psycopg[binary]'")
    return f"postgresql://{rest}"


def _sqlite(driver: str, rest: str) -> str:
    path = rest.removeprefix("/").partition("?")[0]
    if driver not in {"", "pysqlite"}:
        raise ValueError(f"the driver {driver[:20]!r} is not used here; write sqlite:////absolute/path")
    if not Path(path).is_absolute():
        raise ValueError(
            f"{path[:60]!r} is no absolute path, so it would be another file in each directory that a command is "
            "called in; write sqlite:////absolute/path with four slashes"
        )
    return f"sqlite:///{rest.removeprefix('/')}"


def missing_directory(address: str | None) -> str | None:
    """Say that the directory of an SQLite file is not there, None when it is or when there is no such file.

    It is not made: a wrong letter in an address would begin an empty database somewhere else, without a word.
    """
    if address is None or not address.startswith("sqlite:"):
        return None
    path = Path(unquote(address.removeprefix("sqlite:///").partition("?")[0]))
    if path.parent.is_dir():
        return None
    return (
        f"MONITOR_DATABASE_URL: there is no directory {path.parent} for the file {path.name}, and it is not made by "
        "itself; make it, or correct the address"
    )


def broker_address(given: str) -> str:
    """Return `redis://…`, `rediss://…` or `unix://…`; raises ValueError with what is wrong and what to write."""
    scheme, found, rest = given.partition("://")
    if not found:
        raise ValueError(f"there is no scheme; {_BROKER_FORM}")
    if scheme.lower() not in _BROKERS:
        raise ValueError(f"the scheme {scheme[:20]!r} is not known; {_BROKER_FORM}")
    address = f"{_BROKERS[scheme.lower()]}://{rest}"
    if not address.startswith("unix:"):
        _check_host(address, _BROKER_FORM)
    return address


def _check_host(address: str, form: str) -> None:
    try:
        _ = urlsplit(address).port
    except ValueError:
        raise ValueError(f"host or port cannot be read; {form}, special characters of a password as %XX") from None


def address_problems(given: Mapping[str, str]) -> Iterator[str]:
    """Yield what is wrong with the addresses among these variables, each with its name in front."""
    for name, read in (("MONITOR_DATABASE_URL", database_address), ("MONITOR_REDIS_URL", broker_address)):
        if name in given:
            try:
                read(given[name])
            except ValueError as problem:
                yield f"{name}: {problem}"
    is_shared = given.get("MONITOR_DATABASE_URL", "").lower().startswith(tuple(_POSTGRESQL))
    if "MONITOR_REDIS_URL" in given and not is_shared:
        yield (
            "MONITOR_REDIS_URL: set without PostgreSQL in MONITOR_DATABASE_URL; workers on several hosts cannot "
            "share an SQLite file. Set both, or neither for one process"
        )
