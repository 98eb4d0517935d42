"""The demo's directory: a config directory like any other, made from the market's manifest."""

import json
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from monitor.demo.goods import BRAND, Good
from monitor.demo.market import MarketServer
from monitor.demo.market.shops import WORTHS
from monitor.domain.catalogue_file import PRODUCTS
from monitor.domain.csv_table import table_text
from monitor.domain.money import amount_text
from monitor.settings import create

ZONE = "Europe/Berlin"
#: Who decides in the demo, and who gets the mail.
READER = "anna@fjordwerk.example"

_RATES = """
[rates]
base = "EUR"
as_of = 2026-11-29
worth = {{{worths}}}
"""


def make_place(directory: Path, server: MarketServer, *, smtp_url: str, public_url: str) -> None:
    """Write the config directory of the demo.

    Raises:
        Misconfigured: the directory holds a configuration already; nothing was written.
    """
    with tempfile.TemporaryDirectory() as aside:
        manifest = Path(aside) / "market.json"
        manifest.write_text(json.dumps(list(_manifest(server)), indent=1, ensure_ascii=False), "utf-8")
        create(directory, manifest=manifest, zone=ZONE, currency="EUR")
        shutil.copy(manifest, directory)
    _edit(directory / "monitor.toml", _decided(public_url))
    worths = ", ".join(f'{code} = "{worth}"' for code, worth in WORTHS.items())
    _append(directory / "rules.toml", _RATES.format(worths=worths))
    _append(directory / ".env", f"MONITOR_SMTP_URL={smtp_url}\n")
    rows = [_row(good) for good in server.market.goods]
    (directory / "catalogue.csv").write_text(table_text(PRODUCTS.columns, rows), "utf-8")


def _decided(public_url: str) -> dict[str, str]:
    """Return the keys of monitor.toml that the demo changes, as TOML values."""
    return {
        "recipients": f'["{READER}"]',
        "sender": '"monitor@fjordwerk.example"',
        "brand": f'"{BRAND}"',
        "contact": '"https://fjordwerk.example/prices"',
        "public_url": f'"{public_url}"',
        "enabled": "true",
        "undo_window_s": "0",
        "port": public_url.rsplit(":", 1)[1],
    }


def _edit(path: Path, values: Mapping[str, str]) -> None:
    text = path.read_text("utf-8")
    for key, value in values.items():
        before, found, after = _parted(text, key)
        if not found:
            raise LookupError(f"{path} has no key {key}; the demo cannot set it")
        text = f"{before}{key} = {value}{after}"
    path.write_text(text, "utf-8")


def _parted(text: str, key: str) -> tuple[str, str, str]:
    """Return what stands before, in and after the first assignment to a key that stands on one line."""
    match = re.search(rf'^{key} = (?:"[^"]*"|\[[^\]]*\]|\S+)', text, re.MULTILINE)
    return (text[: match.start()], match[0], text[match.end() :]) if match else (text, "", "")


def _append(path: Path, text: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


def _manifest(server: MarketServer) -> Iterator[dict[str, object]]:
    by_sku = {good.sku: good for good in server.market.goods}
    for shop in server.market.shops:
        sold = [by_sku[sku] for sku in server.market.rest[shop.id]]
        yield {
            "site": shop.name,
            "base_url": server.base_url(shop),
            "lang": shop.language,
            "currency": shop.currency,
            "pages": [_watched(good, server.url(shop, good)) for good in sold],
        }


def _watched(good: Good, url: str) -> dict[str, str]:
    price = amount_text(good.price, "EUR")
    return {"id": good.sku, "url": url, "title": good.title, "currency": "EUR", "price": price}


def _row(good: Good) -> dict[str, str]:
    return {
        "sku": good.sku,
        "title": good.title,
        "brand": BRAND,
        "category": good.category,
        "currency": "EUR",
        "price": amount_text(good.price, "EUR"),
        "cost": amount_text(good.cost, "EUR"),
        "min_price": amount_text(good.min_price, "EUR"),
        "max_price": amount_text(good.max_price, "EUR"),
        "weekly_units": str(good.weekly_units),
        "stock": str(good.stock),
        "url": f"https://fjordwerk.example/{good.slug}",
    }
