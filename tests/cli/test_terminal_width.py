"""What people read in a terminal of 80 columns: nothing is wider, and no word is broken that fits a line."""

from io import StringIO
from typing import Any

from rich.console import Console

from monitor.cli.explain import shown
from monitor.cli.job import fact_words

COLUMNS = 80


def lines_of(*parts: Any) -> list[str]:
    """The lines that a terminal of 80 columns shows."""
    out = StringIO()
    console = Console(file=out, width=COLUMNS)
    for part in parts:
        console.print(part)
    return [line.rstrip() for line in out.getvalue().splitlines()]


def a_reading(**changes: Any) -> dict[str, Any]:
    reading: dict[str, Any] = {
        "name": "Good Shop",
        "price": "1234.50",
        "currency": "EUR",
        "observed_at": "2026-11-30T03:13:00+01:00",
        "outcome": "ok",
        "reason": "declared_and_shown",
        "held": None,
        "read_from": [{"source": "json-ld offers.price", "text": "1234.50"}],
        "evidence": "46a29ec32af5" * 4,
    }
    return {**reading, **changes}


def a_derivation(*readings: dict[str, Any]) -> dict[str, Any]:
    return {
        "sku": "BOOT-1",
        "title": "Trail Boot",
        "own_price": "135.00",
        "currency": "EUR",
        "date": "2026-11-30",
        "outcome": "none",
        "reason": "TOO_FEW_OFFERS",
        "flags": [],
        "lowest_30_days": None,
        "readings": list(readings),
        "steps": [{"step": "1", "name": "rule", "words": "match-lowest (priority 100) decides."}],
        "stored": None,
    }


def test_a_derivation_fits_eighty_columns_with_whole_words() -> None:
    held = {"code": "SCALE", "words": "5.50 EUR after 54.90: about 10 times less, like a slipped point"}
    blocked = a_reading(name="A Competitor With A Long Name", price=None, outcome="blocked", reason="unnamed_wall")
    lines = lines_of(*shown(a_derivation(a_reading(), a_reading(held=held), blocked, a_reading(outcome=None))))

    assert max(map(len, lines)) <= COLUMNS
    text = "\n".join(lines)
    for whole in ("declared_and_shown", "(unnamed_wall)", "46a29ec32af5", "1234.50 EUR", "held, SCALE:", "not asked"):
        assert whole in text
    assert len(lines) < 25, "a reading takes three lines at most"


def test_a_product_that_nobody_is_watched_for_says_so_instead_of_an_empty_table() -> None:
    assert "readings: none, because no page of a competitor is watched for it" in lines_of(*shown(a_derivation()))


def test_what_was_learnt_of_a_shop_is_told_in_words_and_not_as_a_program_prints_it() -> None:
    learnt = {
        "name": "shopify",
        "found_on": "2026-11-20",
        "evidence": ["a", "b"],
        "sure": True,
        "page": None,
        "ids": {},
    }

    assert fact_words(learnt) == (
        "name shopify, found on 2026-11-20, evidence a, b, sure yes, page not known, ids nothing"
    )
    assert fact_words(["x" * 900]).endswith("x…")
