"""How fast and how small pricing is: a large night, its cost per product, and a long simulation.

Decides products with ten offers each under three rules with outlier filter, margin floor, step limits and price
endings: one process, one core, CPU time. The whole catalogue is held, as a night holds it; the offers of a product are
made when it is its turn. The simulation replays nights out of a real database
(SQLite), with the frozen catalogue, the observations and the histories of each, five shops per product.

    python benchmarks/pricing.py [--products 100000] [--nights 90] [--catalogue 1000] [--skip-simulation]
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from monitor.domain.catalogue import Catalogue, Competitor, MatchState, Product, Watch  # noqa: E402
from monitor.domain.pricing import Offer, decide, rules_from_text  # noqa: E402

OFFERS = 10
LIMIT_S, LIMIT_MB, LIMIT_SIMULATION_S = 30, 300, 60
RULES = """
[[rules]]
id = "follow-market"
priority = 10
scope = {categories = ["Mugs", "Boots"]}
target = {reference = "median", adjust_percent = "-3"}
fallback = "next"
offers = {min_offers = 2, outlier_pct = "40", ignore_below_map = true, min_coverage_pct = "50"}
guardrails = {min_margin_pct = "25", max_decrease_pct = "10", max_increase_pct = "10", min_change_pct = "0.5"}
rounding = {bands = [{below = "20", endings = ["0.49", "0.99"]}, {endings = ["0.99"]}]}

[[rules]]
id = "beat-lowest"
priority = 20
scope = {categories = ["Tents"]}
compare = "landed"
target = {reference = "lowest", adjust_amount = "-0.01"}
guardrails = {min_margin_pct = "20", max_decrease_pct = "15"}
rounding = {mode = "down", endings = ["0.99"]}

[[rules]]
id = "band"
priority = 30
target = {reference = "average", band = {low = "97", high = "103"}}

[rates]
base = "EUR"
worth = {USD = "0.8612"}
"""
CATEGORIES = ("Mugs", "Boots", "Tents", "Ropes")


def a_product(number: int) -> Product:
    """Return one product of a made-up catalogue."""
    price = Decimal(1500 + number * 37 % 9000) / 100
    return Product(
        sku=f"P-{number}",
        title="",
        currency="EUR",
        price=price,
        category=CATEGORIES[number % 4],
        cost=(price * 6 / 10).quantize(Decimal("0.01")),
        min_price=(price * 7 / 10).quantize(Decimal("0.01")),
        map=price if number % 7 == 0 else None,
        shipping=Decimal("4.90"),
        weekly_units=Decimal(number % 9),
    )


def offers_for(product: Product, number: int) -> list[Offer]:
    """Return ten offers around the product's price, some of them stale, foreign, sold out or unconfirmed."""
    found = []
    for seller in range(OFFERS):
        spread = Decimal(80 + (number * 13 + seller * 29) % 45) / 100
        found.append(
            Offer(
                seller=f"shop-{seller}",
                price=(product.price * spread).quantize(Decimal("0.01")),
                currency="USD" if seller == 7 else "EUR",
                age=timedelta(hours=60 if (number + seller) % 11 == 0 else 3),
                match=MatchState.SUGGESTED if (number + seller) % 13 == 0 else MatchState.CONFIRMED,
                shipping=Decimal("3.50"),
                in_stock=(number + seller) % 6 != 0,
                tax_included_pct=Decimal(19) if seller == 8 else Decimal(0),
            )
        )
    return found


def decided(count: int) -> tuple[float, int]:
    """Decide so many products; return the CPU seconds spent deciding, and how many were proposed."""
    rules = rules_from_text(RULES, where="benchmark")
    rates = rules.rates.into("EUR")
    spent, proposed = 0.0, 0
    for number, product in enumerate([a_product(number) for number in range(count)]):
        offers = offers_for(product, number)
        began = time.process_time()
        decision = decide(product, offers, rules, rates=rates)
        spent += time.process_time() - began
        proposed += decision.is_proposal
    return spent, proposed


def report_night(products: int) -> None:
    """Print the figures of one large night and of smaller ones."""
    for count in [100, 1_000, 10_000, products]:
        rounds = max(1, 10_000 // count)
        total = sum(decided(count)[0] for _ in range(rounds)) / rounds
        print(f"{count:>9,} products x {OFFERS} offers: {total:7.2f} s CPU, {total / count * 1e6:6.1f} us per product")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"limit for 100,000: {LIMIT_S} s. Peak memory of this process: {peak:.0f} MB (limit {LIMIT_MB} MB)")


