"""The tools of a competitor's job: each makes one request and says what of it is to be kept."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from monitor.domain.answer import NoReading, asks_to_slow_down, classify, closed_by, ends_visit, may_pass, without_page
from monitor.domain.asking import by_identity, origin_of
from monitor.domain.catalogue import RobotsPolicy, Showing, Watch
from monitor.domain.extraction import UNCLEAR, Availability, Extraction, Outcome
from monitor.domain.knowledge import RECIPE
from monitor.domain.made_once import made_once
from monitor.domain.message import Alert, AlertKind
from monitor.domain.money import amount_text
from monitor.domain.pacing import SHOPIFY_BUCKET, bucket_of, cool_down
from monitor.domain.page import FetchRules, Miss, MissReason, Page, in_browser
from monitor.domain.reading import SHOP_CLOSED, evidence_json, hints_for, observation_of, trusted
from monitor.domain.robots import MAX_AGE, RobotsKind, RobotsVerdict, ignored, robots_url, verdict
from monitor.domain.visit import CATALOGUE, PAGE, ROBOTS
from monitor.durable import Done, Tool, ToolContext
from monitor.flow.collect import confirmed
from monitor.flow.collect.assignment import Assignment
from monitor.flow.collect.catalogue_call import CatalogueTool
from monitor.flow.collect.confirmed import Asked, Keeping
from monitor.flow.collect.plan import recording
from monitor.flow.collect.platform_search import PlatformSearch
from monitor.flow.collect.read import PageReading, read_page
from monitor.ports.store import Effect, Store, Unit
from monitor.ports.world import Fetcher

#: Most HTTP requests of one tool call: the page and at most five redirects.
MOST_HOPS = 6


@dataclass(frozen=True, slots=True)
class Limits:
    """What the operator set for every visit."""

    agent: str = "price-monitor"  #: the product token that robots.txt files address
    page_deadline: timedelta = timedelta(seconds=20)
    max_body_bytes: int = 5_000_000
    max_feed_bytes: int = 25_000_000  #: of a merchant feed, packed or not


class Visitor:
    """Makes the requests of one job."""

    def __init__(self, todo: Assignment, store: Store, fetcher: Fetcher, limits: Limits) -> None:
        self.todo, self.store, self.fetcher, self.limits = todo, store, fetcher, limits
        self._known_robots: dict[str, RobotsVerdict] = {}  # good for a day, and a visit is shorter
        self._search = PlatformSearch(todo.competitor, todo.known.platform, todo.platforms)

    def tools(self) -> Mapping[str, Tool]:
        """Return the tools by name."""
        return {ROBOTS: self._robots, PAGE: self._page, CATALOGUE: CatalogueTool(self)}

    def rules(self, context: ToolContext, robots: RobotsVerdict | None) -> FetchRules:
        """Return the limits of the next request."""
        competitor = self.todo.competitor
        return FetchRules(
            hosts=(bucket_of(competitor.base_url), *competitor.extra_hosts),
            allow_addresses=frozenset(competitor.allow_addresses),
            accept_language=competitor.language,
            deadline=self.limits.page_deadline,
            max_body_bytes=self.limits.max_body_bytes,
            max_requests=max(min(competitor.request_cap - context.requests_used, MOST_HOPS), 0),
            hop_delay=max(competitor.delay, robots.crawl_delay(self.limits.agent) if robots else timedelta(0)),
            robots=robots,
        )

    def obeyed(self, url: str) -> RobotsVerdict | None:
        """Return what robots.txt says of the host of an address, None where it is not obeyed or not known."""
        shop = self.todo.competitor
        if shop.robots is RobotsPolicy.IGNORE:
            return ignored(shop.refuse)
        origin = robots_url(url)
        if origin not in self._known_robots:
            with self.store.read() as unit:
                known = unit.shops.robots(origin, MAX_AGE)
            if known is None:
                return None
            self._known_robots[origin] = known.as_set(shop.refuse, shop.allow)
        return self._known_robots[origin]

    @made_once
    def _keeping(self) -> Keeping:
        return Keeping.of(self.store, self.todo.competitor, self.limits.agent)

    def _robots(self, context: ToolContext, args: dict[str, Any]) -> Done:
        """Read robots.txt, from the store when it is fresh, and rule out what it closes."""
        found, requests, retry = self.obeyed(args["url"]), 0, False
        if found is None:
            rules = replace(self.rules(context, None), accept="text/plain,*/*;q=0.5", may_cut=True, any_host=True)
            answer = context.call(self.fetcher.fetch, args["url"], rules)
            found, requests = context.call(verdict, answer), answer.requests
            found = found.as_set(self.todo.competitor.refuse, self.todo.competitor.allow)
            if found.kind is not RobotsKind.UNREACHABLE:  # as what is kept, and read again by a resumed visit
                self._known_robots[args["url"]] = found
            else:  # one night has one robots.txt to lose, and the shop with it
                retry = may_pass(answer) and not self._asked_before(context, args["url"])
        here = [watch for watch in self.todo.watches if robots_url(watch.url) == args["url"]]
        closed = [] if retry else [watch for watch in here if not found.allows(watch.url, self.limits.agent)]
        result = {
            "kind": found.kind.value,
            "words": found.words,
            "delay_s": str(found.crawl_delay(self.limits.agent).total_seconds()),
            "read": [watch.sku for watch in closed],
            "closed": [] if retry else self._closed_endpoints(args["url"], found),
            "retry": retry,
        }
        told = [recording(closed_by(found, watch.url), watch, self.todo.job.run_id) for watch in closed]
        fresh = [
            *_kept_robots(args["url"], found),
            *_spaced(args["url"], found.crawl_delay(self.limits.agent)),
        ]  # a copy that is kept anew every night would never be too old
        return Done(result, [*told, *(fresh if requests else [])], requests)

    def _asked_before(self, context: ToolContext, url: str) -> bool:
        with self.store.read() as unit:
            steps = unit.jobs.steps(context.claim.job.id)
        return any(step.tool == ROBOTS and step.args.get("url") == url and step.result for step in steps)

    def _closed_endpoints(self, url: str, found: RobotsVerdict) -> list[str]:
        """Name the catalogue endpoints of this host that its robots.txt closes to us, `shopify list`."""
        every = [
            (f"{adapter.name} {name}", endpoint)
            for adapter in self.todo.platforms.values()
            for name, endpoint in adapter.endpoints(origin_of(url)).items()
        ]
        feed = self.todo.competitor.feed
        every += [("feed feed", feed)] if feed and robots_url(feed) == url else []
        return [name for name, endpoint in every if not found.allows(endpoint, self.limits.agent)]

    def _each(self, why: NoReading, watches: Sequence[Watch]) -> list[Effect]:
        return [recording(why, watch, self.todo.job.run_id) for watch in watches]

    def _page(self, context: ToolContext, args: dict[str, Any]) -> Done:
        """Fetch one page and read every watch that it shows."""
        watches, shop = self.todo.watches_of(args["skus"]), self.todo.competitor
        rules = self._shown(context, self.rules(context, self.obeyed(args["url"])))
        asked = confirmed.ask(context, self.store, self.fetcher, self._keeping, args["url"], rules)
        answer = asked.answer
        if isinstance(answer, Miss) and self._spent_all(context, answer):
            return self._capped(watches, answer)
        if isinstance(answer, Miss):
            return self._unread(watches, answer, without_page(answer), retry=may_pass(answer))
        why = None if asked.confirmed else classify(answer)
        if why is None:
            return self._reading(context, watches, asked, answer)
        if asks_to_slow_down(answer, why):
            return self.slowed(context, watches, answer, why)
        done = self._unread(watches, answer, why, retry=may_pass(answer))
        return replace(done, effects=[*done.effects, *confirmed.forgetting(asked, shop, args["url"])])

    def _shown(self, context: ToolContext, rules: FetchRules) -> FetchRules:
        """Let a browser show the page where the operator wants it; its scripts spend the requests of the night."""
        shop = self.todo.competitor
        if shop.fetch is not Showing.BROWSER:
            return rules
        left = max(shop.request_cap - context.requests_used, 0)
        return in_browser(rules, left)

    def _unread(self, watches: Sequence[Watch], answer: Page | Miss, why: NoReading, *, retry: bool) -> Done:
        result: dict[str, Any] = {"outcome": why.outcome.value, "reason": why.reason, "words": why.words}
        result |= {"retry": retry, "read": [] if retry else [watch.sku for watch in watches]}
        if ends_visit(why):
            result |= {"stop": why.outcome.value, "words": _no_more(why.words)}
        return Done(result, self._each(why, watches), answer.requests)

    def _spent_all(self, context: ToolContext, miss: Miss) -> bool:
        """Say whether the cap of the night ended this call, not that of the call itself."""
        spent = context.requests_used + miss.requests
        return miss.reason is MissReason.REQUEST_CAP and spent >= self.todo.competitor.request_cap

    def _capped(self, watches: Sequence[Watch], miss: Miss) -> Done:
        """End the visit: the requests of this night are spent, and what was not reached comes first tomorrow."""
        competitor, run_id = self.todo.competitor, self.todo.job.run_id
        words = f"the {competitor.request_cap} HTTP requests of this competitor and night were spent before its turn"
        asked = NoReading(Outcome.FAILED, "cut_off", f"{miss.words}, redirects count too")
        result: dict[str, Any] = {"stop": Outcome.SKIPPED_BUDGET.value, "stop_reason": "request_cap", "words": words}
        result["read"] = [watch.sku for watch in watches] if miss.requests else []
        alert = f"{competitor.name}: {words.removesuffix(' before its turn')}; the report names what was not read."
        effects: list[Effect] = [_alerting(f"requests:{run_id}:{competitor.id}", run_id, alert)]
        return Done(result, [*effects, *(self._each(asked, watches) if miss.requests else ())], miss.requests)

    def slowed(self, context: ToolContext, watches: Sequence[Watch], page: Page, why: NoReading) -> Done:
        """Leave the host alone as it asks; ask once more if that is soon, else end the visit."""
        with self.store.read() as unit:
            now = unit.now
            waited = any((step.result or {}).get("waited") for step in unit.jobs.steps(context.claim.job.id))
        cool = cool_down(page.headers.get("retry-after"), now=now, is_second=waited)
        said = NoReading(why.outcome, why.reason, f"{why.words}; {cool.words}")
        result = {
            "outcome": why.outcome.value,
            "reason": why.reason,
            "words": said.words,
            "waited": True,
            "retry": not cool.ends_visit,
            "read": [watch.sku for watch in watches] if cool.ends_visit else [],
        }
        if cool.ends_visit:
            result["stop"] = why.outcome.value
        buckets = [*sorted({bucket_of(page.url), bucket_of(page.final_url)}), *_shared(page)]
        kept = [_cools(bucket, now + cool.wait, cool.words) for bucket in buckets]
        return Done(result, [*kept, *self._each(said, watches)], page.requests)

    def _reading(self, context: ToolContext, watches: Sequence[Watch], asked: Asked, page: Page) -> Done:
        result: dict[str, Any] = {"status": page.status, "read": [watch.sku for watch in watches]}
        effects: list[Effect] = []
        outcomes: dict[str, str] = {}
        every: list[Extraction] = []
        hints = [hints_for(self.todo.competitor, watch) for watch in watches]
        reading = context.call(read_page, page, hints, watches, self._search.next)
        for watch, raw in zip(watches, reading.extractions, strict=True):
            found = trusted(raw, page, watch, self.todo.remembered(watch), self.todo.competitor.currency)
            found = confirmed.noting(asked, found)
            every.append(found)
            effects.append(self.keeping(found, watch, page))
            outcomes[watch.sku] = f"{found.outcome}: {found.reason}"
            if found.outcome is Outcome.OK:
                result["currency"] = found.currency
                result.setdefault("prices", {})[watch.sku] = [str(found.price), found.currency]
            elif shown := reading.shown_currency or (raw.currency if raw.outcome is Outcome.OK else None):
                result.setdefault("currency", shown)
            if found.reason in UNCLEAR and found.availability is not Availability.DISCONTINUED:
                result.setdefault("unclear", []).append(watch.sku)
            if found.outcome is Outcome.BLOCKED or found.reason in SHOP_CLOSED:
                result |= {"stop": found.outcome.value, "words": _no_more(found.words)}
        effects += self._suggesting(page, reading)
        effects += confirmed.keeping(asked, page, every, self.todo.competitor, page.url, self.limits.agent)
        return Done({**result, **self._told_by(page, watches, reading), "outcomes": outcomes}, effects, page.requests)

    def _suggesting(self, page: Page, reading: PageReading) -> list[Effect]:
        """Return what keeps a suggested recipe for the page of this competitor; no reading is made with it."""
        found, shop, today = reading.suggested, self.todo.competitor.id, self.todo.today
        if found is None:
            return []
        price = f"{amount_text(found.amount, found.currency)} {found.currency}"
        fact = {"page": page.final_url, "price": price, "recipe": dict(found.recipe), "found_on": today.isoformat()}
        return [lambda unit: unit.shops.learn(shop, RECIPE, fact)]

    def _told_by(self, page: Page, watches: Sequence[Watch], reading: PageReading) -> dict[str, Any]:
        """Return what the page tells of its shop: the platform, and what the platform's adapter learns from it."""
        told: dict[str, Any] = {}
        found = self._search.saw(reading.platform)
        if found is not None:
            told["platform"] = {"name": found.name, "evidence": list(found.evidence), "page": page.final_url}
        sold = {sku: learned for sku, learned in reading.learned.items() if learned}
        return told | ({"learned": by_identity(sold, watches)} if sold else {})

    def keeping(self, found: Extraction, watch: Watch, page: Page) -> Effect:
        """Return the effect that stores a reading with its evidence, and the page itself when it gave no price."""
        run_id, job_id = self.todo.job.run_id, self.todo.job.id

        def effect(unit: Unit) -> None:
            body = json.dumps(evidence_json(found, watch, page), ensure_ascii=False, separators=(",", ":"))
            digest = unit.blobs.put(body.encode("utf-8", "replace"))  # broken escapes leave half characters behind
            unit.blobs.refer(run_id, job_id, "evidence", digest, watch.key)
            if found.outcome is not Outcome.OK:
                unit.blobs.refer(run_id, job_id, "page", unit.blobs.put(page.body), watch.key)
            unit.observations.record(observation_of(found, watch, run_id=run_id, at=unit.now, evidence=digest))

        return effect


def _shared(page: Page) -> tuple[str, ...]:
    """Return the bucket that cools down with the shop's own: Shopify counts requests over all its shops."""
    return (SHOPIFY_BUCKET,) if page.status == 430 else ()


def _no_more(words: str) -> str:
    return f"{words}; nothing more was asked of this shop tonight"


def _alerting(key: str, run_id: str, words: str) -> Effect:
    def effect(unit: Unit) -> None:
        unit.alerts.raise_once(Alert(key, AlertKind.BUDGET, run_id, words, unit.now))

    return effect


def _cools(bucket: str, until: datetime, words: str) -> Effect:
    return lambda unit: unit.shops.cool(bucket, until, words)


def _spaced(url: str, delay: timedelta) -> list[Effect]:
    """Return what keeps the first page apart from the robots.txt that asked for it."""
    return [lambda unit: unit.shops.space(bucket_of(url), delay)] if delay else []


def _kept_robots(origin: str, found: RobotsVerdict) -> list[Effect]:
    if found.kind is RobotsKind.UNREACHABLE or found.is_ignored:
        return []
    return [lambda unit: unit.shops.keep_robots(origin, found)]
