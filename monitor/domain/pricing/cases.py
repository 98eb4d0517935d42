"""Decision tables: worked examples that are run against the engine.

One row is one product, the offers known for it, the rules in force and the one decision that is right.
The format is described in `docs/pricing.md`. A table that cannot be read raises `Misconfigured` with
everything that is wrong with it; a row that decides otherwise is a mismatch, told in words.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction

from monitor.domain.catalogue import MatchState, Product
from monitor.domain.money import is_currency
from monitor.domain.pricing.codes import OfferCode, Reason
from monitor.domain.pricing.decide import Decision, decide
from monitor.domain.pricing.fields import Fields
from monitor.domain.pricing.offers import NEW, Offer
from monitor.domain.pricing.reading import rate_table, rule_list
from monitor.domain.pricing.rule import Rules
from monitor.errors import Misconfigured

#: The semantics this program follows; a table says which one it was written for.
SEMANTICS = 1

#: The own currency of a row that does not say.
OWN_CURRENCY = "USD"


@dataclass(frozen=True, slots=True)
class Expected:
    """What a row says the decision must be; absent lists must be empty."""

    price: Decimal | None
    reason: Reason | None
    rule: str | None
    target: Decimal | None
    trail: tuple[str, ...]
    ignored: Mapping[str, OfferCode]


@dataclass(frozen=True, slots=True)
class Case:
    """One row of a decision table."""

    id: str
    title: str
    product: Product
    offers: tuple[Offer, ...]
    rules: Rules
    rates: Mapping[str, Fraction]
    since_change: timedelta | None
    expected: Expected


def read_cases(document: object, *, where: str) -> tuple[Case, ...]:
    """Read the parsed content of a decision table.

    Raises:
        Misconfigured: with every problem, each naming the file, the row, the key and the accepted forms.
    """
    problems: list[str] = []
    top = Fields(document, place=where, problems=problems)
    if top.raw("version") != SEMANTICS:
        top.refuse("version", f"this program follows version {SEMANTICS} of the semantics")
    if "cases" not in top and not problems:
        top.complain("cases is missing; write a list of rows")
    cases = [_case(row, where, number, problems) for number, row in enumerate(top.tables("cases"), start=1)]
    top.close()
    for case_id, times in Counter(case.id for case in cases).items():
        if times > 1:
            problems.append(f"{where}: row {case_id}: id is used by {times} rows; give every row its own id")
    if problems:
        raise Misconfigured(problems)
    return tuple(cases)


def decision_of(case: Case) -> Decision:
    """Return what the engine decides for a row."""
    return decide(case.product, case.offers, case.rules, rates=case.rates, since_change=case.since_change)


def mismatches(case: Case) -> tuple[str, ...]:
    """Return in words where the engine decides otherwise than the row says; empty when it agrees."""
    found, expected = decision_of(case), case.expected
    pairs = (
        ("outcome", _outcome(found.price), _outcome(expected.price)),
        ("price", found.price, expected.price),
        ("reason", found.reason, expected.reason),
        ("rule", found.rule.id if found.rule else None, expected.rule),
        ("target", found.target, expected.target),
        ("trail", list(found.trail), list(expected.trail)),
        ("ignored", {one.offer.seller: one.code.value for one in found.ignored}, dict(expected.ignored)),
    )
    return tuple(
        f"{name} is {_said(ours)}, the table says {_said(theirs)}" for name, ours, theirs in pairs if ours != theirs
    )


def _outcome(price: Decimal | None) -> str:
    return "none" if price is None else "propose"


def _said(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {one}" for key, one in sorted(value.items())) + "}"
    return "nothing" if value is None else str(value)


def _case(row: object, where: str, number: int, problems: list[str]) -> Case:
    named = row.get("id") if isinstance(row, Mapping) else None
    place = f"{where}: row {named if isinstance(named, str) else f'number {number}'}"
    top = Fields(row, place=place, problems=problems)
    currency = top.text("currency") or OWN_CURRENCY
    if not is_currency(currency):
        top.refuse("currency", 'write an ISO 4217 code such as "USD"')
    rates = {code: Fraction(worth) for code, worth in rate_table(top.table("fx")).items()}
    product, since_change = _product(top.table("product"), currency)
    case = Case(
        id=top.text("id", required=True) or "",
        title=top.text("title") or "",
        product=product,
        offers=_offers(top, currency),
        rules=Rules(rule_list(top.tables("rules"), where=place, problems=problems)),
        rates=rates,
        since_change=since_change,
        expected=_expected(top.table("expect")),
    )
    top.raw("why")
    top.close()
    return case


def _product(fields: Fields, currency: str) -> tuple[Product, timedelta | None]:
    price = fields.money("price", required=True)
    if price == 0:
        fields.refuse("price", "our own price must be above zero")
    hours = fields.whole("hours_since_change", least=0)
    units = fields.whole("units", least=1)
    product = Product(
        sku=fields.text("sku") or "",
        title="",
        currency=currency,
        price=price or Decimal(1),
        brand=fields.text("brand"),
        category=fields.text("category"),
        tags=fields.texts("tags") or (),
        compare_at=fields.money("compare_at"),
        cost=fields.money("cost"),
        min_price=fields.money("min_price"),
        max_price=fields.money("max_price"),
        map=fields.money("map"),
        msrp=fields.money("msrp"),
        shipping=fields.money("shipping"),
        units=1 if units is None else units,
        stock=fields.whole("stock"),
        locked=fields.flag("locked", False),
    )
    fields.close()
    return product, None if hours is None else timedelta(hours=hours)


def _offers(top: Fields, currency: str) -> tuple[Offer, ...]:
    offers = []
    for number, table in enumerate(top.tables("offers"), start=1):
        fields = Fields(table, place=top.place, problems=top.problems, prefix=f"offers[{number}].")
        offers.append(_offer(fields, currency))
        fields.close()
    for seller, times in Counter(offer.seller for offer in offers).items():
        if times > 1:
            top.complain(f"offers: seller {seller!r} stands {times} times; a seller has one offer in a row")
    return tuple(offers)


def _offer(fields: Fields, currency: str) -> Offer:
    units = fields.whole("units", least=1)
    in_stock = fields.flag("in_stock", False) if "in_stock" in fields else None
    fields.raw("in_stock")
    return Offer(
        seller=fields.text("seller", required=True) or "",
        price=fields.money("price", required=True) or Decimal(0),
        currency=fields.text("currency") or currency,
        age=timedelta(hours=fields.whole("age_hours", least=0, required=True) or 0),
        match=fields.choice("match", MatchState.SUGGESTED),
        shipping=fields.money("shipping"),
        in_stock=in_stock,
        condition=fields.text("condition") or NEW,
        units=1 if units is None else units,
        tax_included_pct=fields.number("tax_included_pct") or Decimal(0),
        held=fields.flag("held", False),
    )


def _expected(fields: Fields) -> Expected:
    outcome, price = fields.text("outcome", required=True), fields.money("price")
    reason = Reason(fields.choice("reason", Reason.NO_RULE)) if "reason" in fields else None
    fields.raw("reason")
    if outcome not in {"propose", "none", None}:
        fields.refuse("outcome", "accepted are propose, none")
    if (outcome == "propose") != (price is not None) or (outcome == "none") != (reason is not None):
        fields.complain("expect: propose goes with a price and without a reason, none the other way round")
    expected = Expected(
        price=price,
        reason=reason,
        rule=fields.text("rule"),
        target=fields.money("target", least=None),
        trail=fields.texts("trail") or (),
        ignored=_codes(fields.table("ignored")),
    )
    fields.close()
    return expected


def _codes(fields: Fields) -> dict[str, OfferCode]:
    return {seller: fields.choice(seller, OfferCode.HELD) for seller in fields.keys}
