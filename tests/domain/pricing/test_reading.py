"""Rules files: everything that is wrong is named at once, and nothing of a wrong file is used."""

from decimal import Decimal
from pathlib import Path

import pytest

from monitor.domain.pricing import ExchangeRates, Rules, read_rules, rules_from_text
from monitor.domain.pricing.rule import EndingBand, Mode, ReferenceKind
from monitor.errors import Misconfigured

SHIPPED = Path(__file__).resolve().parents[3] / "config" / "rules.toml"


def problems_of(text: str, **named: object) -> tuple[str, ...]:
    with pytest.raises(Misconfigured) as caught:
        rules_from_text(text, where="rules.toml", **named)
    return caught.value.problems


def one_rule(lines: str) -> str:
    return f'[[rules]]\nid = "match"\npriority = 1\ntarget.reference = "lowest"\n{lines}\n'


def test_the_shipped_rules_match_the_lowest_rival_for_every_product() -> None:
    shipped = rules_from_text(SHIPPED.read_text(), where="rules.toml")

    (rule,) = shipped.asked
    assert rule.target.reference is ReferenceKind.LOWEST
    assert rule.guardrails.max_decrease_pct == 15


def test_the_commented_lines_of_the_shipped_rules_can_be_switched_on() -> None:
    lines = [line.removeprefix("# ") if " = " in line or "# [" in line else line for line in shipped_lines()]
    text = "\n".join(line for line in lines if not line.startswith("adjust_percent"))

    (rule,) = rules_from_text(text, where="rules.toml").asked

    assert rule.target.adjust_amount == Decimal("-0.10")
    assert rule.rounding.bands == (EndingBand((Decimal("0.49"), Decimal("0.99"))),)


def shipped_lines() -> list[str]:
    return SHIPPED.read_text().split("[[rules]]")[1].join(["[[rules]]", ""]).splitlines()


def test_all_problems_of_a_file_come_at_once() -> None:
    text = one_rule('offers.max_age_hours = 36\nguardrails.min_margin_pct = "100"\nfallbck = "next"') + one_rule(
        'target.n = 2\nscope.brands = "Ridge"'
    )

    assert problems_of(text) == (
        "rules.toml: rule 'match': offers.max_age_hours is the number 36; write a quoted number such as "
        '"12.5", 0 or more',
        "rules.toml: rule 'match': guardrails.min_margin_pct is '100'; write a quoted number such as \"12.5\", "
        "0 or more and below 100",
        "rules.toml: rule 'match': fallbck is not a known key; did you mean fallback? accepted are compare, enabled, "
        "fallback, guardrails, id, offers, priority, rounding, scope, target",
        "rules.toml: rule 'match': scope.brands is 'Ridge'; write a list of quoted texts, for example "
        '["acme", "globex"]',
        "rules.toml: rule 'match': target.n only goes with reference 'nth'; take it out",
    )


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ("compare = 'total'", "compare is 'total'; accepted are price, landed"),
        ("enabled = 'yes'", "enabled is 'yes'; write true or false, without quotes"),
        ("offers.min_offers = '2'", "offers.min_offers is '2'; write a whole number without quotes, 0 or more"),
        ("offers.min_offers = true", "offers.min_offers is true; write a whole number without quotes, 0 or more"),
        ("guardrails.min_change_amount = '1,50'", "guardrails.min_change_amount is '1,50'; write a quoted amount"),
        ("guardrails.min_change_amount = 1.5", "guardrails.min_change_amount is the number 1.5; write a quoted"),
        ("guardrails.max_decrease_pct = '-5'", "guardrails.max_decrease_pct is '-5'; write a quoted number"),
        ("guardrails.max_decrease_pct = 'NaN'", "guardrails.max_decrease_pct is 'NaN'; write a quoted number"),
        (
            "rounding.endings = []",
            'rounding.endings is []; write a list of quoted amounts, for example ["0.49", "0.99"]',
        ),
        ("rounding.endings = [0.99]", "rounding.endings is [0.99]; write a list of quoted amounts"),
        (
            "rounding.endings = ['0.99']\nrounding.bands = [{endings = ['0.49']}]",
            "rounding.endings and rounding.bands exclude each other; keep one of them",
        ),
        (
            "rounding.bands = [{endings = ['0.49'], below = '20'}]",
            "rounding.bands: every band but the last needs below, and the last must have none",
        ),
        ("rounding.bands = [{}]", "rounding.bands[1].endings is missing"),
        (
            "target.adjust_amount = '-1'\ntarget.adjust_percent = '-1'",
            "target.adjust_amount and target.adjust_percent exclude each other; keep one of them",
        ),
        ("target.band = {low = '97'}", 'target.band.high is missing; write a quoted percentage such as "97"'),
        ("target.band = {low = '105', high = '95'}", "target.band.low is '105'; it must not be above target.band.high"),
        ("target.seller = 'acme'", "target.seller only goes with reference 'seller'; take it out"),
        ("scope = 'all'", "scope is 'all'; write a table of keys and values"),
        ("scope.skus = ['']", "scope.skus is ['']; write a list of quoted texts"),
    ],
)
def test_a_wrong_value_is_named_with_rule_key_value_and_accepted_forms(lines: str, told: str) -> None:
    (problem,) = problems_of(one_rule(lines))

    assert problem.startswith(f"rules.toml: rule 'match': {told}")


