"""How well and how fast matches are suggested: `python benchmarks/matching.py`.

Quality: precision and recall over the pairs of `tests/match_pairs.py`, beside what titles alone would say (rapidfuzz's
token_set_ratio and WRatio at the threshold that serves each best). Precision is the share of suggestions that are
right, recall the share of same pairs that are suggested. The pairs are made up and two thirds of them are hard on
purpose, so the figures compare ways of telling and promise nothing about one shop.

Speed: 1,000 own products against 20,000 listings of one competitor, in one process on one core, with its peak memory.
"""

import argparse
import json
import random
import resource
import sys
import time
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from rapidfuzz import fuzz, utils

from monitor.domain.catalogue import Product
from monitor.domain.match import LEAST_SCORE, Listing, suggestions
from tests.match_pairs import PAIRS, SECOND, Pair

# fmt: off
WORDS = (
    "trail", "mug", "bottle", "soap", "lotion", "lamp", "chair", "table", "jacket", "boot", "sock", "tent",
    "stove", "kettle", "grinder", "brush", "towel", "blanket", "pillow", "candle", "notebook", "pen", "wallet",
    "belt", "hat", "glove", "scarf", "shirt", "trousers", "backpack", "speaker", "cable", "charger", "helmet",
    "pump", "saddle", "chain", "pedal", "mat", "rope", "hook", "shelf", "basket", "tray", "bowl", "plate",
    "knife", "pan", "pot", "cup", "board", "clock", "frame", "mirror", "rug", "curtain", "cushion", "vase",
    "plant", "feeder",
)
KINDS = (
    "classic", "alpine", "urban", "nordic", "retro", "compact", "sturdy", "soft", "light", "warm", "fresh",
    "pure", "raw", "bold", "calm", "swift",
)
# fmt: on
BRANDS = ("Ridge", "Fjord", "Ellia", "Mond", "Grat", "Lux", "Vela", "Holm", "Skag", "Nube")
COLOURS = ("black", "white", "red", "blue", "green", "grey")
SIZES = ("100 g", "250 ml", "500 ml", "1 l", "16 oz", "30 cm", "2 m", "6-pack", "M", "L")


def quality(pairs: Sequence[Pair], says_same: Callable[[Pair], bool]) -> tuple[float, float]:
    """Return precision and recall."""
    said = [pair for pair in pairs if says_same(pair)]
    right = sum(pair.is_same for pair in said)
    return right / len(said) if said else 1.0, right / sum(pair.is_same for pair in pairs)


def ours(pair: Pair) -> bool:
    """Say what `monitor match suggest` would."""
    return pair.verdict.is_possible and pair.verdict.score >= LEAST_SCORE


def by_title(ratio: Callable[..., float], pairs: Sequence[Pair]) -> tuple[float, float, int]:
    """Return precision, recall and threshold of titles alone, at the threshold with the best F1."""

    def score(pair: Pair) -> float:
        own = f"{pair.own.brand or ''} {pair.own.title} {' '.join(pair.own.options)}"
        return ratio(own, f"{pair.rival.brand or ''} {pair.rival.title}", processor=utils.default_process)

    return max(
        ((*quality(pairs, lambda pair, least=least: score(pair) >= least), least) for least in range(50, 101, 5)),
        key=lambda one: 2 * one[0] * one[1] / max(one[0] + one[1], 1e-9),
    )


def market(products: int, listings: int, seed: int = 7) -> tuple[list[Product], list[Listing]]:
    """Return made-up products and what a competitor lists, a third of them ours under another title."""
    chance = random.Random(seed)
    own = [_good(chance, number) for number in range(products)]
    theirs = [_listing(chance, chance.choice(own), number) for number in range(listings // 3)]
    theirs += [
        _listing(chance, _good(chance, 10**6 + number), 10**6 + number) for number in range(listings - len(theirs))
    ]
    return own, theirs


def _good(chance: random.Random, number: int) -> Product:
    words = [chance.choice(KINDS), chance.choice(WORDS), chance.choice(WORDS), f"{chance.choice('ABCD')}{number % 997}"]
    title = " ".join((*words, chance.choice(COLOURS), chance.choice(SIZES)))
    return Product(sku=f"S{number}", title=title, currency="EUR", price=Decimal(20), brand=chance.choice(BRANDS))


def _listing(chance: random.Random, product: Product, number: int) -> Listing:
    words = product.title.split()
    chance.shuffle(words[:3])
    return Listing(
        f"https://rival.example/{number}", f"{product.brand} {' '.join(words)}", price=Decimal(19), currency="EUR"
    )


def main() -> None:
    """Print every figure."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--products", type=int, default=1_000)
    asked.add_argument("--listings", type=int, default=20_000)
    asked.add_argument("--json", action="store_true")
    options = asked.parse_args()
    facts: dict[str, object] = {}
    for name, pairs in (("first set", PAIRS), ("second set", SECOND)):
        precision, recall = quality(pairs, ours)
        facts[name] = {
            "pairs": len(pairs),
            "same": sum(p.is_same for p in pairs),
            "precision": precision,
            "recall": recall,
        }
        for called, ratio in (("token_set_ratio", fuzz.token_set_ratio), ("WRatio", fuzz.WRatio)):
            facts[f"{name}, {called} alone"] = dict(
                zip(("precision", "recall", "threshold"), by_title(ratio, pairs), strict=True)
            )
    own, theirs = market(options.products, options.listings)
    started, busy = time.perf_counter(), time.process_time()
    found = suggestions(own, "rival", theirs)
    facts["speed"] = {
        "products": len(own),
        "listings": len(theirs),
        "suggestions": len(found),
        "seconds": round(time.perf_counter() - started, 2),
        "cpu_seconds": round(time.process_time() - busy, 2),
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }
    if options.json:
        print(json.dumps(facts, indent=2))
        return
    for name, values in facts.items():
        shown = ", ".join(f"{k} {v:.3f}" if isinstance(v, float) else f"{k} {v}" for k, v in values.items())
        print(f"{name}: {shown}")


if __name__ == "__main__":
    main()
