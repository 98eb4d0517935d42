"""What is wrong with rules that can be read: rules that never decide, and rules that contradict themselves or others.

Everything is judged by the products, competitors and watches that there are: a rule that waits for products to come is
reported too, as it does nothing today.
"""

import difflib
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import StrEnum
from typing import Any

from monitor.domain.catalogue import Catalogue, MatchState, Product
from monitor.domain.money import amount_text
from monitor.domain.pricing.bounds import ceilings, floors, highest, lowest
from monitor.domain.pricing.exact import minor_unit, ticks_of
from monitor.domain.pricing.rule import Direction, Fallback, ReferenceKind, Rule, Rules, Scope
from monitor.domain.pricing.wording import counted, number

#: SKUs that one finding names; the rest is counted.
_MOST_NAMED = 5


class Finding(StrEnum):
    """What is wrong with a rule."""

    COVERS_NOTHING = "COVERS_NOTHING"  #: its scope is for no product there is
    NEVER_ASKED = "NEVER_ASKED"  #: earlier rules decide all of its products
    NO_NEXT = "NO_NEXT"  #: falls back to the next rule, and there is none for its products
    SAME_PRIORITY = "SAME_PRIORITY"  #: only the written order says which of two rules decides
    NEVER_PROPOSES = "NEVER_PROPOSES"  #: its own keys leave no price that it could propose
    NEVER_ENOUGH = "NEVER_ENOUGH"  #: asks for more offers than its sellers can have
    BOUNDS_CONFLICT = "BOUNDS_CONFLICT"  #: products whose floor is above their ceiling under it
    COST_MISSING = "COST_MISSING"  #: products without the cost that it needs
    NO_RULE = "NO_RULE"  #: products that no rule is for
    UNKNOWN_NAME = "UNKNOWN_NAME"  #: names something that the catalogue does not have
    NO_RATE = "NO_RATE"  #: a competitor's currency without an exchange rate
    IS_OVER = "IS_OVER"  #: an emergency whose dates have passed


@dataclass(frozen=True, slots=True)
class RuleFinding:
    """One finding."""

    code: Finding
    rule: str | None  #: None when it is about no single rule
    key: str | None  #: the key to change
    words: str

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {"code": self.code.value, "rule": self.rule, "key": self.key, "words": self.words}


def check_rules(rules: Rules, catalogue: Catalogue, *, today: date) -> tuple[RuleFinding, ...]:
    """Return what is wrong with rules, in the order in which they are asked, then what is about all of them.

    Without products, or without watches, there is nothing that a rule could be for, and only its own keys are judged.
    """
    covered = {rule.id: [one for one in catalogue.products if rule.scope.covers(one)] for rule in rules.asked}
    found = [finding for rule in rules.asked for finding in _of_rule(rule, rules, catalogue, covered)]
    return (*found, *_of_pairs(rules, covered), *_of_all(rules, catalogue, today))


def _of_rule(
    rule: Rule, rules: Rules, catalogue: Catalogue, covered: dict[str, list[Product]]
) -> Iterator[RuleFinding]:
    products = covered[rule.id]
    yield from _unknown(rule.scope, catalogue, rule.id, "scope")
    if not catalogue.products:
        pass
    elif not products:
        words = (
            f"rule {rule.id!r} never decides: its scope is for none of {counted(len(catalogue.products), 'product')}"
        )
        yield RuleFinding(Finding.COVERS_NOTHING, rule.id, "scope", words)
    else:
        yield from _of_order(rule, rules, products)
        yield from _of_products(rule, products)
    yield from _of_limits(rule, products)
    yield from _of_sellers(rule, catalogue)


def _unknown(scope: Scope, catalogue: Catalogue, rule: str | None, prefix: str) -> Iterator[RuleFinding]:
    """Yield the names of a scope that no product has."""
    products = catalogue.products
    known: dict[str, tuple[Collection[str] | None, set[str]]] = {
        "skus": (scope.skus, {one.sku for one in products}),
        "brands": (scope.brands, {one.brand for one in products if one.brand}),
        "categories": (scope.categories, {one.category for one in products if one.category}),
        "tags": (scope.tags, {tag for one in products for tag in one.tags}),
    }
    for key, (names, there) in known.items() if products else ():
        for name in sorted(set(names or ()) - there):
            close = difflib.get_close_matches(name, sorted(there), n=1)
            meant = f"; did you mean {close[0]!r}?" if close else ""
            who = f"rule {rule!r}: " if rule else ""
            words = f"{who}{prefix}.{key} names {name!r}, which no product of the catalogue has{meant}"
            yield RuleFinding(Finding.UNKNOWN_NAME, rule, f"{prefix}.{key}", words)


