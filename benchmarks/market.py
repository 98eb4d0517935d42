"""How right a whole night is on a market whose right answers are known.

    python benchmarks/market.py MANIFEST.json

The manifest (docs/manifest.md) names shops that listen on this machine, and for each page what a careful reader would
answer: `"expected": {"outcome", "price", "price_alt", "currency", "accept_ambiguous"}`. A shop that answers
`GET /__hits` with its request counts has those counted too. Runs `monitor init` and `monitor run` in a directory of
its own and prints the result beside its limits and beside extruct with price-parser, as published for the same pages.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

#: extruct 0.18.0 with price-parser 0.5.1 on the 193 pages of the corpus in docs/benchmarks.md.
PEER = {"right_pct": "62.7", "wrong": "6", "invented": "7"}


def main() -> None:
    """Run the night and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("manifest", type=Path)
    manifest_file: Path = parser.parse_args().manifest
    shops = json.loads(manifest_file.read_text(encoding="utf8"))
    with tempfile.TemporaryDirectory() as folder:
        monitor(["init", folder, "--manifest", str(manifest_file)])
        started = time.monotonic()
        night = json.loads(monitor(["run", "--config", folder, "--json"]))
        took_s = time.monotonic() - started
    print_table(scored(shops, night["watches"]), night, took_s, most_requests(shops))


def monitor(arguments: list[str]) -> str:
    """Run a command of ours and return its standard output."""
    done = subprocess.run([sys.executable, "-m", "monitor", *arguments], stdout=subprocess.PIPE, text=True, check=True)
    return done.stdout


def scored(shops: list[dict[str, Any]], watches: list[dict[str, Any]]) -> Counter[str]:
    """Compare each reading with what the manifest expects."""
    read = {watch["sku"]: watch for watch in watches}
    counts: Counter[str] = Counter()
    for page in (page for shop in shops for page in shop["pages"]):
        counts[verdict(page["expected"], read[page["id"]])] += 1
    return counts


def verdict(expected: dict[str, Any], got: dict[str, Any]) -> str:
    """Return how one reading compares: right, wrong or missed on an `ok` page, invented or silent elsewhere."""
    is_ok = got["outcome"] == "ok"
    if expected["outcome"] != "ok":
        return "invented" if is_ok else "silent"
    if not is_ok:
        abstained = got["outcome"] == "ambiguous" and expected.get("accept_ambiguous")
        return "right" if abstained else "missed"
    prices = {Decimal(text) for text in (expected["price"], *expected.get("price_alt", ()))}
    currency = expected.get("currency", got["currency"])
    return "right" if Decimal(got["price"]) in prices and got["currency"] == currency else "wrong"


def most_requests(shops: list[dict[str, Any]]) -> int | None:
    """Return the most requests that one shop counted, robots.txt left out, or None when no shop counts."""
    found = []
    for shop in shops:
        try:
            with urllib.request.urlopen(f"{shop['base_url']}/__hits") as answer:
                hits = json.load(answer)
        except (urllib.error.URLError, ValueError):
            continue
        found.append(sum(count for path, count in hits.items() if path != "/robots.txt"))
    return max(found, default=None)


def print_table(counts: Counter[str], night: dict[str, Any], took_s: float, requests: int | None) -> None:
    """Print ours, the limit and the peer side by side."""
    pages = counts["right"] + counts["wrong"] + counts["missed"]
    rows = (
        ("price and currency right, % of ok pages", f"{100 * counts['right'] / pages:.1f}", ">= 94", PEER["right_pct"]),
        ("wrong prices", str(counts["wrong"]), "0", PEER["wrong"]),
        ("missed (no price given)", str(counts["missed"]), "", ""),
        ("invented on pages without a price", str(counts["invented"]), "0", PEER["invented"]),
        ("most page requests to one shop", "not counted" if requests is None else str(requests), "<= 12", ""),
    )
    print(f"{pages} ok pages, {counts['silent'] + counts['invented']} others, {night['jobs']} shops, {took_s:.1f} s")
    print(f"{'':<42} {'ours':>12} {'limit':>8} {'extruct + price-parser':>24}")
    for name, ours, limit, peer in rows:
        print(f"{name:<42} {ours:>12} {limit:>8} {peer:>24}")


if __name__ == "__main__":
    main()
