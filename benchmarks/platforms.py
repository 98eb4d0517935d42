"""What a watch list costs at a shop of each platform, in tool calls and HTTP requests.

python benchmarks/platforms.py [--products 2000] [--watches 400]

Each shop listens on this machine and keeps its platform's own limits: 250 products on a page of Shopify's list, a
hundred named products for WooCommerce and Magento, fifty for BigCommerce. Two nights of `monitor run` are made at
each in a directory of its own: the first, which finds the platform and compares the catalogue with a page, and one
after it. The shop's own count of requests stands beside ours, and beside one page for each watch.
"""

import argparse
import csv
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.catalogue_scene import CatalogueShop, Served

#: Tool calls at most, by platform, for 400 watches of 2,000 products.
LIMITS = {"shopify": 10, "woocommerce": 6}


@dataclass(frozen=True)
class Night:
    """What one night cost and gave."""

    calls: int
    requests: int
    read: int
    wrong: int


def main() -> None:
    """Make the nights and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--products", type=int, default=2_000)
    parser.add_argument("--watches", type=int, default=400)
    given = parser.parse_args()
    print(f"{given.watches} watches at a shop of {given.products} products; page by page: {given.watches} calls\n")
    head = ("platform", "first night", "requests", "next night", "requests", "limit", "read", "wrong")
    print("{:<14}{:>13}{:>10}{:>12}{:>10}{:>8}{:>12}{:>7}".format(*head))
    for platform in ("shopify", "woocommerce", "magento", "bigcommerce", "feed"):
        first, later = nights(platform, given.products, given.watches)
        limit = f"<= {LIMITS[platform]}" if platform in LIMITS else ""
        read = f"{first.read}, {later.read}"
        print(
            f"{platform:<14}{first.calls:>13}{first.requests:>10}{later.calls:>12}{later.requests:>10}{limit:>8}"
            f"{read:>12}{first.wrong + later.wrong:>7}"
        )


def nights(platform: str, products: int, watches: int) -> tuple[Night, Night]:
    """Make two nights at one shop."""
    with tempfile.TemporaryDirectory() as folder, Served(CatalogueShop(platform, products)) as served:
        numbers = range(0, products, max(products // watches, 1))
        monitor(["init", folder])
        configure(Path(folder), served, list(numbers))
        first, later = night(folder, served.shop), night(folder, served.shop, "--again")
    return first, later


def configure(folder: Path, served: Served, numbers: list[int]) -> None:
    """Write the shop, one product of ours for each watch, and the watches."""
    feed = f'feed = "{served.shop.origin}/feed.xml"\n' if served.shop.platform == "feed" else ""
    table = f'[[competitor]]\nid = "rival"\nbase_url = "{served.shop.origin}"\n{feed}delay_s = 0\ntool_calls = 60\n'
    (folder / "competitors.toml").write_text(f'{table}request_cap = 120\nallow_addresses = ["{served.address}"]\n')
    with (folder / "catalogue.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("sku", "title", "price"), *((f"S{n:04}", f"Thing {n}", "15.00") for n in numbers)])
    with (folder / "watches.csv").open("w", newline="") as file:
        rows = [(f"S{n:04}", "rival", served.shop.origin + served.shop.path(n)) for n in numbers]
        csv.writer(file).writerows([("sku", "competitor", "url"), *rows])


def night(folder: str, shop: CatalogueShop, *more: str) -> Night:
    """Run the latest night and count."""
    shop.asked.clear()
    told: dict[str, Any] = json.loads(monitor(["run", *more, "--config", folder, "--json"]))
    read = [watch for watch in told["watches"] if watch["outcome"] == "ok"]
    wrong = [watch for watch in read if watch["price"] != str(shop.price(int(watch["sku"][1:])))]
    return Night(told["tool_calls"], len(shop.asked), len(read), len(wrong))


def monitor(arguments: list[str]) -> str:
    """Run a command of ours and return its standard output."""
    done = subprocess.run(
        [sys.executable, "-m", "monitor", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=True,
    )
    return done.stdout


if __name__ == "__main__":
    main()
