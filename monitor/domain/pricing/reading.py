"""Read pricing rules from the tables of `rules.toml` (or of a decision table, which says the same).

All problems of a file come at once in one `Misconfigured`, and nothing of the file is used then.
Where the file is found and how it is parsed is decided elsewhere.
"""

import tomllib
from collections import Counter
from collections.abc import Collection, Mapping
from datetime import date
from decimal import Decimal

from monitor.domain.money import is_currency
from monitor.domain.pricing.fields import Fields
from monitor.domain.pricing.guard_reading import doubts_of, guards_of, names_of, scope_of
from monitor.domain.pricing.rule import (
    Band,
    BelowFloor,
    Compare,
    Direction,
    EndingBand,
    ExchangeRates,
    Fallback,
    Guardrails,
    Mode,
    OfferFilter,
    ReferenceKind,
    Rounding,
    Rule,
    Rules,
    Stock,
    Target,
)
from monitor.errors import Misconfigured

_HUNDRED = Decimal(100)


def read_rules(table: Mapping[str, object], *, where: str, sellers: Collection[str] | None = None) -> Rules:
    """Read the parsed content of a rules file.

    Args:
        table: key `rules` (a list of tables); optional `rates`, `run`, `emergencies`, `do_not_touch`, `anomalies`.
        where: the file, as problems name it.
        sellers: the known competitor ids; when given, a rule that names another one is a problem.

    Raises:
        Misconfigured: with every problem, each naming file, rule, key, value and accepted forms.
    """
    problems: list[str] = []
    top = Fields(table, place=where, problems=problems)
    rules = rule_list(top.tables("rules"), where=where, problems=problems, sellers=sellers)
    rates = _exchange_rates(top.table("rates")) if "rates" in top else ExchangeRates()
    top.raw("rates")
    guards, doubts = guards_of(top), doubts_of(top.table("anomalies"))
    top.close()
    if problems:
        raise Misconfigured(problems)
    return Rules(rules, rates, guards, doubts)


def rules_from_text(text: str, *, where: str, sellers: Collection[str] | None = None) -> Rules:
    """Read the text of a rules file, as a run has frozen it.

    Raises:
        Misconfigured: it is not TOML, or as `read_rules` says.
    """
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise Misconfigured([f"{where}: not readable as TOML: {error}; nothing of it was used"]) from None
    return read_rules(table, where=where, sellers=sellers)


def rule_list(
    tables: Collection[object], *, where: str, problems: list[str], sellers: Collection[str] | None = None
) -> tuple[Rule, ...]:
    """Read a list of rules, adding what is wrong to `problems`; a rule with problems is left out."""
    rules = []
    for number, table in enumerate(tables, start=1):
        rule = _rule(table, where, number, problems)
        if rule is not None:
            rules.append(rule)
            problems += _strangers(rule, where, sellers)
    for rule_id, times in Counter(rule.id for rule in rules).items():
        if times > 1:
            problems.append(f"{where}: rule {rule_id!r}: id is used by {times} rules; give every rule its own id")
    return tuple(rules)


def _rule(table: object, where: str, number: int, problems: list[str]) -> Rule | None:
    named = table.get("id") if isinstance(table, Mapping) else None
    name = repr(named) if isinstance(named, str) else f"number {number}"
    before = len(problems)
    top = Fields(table, place=f"{where}: rule {name}", problems=problems)
    rule_id = top.text("id", required=True)
    priority = top.whole("priority", required=True)
    rule = Rule(
        id=rule_id or "",
        priority=priority or 0,
        enabled=top.flag("enabled", True),
        scope=scope_of(top.table("scope")),
        compare=top.choice("compare", Compare.PRICE),
        target=_target(top.table("target")),
        offers=_offer_filter(top.table("offers")),
        guardrails=_guardrails(top.table("guardrails")),
        rounding=_rounding(top.table("rounding")),
        fallback=top.choice("fallback", Fallback.STOP),
    )
    top.close()
    return rule if len(problems) == before else None


def _target(fields: Fields) -> Target:
    if "reference" not in fields:
        kinds = ", ".join(kind.value for kind in ReferenceKind)
        fields.complain(f"{fields.prefix}reference is missing; accepted are {kinds}")
    target = Target(
        reference=fields.choice("reference", ReferenceKind.LOWEST),
        n=fields.whole("n", least=1),
        seller=fields.text("seller"),
        adjust_amount=fields.money("adjust_amount", least=None),
        adjust_percent=fields.number("adjust_percent", least=-_HUNDRED),
        band=_band(fields.table("band")) if "band" in fields else None,
    )
    fields.raw("band")
    fields.close()
    _check_target(target, fields)
    return target


def _band(fields: Fields) -> Band | None:
    low, high = fields.number("low"), fields.number("high")
    fields.close()
    for key in ("low", "high"):
        if key not in fields:
            fields.complain(f'{fields.prefix}{key} is missing; write a quoted percentage such as "97"')
    if low is None or high is None:
        return None
    if low > high:
        fields.refuse("low", f"it must not be above {fields.prefix}high, which is {str(high)!r}")
    return Band(low, high)


