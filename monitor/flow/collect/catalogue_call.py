"""The tool that makes one catalogue call and reads every watch that its answer holds.

A watch whose price is in the answer is read. One that the answer has, but without a price to be had, is told: its
own page is still asked if the budget allows. One that is not in the answer says nothing: its own page decides
whether it is gone. Nothing of an answer is used when it contradicts the page that it was compared with.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from monitor.domain.answer import NoReading, asks_to_slow_down, classify, ends_visit, without_page
from monitor.domain.asking import identity_of
from monitor.domain.catalogue import Watch
from monitor.domain.extraction import Extraction, Outcome
from monitor.domain.knowledge import Comparison, compared
from monitor.domain.listing import Answer, Listing, Problem
from monitor.domain.pacing import bucket_of
from monitor.domain.page import FetchRules, Miss, Page
from monitor.domain.proof import FIRST_PART, MOST_REMEMBERED, NAMELESS
from monitor.domain.reading import Memory, in_known_currency
from monitor.durable import Done, ToolContext
from monitor.extract.platforms import adapter_of
from monitor.extract.platforms.matching import Shelf, find, keys_of, place_of, variant_of
from monitor.flow.collect.one_reader import one_reader
from monitor.ports.store import Effect

if TYPE_CHECKING:
    from monitor.flow.collect.tools import Visitor

#: Time for one answer of a catalogue, which is larger than a page and costs the shop more.
CATALOGUE_DEADLINE = timedelta(seconds=60)
#: Statuses of answers that are read: a partial list is a list.
READ = frozenset({200, 206})
#: Statuses with which an endpoint says that it is not there for us; everything else may pass.
OFF = frozenset({400, 401, 402, 403, 404, 405, 406, 410, 415, 421, 422, 451, 501})


@dataclass(frozen=True, slots=True)
class Found:
    """What one answer says of the watches that were looked for in it."""

    listing: Listing
    readings: Mapping[str, Extraction] = field(default_factory=dict)  #: by SKU
    ids: Mapping[str, str] = field(default_factory=dict)  #: the shop's own, by SKU
    follow: Mapping[str, str] = field(default_factory=dict)  #: variants that have to be asked for by themselves


@one_reader()
def read_answer(platform: str, answer: Answer, watches: Sequence[Watch], args: Mapping[str, Any]) -> Found:
    """Read one answer of a catalogue; a pure function of its bytes."""
    adapter = adapter_of(platform)
    if adapter is None:
        return Found(Listing(problem=Problem.OFF, words=f"there is no adapter for {platform}"))
    listing = adapter.read(answer)
    shelf = Shelf(listing.items)
    readings: dict[str, Extraction] = {}
    ids: dict[str, str] = {}
    follow: dict[str, str] = {}
    for watch in watches:
        slug, known = adapter.slug_of(watch.url), args.get("ids", {}).get(watch.sku)
        chosen = args.get("variations", {}).get(watch.sku)
        found = find(
            shelf,
            watch,
            args.get("currency"),
            platform=platform,
            slug=slug,
            known_id=known,
            variant_id=chosen,
        )
        if found is None:
            continue
        readings[watch.sku] = found
        of = variant_of(shelf, watch, slug, known)
        if of is not None:
            ids[watch.sku] = of[0].id
        if of is not None and of[1] and found.reason == "range" and not chosen:
            follow[watch.sku] = of[1]
    return Found(listing, readings, ids, follow)


class CatalogueTool:
    """Makes one catalogue call."""

    def __init__(self, visitor: "Visitor") -> None:
        self._visitor, self._todo = visitor, visitor.todo

    def __call__(self, context: ToolContext, args: dict[str, Any]) -> Done:
        """Ask, read, compare, and say what is to be kept."""
        visitor = self._visitor
        answer = context.call(visitor.fetcher.fetch, args["url"], self._rules(context, args))
        why = without_page(answer) if isinstance(answer, Miss) else classify(answer)
        if why is not None and not (isinstance(answer, Page) and answer.status in READ and not ends_visit(why)):
            return self._no_answer(context, answer, why)
        assert isinstance(answer, Page)  # noqa: S101 - narrows the type for mypy
        if elsewhere := _elsewhere(answer, str(args["platform"])):
            return self._no_listing(Listing(problem=Problem.OFF, words=elsewhere), answer.requests)
        watches = self._todo.watches_of([*args["skus"], *args.get("compare", {})])
        came = self._answer(answer, watches, args)
        found = context.call(read_answer, str(args["platform"]), came, watches, self._with_currency(args))
        if found.listing.problem is not None:
            return self._no_listing(found.listing, answer.requests)
        return self._kept(found, watches, answer, args)

    def _rules(self, context: ToolContext, args: Mapping[str, Any]) -> FetchRules:
        visitor, feed = self._visitor, self._todo.competitor.feed
        rules = visitor.rules(context, visitor.obeyed(args["url"]))
        is_feed = args["platform"] == "feed"
        most = visitor.limits.max_feed_bytes if is_feed else visitor.limits.max_body_bytes
        return replace(
            rules,
            accept="application/xml,text/xml,text/tab-separated-values,*/*;q=0.5" if is_feed else "application/json",
            deadline=CATALOGUE_DEADLINE,
            max_body_bytes=most,
            max_wire_bytes=most,
            hosts=(*rules.hosts, bucket_of(feed)) if is_feed and feed else rules.hosts,
            headers={**rules.headers, **args.get("headers", {})},
            post=args["post"].encode() if "post" in args else None,
        )

    def _with_currency(self, args: dict[str, Any]) -> dict[str, Any]:
        """Return the arguments with the currency for answers that name none: verified tonight, else the operator's."""
        adapter = adapter_of(str(args["platform"]))
        if adapter is None or not adapter.names_currency or args.get("currency"):
            return args
        return {**args, "currency": self._todo.competitor.currency}

    def _answer(self, page: Page, watches: Sequence[Watch], args: Mapping[str, Any]) -> Answer:
        return Answer(
            body=page.body,
            at=self._now(),
            content_type=page.content_type,
            headers=page.headers,
            url=str(args["url"]),
            post=args.get("post"),
            wanted=keys_of(watches),
        )

    def _now(self) -> datetime:
        with self._visitor.store.read() as unit:
            return unit.now

    def _no_answer(self, context: ToolContext, answer: Page | Miss, why: NoReading) -> Done:
        """Go on with single pages, unless the shop told us to slow down or to stay away."""
        if isinstance(answer, Page) and asks_to_slow_down(answer, why):
            return self._visitor.slowed(context, (), answer, why)
        is_off = isinstance(answer, Page) and answer.status in OFF
        failed = Problem.OFF if is_off or (isinstance(answer, Miss) and not answer.may_pass) else Problem.PASSING
        result: dict[str, Any] = {"failed": failed.value, "read": [], "words": f"no catalogue: {why.words}"}
        # A plain refusal may be about the catalogue alone: one more call tells. A wall is about us.
        if ends_visit(why) and why.reason != "refused":
            result |= {"stop": why.outcome.value, "words": f"{why.words}; nothing more was asked of this shop tonight"}
        return Done(result, (), answer.requests)

    def _no_listing(self, listing: Listing, requests: int) -> Done:
        problem = listing.problem or Problem.OFF
        result: dict[str, Any] = {"failed": problem.value, "read": [], "words": listing.words}
        if problem is Problem.CLOSED:
            result |= {"stop": Outcome.FAILED.value, "stop_reason": "password_page"}
        return Done(result | ({"learned": dict(listing.learned)} if listing.learned else {}), (), requests)

    def _kept(self, found: Found, watches: Sequence[Watch], page: Page, args: Mapping[str, Any]) -> Done:
        result: dict[str, Any] = {"read": [], "products": len(found.listing.items), "more": found.listing.more}
        result |= {"cursor": found.listing.cursor} if found.listing.cursor else {}
        result |= {"first": found.listing.items[0].id} if found.listing.more and found.listing.items else {}
        notes = "; ".join(filter(None, (*found.listing.warnings, found.listing.loss)))
        result |= {"words": notes} if notes else {}
        comparison = self._compared(found, args)
        if comparison is not None:
            result["comparison"] = comparison.as_json()
            if not comparison.agrees:
                prices = f"{comparison.catalogue} there, {comparison.page} on the page"
                why = f"its catalogue is not used: {comparison.words} ({comparison.sku}: {prices})"
                return Done(result | {"distrusted": why}, (), page.requests)
        elif differs := self._contradicted(found, args):
            return Done(result | {"distrusted": differs}, (), page.requests)
        if unproven := self._unproven(found, watches, args):
            return Done(result | {"failed": Problem.ADJUST.value, "unproven": unproven}, (), page.requests)
        result |= {"is_proven": True} if _is_proven(found, args) else {}
        effects: list[Effect] = []
        told: list[str] = []
        for watch in watches:
            reading = self._reading(found, watch, args)
            is_told = watch.sku in args.get("unclear", ())  # its page has told why there is no price
            if reading is not None and not (is_told and reading.outcome is not Outcome.OK):
                effects.append(self._visitor.keeping(reading, watch, page))
                is_over = reading.outcome is Outcome.OK or reading.reason in ("currency_changed", "currency_unknown")
                (result["read"] if is_over else told).append(watch.sku)
        result |= {"told": told} if told else {}
        return Done(result | self._learned(found, watches, args), effects, page.requests)

    def _reading(self, found: Found, watch: Watch, args: Mapping[str, Any]) -> Extraction | None:
        raw = found.readings.get(watch.sku)
        if raw is None or watch.sku in found.follow or watch.sku in args.get("compare", {}):
            return None
        memory = self._todo.remembered(watch)
        if memory.currency is None:
            memory = Memory(memory.name, self._todo.usual_currency or args.get("currency"))
        return in_known_currency(raw, memory, self._todo.competitor.currency)

    def _unproven(self, found: Found, watches: Sequence[Watch], args: Mapping[str, Any]) -> list[str]:
        """Return the watches that a part of a list would give a price although no page of tonight proves it."""
        adapter = adapter_of(str(args["platform"]))
        if adapter is None or adapter.names_currency or args["about"] != "list" or _is_proven(found, args):
            return []
        every = {watch.sku: self._reading(found, watch, args) for watch in watches}
        return sorted(sku for sku, reading in every.items() if reading is not None and reading.outcome is Outcome.OK)

    def _learned(self, found: Found, watches: Sequence[Watch], args: Mapping[str, Any]) -> dict[str, Any]:
        names = {watch.sku: identity_of(watch) for watch in watches}
        learned: dict[str, Any] = dict(found.listing.learned)
        for key, numbers in (("ids", _of_one_product(found.ids, watches)), ("variations", found.follow)):
            if numbers:
                learned[key] = {names[sku]: number for sku, number in numbers.items()}
        if args["about"] == "list" and args["page"] == 1:
            learned[FIRST_PART] = sorted(names[sku] for sku in found.readings if sku in names)[:MOST_REMEMBERED]
        nameless = [v.currency is None for item in found.listing.items for v in item.variants if v.price is not None]
        if any(nameless) or (nameless and self._todo.known.learned.get(NAMELESS)):
            learned[NAMELESS] = any(nameless)
        return {"learned": learned} if learned else {}

    def _contradicted(self, found: Found, args: Mapping[str, Any]) -> str:
        """Return why an answer that was believed before is not tonight: a page of tonight shows another price."""
        for sku, (amount, currency) in args.get("compare", {}).items():
            reading = found.readings.get(sku)
            if reading is None or reading.price is None or reading.currency is None:
                continue
            if (reading.price, reading.currency) != (Decimal(amount), currency):
                prices = f"{reading.price} {reading.currency} there, {amount} {currency} on the page"
                return f"its catalogue is not used tonight: it has another price than a page ({sku}: {prices})"
        return ""

    def _compared(self, found: Found, args: Mapping[str, Any]) -> Comparison | None:
        """Compare the first watch that was read on its own page tonight; None when the answer does not have it."""
        platform = str(args["platform"])
        if self._todo.known.comparison_of(platform) is not None:
            return None
        for sku, (amount, currency) in args.get("compare", {}).items():
            reading = found.readings.get(sku)
            if reading is None or reading.price is None or reading.currency is None:
                continue
            adapter = adapter_of(platform)
            source = "answer" if adapter is not None and adapter.names_currency else "page"
            return compared(
                sku,
                (Decimal(amount), str(currency)),
                (reading.price, reading.currency),
                platform=platform,
                source=source,
                today=self._todo.today,
            )
        return None


