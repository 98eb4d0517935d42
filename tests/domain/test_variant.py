"""A page that names another thing than before; and all the ways in which a name may change without saying so."""

import pytest

from monitor.domain.anomaly.variant import swapped


@pytest.mark.parametrize(
    ("before", "now", "said"),
    [
        ("Trail Mug 16 oz", "Trail Mug 12 oz", "16oz became 12oz"),
        ("Trail Mug 0,5 l", "Trail Mug 0.75 l", "0.5l became 0.75l"),
        ("Hoodie - M / blue", "Hoodie - XL / blue", "m became xl"),
        ("Becher blau", "Becher rot", "blau became rot"),
        ("Rope 60 m", "Rope 70 m", "60m became 70m"),
        ("Trail Mug", "Camping Stove", "'Trail Mug' became 'Camping Stove'"),
        ("Trail Mug 16 oz", "trail mug, 16oz", None),  # written otherwise
        ("Trail Mug 0,5 l", "Trail Mug 0.5l", None),
        ("Trail Mug 16 oz", "Trail Mug", None),  # shortened
        ("Trail Mug", "Trail Mug 16 oz - free returns", None),  # lengthened
        ("Trail Mug", "Trail Mug | SALE", None),
        ("Becher", "Becher blau", None),
        ("TRAIL MUG", "Trail\u00a0Mug", None),
        ("iPot 7", "iPot 8", "7 became 8"),
        ("Schuh weiß groß", "Schuh weiß klein", "gross became klein"),
        ("Trail Mug -20%", "Trail Mug -30 %", None),
        ("Trail Mug nur 19,99 €", "Trail Mug nur 17,99 €", None),
        ("Trail Mug $19.99", "Trail Mug $17.99", None),
    ],
)
def test_only_a_contradiction_between_names_is_a_swap(before: str, now: str, said: str | None) -> None:
    assert swapped(before, now) == said
