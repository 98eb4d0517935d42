"""Write a config directory that `load` accepts, with fresh secrets.

All files are written and checked in a directory beside it first and then moved, so that a wrong
manifest leaves nothing behind. What is already there is never overwritten.
"""

import json
import re
import tempfile
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from monitor.domain.catalogue_file import PRODUCTS, WATCHES, currency_code
from monitor.errors import Misconfigured
from monitor.resources import find
from monitor.settings.environment import generated_secrets
from monitor.settings.forms import read_zone
from monitor.settings.load import CATALOGUE_CSV, COMPETITORS_TOML, ENV_FILE, MONITOR_TOML, RULES_TOML, WATCHES_CSV, load
from monitor.settings.manifest import read_manifest

_ENV = """\
# Secrets of this monitor; keep this file to yourself and out of version control. The environment of the
# process wins over it. All variables: docs/environment.md.
MONITOR_SECRET_KEYS={MONITOR_SECRET_KEYS}
MONITOR_API_TOKEN={MONITOR_API_TOKEN}
MONITOR_SHOP_SECRET={MONITOR_SHOP_SECRET}
# MONITOR_SMTP_URL=smtp://user:password@mail.brand.example:587?tls=starttls
# MONITOR_DATABASE_URL=postgresql://monitor:password@localhost:5432/monitor
# MONITOR_REDIS_URL=redis://localhost:6379/0
"""


def create(
    directory: Path, *, manifest: Path | None = None, zone: str | None = None, currency: str | None = None
) -> tuple[Path, ...]:
    """Write a config directory and return its files.

    Args:
        directory: made when it is not there.
        manifest: a market manifest whose shops become competitors.
        zone: IANA name for `night.zone`; UTC by default.
        currency: ISO 4217 code for `shop.currency`; that of most pages of the manifest by default.

    Raises:
        Misconfigured: a file is already there, or the manifest, zone or currency is wrong; nothing was written.
    """
    _check_given(zone, currency)
    files = _files(manifest, {"zone": zone, "currency": currency})
    directory = directory.expanduser().resolve()
    _refuse_existing(directory, files)
    was_there = directory.exists()
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as refused:
        raise Misconfigured(
            [f"{directory} cannot be made ({refused.strerror}); nothing was written. Name a directory that can be"]
        ) from None
    try:
        _write(directory, files)
    except BaseException:
        if not was_there:
            directory.rmdir()
        raise
    return tuple(directory / file for file in files)


def _check_given(zone: str | None, currency: str | None) -> None:
    """Refuse a wrong value by the name under which it was given, not by the file it would be written to."""
    problems = []
    for option, value, read in (("--zone", zone, read_zone), ("--currency", currency, currency_code)):
        try:
            if value is not None:
                read(value)
        except ValueError as refused:
            problems.append(f"{option}: {refused}; nothing was written")
    if problems:
        raise Misconfigured(problems)


def _write(directory: Path, files: Mapping[str, str]) -> None:
    with tempfile.TemporaryDirectory(prefix=".new-", dir=directory) as name:
        draft = Path(name)
        for file, text in files.items():
            (draft / file).touch(mode=0o600 if file == ENV_FILE else 0o644)
            (draft / file).write_text(text, "utf-8")
        load(draft, {})
        for file in files:
            (draft / file).rename(directory / file)


def _files(manifest: Path | None, wanted: Mapping[str, str | None]) -> dict[str, str]:
    market = read_manifest(manifest) if manifest else None
    chosen = {**wanted, "currency": wanted["currency"] or (market.currency if market else None)}
    files = {name: find(f"config/{name}").read_text("utf-8") for name in (MONITOR_TOML, RULES_TOML, COMPETITORS_TOML)}
    files[MONITOR_TOML] = _with_values(files[MONITOR_TOML], chosen)
    if market:
        files |= {
            COMPETITORS_TOML: market.competitors_toml,
            CATALOGUE_CSV: market.catalogue_csv,
            WATCHES_CSV: market.watches_csv,
        }
    else:
        files |= {CATALOGUE_CSV: ",".join(PRODUCTS.columns) + "\n", WATCHES_CSV: ",".join(WATCHES.columns) + "\n"}
        for example in ("catalogue.example.csv", "watches.example.csv"):
            files[example] = find(f"config/{example}").read_text("utf-8")
    return {**files, ENV_FILE: _ENV.format(**generated_secrets())}


def _with_values(text: str, values: Mapping[str, str | None]) -> str:
    """Return monitor.toml with some keys set; each stands once in the packaged file."""
    for key, value in values.items():
        if value is not None:
            set_here = partial(_set, f"{key} = {json.dumps(value)}")
            text = re.sub(rf'^{key} = "[^"]*" *', set_here, text, count=1, flags=re.MULTILINE)
    return text


def _set(line: str, before: re.Match[str]) -> str:
    """Return the line in the place of another; a comment behind it stays in its column."""
    return line.ljust(len(before[0]) - 1) + " " if before[0].endswith(" ") else line


def _refuse_existing(directory: Path, files: Mapping[str, str]) -> None:
    if directory.exists() and not directory.is_dir():
        raise Misconfigured([f"{directory} is a file; name a directory for the configuration"])
    there = sorted(file for file in files if (directory / file).exists())
    if there:
        raise Misconfigured(
            [
                f"{directory} already holds {', '.join(there)}; nothing was written. Name another directory, or move "
                "those files away first"
            ]
        )