def simulated(nights: int, count: int) -> None:
    """Print how long it takes to replay so many nights of so many products."""
    from monitor.flow.simulate import simulate

    rules = rules_from_text(RULES, where="benchmark")
    with tempfile.TemporaryDirectory() as folder:
        store = filled(Path(folder) / "nights.sqlite3", nights, count)
        began, cpu = time.perf_counter(), time.process_time()
        found = simulate(store, rules)
        took, spent = time.perf_counter() - began, time.process_time() - cpu
        store.close()
    totals = found["totals"]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{totals['nights']} nights of {count:,} products with 5 shops, {totals['proposals']:,} proposals: "
        f"{took:.1f} s, {spent:.1f} s CPU (limit {LIMIT_SIMULATION_S} s); peak memory {peak:.0f} MB"
    )


def filled(path: Path, nights: int, count: int):  # type: ignore[no-untyped-def]  # SqlStore is imported late
    """Return a store with so many reported nights, in each of which one price in ten moves.

    Observations and spans are written in bulk, as the store would have left them; a night at a time takes an hour.
    """
    from monitor.adapters.clock import SystemClock
    from monitor.adapters.db.migrate import migrate
    from monitor.adapters.db.schema import observations, spans
    from monitor.adapters.db.store import SqlStore
    from monitor.domain.plan import NightPlan
    from monitor.domain.run import RunState
    from monitor.flow.begin import begin

    migrate(f"sqlite:///{path}")
    store = SqlStore(f"sqlite:///{path}", SystemClock(timedelta(0)))
    shops = [Competitor(f"shop-{n}", f"Shop {n}", f"https://shop-{n}.example") for n in range(5)]
    products = [a_product(number) for number in range(count)]
    watches = tuple(
        Watch(shop.id, product.sku, f"{shop.base_url}/{product.sku}") for product in products for shop in shops
    )
    history: dict[tuple[str, str], list[dict[str, object]]] = {}
    for night in range(nights):
        catalogue = Catalogue(tuple(products), tuple(shops), watches)
        day = date(2026, 1, 1) + timedelta(days=night)
        run, _ = begin(store, NightPlan(rules=RULES), catalogue, origin="schedule", day=day)
        rows = [a_reading(run.id, watch, products[n // 5], n + night, day) for n, watch in enumerate(watches)]
        for row in rows:
            remember(history.setdefault((str(row["competitor"]), str(row["sku"])), []), row)
        with store.write() as unit:
            unit.runs.start_synthesis(run.id, partial=False)
            unit.runs.close(run.id, RunState.REPORTED)
        with store.writer.begin() as connection:
            connection.execute(observations.insert(), rows)
        print(f"\rnight {night + 1} of {nights} stored", end="", file=sys.stderr)
    with store.writer.begin() as connection:
        connection.execute(spans.insert(), [span for found in history.values() for span in found])
    print(file=sys.stderr)
    return store


def a_reading(run_id: str, watch: Watch, product: Product, turn: int, day: date) -> dict[str, object]:
    """Return one observation as a row; its price moves every tenth night."""
    from monitor.domain.extraction import Availability, Outcome

    return {
        "run_id": run_id,
        "competitor": watch.competitor,
        "sku": watch.sku,
        "url": watch.url,
        "outcome": Outcome.OK,
        "reason": "",
        "words": "",
        "observed_at": datetime(day.year, day.month, day.day, 2, 30, tzinfo=UTC),
        "price": (product.price * (90 + turn // 10 % 12) / 100).quantize(Decimal("0.01")),
        "currency": "EUR",
        "list_price": None,
        "availability": Availability.IN_STOCK,
        "shipping": Decimal("3.50"),
        "name": None,
        "evidence": None,
    }


def remember(found: list[dict[str, object]], row: dict[str, object]) -> None:
    """Move the history of a watch by one reading."""
    if found and found[-1]["price"] == row["price"]:
        found[-1] |= {"last_seen_at": row["observed_at"], "last_run_id": row["run_id"]}
        return
    kept = {name: row[name] for name in ("competitor", "sku", "price", "currency", "list_price", "availability")}
    seen = {"first_seen_at": row["observed_at"], "last_seen_at": row["observed_at"]}
    found.append(kept | seen | {"first_run_id": row["run_id"], "last_run_id": row["run_id"]})


def main() -> None:
    """Measure and print; the simulation runs in a process of its own, so that its memory is its own."""
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    asked.add_argument("--products", type=int, default=100_000)
    asked.add_argument("--nights", type=int, default=90)
    asked.add_argument("--catalogue", type=int, default=1_000)
    asked.add_argument("--skip-simulation", action="store_true")
    asked.add_argument("--only-simulation", action="store_true")
    given = asked.parse_args()
    if given.only_simulation:
        simulated(given.nights, given.catalogue)
        return
    report_night(given.products)
    if not given.skip_simulation:
        size = ["--nights", str(given.nights), "--catalogue", str(given.catalogue)]
        subprocess.run([sys.executable, __file__, "--only-simulation", *size], check=True)


if __name__ == "__main__":
    main()
