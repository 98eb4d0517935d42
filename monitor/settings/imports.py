"""Merge a CSV file of the operator into catalogue.csv or watches.csv, whole or not at all.

The merged file is loaded with everything beside it before it takes its place by an atomic rename, so a
crash or an error leaves the old file. Importing a file again changes nothing and writes nothing.
"""

import os
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from monitor.domain.catalogue import Product, Watch
from monitor.domain.catalogue_file import PRODUCTS, WATCHES, Reading, read_products, read_watches
from monitor.domain.csv_merge import Changes, changes, merged_text
from monitor.domain.csv_table import Form, read_table
from monitor.errors import Misconfigured
from monitor.settings.load import CATALOGUE_CSV, WATCHES_CSV, load, stray_watches
from monitor.settings.model import Settings


@dataclass(frozen=True, slots=True)
class _Kind:
    file: str
    form: Form
    key: tuple[str, ...]
    read: Callable[[bytes, str, Settings], Reading[Any]]
    values: Callable[[Settings], Mapping[str, Any]]


def import_catalogue(
    file: Path, config_dir: Path | None, environ: Mapping[str, str] | None = None, *, dry_run: bool = False
) -> Changes:
    """Merge products into catalogue.csv by sku and return what changes.

    Raises:
        Misconfigured: every problem of the file, or of the configuration it would become part of.
    """
    return _imported(_CATALOGUE, file, config_dir, environ, dry_run=dry_run)


def import_watches(
    file: Path, config_dir: Path | None, environ: Mapping[str, str] | None = None, *, dry_run: bool = False
) -> Changes:
    """Merge watches into watches.csv by competitor and sku and return what changes.

    Raises:
        Misconfigured: every problem of the file, or of the configuration it would become part of.
    """
    return _imported(_WATCHES, file, config_dir, environ, dry_run=dry_run)


def check_catalogue(file: Path, config_dir: Path | None, environ: Mapping[str, str] | None = None) -> int:
    """Return how many products a file holds; raises Misconfigured with every problem of it."""
    return len(_checked(_CATALOGUE, file, load(config_dir, environ))[1].values)


def check_watches(file: Path, config_dir: Path | None, environ: Mapping[str, str] | None = None) -> int:
    """Return how many watches a file holds; raises Misconfigured with every problem of it."""
    return len(_checked(_WATCHES, file, load(config_dir, environ))[1].values)


def _imported(
    kind: _Kind, file: Path, config_dir: Path | None, environ: Mapping[str, str] | None, *, dry_run: bool
) -> Changes:
    before = load(config_dir, environ)
    body, reading = _checked(kind, file, before)
    target = before.config_dir / kind.file
    text = merged_text(
        read_table(target.read_bytes(), kind.file, kind.form),
        read_table(body, file.name, kind.form),
        kind.key,
        kind.form.columns,
    )
    after = load(before.config_dir, environ, instead={kind.file: text.encode()})
    found = changes(kind.values(before), kind.values(after), [_name(row.value) for row in reading.values])
    if not dry_run and not found.is_empty:
        _replace(target, text)
    return found


def _checked(kind: _Kind, file: Path, settings: Settings) -> tuple[bytes, Reading[Any]]:
    try:
        body = file.read_bytes()
    except OSError as problem:
        raise Misconfigured([f"{file}: cannot be read ({problem.strerror}); name a CSV file"]) from None
    reading = kind.read(body, file.name, settings)
    if reading.problems:
        raise Misconfigured([*reading.problems, f"Nothing of {file.name} was used; {kind.file} is as it was."])
    return body, reading


def _products_of(body: bytes, name: str, settings: Settings) -> Reading[Product]:
    return read_products(body, name, settings.plan.currency)


def _watches_of(body: bytes, name: str, settings: Settings) -> Reading[Watch]:
    reading = read_watches(body, name)
    competitors = {shop.id: shop for shop in settings.catalogue.competitors}
    skus = frozenset(product.sku for product in settings.catalogue.products)
    stray = stray_watches(reading, competitors, frozenset(competitors), skus)
    return Reading(name, reading.values, (*reading.problems, *stray), reading.keys)


def _name(value: Product | Watch) -> str:
    return value.key if isinstance(value, Watch) else value.sku


def _replace(target: Path, text: str) -> None:
    """Put `text` in the place of a file so that a reader sees the old or the new one, never a part."""
    mode = target.stat().st_mode
    with tempfile.NamedTemporaryFile("w", dir=target.parent, encoding="utf-8", newline="", delete=False) as draft:
        try:
            draft.write(text)
            draft.flush()
            os.fsync(draft.fileno())
            Path(draft.name).chmod(mode)
            Path(draft.name).replace(target)
        except BaseException:
            Path(draft.name).unlink(missing_ok=True)
            raise


_CATALOGUE = _Kind(
    CATALOGUE_CSV,
    PRODUCTS,
    ("sku",),
    _products_of,
    lambda settings: {product.sku: product for product in settings.catalogue.products},
)
_WATCHES = _Kind(
    WATCHES_CSV,
    WATCHES,
    ("competitor", "sku"),
    _watches_of,
    lambda settings: {watch.key: watch for watch in settings.catalogue.watches},
)
