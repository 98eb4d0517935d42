"""Shopify's GraphQL Admin API as far as prices go: a store in memory behind a real HTTP server.

It keeps what the real one keeps and promises no more: no idempotency key and no comparison for prices; `compareAtPrice`
left out, null and "0" are three things; errors come with 200; a bad variant refuses its whole call; search knows a
product only after `index()`; a token of 24 hours ends; each answer tells its cost. `changes` counts what was really
changed, whichever calls led to it.
"""

import json
import re
import threading
from collections import deque
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any
from urllib.parse import parse_qs

from monitor.domain.money import rounded
from tests.fake_http import HttpFake, Manner, Reply, Request
from tests.fake_shop import Fault

TOKEN = f"shpat_{'0f1a' * 8}"
CLIENT_ID, CLIENT_SECRET = "0a1b" * 8, f"shpss_{'9e8d' * 8}"
PATH = "/admin/api/2026-10/graphql.json"

_UNCHANGED = (Fault.ERROR_BEFORE, Fault.RESET, Fault.LATE, Fault.SILENT_NOOP, Fault.FORGOTTEN)


@dataclass(frozen=True)
class Variant:
    """One variant as the shop keeps it."""

    number: int
    product: int
    sku: str
    price: str
    compare_at: str | None = None
    status: str = "ACTIVE"
    title: str = "Default Title"
    barcode: str | None = None
    cost: str | None = None
    stock: int | None = None
    revision: int = 0

    @property
    def gid(self) -> str:
        """The id in the API."""
        return f"gid://shopify/ProductVariant/{self.number}"

    @property
    def product_gid(self) -> str:
        """The id of its product."""
        return f"gid://shopify/Product/{self.product}"


