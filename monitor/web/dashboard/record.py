"""The auditor's pages: who decided what and what the shop answered, what a reading rests on, and the list of runs."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from monitor.domain.past import NightLine
from monitor.domain.report.clean import clean
from monitor.domain.review import STATE_WORDS, figures_words
from monitor.ports.audit import Trail
from monitor.ports.store import Store, Unit
from monitor.web.context import Context
from monitor.web.dashboard.products import product_path, web_url
from monitor.web.pages import Pages
from monitor.web.review_facts import local_time
from monitor.web.trail import evidence_of, story, trails_of

_READ = ["GET", "HEAD"]
#: Proposals of a product, and latest ones when nothing was asked for.
_MOST_OF_SKU, _MOST_LATEST = 20, 10
_RUNS_PER_PAGE, _MAX_PAGE = 50, 1_000
_HASH_DIGITS = 64


@dataclass(frozen=True, slots=True)
class Told:
    """One proposal with its story, as words."""

    id: int
    key: str
    title: str
    path: str
    sku: str
    prices: str
    state: str
    lines: tuple[tuple[str, str], ...]  #: moment and words
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Candidate:
    """One amount on a page, as words."""

    amount: str
    role: str
    source: str
    text: str
    verdict: str
    reason: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a reading rests on, as words."""

    url: str | None
    facts: Mapping[str, str]
    candidates: tuple[Candidate, ...]


def record_routes(context: Context, pages: Pages) -> APIRouter:
    """Return the routes of these pages."""
    router = APIRouter(include_in_schema=False)
    zone = context.plan.schedule.zone

    @router.api_route("/audit", methods=_READ)
    def audit(q: str = "") -> Response:
        asked = clean(q, 200)
        return pages.page("web/audit.html", here="/audit", asked=asked, trails=told_of(context.store, asked, zone))

    @router.api_route("/evidence/{digest}", methods=_READ)
    def evidence(digest: str) -> Response:
        found = evidence_page(context.store, digest)
        if found is None:
            return pages.not_found()
        return pages.page("web/evidence.html", here="/products", found=found, digest=digest)

    @router.api_route("/runs", methods=_READ)
    def runs(request: Request) -> Response:
        number = request.query_params.get("page", "1")
        page = int(number) if number.isascii() and number.isdecimal() and len(number) < 6 else 1
        page = min(max(page, 1), _MAX_PAGE)
        found, has_more = runs_page(context.store, page)
        return pages.page("web/runs.html", here="/", nights=found, page=page, has_more=has_more)

    return router


def told_of(store: Store, asked: str, zone: str) -> tuple[Told, ...]:
    """Return the trails of what was asked for, or of what was approved last."""
    with store.read() as unit:
        trails = trails_of(unit, asked, _MOST_OF_SKU) if asked else _latest(unit)
    return tuple(_told(one, zone) for one in trails)


def _latest(unit: Unit) -> tuple[Trail, ...]:
    found, _total = unit.past.executed(limit=_MOST_LATEST)
    numbers = dict.fromkeys(one.action_id for one in found)
    return tuple(trail for number in numbers if (trail := unit.audit.of_action(number)) is not None)


def _told(trail: Trail, zone: str) -> Told:
    action, shown = trail.action, trail.action.proposal
    began = (local_time(action.created_at, zone), f"proposed by rule {shown.rule_id}: {clean(shown.words, 300)}")
    return Told(
        id=action.id,
        key=shown.action_key,
        title=clean(shown.title, 140),
        path=product_path(shown.sku),
        sku=clean(shown.sku, 80),
        prices=figures_words(action),
        state=STATE_WORDS[action.state],
        lines=(began, *((local_time(when, zone), clean(words, 500)) for when, words in story(trail))),
        evidence=tuple(each for each in evidence_of(trail) if _is_hash(each)),
    )


def _is_hash(text: str) -> bool:
    return len(text) == _HASH_DIGITS and all(digit in "0123456789abcdef" for digit in text)


def evidence_page(store: Store, digest: str) -> Evidence | None:
    """Return what is kept of one reading, or None: other stored bytes are not shown, and old ones are gone."""
    if not _is_hash(digest):
        return None
    with store.read() as unit:
        body = unit.blobs.get(digest)
    try:
        kept = json.loads(body) if body is not None else None
    except ValueError:
        return None
    if not isinstance(kept, dict) or "candidates" not in kept or "outcome" not in kept:
        return None
    price = f"{kept['price']} {kept.get('currency') or ''}" if kept.get("price") else None
    given = {
        "Outcome": f"{str(kept['outcome']).replace('_', ' ')} ({kept.get('reason')})",
        "Why": kept.get("words"),
        "Price": price,
        "Product named": kept.get("name"),
        "SKU": kept.get("sku"),
        "GTIN": kept.get("gtin"),
        "Answer": f"HTTP {kept['status']}" if kept.get("status") else None,
    }
    return Evidence(
        url=web_url(str(kept.get("final_url") or kept.get("url") or "")),
        facts={name: clean(str(value), 300) for name, value in given.items() if value},
        candidates=tuple(_candidate(one) for one in kept["candidates"] if isinstance(one, dict)),
    )


def _candidate(one: Mapping[str, Any]) -> Candidate:
    amount = f"{one['amount']} {one.get('currency') or ''}".strip() if one.get("amount") else ""
    words = {name: clean(str(one.get(name) or ""), 200) for name in ("role", "source", "text", "verdict", "reason")}
    words["role"] = words["role"].replace("_", " ")
    return Candidate(amount=amount, **words)


def runs_page(store: Store, page: int) -> tuple[tuple[NightLine, ...], bool]:
    """Return one page of the nights, newest first, and whether there are older ones."""
    wanted = page * _RUNS_PER_PAGE
    with store.read() as unit:
        found = unit.past.nights(_RUNS_PER_PAGE + 1, offset=wanted - _RUNS_PER_PAGE)
    return found[:_RUNS_PER_PAGE], len(found) > _RUNS_PER_PAGE
