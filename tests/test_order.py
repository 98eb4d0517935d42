"""Files begin in an order that keeps all processors at work."""

import gzip
from pathlib import Path

import pytest

from tests.order import KNOWN_S, LONG_S, in_order, seconds_of

CHECKOUT = Path(__file__).resolve().parents[1]


def test_the_longest_of_the_long_and_of_the_short_begin_first_side_by_side() -> None:
    seconds = {"a": 1.0, "b": 60.0, "c": 5.0, "d": 30.0, "e": 4.0}

    assert in_order(seconds) == ["b", "c", "e", "d", "a"]


def test_no_file_is_lost_or_taken_twice() -> None:
    seconds = {str(number): number * 37 % 41 / 2 for number in range(200)}

    assert sorted(in_order(seconds)) == sorted(seconds)


def test_a_file_takes_what_its_tests_let_expect_or_what_is_known() -> None:
    known = "tests/demo/test_demo.py"

    seconds = seconds_of([("x", True), ("x", False), (known, True), ("y", False)])

    assert seconds == {"x": 3.1, known: KNOWN_S[known], "y": 0.1}


def test_what_is_known_is_about_files_that_are_there_and_long() -> None:
    assert [file for file, seconds in KNOWN_S.items() if seconds < LONG_S or not (CHECKOUT / file).is_file()] == []


@pytest.mark.parametrize("packed", [gzip.compress(b"one"), gzip.compress(b"two")])
def test_packed_bytes_have_no_part_in_the_name_of_a_test(packed: bytes, request: pytest.FixtureRequest) -> None:
    """Processes that collect in different seconds would have different tests, and the whole run ends."""
    assert gzip.decompress(packed).decode() in ("one", "two")
    assert request.node.name.partition("[")[2] in ("gzip0]", "gzip1]")
