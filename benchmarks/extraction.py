"""Speed and accuracy of extraction, side by side with the floor of its parser and with extruct where it is installed.

    python benchmarks/extraction.py [CORPUS] [--repeat N] [--folds K] [--peer-python PATH]

Without a corpus the pages of tests/extract are read. A corpus is a folder with `labels.jsonl` (one JSON object per
page: file, url, content_type, site, outcome, price, currency …) and the pages. Prints one JSON object per reader
and, with a corpus, the spread of the accuracy over K folds of sites.
One process, one core, the best of N readings of each page, in CPU time, so that a busy machine shows less. The peer
may live in another environment: PATH is its interpreter, which needs extruct and price-parser and reads the same pages.
"""

import argparse
import json
import resource
import statistics
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any
from zlib import crc32

from selectolax.lexbor import LexborHTMLParser

from monitor.extract import extract

PAGES = Path(__file__).parent.parent / "tests" / "extract" / "pages"
PEER = Path(__file__).with_name("extraction_peer.py")
#: What is asked of the reader on a quiet core on which bare parses run at 740 pages per second.
LIMITS = {"pages_per_s": 300, "p95_ms": 15, "bare_parses": 2.5, "price_and_currency": 0.96, "precision": 0.99}
Answer = tuple[str, Decimal | None, str | None]
Reader = Callable[[bytes, str, str | None], Answer]


@dataclass(frozen=True, slots=True)
class Labelled:
    """One page with its right answer."""

    body: bytes
    url: str
    content_type: str | None
    site: str
    outcome: str
    prices: frozenset[Decimal]
    currency: str | None
    may_abstain: bool


def own_pages() -> list[Labelled]:
    """Return the small pages of the tests."""
    return [
        _labelled(json.loads(f.read_text("utf-8")), f.with_name("page.html"))
        for f in sorted(PAGES.glob("*/expected.json"))
    ]


def corpus_pages(folder: Path) -> list[Labelled]:
    """Return the pages of a corpus folder."""
    rows = (json.loads(line) for line in (folder / "labels.jsonl").open(encoding="utf-8"))
    return [_labelled(row, folder / row["file"]) for row in rows if (folder / row["file"]).exists()]


def _labelled(row: dict[str, Any], file: Path) -> Labelled:
    prices = [row.get("price"), *row.get("price_alt", [])]
    return Labelled(
        file.read_bytes(), row["url"], row.get("content_type"), row.get("site", file.parent.name), row["outcome"],
        frozenset(Decimal(p) for p in prices if p), row.get("currency"), bool(row.get("accept_ambiguous")),
    )  # fmt: skip


def ours(body: bytes, url: str, content_type: str | None) -> Answer:
    """Read with monitor.extract."""
    found = extract(body, url, content_type)
    return found.outcome.value, found.price, found.currency


def parse_only(body: bytes, url: str, content_type: str | None) -> Answer:
    """Parse and do nothing else: the floor."""
    LexborHTMLParser(body.decode("utf-8", "replace"))
    return "no_price", None, None


def peer(python: Path, corpus: Path | None, repeat: int) -> tuple[list[Answer], list[float], float | None]:
    """Read the same pages with extruct and price-parser in their own environment: answers, seconds, peak MB."""
    source = str(corpus) if corpus else str(PAGES)
    command = [str(python), str(PEER), source, str(repeat)]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    rows = [json.loads(line) for line in printed]
    answers = [(r["outcome"], Decimal(r["price"]) if r["price"] else None, r["currency"]) for r in rows[:-1]]
    return answers, [r["s"] for r in rows[:-1]], rows[-1]["peak_mb"]