class FakeShopify:
    """The store; `serve()` is the server over it."""

    def __init__(self, *, currency: str = "EUR", taxes_included: bool = True) -> None:
        self.currency, self.taxes_included = currency, taxes_included
        self.variants: dict[str, Variant] = {}
        self.indexed: set[str] = set()
        self.tokens = {TOKEN}
        self.granted = 0
        self.scopes = ["read_products", "write_products"]
        self.version = "2026-10"
        self.available, self.maximum, self.restore = Decimal(2000), Decimal(2000), Decimal(100)
        self.faults: deque[Fault] = deque()
        self.mutations: list[dict[str, Any]] = []
        self.changes: list[tuple[str, str, str | None]] = []
        self.late: list[list[dict[str, Any]]] = []
        self.stale: list[Variant] = []
        self.price_lists: dict[str, dict[str, tuple[str, str]]] = {}  #: by market the fixed prices, by SKU
        self._lock = threading.Lock()

    def serve(self) -> HttpFake:
        """Return the server over this store."""
        return HttpFake(self.answer)

    def sell(
        self, sku: str, price: str, *, product: int | None = None, is_indexed: bool = True, **more: Any
    ) -> Variant:
        """Add a variant, or change the one that has this SKU, as the merchant does."""
        known = next((each for each in self.variants.values() if each.sku == sku), None)
        number = 1000 + len(self.variants) + 1
        variant = (
            replace(known, price=price, revision=known.revision + 1, **more)
            if known
            else Variant(number, product or number, sku, price, **more)
        )
        self.variants[variant.gid] = variant
        if is_indexed:
            self.indexed.add(variant.gid)
        return variant

    def remove(self, sku: str) -> None:
        """Delete a variant."""
        gid = self.of(sku).gid
        del self.variants[gid]
        self.indexed.discard(gid)

    def of(self, sku: str) -> Variant:
        """Return the variant of a SKU."""
        return next(each for each in self.variants.values() if each.sku == sku)

    def land(self) -> None:
        """Let what was under way arrive."""
        while self.late:
            self._apply(self.late.pop(0))

    def answer(self, request: Request) -> Reply:
        """Answer one request."""
        with self._lock:
            if request.url.path == "/admin/oauth/access_token":
                return self._grant(parse_qs(request.body.decode()))
            if request.url.path != PATH:
                return Reply(404, {"errors": "Not Found"})
            if request.headers.get("x-shopify-access-token") not in self.tokens:
                words = "[API] Invalid API key or access token (unrecognized login or wrong password)"
                return Reply(401, {"errors": words})
            reply = self._operation(json.loads(request.body))
            return replace(reply, headers={**reply.headers, "X-Shopify-API-Version": self.version})

    def _grant(self, form: dict[str, list[str]]) -> Reply:
        asked = {name: values[0] for name, values in form.items()}
        if asked != {"grant_type": "client_credentials", "client_id": CLIENT_ID, "client_secret": CLIENT_SECRET}:
            return Reply(400, {"error": "application_cannot_be_found"})
        self.granted += 1
        token = f"shpua_{self.granted}"
        self.tokens = {TOKEN, token}
        return Reply(200, {"access_token": token, "scope": ",".join(self.scopes), "expires_in": 86399})

    def _operation(self, asked: dict[str, Any]) -> Reply:
        name = re.match(r"\s*(?:query|mutation)\s+(\w+)", asked["query"])
        variables = asked.get("variables") or {}
        operations = {
            "Prices": self._prices,
            "Find": self._find,
            "Listing": self._listing,
            "Who": self._who,
            "PriceLists": self._price_lists,
            "FixedPrices": self._fixed_prices,
        }
        if name and name[1] == "SetPrices":
            return self._set_prices(variables)
        if not name or name[1] not in operations:
            return Reply(200, {"errors": [{"message": "syntax error", "extensions": {"code": "undefinedField"}}]})
        return Reply(200, {"data": operations[name[1]](variables), **self._cost(12)})

    def _cost(self, requested: int) -> dict[str, Any]:
        status = {
            "maximumAvailable": float(self.maximum),
            "currentlyAvailable": int(self.available),
            "restoreRate": float(self.restore),
        }
        cost = {"requestedQueryCost": requested, "actualQueryCost": requested, "throttleStatus": status}
        return {"extensions": {"cost": cost}}

    def _shop(self) -> dict[str, Any]:
        return {"name": "Brand", "currencyCode": self.currency, "taxesIncluded": self.taxes_included}

    def _prices(self, variables: dict[str, Any]) -> dict[str, Any]:
        stale = {each.gid: each for each in self.stale}
        self.stale.clear()
        return {
            "shop": self._shop(),
            "nodes": [self._node(stale.get(gid, self.variants.get(gid))) for gid in variables["ids"]],
        }

    def _node(self, variant: Variant | None) -> dict[str, Any] | None:
        if variant is None:
            return None
        return {
            "id": variant.gid,
            "sku": variant.sku,
            "title": variant.title,
            "barcode": variant.barcode,
            "price": variant.price,
            "compareAtPrice": variant.compare_at,
            "updatedAt": f"2026-11-29T06:{variant.revision % 60:02}:00Z",
            "inventoryQuantity": variant.stock or 0,
            "inventoryItem": {
                "tracked": variant.stock is not None,
                "unitCost": variant.cost and {"amount": variant.cost, "currencyCode": self.currency},
            },
            "product": {
                "id": variant.product_gid,
                "title": f"Product {variant.product}",
                "vendor": "Brand",
                "productType": "",
                "status": variant.status,
                "onlineStoreUrl": None,
            },
        }

    def _find(self, variables: dict[str, Any]) -> dict[str, Any]:
        """Search as loosely as the real one: any variant whose SKU begins with a word that was asked for."""
        asked = re.findall(r'sku:"((?:[^"\\]|\\.)*)"', variables["skus"])
        words = [re.sub(r"\\(.)", r"\1", each).lower() for each in asked]
        found = [
            each
            for gid, each in self.variants.items()
            if gid in self.indexed and any(each.sku.lower().startswith(word) for word in words)
        ]
        return {"productVariants": self._page(found, variables, 100)}

    def _listing(self, variables: dict[str, Any]) -> dict[str, Any]:
        return {"shop": self._shop(), "productVariants": self._page(list(self.variants.values()), variables, 100)}

    def _page(self, found: list[Variant], variables: dict[str, Any], size: int) -> dict[str, Any]:
        start = int(variables.get("after") or 0)
        page = found[start : start + size]
        more = start + size < len(found)
        return {
            "nodes": [self._node(each) for each in page],
            "pageInfo": {"hasNextPage": more, "endCursor": str(start + len(page)) if page else None},
        }

    def _price_lists(self, _: dict[str, Any]) -> dict[str, Any]:
        nodes = [
            {"id": f"gid://shopify/PriceList/{name}", "name": name, "currency": "USD", "fixedPricesCount": len(prices)}
            for name, prices in self.price_lists.items()
        ]
        return {"priceLists": {"nodes": nodes, "pageInfo": {"hasNextPage": False, "endCursor": None}}}

    def _fixed_prices(self, variables: dict[str, Any]) -> dict[str, Any]:
        """One price a page, so that pages are walked."""
        fixed = list(self.price_lists[variables["list"].rpartition("/")[2]].items())
        at = int(variables.get("after") or 0)
        sku, (amount, currency) = fixed[at]
        node = {"price": {"amount": amount, "currencyCode": currency}, "variant": {"id": self.of(sku).gid}}
        more = at + 1 < len(fixed)
        page = {"hasNextPage": more, "endCursor": str(at + 1) if more else None}
        return {"priceList": {"prices": {"nodes": [node], "pageInfo": page}}}

    def _who(self, _: dict[str, Any]) -> dict[str, Any]:
        scopes = [{"handle": scope} for scope in self.scopes]
        return {"shop": self._shop(), "currentAppInstallation": {"accessScopes": scopes}}

    def _set_prices(self, variables: dict[str, Any]) -> Reply:
        self.mutations.append(variables)
        fault = self.faults.popleft() if self.faults else Fault.NONE
        if fault is Fault.EXPIRED_TOKEN:
            self.tokens.clear()
            return Reply(401, {"errors": "[API] Invalid API key or access token"})
        if fault is Fault.THROTTLE:
            return Reply(429, {"errors": "Too many requests"}, {"Retry-After": "30"})
        if fault is Fault.THROTTLE_200:
            return Reply(200, self._throttled())
        errors = self._errors(variables, fault)
        if errors:
            return self._payload(variables, errors)
        before = [self.variants[each["id"]] for each in variables["variants"]]
        if fault is Fault.LATE:
            self.late.append(variables["variants"])
        elif fault not in _UNCHANGED:
            self._apply(variables["variants"])
        return self._said(variables, fault, before)

    def _said(self, variables: dict[str, Any], fault: Fault, before: list[Variant]) -> Reply:
        reply = self._payload(variables, [])
        if fault is Fault.STALE_READ:
            self.stale = before
        if fault is Fault.DRIFT:
            for each in variables["variants"]:
                self.variants[each["id"]] = replace(self.variants[each["id"]], price="1.23")
        if fault is Fault.FORGOTTEN:
            reply.document["data"]["productVariantsBulkUpdate"]["productVariants"].pop()
        if fault in (Fault.HANG_AFTER_COMMIT, Fault.LATE):
            return replace(reply, manner=Manner.HANG)
        if fault in (Fault.RESET, Fault.TRUNCATED):
            return replace(reply, manner=Manner.RESET if fault is Fault.RESET else Manner.CUT)
        if fault in (Fault.ERROR_BEFORE, Fault.ERROR_AFTER):
            return Reply(500, {"errors": "Internal Server Error"})
        return Reply(502, b"<html>Bad Gateway</html>") if fault is Fault.HTML_502 else reply

    def _throttled(self) -> dict[str, Any]:
        told = self._cost(400)
        del told["extensions"]["cost"]["actualQueryCost"]
        told["extensions"]["cost"]["throttleStatus"]["currentlyAvailable"] = 300
        return {"errors": [{"message": "Throttled", "extensions": {"code": "THROTTLED"}}], **told}

    def _errors(self, variables: dict[str, Any], fault: Fault) -> list[dict[str, Any]]:
        if not any(each.product_gid == variables["productId"] for each in self.variants.values()):
            return [_error(["productId"], "Product does not exist", "PRODUCT_DOES_NOT_EXIST")]
        errors = []
        for position, sent in enumerate(variables["variants"]):
            known = self.variants.get(sent["id"])
            where = ["variants", str(position)]
            if known is None or known.product_gid != variables["productId"]:
                words = "Product variant does not exist"
                errors.append(_error([*where, "id"], words, "PRODUCT_VARIANT_DOES_NOT_EXIST"))
            elif Decimal(sent["price"]) < 0:
                words = "Price cannot take a negative value."
                errors.append(_error([*where, "price"], words, "NEGATIVE_PRICE_VALUE"))
        if fault is Fault.REFUSE:
            errors.append(_error(["variants", "0", "price"], "Price is not accepted", "INVALID_INPUT"))
        return errors

    def _payload(self, variables: dict[str, Any], errors: list[dict[str, Any]]) -> Reply:
        listed = [{"id": each["id"], "price": each["price"]} for each in variables["variants"]]
        payload = {
            "product": {"id": variables["productId"]},
            "productVariants": None if errors else listed,
            "userErrors": errors,
        }
        return Reply(200, {"data": {"productVariantsBulkUpdate": payload}, **self._cost(10)})

    def _apply(self, variants: list[dict[str, Any]]) -> None:
        for sent in variants:
            known = self.variants.get(sent["id"])
            if known is None:
                continue
            price = str(rounded(Decimal(sent["price"]), self.currency))
            beside = sent.get("compareAtPrice", known.compare_at)
            if (price, beside) != (known.price, known.compare_at):
                self.variants[known.gid] = replace(known, price=price, compare_at=beside, revision=known.revision + 1)
                self.changes.append((known.sku, price, beside))


def _error(field: list[str], message: str, code: str) -> dict[str, Any]:
    return {"field": field, "message": message, "code": code}
