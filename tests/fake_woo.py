"""WooCommerce's REST API v3 as far as prices go: a store in memory behind a real HTTP server.

It does what the real one does, also where that is odd: a setter runs only for a field that is there and not null; ""
clears; a sale price at or above the regular price is dropped without a word; a batch answers 200 with an error in an
item; single writes want text, batches take anything; more than 100 items are refused; no key, no comparison. `changes`
counts what was really changed.
"""

import base64
import json
import re
import threading
from collections import deque
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any
from urllib.parse import parse_qs

from tests.fake_http import HttpFake, Manner, Reply, Request
from tests.fake_shop import Fault

KEY, SECRET = f"ck_{'0f1a' * 10}", f"cs_{'9e8d' * 10}"
BASE = "/wp-json/wc/v3"
_UNCHANGED = (Fault.ERROR_BEFORE, Fault.RESET, Fault.LATE, Fault.SILENT_NOOP, Fault.FORGOTTEN)


@dataclass(frozen=True)
class Item:
    """One product or variation as the shop keeps it."""

    number: int
    sku: str
    regular: str
    sale: str = ""
    parent: int = 0
    kind: str = "simple"
    is_sale_due: bool = True  #: whether the dates of the sale price are now
    stock: int | None = None
    cost: str | None = None
    revision: int = 0

    @property
    def is_on_sale(self) -> bool:
        """Whether customers pay the sale price."""
        return bool(self.sale) and self.is_sale_due and Decimal(self.sale) < Decimal(self.regular)

    def as_json(self) -> dict[str, Any]:
        """Return what the API shows."""
        shown = {
            "id": self.number,
            "name": f"Product {self.parent or self.number}",
            "type": self.kind,
            "status": "publish",
            "sku": self.sku,
            "price": "" if self.kind == "variable" else self.sale if self.is_on_sale else self.regular,
            "regular_price": self.regular,
            "sale_price": self.sale,
            "on_sale": self.is_on_sale,
            "manage_stock": self.stock is not None,
            "stock_quantity": self.stock,
            "date_modified_gmt": f"2026-11-29T06:{self.revision % 60:02}:00",
            "permalink": f"https://brand.example/?p={self.number}",
            "categories": [],
            "brands": [],
            "attributes": [{"name": "Size", "option": "M"}] if self.parent else [],
            "meta_data": [],
        }
        if self.cost is not None:
            shown["cost_of_goods_sold"] = {"total_value": float(self.cost)}
        return shown | ({"parent_id": self.parent} if self.parent else {})


