"""What was approved and what became of it."""

from dataclasses import dataclass
from urllib.parse import urlencode

from starlette.datastructures import QueryParams

from monitor.domain.action import WriteState
from monitor.domain.money import amount_text
from monitor.domain.past import PROBLEMS, Executed
from monitor.domain.report.clean import clean
from monitor.domain.report.wording import money
from monitor.ports.store import Store
from monitor.web.dashboard.products import product_path
from monitor.web.review_facts import local_time

PER_PAGE = 50
_WAY = (WriteState.QUEUED, WriteState.WAITING, WriteState.CLAIMED, WriteState.CALLING, WriteState.DRY_RUN)
#: What the list can be narrowed to, with its words.
SHOWN: dict[str, tuple[str, tuple[WriteState, ...]]] = {
    "": ("everything", ()),
    "problems": ("what a person should look at", tuple(sorted(PROBLEMS))),
    "way": ("on their way", _WAY),
    "applied": ("applied", (WriteState.APPLIED, WriteState.APPLIED_NOOP)),
}
_WORDS = {
    WriteState.QUEUED: "waits for its turn",
    WriteState.WAITING: "waits for an older write of this product",
    WriteState.CLAIMED: "being read",
    WriteState.CALLING: "being written",
    WriteState.APPLIED: "applied",
    WriteState.APPLIED_NOOP: "was there already",
    WriteState.CONFLICT: "conflict",
    WriteState.FAILED: "failed",
    WriteState.UNKNOWN: "unknown, being read back",
    WriteState.CANCELLED: "taken back",
    WriteState.EXPIRED: "too late",
    WriteState.TARGET_GONE: "not in the shop",
    WriteState.DRY_RUN: "dry run, not written",
}


@dataclass(frozen=True, slots=True)
class Row:
    """One execution, as words."""

    sku: str
    title: str
    path: str
    prices: str
    state: str
    level: str
    words: str
    by: str
    at: str
    audit: str  #: address of its whole record


@dataclass(frozen=True, slots=True)
class Executions:
    """One page of them."""

    rows: tuple[Row, ...]
    total: int
    shown: str
    page: int
    previous: str | None
    following: str | None


def executions(store: Store, query: QueryParams, zone: str) -> Executions:
    """Return one page of what was executed, newest first."""
    shown = query.get("show", "")
    shown = shown if shown in SHOWN else ""
    number = query.get("page", "1")
    page = max(1, int(number)) if number.isascii() and number.isdecimal() and len(number) < 6 else 1
    with store.read() as unit:
        found, total = unit.past.executed(states=SHOWN[shown][1], limit=PER_PAGE, offset=(page - 1) * PER_PAGE)
    pages = max(1, -(-total // PER_PAGE))
    return Executions(
        rows=tuple(_row(one, zone) for one in found),
        total=total,
        shown=shown,
        page=page,
        previous=_address(shown, page - 1) if 1 < page <= pages else None,
        following=_address(shown, page + 1) if page < pages else None,
    )


def _address(shown: str, page: int) -> str:
    return "/executions?" + urlencode(({"show": shown} if shown else {}) | {"page": str(page)})


def _row(one: Executed, zone: str) -> Row:
    level = "bad" if one.is_problem else "good" if one.state is WriteState.APPLIED else ""
    return Row(
        sku=clean(one.sku, 80),
        title=clean(one.title, 120),
        path=product_path(one.sku),
        prices=f"{amount_text(one.old_price, one.currency)} → {money(one.new_price, one.currency)}",
        state=_WORDS[one.state],
        level=level,
        words=clean(one.words or "", 300),
        by=clean(one.by or "", 120),
        at=local_time(one.finished_at or one.created_at, zone),
        audit=f"/audit?q={one.action_id}",
    )
