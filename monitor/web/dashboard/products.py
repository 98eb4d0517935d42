"""The list of products and the page of one."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import quote, urlencode

from starlette.datastructures import QueryParams

from monitor.domain.action import Action, ActionState
from monitor.domain.extraction import Availability
from monitor.domain.money import amount_text, rounded
from monitor.domain.observation import OWN, Observation, Span
from monitor.domain.report.clean import clean
from monitor.domain.report.wording import age, clock, money, rate, signed_rate
from monitor.domain.standing import Portfolio, Standing
from monitor.domain.unread import in_full, kind_words
from monitor.ports.standings import By, Wanted
from monitor.ports.store import Store
from monitor.web.dashboard.history import Dossier, History
from monitor.web.dashboard.known import known

#: Products on one page of the list.
PER_PAGE = 50
_MAX_PAGE = 10_000
ZONES = {
    "": "every product",
    "red": "more than 10 % above the lowest",
    "lowest": "lowest",
    "cheap": "more than 5 % below the lowest",
    "alone": "without a usable offer",
}
SORTS = {By.STAKE: "money at stake", By.INDEX: "dearest first", By.CHEAP: "cheapest first", By.TITLE: "name"}


@dataclass(frozen=True, slots=True)
class Line:
    """One product in the list, as words."""

    sku: str
    title: str
    path: str
    own: str
    lowest: str
    above: str  #: percent above the lowest, with sign
    is_red: bool
    is_lowest: bool
    seller: str
    index: str
    place: str
    reason: str


@dataclass(frozen=True, slots=True)
class Listed:
    """A page of the list with what leads to the others."""

    lines: tuple[Line, ...]
    total: int
    wanted: Wanted
    page: int
    pages: int
    previous: str | None
    following: str | None
    run_id: str | None
    portfolio: Portfolio | None
    reasons: dict[str, int]
    sellers: dict[str, str]


def wanted_of(query: QueryParams) -> tuple[Wanted, int]:
    """Return what a query asks for and the page, 1 the first; what it does not know counts as not given."""
    by = query.get("by", "")
    zone = query.get("zone", "")
    number = query.get("page", "1")
    page = int(number) if number.isascii() and number.isdecimal() and len(number) < 6 else 1
    wanted = Wanted(
        words=clean(query.get("q", ""), 100),
        reason=clean(query.get("reason", ""), 40),
        seller=clean(query.get("seller", ""), 60),
        zone=zone if zone in ZONES else "",
        by=By(by) if by in set(By) else By.STAKE,
    )
    return wanted, min(max(1, page), _MAX_PAGE)


def listed(store: Store, wanted: Wanted, page: int) -> Listed:
    """Return one page of the newest decided night's products."""
    with store.read() as unit:
        context, run_id = known(unit), unit.standings.latest()
        if run_id is None:
            return Listed((), 0, wanted, 1, 1, None, None, None, None, {}, context.names)
        rows, total = unit.standings.page(run_id, wanted, limit=PER_PAGE, offset=(page - 1) * PER_PAGE)
        figures, reasons = unit.standings.portfolio(run_id), dict(unit.standings.reasons(run_id))
    pages = max(1, -(-total // PER_PAGE))
    return Listed(
        lines=tuple(_line(row, context.names) for row in rows),
        total=total,
        wanted=wanted,
        page=page,
        pages=pages,
        previous=_address(wanted, page - 1) if 1 < page <= pages else None,
        following=_address(wanted, page + 1) if page < pages else None,
        run_id=run_id,
        portfolio=figures,
        reasons=reasons,
        sellers=context.names,
    )


def product_path(sku: str) -> str:
    """Return the address of a product's page; whatever a SKU is made of."""
    return f"/products/{quote(sku, safe='')}"


def reason_words(code: str) -> str:
    """Return a reason code as words."""
    return code.replace("_", " ").lower()


def _address(wanted: Wanted, page: int) -> str:
    asked = {"q": wanted.words, "reason": wanted.reason, "seller": wanted.seller, "zone": wanted.zone}
    given = {name: value for name, value in asked.items() if value}
    return "/products?" + urlencode(given | {"by": wanted.by.value, "page": str(page)})


def _line(row: Standing, names: dict[str, str]) -> Line:
    above = row.above_lowest_pct
    return Line(
        sku=clean(row.sku, 80),
        title=clean(row.title, 120),
        path=product_path(row.sku),
        own=money(row.own, row.currency),
        lowest="" if row.lowest is None else money(rounded(row.lowest, row.currency), row.currency),
        above="" if above is None else signed_rate(above),
        is_red=row.is_red,
        is_lowest=row.is_lowest,
        seller=names.get(row.lowest_seller or "", row.lowest_seller or ""),
        index="" if row.index is None else f"{row.index}",
        place="" if row.position is None else f"{row.position} of {row.usable + 1}",
        reason="proposed" if row.reason is None else reason_words(row.reason),
    )


@dataclass(frozen=True, slots=True)
class Offer:
    """A rival's offer on the page of a product, as words."""

    seller: str
    path: str
    price: str
    list_price: str
    stock: str
    is_out: bool
    since: str
    seen: str
    outcome: str
    words: str
    url: str | None
    evidence: str | None


def offers_of(shown: Dossier) -> tuple[Offer, ...]:
    """Return every rival's offer, cheapest first, those without a price last."""
    found = shown.history
    latest = {key: span for key, span in found.latest.items() if key != OWN}
    readings = {one.competitor: one for one in shown.readings}
    priced = sorted(latest.values(), key=lambda span: (span.currency != found.currency, span.price, span.competitor))
    order = [span.competitor for span in priced] + sorted(set(readings) - set(latest))
    return tuple(_offer(found, key, latest.get(key), readings.get(key)) for key in order)


def _offer(found: History, key: str, span: Span | None, reading: Observation | None) -> Offer:
    stock = span.availability if span is not None else Availability.UNKNOWN
    return Offer(
        seller=found.known.names.get(key, key),
        path=f"/competitors/{quote(key, safe='')}",
        price="" if span is None else money(span.price, span.currency),
        list_price="" if span is None or span.list_price is None else money(span.list_price, span.currency),
        stock=stock.value.replace("_", " "),
        is_out=stock is Availability.OUT_OF_STOCK,
        since="" if span is None else age(span.first_seen_at, now=found.now),
        seen="" if span is None else age(span.last_seen_at, now=found.now),
        outcome="" if reading is None else in_full(reading.outcome, reading.reason, clean(reading.words, 200)),
        words=f"held, feeds nothing: {found.held[key]}" if key in found.held else "",
        url=None if reading is None else web_url(reading.url),
        evidence=None if reading is None else reading.evidence,
    )


@dataclass(frozen=True, slots=True)
class Reading:
    """What one night read of one product at one competitor, as words."""

    sku: str
    path: str
    outcome: str
    price: str
    stock: str
    words: str


def reading_of(one: Observation) -> Reading:
    """Return a reading as words."""
    is_read = one.price is not None and one.currency is not None
    return Reading(
        sku=clean(one.sku, 80),
        path=product_path(one.sku),
        outcome=kind_words(one.outcome, one.reason),
        price=money(one.price, one.currency) if one.price is not None and one.currency is not None else "",
        stock=one.availability.value.replace("_", " ") if is_read else "",
        words=clean(one.words, 200),
    )


def web_url(url: str) -> str | None:
    """Return an address if a browser may follow it."""
    return clean(url, 2000) if url.lower().startswith(("https://", "http://")) else None


@dataclass(frozen=True, slots=True)
class Past:
    """One action of a product, as words."""

    night: str
    state: str
    prices: str
    words: str
    id: int


def actions_of(found: Dossier, limit: int = 20) -> Iterator[Past]:
    """Yield the newest proposals for a product."""
    for action in found.actions[:limit]:
        shown = action.proposal
        yield Past(
            night=shown.run_id,
            state=state_words(action.state),
            prices=f"{amount_text(shown.old_price, shown.currency)} → {money(shown.new_price, shown.currency)}",
            words=clean(shown.words, 300),
            id=action.id,
        )


def waiting(found: Dossier) -> Action | None:
    """Return the proposal that waits for a person, or None."""
    return next((one for one in found.actions if _waits(one, found.history.now)), None)


def _waits(action: Action, now: datetime) -> bool:
    return action.state is ActionState.PENDING and action.proposal.expires_at > now


def state_words(state: ActionState) -> str:
    """Return a state as people call it."""
    return {ActionState.CANCELLED: "taken back", ActionState.APPLIED_NOOP: "applied, was there already"}.get(
        state, state.value.replace("_", " ")
    )


def facts_of(found: History, zone: str) -> dict[str, str]:
    """Return what stands beside the title: our price now, with what we wrote today, margin, place in the market."""
    product, standing = found.product, found.standing
    facts: dict[str, Any] = {}
    own = found.latest.get(OWN)
    price = product.price if product is not None else (own.price if own is not None else None)
    changed = found.changed
    price = price if changed is None else changed.new
    if price is not None:
        since = "" if changed is None else f", since {clock(changed.at, zone, seen_from=found.now)}"
        facts["Our price"] = f"{money(price, found.currency)}{since}"
    if product is not None and product.cost is not None and price:
        facts["Cost"] = money(product.cost, found.currency)
        facts["Margin"] = rate((price - product.cost) / price * 100)
    if standing is not None and standing.index is not None:
        facts["Price index"] = f"{standing.index} (the rivals' median is 100)"
        facts["Place"] = f"{standing.position} of {standing.usable + 1}, {standing.tracked} tracked"
    elif standing is not None:
        facts["Price index"] = f"none: no usable offer among {standing.tracked} tracked"
    if standing is not None:
        said = "proposed" if standing.reason is None else reason_words(standing.reason)
        facts["Last night"] = said if standing.rule is None else f"{said} (rule {standing.rule})"
    if product is not None and product.weekly_units is not None:
        facts["Sold per week"] = f"{product.weekly_units.normalize():f}"
    return facts