def _of_order(rule: Rule, rules: Rules, products: Sequence[Product]) -> Iterator[RuleFinding]:
    """Yield whether the order of the rules leaves this one anything to decide, or somebody to pass on to."""
    position = rules.asked.index(rule)
    earlier, later = rules.asked[:position], rules.asked[position + 1 :]
    deciding = {_first(earlier, one) for one in products}
    if None not in deciding:
        before = ", ".join(sorted(repr(one.id) for one in deciding if one is not None))
        words = f"rule {rule.id!r} never decides: all of its products go to {before}, by a smaller priority"
        yield RuleFinding(Finding.NEVER_ASKED, rule.id, "priority", words)
    if rule.fallback is Fallback.NEXT and not any(one.scope.covers(each) for one in later for each in products):
        words = f"rule {rule.id!r}: fallback is 'next', and no later rule is for any of its products"
        yield RuleFinding(Finding.NO_NEXT, rule.id, "fallback", words)


def _first(rules: Iterable[Rule], product: Product) -> Rule | None:
    """Return the first of these rules that decides a product for good."""
    return next((one for one in rules if one.scope.covers(product) and one.fallback is Fallback.STOP), None)


def _of_products(rule: Rule, products: Sequence[Product]) -> Iterator[RuleFinding]:
    needs_cost = rule.guardrails.min_margin_pct is not None or rule.target.reference is ReferenceKind.COST
    without = [one for one in products if needs_cost and one.cost is None]
    if without:
        key = "guardrails.min_margin_pct" if rule.guardrails.min_margin_pct is not None else "target.reference"
        words = f"rule {rule.id!r}: {key} needs a cost, and {_named(without)} lack one in the catalogue"
        yield RuleFinding(Finding.COST_MISSING, rule.id, key, words)
    torn = [one for one in products if _is_torn(one, rule)]
    if torn:
        words = f"rule {rule.id!r}: the floor is above the ceiling of {_named(torn)}; correct the catalogue or the rule"
        yield RuleFinding(Finding.BOUNDS_CONFLICT, rule.id, "guardrails", words)


def _is_torn(product: Product, rule: Rule) -> bool:
    floor, ceiling = highest(floors(product, rule.guardrails)), lowest(ceilings(product))
    return floor is not None and ceiling is not None and floor.ticks > ceiling.ticks


def _of_limits(rule: Rule, products: Sequence[Product]) -> Iterator[RuleFinding]:
    """Yield limits of one rule that leave no change to propose."""
    limits = rule.guardrails
    ways = {
        Direction.DOWN: (limits.max_decrease_pct, "guardrails.max_decrease_pct"),
        Direction.UP: (limits.max_increase_pct, "guardrails.max_increase_pct"),
    }
    open_ways = [way for way in ways if limits.direction in (Direction.BOTH, way)]
    closed = [ways[way] for way in open_ways if _is_closed(ways[way][0], limits.min_change_pct)]
    if len(closed) == len(open_ways):
        keys = " and ".join(key for _, key in closed)
        least = f"min_change_pct {number(limits.min_change_pct)}"
        told = " and ".join(f"{key.partition('.')[2]} {number(most)}" for most, key in closed)
        words = f"rule {rule.id!r} never proposes: {told} with {least} and direction {limits.direction.value!r}"
        yield RuleFinding(Finding.NEVER_PROPOSES, rule.id, keys, words)
    for currency in sorted({one.currency for one in products}):
        unit = minor_unit(currency)
        for band in rule.rounding.bands:
            if all(ticks_of(ending) % unit for ending in band.endings):
                endings = ", ".join(amount_text(ending) for ending in band.endings)
                words = f"rule {rule.id!r}: no price in {currency} can end in {endings}"
                yield RuleFinding(Finding.NEVER_PROPOSES, rule.id, "rounding", words)