def _check_target(target: Target, fields: Fields) -> None:
    """Note what a target's keys contradict or lack, whether or not each is readable alone."""
    given = [key for key in ("adjust_amount", "adjust_percent", "band") if key in fields]
    if len(given) > 1:
        fields.complain(f"{fields.prefix}{given[0]} and {fields.prefix}{given[1]} exclude each other; keep one of them")
    if target.reference is ReferenceKind.COST and "band" in fields:
        fields.complain(f"{fields.prefix}band cannot go with reference 'cost'; write adjust_amount or adjust_percent")
    for kind, key in ((ReferenceKind.NTH, "n"), (ReferenceKind.SELLER, "seller")):
        if target.reference is kind and key not in fields:
            fields.complain(f"{fields.prefix}{key} is missing; reference {kind.value!r} needs it")
        if target.reference is not kind and key in fields:
            fields.complain(f"{fields.prefix}{key} only goes with reference {kind.value!r}; take it out")


def _offer_filter(fields: Fields) -> OfferFilter:
    default = OfferFilter()
    min_offers = fields.whole("min_offers", least=0)
    found = OfferFilter(
        only_sellers=names_of(fields, "only_sellers"),
        exclude_sellers=names_of(fields, "exclude_sellers") or frozenset(),
        max_age_hours=_or(fields.number("max_age_hours"), default.max_age_hours),
        out_of_stock=fields.choice("out_of_stock", default.out_of_stock),
        unknown_stock=fields.choice("unknown_stock", Stock.USE),
        ignore_below_map=fields.flag("ignore_below_map", default.ignore_below_map),
        outlier_pct=fields.number("outlier_pct"),
        min_offers=default.min_offers if min_offers is None else min_offers,
        min_coverage_pct=_or(fields.number("min_coverage_pct"), default.min_coverage_pct),
    )
    fields.close()
    return found


def _guardrails(fields: Fields) -> Guardrails:
    default = Guardrails()
    found = Guardrails(
        min_margin_pct=fields.number("min_margin_pct", below=_HUNDRED),
        max_decrease_pct=fields.number("max_decrease_pct"),
        max_increase_pct=fields.number("max_increase_pct"),
        respect_map=fields.flag("respect_map", default.respect_map),
        below_floor=fields.choice("below_floor", BelowFloor.CLAMP),
        direction=fields.choice("direction", Direction.BOTH),
        cooldown_hours=_or(fields.number("cooldown_hours"), default.cooldown_hours),
        min_change_amount=_or(fields.money("min_change_amount"), default.min_change_amount),
        min_change_pct=_or(fields.number("min_change_pct"), default.min_change_pct),
        skip_on_sale=fields.flag("skip_on_sale", default.skip_on_sale),
        skip_own_out_of_stock=fields.flag("skip_own_out_of_stock", default.skip_own_out_of_stock),
    )
    fields.close()
    return found


def _or(found: Decimal | None, default: Decimal) -> Decimal:
    return default if found is None else found


def _rounding(fields: Fields) -> Rounding:
    mode = fields.choice("mode", Mode.NEAREST)
    endings, tables = fields.amounts("endings"), fields.tables("bands")
    fields.close()
    if "endings" in fields and "bands" in fields:
        fields.complain(f"{fields.prefix}endings and {fields.prefix}bands exclude each other; keep one of them")
    if endings is not None:
        return Rounding(mode, (EndingBand(endings),))
    bands = [_ending_band(table, fields, number) for number, table in enumerate(tables, start=1)]
    limits = [band.below for band in bands]
    if limits and (limits[-1] is not None or None in limits[:-1]):
        fields.complain(f"{fields.prefix}bands: every band but the last needs below, and the last must have none")
    return Rounding(mode, tuple(bands))


def _ending_band(table: object, around: Fields, number: int) -> EndingBand:
    prefix = f"{around.prefix}bands[{number}]."
    fields = Fields(table, place=around.place, problems=around.problems, prefix=prefix)
    band = EndingBand(endings=fields.amounts("endings") or (), below=fields.money("below"))
    fields.close()
    if "endings" not in fields:
        fields.complain(f'{prefix}endings is missing; write a list of quoted amounts, for example ["0.99"]')
    return band


def _strangers(rule: Rule, where: str, sellers: Collection[str] | None) -> list[str]:
    if sellers is None:
        return []
    named = {
        "target.seller": [rule.target.seller] if rule.target.seller else [],
        "offers.only_sellers": sorted(rule.offers.only_sellers or ()),
        "offers.exclude_sellers": sorted(rule.offers.exclude_sellers),
    }
    known = ", ".join(sorted(sellers)) or "none yet"
    return [
        f"{where}: rule {rule.id!r}: {key} names {seller!r}, which is no competitor; the competitors are {known}"
        for key, found in named.items()
        for seller in found
        if seller not in sellers
    ]


def _exchange_rates(fields: Fields) -> ExchangeRates:
    base, as_of = fields.text("base", required=True), fields.raw("as_of")
    if base is not None and not is_currency(base):
        fields.refuse("base", 'write an ISO 4217 code such as "EUR"')
    if as_of is not None and not isinstance(as_of, date):
        fields.refuse("as_of", "write a date without quotes, for example 2026-11-29")
    rates = rate_table(fields.table("worth"))
    fields.close()
    return ExchangeRates(base, rates, as_of if isinstance(as_of, date) else None)


def rate_table(fields: Fields) -> dict[str, Decimal]:
    """Read a table of currency codes and what one unit is worth; the worth is above zero."""
    rates = {}
    for code in fields.keys:
        worth = fields.number(code)
        if worth == 0:
            fields.refuse(code, 'write what one unit is worth, above zero, for example "1.0842"')
        if not is_currency(code):
            fields.refuse(code, f"{code!r} is no ISO 4217 currency code such as USD")
        if worth:
            rates[code] = worth
    return rates