@pytest.mark.parametrize(
    ("target", "told"),
    [
        ("reference = 'cheapest'", "target.reference is 'cheapest'; accepted are lowest, nth, median, average, seller"),
        ("adjust_amount = '1'", "target.reference is missing; accepted are lowest, nth, median, average, seller, cost"),
        ("reference = 'nth'", "target.n is missing; reference 'nth' needs it"),
        ("reference = 'seller'", "target.seller is missing; reference 'seller' needs it"),
        ("reference = 'cost'\nband = {low = '1', high = '2'}", "target.band cannot go with reference 'cost'"),
    ],
)
def test_a_target_says_what_it_is_measured_against(target: str, told: str) -> None:
    (problem,) = problems_of(f"[[rules]]\nid = 'match'\npriority = 1\n[rules.target]\n{target}\n")

    assert problem.startswith(f"rules.toml: rule 'match': {told}")


def test_a_rule_without_an_id_is_named_by_its_place() -> None:
    assert problems_of("[[rules]]\npriority = 1\ntarget.reference = 'lowest'\n") == (
        "rules.toml: rule number 1: id is missing; write a quoted text",
    )


def test_two_rules_with_one_id_are_refused() -> None:
    assert problems_of(one_rule("") * 2) == (
        "rules.toml: rule 'match': id is used by 2 rules; give every rule its own id",
    )


def test_a_rule_about_a_seller_that_is_no_competitor_is_refused() -> None:
    text = one_rule("offers.exclude_sellers = ['globex', 'acme']")

    assert problems_of(text, sellers=["acme", "birch"]) == (
        "rules.toml: rule 'match': offers.exclude_sellers names 'globex', which is no competitor; the competitors "
        "are acme, birch",
    )


def test_a_file_that_is_not_toml_is_refused_with_the_place() -> None:
    (problem,) = problems_of("[[rules]\n")

    assert problem.startswith("rules.toml: not readable as TOML: ")
    assert "line 1" in problem


def test_a_file_without_rules_has_none() -> None:
    assert read_rules({}, where="rules.toml").asked == ()


def test_ending_bands_are_read_in_order() -> None:
    text = one_rule("rounding = {mode = 'up', bands = [{below = '20', endings = ['0.49']}, {endings = ['9.00']}]}")

    (rule,) = rules_from_text(text, where="rules.toml").asked

    assert rule.rounding.mode is Mode.UP
    assert [band.below for band in rule.rounding.bands] == [Decimal(20), None]


def test_exchange_rates_work_from_every_currency_into_every_other() -> None:
    text = "[rates]\nbase = 'EUR'\nas_of = 2026-11-29\nworth = {USD = '0.8', GBP = '1.2'}"

    rates = rules_from_text(text, where="rules.toml").rates

    assert rates.into("EUR") == {"EUR": 1, "USD": Decimal("0.8"), "GBP": Decimal("1.2")}
    assert rates.into("USD")["GBP"] == Decimal("1.5")
    assert rates.into("SEK") == {}
    assert ExchangeRates().into("EUR") == {}


def test_wrong_exchange_rates_are_refused() -> None:
    told = problems_of("[rates]\nbase = 'euro'\nas_of = 'today'\nworth = {USD = '0', ABC = '1', GBP = 1.2}")

    assert [problem.removeprefix("rules.toml: ").split(";")[0] for problem in told] == [
        "rates.base is 'euro'",
        "rates.as_of is 'today'",
        "rates.worth.USD is '0'",
        "rates.worth.ABC is '1'",
        "rates.worth.GBP is the number 1.2",
    ]


def test_the_rules_are_asked_by_priority_and_then_as_written() -> None:
    text = "".join(one_rule("").replace("match", name).replace("= 1\n", f"= {at}\n") for name, at in ORDER)

    found: Rules = rules_from_text(text, where="rules.toml")

    assert [rule.id for rule in found.asked] == ["c", "a", "b"]


ORDER = [("a", 5), ("b", 5), ("c", -1)]