def _is_closed(most: Decimal | None, least: Decimal) -> bool:
    return most is not None and (most == 0 or most < least)


def _of_sellers(rule: Rule, catalogue: Catalogue) -> Iterator[RuleFinding]:
    """Yield what a rule asks of sellers that it does not look at, or that are not watched."""
    if rule.target.reference is ReferenceKind.COST or not catalogue.watches:
        return
    watched = {one.competitor for one in catalogue.watches if one.match is not MatchState.REJECTED}
    asked = rule.offers
    looked_at = (watched if asked.only_sellers is None else watched & asked.only_sellers) - asked.exclude_sellers
    seller = rule.target.seller
    if seller is not None and seller not in looked_at:
        words = f"rule {rule.id!r}: target.seller {seller!r} is watched for no product, or left out by its offers"
        yield RuleFinding(Finding.NEVER_ENOUGH, rule.id, "target.seller", words)
    needed = max(asked.min_offers, rule.target.n or 0)
    if needed > len(looked_at):
        key = "target.n" if needed == rule.target.n else "offers.min_offers"
        words = (
            f"rule {rule.id!r}: {key} asks for {needed}, and it looks at {counted(len(looked_at), 'watched seller')}"
        )
        yield RuleFinding(Finding.NEVER_ENOUGH, rule.id, key, words)


def _of_pairs(rules: Rules, covered: dict[str, list[Product]]) -> Iterator[RuleFinding]:
    """Yield pairs of rules of one priority that are for the same products."""
    by_priority: dict[int, list[Rule]] = defaultdict(list)
    for rule in rules.asked:
        by_priority[rule.priority].append(rule)
    for same in by_priority.values():
        for position, one in enumerate(same):
            for other in same[position + 1 :]:
                both = {each.sku for each in covered[one.id]} & {each.sku for each in covered[other.id]}
                if both:
                    words = (
                        f"rules {one.id!r} and {other.id!r} have the same priority {one.priority} and share "
                        f"{counted(len(both), 'product')}; {one.id!r} decides because it is written first"
                    )
                    yield RuleFinding(Finding.SAME_PRIORITY, other.id, "priority", words)


def _of_all(rules: Rules, catalogue: Catalogue, today: date) -> Iterator[RuleFinding]:
    alone = [one for one in catalogue.products if next(rules.asked_about(one), None) is None]
    if alone:
        words = f"no enabled rule is for {_named(alone)}; widen a scope or add a rule with a large priority"
        yield RuleFinding(Finding.NO_RULE, None, "rules", words)
    listed = rules.guards.do_not_touch
    lists = Scope(*(names or None for names in (listed.skus, listed.brands, listed.categories, listed.tags)))
    yield from _unknown(lists, catalogue, None, "do_not_touch")
    for emergency in rules.guards.emergencies:
        yield from _unknown(emergency.scope, catalogue, None, f"emergencies {emergency.id!r} scope")
        if emergency.until < today:
            words = f"emergency {emergency.id!r} was over on {emergency.until}; take it out or set until"
            yield RuleFinding(Finding.IS_OVER, None, "emergencies.until", words)
    yield from _of_rates(rules, catalogue)


def _of_rates(rules: Rules, catalogue: Catalogue) -> Iterator[RuleFinding]:
    """Yield competitors whose currency cannot be converted into ours."""
    ours = sorted({one.currency for one in catalogue.products})
    for competitor in catalogue.competitors:
        theirs = competitor.currency
        missing = [one for one in ours if theirs and theirs != one and theirs not in rules.rates.into(one)]
        if missing and len(missing) == len(ours):
            words = (
                f"{competitor.name} shows {theirs}, and rates has no worth of it in {', '.join(missing)}; "
                "its offers are ignored"
            )
            yield RuleFinding(Finding.NO_RATE, None, "rates.worth", words)


def _named(products: Sequence[Product]) -> str:
    named = ", ".join(one.sku for one in products[:_MOST_NAMED])
    more = f" and {len(products) - _MOST_NAMED} more" if len(products) > _MOST_NAMED else ""
    return f"{counted(len(products), 'product')} ({named}{more})"