def timed(readers: Sequence[Reader], pages: list[Labelled], repeat: int) -> list[tuple[list[Answer], list[float]]]:
    """Return, for each reader, its answers and its best time of each page in seconds.

    All readers read one page before any reads the next: what else goes on in the machine slows them alike.
    """
    told: list[tuple[list[Answer], list[float]]] = [([], []) for _ in readers]
    for page in pages:
        for reader, (answers, times) in zip(readers, told, strict=True):
            best = float("inf")
            answer: Answer = ("no_price", None, None)
            for _ in range(repeat):
                start = time.process_time()
                answer = reader(page.body, page.url, page.content_type)
                best = min(best, time.process_time() - start)
            answers.append(answer)
            times.append(best)
    return told


def accuracy(pages: list[Labelled], answers: list[Answer]) -> dict[str, Any]:
    """Return the share of priced pages read right, of given prices that are right, and of outcomes that are right."""
    pairs = [(p, a) for p, a in zip(pages, answers, strict=True) if not (p.may_abstain and a[0] == "ambiguous")]
    priced = [(p, a) for p, a in pairs if p.outcome == "ok"]
    given = [(p, a) for p, a in priced if a[0] == "ok"]
    right = [p for p, a in given if a[1] in p.prices and (p.currency is None or a[2] == p.currency)]
    return {
        "price_and_currency": _share(len(right), len(priced)),
        "precision": _share(sum(a[1] in p.prices for p, a in given), len(given)),
        "wrong": sum(a[1] not in p.prices for p, a in given),
        "invented": sum(a[0] == "ok" for p, a in pairs if p.outcome != "ok"),
        "outcome": _share(sum(p.outcome == a[0] for p, a in pairs), len(pairs)),
    }


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def folds(pages: list[Labelled], answers: list[Answer], count: int) -> list[dict[str, Any]]:
    """Return the accuracy of each fold; a site is in one fold only."""
    out = []
    for fold in range(count):
        at = [i for i, p in enumerate(pages) if crc32(p.site.encode()) % count == fold]
        out.append(accuracy([pages[i] for i in at], [answers[i] for i in at]))
    return out


def peak_mb() -> float:
    """Return the peak memory of the process so far."""
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1)


def speed(times: list[float], size: int) -> dict[str, float]:
    """Return pages and megabytes per second, percentiles in milliseconds and the peak memory of the process in MB."""
    ordered, total = sorted(times), sum(times)
    return {
        "pages_per_s": round(len(times) / total, 1),
        "mb_per_s": round(size / 1e6 / total, 1),
        "p50_ms": round(1000 * statistics.median(ordered), 2),
        "p95_ms": round(1000 * ordered[int(len(ordered) * 0.95)], 2),
        "peak_mb": peak_mb(),
    }


def _against(limits: dict[str, float]) -> dict[str, float]:
    return {f"limit_{name}": value for name, value in limits.items()}


def main() -> None:
    """Print one line of figures per reader."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", nargs="?", type=Path)
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--peer-python", type=Path, help="an interpreter that has extruct and price-parser")
    args = parser.parse_args()
    pages = corpus_pages(args.corpus) if args.corpus else own_pages()
    size = sum(len(p.body) for p in pages)
    readers = {"parse only": parse_only, "monitor.extract": ours}
    start = peak_mb()  # with all pages in memory
    told = timed(list(readers.values()), pages, args.repeat)
    parsed = sum(told[0][1])
    for (name, reader), (answers, times) in zip(readers.items(), told, strict=True):
        figures = {} if reader is parse_only else {**accuracy(pages, answers), **_against(LIMITS)}
        cost = {"bare_parses": round(sum(times) / parsed, 2), "above_start_mb": round(peak_mb() - start, 1)}
        print(json.dumps({"reader": name, "pages": len(pages), **figures, **speed(times, size), **cost}))
        if reader is ours and args.corpus:
            for fold in folds(pages, answers, args.folds):
                print(json.dumps({"reader": f"{name}, one fold of sites", **fold}))
    if args.peer_python:
        answers, times, peak = peer(args.peer_python, args.corpus, args.repeat)
        figures = {**accuracy(pages, answers), **speed(times, size), "peak_mb": peak}
        print(json.dumps({"reader": "extruct + price-parser", "pages": len(pages), **figures}))


if __name__ == "__main__":
    main()
