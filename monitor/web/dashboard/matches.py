"""Which listing of a competitor is which product: what the machine suggests, and what people said."""

from dataclasses import dataclass
from urllib.parse import urlencode

from starlette.datastructures import QueryParams

from monitor.domain.access import Role
from monitor.domain.catalogue import MatchState
from monitor.domain.match import Match
from monitor.domain.report.clean import clean
from monitor.domain.report.wording import age, money
from monitor.errors import CannotSucceed
from monitor.ports.store import Store
from monitor.web.dashboard.known import Known, known
from monitor.web.dashboard.products import product_path, web_url
from monitor.web.forms import Fields, UnreadableForm
from monitor.web.visitor import visitor

PER_PAGE = 40
STATES = {
    MatchState.SUGGESTED: "suggested",
    MatchState.CONFIRMED: "confirmed",
    MatchState.REJECTED: "rejected",
}
_VERBS = {"confirm": MatchState.CONFIRMED, "reject": MatchState.REJECTED}
_MAX_REASON = 200


@dataclass(frozen=True, slots=True)
class Pair:
    """One match, as words."""

    id: int
    sku: str
    ours: str
    path: str
    our_price: str
    competitor: str
    theirs: str
    url: str | None
    price: str
    codes: str
    score: int
    reason: str
    evidence: tuple[str, ...]
    doubts: tuple[str, ...]
    by: str
    since: str


@dataclass(frozen=True, slots=True)
class Matching:
    """One page of matches."""

    pairs: tuple[Pair, ...]
    counts: dict[str, int]
    state: MatchState
    competitor: str
    names: dict[str, str]
    previous: str | None
    following: str | None
    may_decide: bool


def matching(store: Store, query: QueryParams) -> Matching:
    """Return the matches in one state, the surest first."""
    asked = query.get("state", "")
    state = MatchState(asked) if asked in set(MatchState) else MatchState.SUGGESTED
    competitor = clean(query.get("competitor", ""), 60)
    number = query.get("page", "1")
    page = max(1, int(number)) if number.isascii() and number.isdecimal() and len(number) < 6 else 1
    with store.read() as unit:
        context, now = known(unit), unit.now
        found = unit.matches.queue(
            state, competitor=competitor or None, limit=PER_PAGE + 1, offset=(page - 1) * PER_PAGE
        )
        counts = {one.value: count for one, count in unit.matches.count().items()}
    return Matching(
        pairs=tuple(_pair(one, context, age(one.decided_at or one.suggested_at, now=now)) for one in found[:PER_PAGE]),
        counts=counts,
        state=state,
        competitor=competitor,
        names=context.names,
        previous=_address(state, competitor, page - 1) if page > 1 else None,
        following=_address(state, competitor, page + 1) if len(found) > PER_PAGE else None,
        may_decide=visitor().may(Role.APPROVER),
    )


def decide_matches(store: Store, form: Fields, by: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Decide what a form asks for; return what was done and what was not, in words. Raises UnreadableForm."""
    done, refused = [], []
    for number in form.all("pair"):
        if not (number.isascii() and number.isdecimal() and len(number) < 18):
            raise UnreadableForm("a row is damaged")
        word = form.one(f"verb-{number}")
        if word in ("", "leave"):
            continue
        if word not in _VERBS:
            raise UnreadableForm("it asks for something unknown")
        reason = clean(form.one(f"reason-{number}"), _MAX_REASON) or f"{word}ed on the dashboard"
        try:
            with store.write() as unit:
                found = unit.matches.decide(int(number), _VERBS[word], by, reason)
        except CannotSucceed as cannot:
            refused.append(str(cannot))
            continue
        if found is None:
            refused.append(f"There is no match {number} any more.")
        else:
            done.append(f"{clean(found.title, 120)} at {found.competitor} for {found.sku}: {STATES[found.state]}.")
    return tuple(done), tuple(refused)


def _pair(one: Match, context: Known, since: str) -> Pair:
    product = context.catalogue.product(one.sku)
    codes = [("SKU", one.their_sku), ("GTIN", one.their_gtin), ("brand", one.brand)]
    return Pair(
        id=one.id,
        sku=clean(one.sku, 80),
        ours=clean(product.title, 140) if product else "not in the catalogue any more",
        path=product_path(one.sku),
        our_price=money(product.price, product.currency) if product else "",
        competitor=context.names.get(one.competitor, one.competitor),
        theirs=clean(one.title, 140),
        url=web_url(one.url),
        price=money(one.price, one.currency) if one.price is not None and one.currency else "",
        codes=", ".join(f"{name} {clean(value, 60)}" for name, value in codes if value),
        score=one.score,
        reason=clean(one.reason, 300),
        evidence=tuple(clean(words, 120) for words in one.evidence),
        doubts=tuple(clean(words, 120) for words in one.doubts),
        by=clean(one.by, 80),
        since=since,
    )


def _address(state: MatchState, competitor: str, page: int) -> str:
    given = {"state": state.value} | ({"competitor": competitor} if competitor else {})
    return "/matches?" + urlencode(given | {"page": str(page)})
