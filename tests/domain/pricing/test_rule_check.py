"""Rules that can be read and are wrong all the same: each finding names the rule, the key and what to do."""

from datetime import date

import pytest

from monitor.domain.catalogue import Catalogue, Competitor, Watch
from monitor.domain.pricing import read_rules
from monitor.domain.pricing.rule_check import check_rules
from tests.domain.pricing.builders import a_product

TODAY = date(2026, 11, 29)
CATALOGUE = Catalogue(
    products=(
        a_product(sku="MUG-1", brand="Ridge", category="Mugs", tags=("core",), cost="10.00"),
        a_product(sku="TENT-1", brand="Ridge", category="Tents", max_price="20.00", cost="15.00"),
        a_product(sku="ROPE-1", category="Ropes"),
    ),
    competitors=(
        Competitor("acme", "Acme", "https://acme.example", currency="USD"),
        Competitor("globex", "Globex", "g"),
    ),
    watches=(Watch("acme", "MUG-1", "https://acme.example/mug"), Watch("globex", "MUG-1", "https://g.example/mug")),
)
#: Decides what no other rule decides, so that a test shows only what it is about.
LAST = {"id": "last", "priority": 1000, "target": {"reference": "lowest"}}
USD = {"base": "EUR", "worth": {"USD": "0.86"}}


def found(*rules: dict[str, object], last: bool = True, **tables: object) -> list[tuple[str, str | None, str]]:
    made = [{"id": f"r{n}", "priority": n, "target": {"reference": "lowest"}} | rule for n, rule in enumerate(rules, 1)]
    read = read_rules({"rules": [*made, *([LAST] if last else [])], "rates": USD, **tables}, where="rules.toml")
    return [(one.code.value, one.key, one.words) for one in check_rules(read, CATALOGUE, today=TODAY)]


MUGS = {"scope": {"categories": ["Mugs"]}}


def test_rules_that_each_decide_something_are_fine() -> None:
    assert found(MUGS) == []


@pytest.mark.parametrize(
    ("rules", "code", "key", "said"),
    [
        (
            [{"scope": {"categories": ["Mug"]}}],
            "UNKNOWN_NAME",
            "scope.categories",
            "names 'Mug', which no product of the catalogue has; did you mean 'Mugs'?",
        ),
        (
            [{"scope": {"brands": ["Ridge"], "categories": ["Ropes"]}}],
            "COVERS_NOTHING",
            "scope",
            "for none of 3 products",
        ),
        (
            [{"scope": {"brands": ["Ridge"]}}, MUGS],
            "NEVER_ASKED",
            "priority",
            "rule 'r2' never decides: all of its products go to 'r1', by a smaller priority",
        ),
        ([MUGS | {"fallback": "next", "priority": 2000}], "NO_NEXT", "fallback", "no later rule is for any of"),
        (
            [MUGS, MUGS | {"priority": 1}],
            "SAME_PRIORITY",
            "priority",
            "'r1' and 'r2' have the same priority 1 and share 1",
        ),
        (
            [MUGS | {"guardrails": {"max_decrease_pct": "0", "max_increase_pct": "0.5", "min_change_pct": "1"}}],
            "NEVER_PROPOSES",
            "guardrails.max_decrease_pct and guardrails.max_increase_pct",
            "max_decrease_pct 0 and max_increase_pct 0.5 with min_change_pct 1",
        ),
        (
            [MUGS | {"guardrails": {"max_decrease_pct": "0", "direction": "down"}}],
            "NEVER_PROPOSES",
            "guardrails.max_decrease_pct",
            "and direction 'down'",
        ),
        (
            [MUGS | {"rounding": {"endings": ["0.995"]}}],
            "NEVER_PROPOSES",
            "rounding",
            "no price in EUR can end in 0.995",
        ),
        (
            [{"scope": {"categories": ["Tents"]}, "guardrails": {"min_margin_pct": "40"}}],
            "BOUNDS_CONFLICT",
            "guardrails",
            "the floor is above the ceiling of 1 product (TENT-1)",
        ),
        (
            [{"scope": {"categories": ["Ropes"]}, "target": {"reference": "cost"}}],
            "COST_MISSING",
            "target.reference",
            "needs a cost, and 1 product (ROPE-1) lack one",
        ),
        ([MUGS | {"offers": {"min_offers": 3}}], "NEVER_ENOUGH", "offers.min_offers", "asks for 3, and it looks at 2"),
        (
            [MUGS | {"target": {"reference": "nth", "n": 2}, "offers": {"only_sellers": ["acme"]}}],
            "NEVER_ENOUGH",
            "target.n",
            "asks for 2, and it looks at 1 watched seller",
        ),
        (
            [MUGS | {"target": {"reference": "seller", "seller": "acme"}, "offers": {"exclude_sellers": ["acme"]}}],
            "NEVER_ENOUGH",
            "target.seller",
            "'acme' is watched for no product, or left out",
        ),
    ],
)
def test_a_rule_that_does_nothing_is_named(rules: list[dict[str, object]], code: str, key: str, said: str) -> None:
    told = found(*rules)

    assert [(one, at) for one, at, _ in told if one == code] == [(code, key)]
    assert any(said in words for _, _, words in told)


def test_a_rule_behind_one_that_falls_back_is_asked() -> None:
    assert [code for code, _, _ in found({"fallback": "next"}, MUGS)] == []


def test_products_without_a_rule_are_named() -> None:
    ((code, _, words),) = found(MUGS, last=False)

    assert (code, "2 products (TENT-1, ROPE-1)" in words) == ("NO_RULE", True)


def test_guards_and_rates_are_looked_at_too() -> None:
    over = {"id": "storm", "from": date(2026, 1, 1), "until": date(2026, 2, 1), "max_increase_pct": "10"}

    told = found(do_not_touch={"tags": ["cor"]}, emergencies=[over], rates={"base": "EUR"})

    assert [code for code, _, _ in told] == ["UNKNOWN_NAME", "IS_OVER", "NO_RATE"]
    assert "do_not_touch.tags names 'cor'" in told[0][2]
    assert "Acme shows USD" in told[2][2]


def test_without_products_only_the_keys_of_a_rule_are_judged() -> None:
    empty = Catalogue((), CATALOGUE.competitors, ())
    read = read_rules({"rules": [LAST], "rates": USD}, where="rules.toml")

    assert check_rules(read, empty, today=TODAY) == ()


def test_a_disabled_rule_is_not_there() -> None:
    assert found({"enabled": False, "scope": {"skus": ["NONE"]}, "guardrails": {"max_decrease_pct": "0"}}) == []
