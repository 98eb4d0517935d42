"""The config directory of a chaos run: made from the market's manifest like any other."""

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

from monitor.chaos.shop import MailServer, OwnShop
from monitor.demo.market import MarketServer
from monitor.domain.money import amount_text
from monitor.settings import create


def make_place(directory: Path, server: MarketServer, shop: OwnShop, mail: MailServer, *, threads: int) -> None:
    """Write the config directory; every night is due hours ago, so that its mail leaves at once."""
    manifest = directory.with_name("market.json")
    manifest.write_text(json.dumps(_manifest(server)), "utf-8")
    create(directory, manifest=manifest)
    due = datetime.now(UTC) - timedelta(hours=3)
    _set(
        directory,
        {
            "at": f'"{due:%H:%M}"',
            "not_before": f'"{due + timedelta(minutes=1):%H:%M}"',
            "deadline": f'"{due + timedelta(hours=6):%H:%M}"',
            "recipients": '["chaos@brand.example"]',
            "charts": "false",
            "page_deadline_s": "60",
            "kind": '"webhook"',
            "url": f'"{shop.url}"',
            "read_url": f'"{shop.url}"',
            "enabled": "true",
            "undo_window_s": "0",
            "hourly_cap": "1000000",
            "threads": str(threads),
        },
    )
    with (directory / ".env").open("a", encoding="utf-8") as file:
        file.write(f"MONITOR_SMTP_URL={mail.url}\n")


def name_night(directory: Path, name: str) -> None:
    """Give the next night a series of its own, since one date has one run."""
    _set(directory, {"name": f'"{name}"'})


def _set(directory: Path, values: Mapping[str, str]) -> None:
    path = directory / "monitor.toml"
    text = path.read_text("utf-8")
    for key, value in values.items():
        line = f"{key} = {value}"
        text, found = re.subn(rf"(?m)^(# )?{key} = .*$", line.replace("\\", r"\\"), text, count=1)
        if not found:
            raise LookupError(f"{path} has no key {key}; chaos cannot set it")
    path.write_text(text, "utf-8")


def _manifest(server: MarketServer) -> list[dict[str, object]]:
    by_sku = {good.sku: good for good in server.market.goods}
    return [
        {
            "site": shop.name,
            "base_url": server.base_url(shop),
            "lang": shop.language,
            "currency": shop.currency,
            "pages": [
                {
                    "id": sku,
                    "url": server.url(shop, by_sku[sku]),
                    "title": by_sku[sku].title,
                    "price": amount_text(by_sku[sku].price, "EUR"),
                    "min_price": amount_text(by_sku[sku].min_price, "EUR"),
                    "max_price": amount_text(by_sku[sku].max_price, "EUR"),
                }
                for sku in server.market.rest[shop.id]
            ],
        }
        for shop in server.market.shops
    ]