def _is_proven(found: Found, args: Mapping[str, Any]) -> bool:
    """Say whether this part of a list, or one before it, has the price of a page of tonight."""
    priced = {sku for sku, reading in found.readings.items() if reading.price is not None}
    return bool(args.get("is_proven") or args.get("compare", {}).keys() & priced)


def _of_one_product(numbers: Mapping[str, str], watches: Sequence[Watch]) -> dict[str, str]:
    """Return the numbers that the shop gave to one page only; asked for by one of many, each would be that product."""
    pages: dict[str, set[str | None]] = {}
    for watch in watches:
        if watch.sku in numbers:
            pages.setdefault(numbers[watch.sku], set()).add(place_of(watch.url))
    return {sku: number for sku, number in numbers.items() if len(pages[number]) == 1}


def _elsewhere(answer: Page, platform: str) -> str:
    """Return why an answer is not used that came from another address than it was asked for, "" when it is.

    A shop sends visitors on to the market it takes them for (`/en-us/products.json`). Where the answer names no
    currency, the one that a page of this market shows would be put on the prices of another.
    """
    adapter = adapter_of(platform)
    if adapter is None or adapter.names_currency or place_of(answer.final_url) == place_of(answer.url):
        return ""
    return f"its catalogue is not used: it was sent on to {answer.final_url}, which may be another market's"
