"""Merge what the operator brings into catalogue.csv or watches.csv, whole or not at all.

The merged file is loaded with everything beside it before it takes its place by an atomic rename, so a
crash or an error leaves the old file. Importing a file again changes nothing and writes nothing.
"""

import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from monitor.domain.catalogue import Watch
from monitor.domain.catalogue_file import WATCHES, Reading, read_watches
from monitor.domain.csv_merge import Changes, changes, merged_text
from monitor.domain.csv_table import Form, Table, read_table
from monitor.errors import Misconfigured
from monitor.settings.load import WATCHES_CSV, load, stray_watches
from monitor.settings.model import Settings


def import_watches(
    file: Path, config_dir: Path | None, environ: Mapping[str, str] | None = None, *, dry_run: bool = False
) -> Changes:
    """Merge watches into watches.csv by competitor and sku and return what changes.

    Raises:
        Misconfigured: every problem of the file, or of the configuration it would become part of.
    """
    before = load(config_dir, environ)
    body, reading = _checked_watches(file, before)
    incoming = read_table(body, file.name, WATCHES)
    text, after = tried(before, environ, WATCHES_CSV, WATCHES, ("competitor", "sku"), incoming)
    found = changes(_by_key(before), _by_key(after), [row.value.key for row in reading.values])
    if not dry_run and not found.is_empty:
        replace_file(before.config_dir / WATCHES_CSV, text.encode())
    return found


def check_watches(file: Path, config_dir: Path | None, environ: Mapping[str, str] | None = None) -> int:
    """Return how many watches a file holds; raises Misconfigured with every problem of it."""
    return len(_checked_watches(file, load(config_dir, environ))[1].values)


def tried(
    before: Settings,
    environ: Mapping[str, str] | None,
    name: str,
    form: Form,
    key: tuple[str, ...],
    incoming: Table,
) -> tuple[str, Settings]:
    """Merge a table into a CSV file of the configuration; return its new text and the settings as they would be.

    Raises:
        Misconfigured: every problem that the configuration would have; nothing is written either way.
    """
    target = before.config_dir / name
    text = merged_text(read_table(target.read_bytes(), name, form), incoming, key, form.columns)
    return text, load(before.config_dir, environ, instead={name: text.encode()})


def file_body(file: Path) -> bytes:
    """Return what a file of the operator holds. Raises Misconfigured when it cannot be read."""
    try:
        return file.read_bytes()
    except OSError as problem:
        raise Misconfigured([f"{file}: cannot be read ({problem.strerror}); name a file that is there"]) from None


def refused(problems: Sequence[str], name: str, kept: str) -> Misconfigured:
    """Return the error of a file with problems: all of them, and that nothing of it was used."""
    return Misconfigured([*problems, f"Nothing of {name} was used; {kept} is as it was."])


def replace_file(target: Path, body: bytes) -> None:
    """Put `body` in the place of a file so that a reader sees the old or the new one, never a part."""
    mode = target.stat().st_mode if target.exists() else 0o644
    with tempfile.NamedTemporaryFile("wb", dir=target.parent, delete=False) as draft:
        try:
            draft.write(body)
            draft.flush()
            os.fsync(draft.fileno())
            Path(draft.name).chmod(mode)
            Path(draft.name).replace(target)
        except BaseException:
            Path(draft.name).unlink(missing_ok=True)
            raise


def _checked_watches(file: Path, settings: Settings) -> tuple[bytes, Reading[Watch]]:
    body = file_body(file)
    reading = read_watches(body, file.name)
    competitors = {shop.id: shop for shop in settings.catalogue.competitors}
    skus = frozenset(product.sku for product in settings.catalogue.products)
    stray = stray_watches(reading, competitors, frozenset(competitors), skus)
    if problems := (*reading.problems, *stray):
        raise refused(problems, file.name, WATCHES_CSV)
    return body, reading


def _by_key(settings: Settings) -> dict[str, Watch]:
    return {watch.key: watch for watch in settings.catalogue.watches}