class FakeWoo:
    """The store; `serve()` is the server over it."""

    def __init__(self, *, currency: str = "EUR", decimals: int = 2, taxes_included: bool = True) -> None:
        self.currency, self.decimals, self.taxes_included = currency, decimals, taxes_included
        self.items: dict[int, Item] = {}
        self.faults: deque[Fault] = deque()
        self.writes: list[tuple[str, str, Any]] = []
        self.changes: list[tuple[str, str, str]] = []
        self.late: list[list[dict[str, Any]]] = []
        self.stale: dict[int, Item] = {}
        self.strips_header = False
        self._lock = threading.Lock()

    def serve(self) -> HttpFake:
        """Return the server over this store."""
        return HttpFake(self.answer)

    def sell(self, sku: str, regular: str, sale: str = "", **more: Any) -> Item:
        """Add a product, or change the one that has this SKU, as the merchant does."""
        known = next((each for each in self.items.values() if each.sku == sku), None)
        number = more.pop("number", None) or 40 + len(self.items) + 1
        if known:
            item = replace(known, regular=regular, sale=sale, revision=known.revision + 1, **more)
        else:
            kind = more.pop("kind", "variation" if more.get("parent") else "simple")
            item = Item(number, sku, regular, sale, kind=kind, **more)
        self.items[item.number] = item
        return item

    def of(self, sku: str) -> Item:
        """Return the item of a SKU."""
        return next(each for each in self.items.values() if each.sku == sku)

    def remove(self, sku: str) -> None:
        """Delete a product."""
        del self.items[self.of(sku).number]

    def land(self) -> None:
        """Let what was under way arrive."""
        while self.late:
            for fields in self.late.pop(0):
                self._store(fields)

    def answer(self, request: Request) -> Reply:
        """Answer one request."""
        with self._lock:
            path, query = request.url.path.removeprefix(BASE), parse_qs(request.url.query)
            if not request.url.path.startswith(BASE):
                return Reply(404, b"<html>Nothing here</html>")
            if not self._is_known(request, query):
                words = "Sorry, you cannot list resources."
                return Reply(401, _problem("woocommerce_rest_cannot_view", words, 401))
            if request.method == "GET":
                return self._shown(path, {name: values[0] for name, values in query.items()})
            return self._written(request.method, path, json.loads(request.body))

    def _is_known(self, request: Request, query: dict[str, list[str]]) -> bool:
        pair = base64.b64encode(f"{KEY}:{SECRET}".encode()).decode()
        in_header = request.headers.get("authorization") == f"Basic {pair}" and not self.strips_header
        return in_header or (query.get("consumer_key"), query.get("consumer_secret")) == ([KEY], [SECRET])

    def _shown(self, path: str, query: dict[str, str]) -> Reply:
        if path.startswith("/settings/"):
            return Reply(200, self._settings(path.rpartition("/")[2]))
        if not (found := re.fullmatch(r"/products(?:/(\d+)/variations)?", path)):
            return Reply(404, _problem("rest_no_route", "No route was found", 404))
        parent = int(found[1] or 0)
        if parent and parent not in self.items:
            return Reply(404, _problem("woocommerce_rest_product_invalid_id", "Invalid ID.", 404))
        items = [self.stale.pop(each.number, each) for each in self._listed(parent, query)]
        size, page = int(query.get("per_page", "10")), int(query.get("page", "1"))
        pages = str(max(-(-len(items) // size), 1))
        shown = [each.as_json() for each in items[(page - 1) * size : page * size]]
        return Reply(200, shown, {"X-WP-Total": str(len(items)), "X-WP-TotalPages": pages})

    def _listed(self, parent: int, query: dict[str, str]) -> list[Item]:
        if "sku" in query:  # the one listing that shows variations too
            return [each for each in self.items.values() if each.sku in query["sku"].split(",")]
        included = {int(each) for each in query["include"].split(",")} if "include" in query else None
        return [
            each
            for each in self.items.values()
            if each.parent == parent and (included is None or each.number in included)
        ]

    def _settings(self, group: str) -> list[dict[str, str]]:
        yes = "yes" if self.taxes_included else "no"
        values = {
            "general": {
                "woocommerce_currency": self.currency,
                "woocommerce_price_num_decimals": str(self.decimals),
                "woocommerce_calc_taxes": "yes",
            },
            "tax": {"woocommerce_prices_include_tax": yes},
        }
        return [{"id": name, "value": value} for name, value in values[group].items()]

    def _written(self, method: str, path: str, document: Any) -> Reply:
        self.writes.append((method, path, document))
        fault = self.faults.popleft() if self.faults else Fault.NONE
        if fault is Fault.THROTTLE:
            return Reply(429, _problem("too_many_requests", "Slow down", 429), {"Retry-After": "30"})
        if fault is Fault.REFUSE:
            return Reply(400, _problem("rest_invalid_param", "Invalid parameter(s): regular_price", 400))
        if path.endswith("/batch"):
            return self._batch(path, document["update"], fault)
        return self._single(path, document, fault)

    def _single(self, path: str, document: dict[str, Any], fault: Fault) -> Reply:
        wrong = [name for name in ("regular_price", "sale_price") if not isinstance(document.get(name, ""), str)]
        if wrong:
            return Reply(400, _problem("rest_invalid_param", f"Invalid parameter(s): {wrong[0]}", 400))
        number = int(path.rpartition("/")[2])
        if self._problem_of(path, number):
            return Reply(400, _problem("woocommerce_rest_product_invalid_id", "Invalid ID.", 400))
        return self._finished([{"id": number, **document}], fault, is_batch=False)

    def _batch(self, path: str, updates: list[dict[str, Any]], fault: Fault) -> Reply:
        if len(updates) > 100:
            code = "woocommerce_rest_request_entity_too_large"
            return Reply(413, _problem(code, "Unable to accept more than 100 items for this request.", 413))
        return self._finished(updates, fault, is_batch=True, path=path)

    def _problem_of(self, path: str, number: int) -> str | None:
        inside = re.match(r"/products/(\d+)/variations", path)
        item, parent = self.items.get(number), int(inside[1]) if inside else 0
        return None if item is not None and item.parent == parent else "Invalid ID."

    def _finished(self, updates: list[dict[str, Any]], fault: Fault, *, is_batch: bool, path: str = "") -> Reply:
        before = {each["id"]: self.items[each["id"]] for each in updates if each["id"] in self.items}
        good = [each for each in updates if not is_batch or not self._problem_of(path, each["id"])]
        if fault is Fault.LATE:
            self.late.append(good)
        elif fault is Fault.FORGOTTEN:
            self._save(good[:-1])
        elif fault not in _UNCHANGED:
            self._save(good)
        answers = [self._item_answer(each, good) for each in updates]
        if fault is Fault.STALE_READ:
            self.stale = before
        if fault is Fault.DRIFT:
            for each in good:
                self.items[each["id"]] = replace(self.items[each["id"]], regular="1.23", sale="")
        if fault is Fault.FORGOTTEN:
            answers.pop()
        whole: Any = {"update": answers} if is_batch else (answers[0] if answers else {})
        return _gone_wrong(Reply(200, whole), fault)

    def _item_answer(self, sent: dict[str, Any], good: list[dict[str, Any]]) -> dict[str, Any]:
        if sent not in good:
            error = {"code": "woocommerce_rest_product_invalid_id", "message": "Invalid ID.", "data": {"status": 400}}
            return {"id": sent["id"], "error": error}
        return self.items[sent["id"]].as_json()

    def _save(self, updates: list[dict[str, Any]]) -> None:
        for fields in updates:
            self._store(fields)

    def _store(self, fields: dict[str, Any]) -> None:
        item = self.items.get(fields["id"])
        if item is None or item.kind == "variable":
            return
        given = {
            name: str(fields[f"{name}_price"])
            for name in ("regular", "sale")
            if fields.get(f"{name}_price") is not None
        }
        changed = replace(item, **given)
        if changed.sale and Decimal(changed.sale) >= Decimal(changed.regular or 0):
            changed = replace(changed, sale="")
        if changed != item:
            self.items[item.number] = replace(changed, revision=item.revision + 1)
            self.changes.append((item.sku, changed.regular, changed.sale))


def _gone_wrong(reply: Reply, fault: Fault) -> Reply:
    if fault in (Fault.HANG_AFTER_COMMIT, Fault.LATE):
        return replace(reply, manner=Manner.HANG)
    if fault in (Fault.RESET, Fault.TRUNCATED):
        return replace(reply, manner=Manner.RESET if fault is Fault.RESET else Manner.CUT)
    if fault in (Fault.ERROR_BEFORE, Fault.ERROR_AFTER):
        return Reply(500, _problem("internal_server_error", "There has been a critical error", 500))
    return Reply(502, b"<html>Bad Gateway</html>") if fault is Fault.HTML_502 else reply


def _problem(code: str, message: str, status: int) -> dict[str, Any]:
    return {"code": code, "message": message, "data": {"status": status}}
