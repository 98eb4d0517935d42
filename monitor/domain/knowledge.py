"""What is remembered of a competitor from night to night: its platform, how its catalogue is asked, and whether it can
be believed.

Kept as facts of the competitor: `platform` with the evidence and the day, `catalogue` with the shop's own ids of
our watches and what else the adapter learnt, `comparison` with one price read both ways, `recipe` suggested for a page
that gave no price (for a person: nothing is read by it). A platform is looked for
again after thirty days and after a night in which its adapter failed. Facts are written when a visit ends, so that
a resumed visit plans with what the first life knew.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

#: How long a platform and a comparison are believed.
BELIEVED = timedelta(days=30)
#: Most ids kept for one competitor.
MOST_IDS = 20_000
#: Rates of value added and sales tax in use, in percent; a ratio of one of them is a tax and no price change.
TAX_RATES = (
    *(Decimal(rate) for rate in (*range(5, 26), 27)),
    *(Decimal(rate) for rate in ("2.6", "5.5", "7.7", "8.1", "13.5", "25.5")),
)
PLATFORM, CATALOGUE, COMPARISON, RECIPE = "platform", "catalogue", "comparison", "recipe"


@dataclass(frozen=True, slots=True)
class Comparison:
    """One watch read on its page and in the catalogue in the same night."""

    platform: str
    sku: str
    page: str  #: `119.00 EUR`
    catalogue: str
    agrees: bool | None  #: None: they differ, and nothing says why
    words: str
    compared_on: date
    tax_pct: str | None = None  #: the rate that the two differ by
    currency_source: str = "answer"  #: where the catalogue's currency came from: `answer`, `page`, `setting`

    def as_json(self) -> dict[str, Any]:
        """Return the form that is stored."""
        fields = ("platform", "sku", "page", "catalogue", "agrees", "words", "tax_pct", "currency_source")
        return {name: getattr(self, name) for name in fields} | {"compared_on": self.compared_on.isoformat()}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "Comparison":
        """Read back what `as_json` wrote."""
        given = {name: stored[name] for name in cls.__dataclass_fields__ if name in stored}
        return cls(**{**given, "compared_on": date.fromisoformat(stored["compared_on"])})


@dataclass(frozen=True, slots=True)
class Known:
    """What a visit begins with."""

    platform: str | None = None
    learned: Mapping[str, Any] = field(default_factory=dict)  #: by the adapter of `platform`
    comparison: Comparison | None = None

    @classmethod
    def of(cls, facts: Mapping[str, Any], today: date) -> "Known":
        """Read the facts of a competitor; what is too old or damaged is as if it had never been learnt."""
        found = facts.get(PLATFORM)
        platform = None
        if isinstance(found, Mapping) and "failed_on" not in found and _is_fresh(found.get("found_on"), today):
            platform = str(found.get("name") or "") or None
        learned = facts.get(CATALOGUE)
        stored = facts.get(COMPARISON)
        is_good = isinstance(stored, Mapping) and _is_fresh(stored.get("compared_on"), today)
        return cls(
            platform,
            learned if isinstance(learned, Mapping) else {},
            Comparison.from_json(stored) if is_good and isinstance(stored, Mapping) else None,
        )

    def learned_by(self, platform: str) -> Mapping[str, Any]:
        """Return what the adapter of a platform learnt; another platform's ids mean nothing to it."""
        return self.learned if self.learned.get("platform", platform) == platform else {}

    def comparison_of(self, platform: str) -> Comparison | None:
        """Return the settled comparison of a platform's catalogue."""
        found = self.comparison
        return found if found is not None and found.platform == platform and found.agrees is not None else None


def _is_fresh(text: object, today: date) -> bool:
    try:
        return today - date.fromisoformat(str(text)) < BELIEVED
    except ValueError:
        return False


def merged(parts: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what was learnt in several steps together; ids of watches add up, else the last one wins."""
    together: dict[str, Any] = {}
    for part in parts:
        for name, value in part.items():
            old = together.get(name)
            both = isinstance(old, Mapping) and isinstance(value, Mapping)
            together[name] = {**old, **value} if both else value  # type: ignore[dict-item]  # both are mappings
    return together


def kept(learned: Mapping[str, Any], platform: str) -> dict[str, Any]:
    """Return what of it is worth keeping for the next night: nothing that holds for tonight only, and not too much."""
    lasting = {name: value for name, value in learned.items() if not name.startswith("_")}
    for name in ("ids", "variations"):
        if isinstance(lasting.get(name), Mapping):
            lasting[name] = dict(list(lasting[name].items())[-MOST_IDS:])
    return {**lasting, "platform": platform}


def tax_between(lower: Decimal, higher: Decimal) -> Decimal | None:
    """Return the tax rate in percent that turns one amount into the other, None when none does to the cent."""
    return next((rate for rate in TAX_RATES if abs(lower * (1 + rate / 100) - higher) <= Decimal("0.011")), None)


def compared(
    sku: str, page: tuple[Decimal, str], catalogue: tuple[Decimal, str], *, platform: str, source: str, today: date
) -> Comparison:
    """Return what the two prices of one watch say of each other.

    Args:
        sku: the watch.
        page: amount and currency on its page.
        catalogue: amount and currency in the catalogue's answer.
        platform: whose adapter read the answer.
        source: where the catalogue's currency came from.
        today: the night's date.
    """
    (shown, shown_in), (listed, listed_in) = page, catalogue
    agrees: bool | None = None
    tax: Decimal | None = None
    if shown_in != listed_in:
        agrees, words = False, f"the catalogue is in {listed_in} and the page in {shown_in}"
    elif shown == listed:
        agrees, words = True, "the catalogue has the price that the page shows, with the same tax"
    elif (tax := tax_between(min(shown, listed), max(shown, listed))) is not None:
        where = ("page", "catalogue") if shown > listed else ("catalogue", "page")
        agrees, words = False, f"the {where[0]} shows {tax} % tax that the {where[1]} leaves out"
    else:
        words = "page and catalogue differ, by no tax; it is compared again next time"
    return Comparison(
        platform=platform,
        sku=sku,
        page=f"{shown} {shown_in}",
        catalogue=f"{listed} {listed_in}",
        agrees=agrees,
        words=words,
        compared_on=today,
        tax_pct=None if tax is None else str(tax),
        currency_source=source,
    )
