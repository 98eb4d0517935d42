"""The peer of `benchmarks/extraction.py`: extruct and price-parser on the same pages, in their own environment.

    python benchmarks/extraction_peer.py PAGES REPEAT

Imports nothing of the monitor. Prints one JSON object per page in the order of the labels, then the peak memory.
"""

import importlib
import json
import sys
import time
from pathlib import Path
from typing import Any


def rows(folder: Path) -> list[tuple[Path, dict[str, Any]]]:
    """Return the pages of a corpus, or of a folder with one folder per page."""
    labels = folder / "labels.jsonl"
    if labels.exists():
        found = [json.loads(line) for line in labels.read_text("utf-8").splitlines()]
        return [(folder / r["file"], r) for r in found if (folder / r["file"]).exists()]
    return [
        (f.with_name("page.html"), json.loads(f.read_text("utf-8"))) for f in sorted(folder.glob("*/expected.json"))
    ]


def read(body: bytes, url: str) -> tuple[str, str | None, str | None]:
    """Return outcome, amount and currency of the first declared offer, else of the OpenGraph price."""
    extruct, price_parser = importlib.import_module("extruct"), importlib.import_module("price_parser")
    text = body.decode("utf-8", "replace")
    try:
        found = extruct.extract(text, base_url=url, syntaxes=["json-ld", "microdata", "opengraph"], uniform=True)
    except Exception:  # its parsers raise what they like; a crash is an answer too
        return "no_price", None, None
    for item in [*found["json-ld"], *found["microdata"]]:
        offers = item.get("offers") if isinstance(item, dict) else None
        offer = offers[0] if isinstance(offers, list) and offers else offers
        if isinstance(offer, dict) and (offer.get("price") or offer.get("lowPrice")):
            amount = price_parser.Price.fromstring(str(offer.get("price") or offer["lowPrice"])).amount
            return ("ok", str(amount), offer.get("priceCurrency")) if amount else ("no_price", None, None)
    for item in found["opengraph"]:
        shown = item.get("product:price:amount") or item.get("og:price:amount")
        amount = price_parser.Price.fromstring(str(shown)).amount if shown else None
        if amount:
            return "ok", str(amount), item.get("product:price:currency") or item.get("og:price:currency")
    return "no_price", None, None


def peak_mb() -> float | None:
    """Return the peak memory since this program began; `getrusage` would count its parent's too. Linux only."""
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return next((round(int(line.split()[1]) / 1024, 1) for line in lines if line.startswith("VmHWM")), None)


def main() -> None:
    """Read every page REPEAT times and print the best CPU time of each."""
    folder, repeat = Path(sys.argv[1]), int(sys.argv[2])
    for file, row in rows(folder):
        body, best = file.read_bytes(), float("inf")
        for _ in range(repeat):
            start = time.process_time()
            outcome, price, currency = read(body, row["url"])
            best = min(best, time.process_time() - start)
        print(json.dumps({"outcome": outcome, "price": price, "currency": currency, "s": best}))
    print(json.dumps({"peak_mb": peak_mb()}))


if __name__ == "__main__":
    main()
