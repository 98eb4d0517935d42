"""A market manifest as the files of a config directory.

A manifest lists shops and their pages, as a local market of test shops writes it: `docs/manifest.md`. Shops on
this machine are visited without pause and exactly their addresses are allowed; a shop anywhere else keeps the
common pacing. A manifest knows no prices of ours: a product without one costs 1 and is locked, so that
nothing is ever proposed for it. Keys that are not named there are ignored.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from monitor.domain.address import belongs, target
from monitor.domain.catalogue_file import currency_code
from monitor.domain.csv_table import table_text
from monitor.domain.money import amount_text, plain_amount
from monitor.errors import Misconfigured

#: Page keys that become columns of catalogue.csv, besides `sku` and `title`.
_AMOUNTS = ("price", "min_price", "max_price")
_CATALOGUE_COLUMNS = ("sku", "title", "currency", *_AMOUNTS, "locked")


@dataclass(frozen=True, slots=True)
class MarketFiles:
    """What a manifest becomes."""

    competitors_toml: str
    catalogue_csv: str
    watches_csv: str
    currency: str | None  #: that of most pages


@dataclass(frozen=True, slots=True)
class _Shop:
    id: str
    site: str
    base_url: str
    language: str | None
    currency: str | None
    pages: tuple[dict[str, Any], ...]


def read_manifest(path: Path) -> MarketFiles:
    """Read a manifest.

    Raises:
        Misconfigured: with every problem, by shop and page.
    """
    try:
        raw = json.loads(path.read_text("utf-8"), parse_float=Decimal)
    except OSError as problem:
        raise Misconfigured([f"{path}: cannot be read ({problem.strerror}); name a market manifest"]) from None
    except ValueError as problem:
        raise Misconfigured([f"{path}: this is not JSON in UTF-8: {problem}"]) from None
    if not isinstance(raw, list):
        raise Misconfigured(
            [f"{path}: a manifest is a list of shops, found {type(raw).__name__}; see docs/manifest.md"]
        )
    problems: list[str] = []
    shops: list[_Shop] = []
    for number, each in enumerate(raw, start=1):
        wrong = list(_shop_problems(each))
        problems += [f"{path.name}, shop {number}: {words}" for words in wrong]
        if not wrong:
            shops.append(_shop(each, {shop.id for shop in shops}))
    products, wrong = _products(shops)
    problems += [f"{path.name}, {words}" for words in wrong]
    if problems:
        raise Misconfigured(problems)
    return _files(shops, products)


def _shop_problems(raw: Any) -> Iterator[str]:
    if not isinstance(raw, dict):
        yield f"expected an object, found {raw!r}"
        return
    for key, needed in (("site", True), ("base_url", True), ("lang", False), ("currency", False)):
        if (raw.get(key) is None and needed) or not isinstance(raw.get(key), str | None) or raw.get(key) == "":
            yield f"{key}: expected a text{'' if needed else ' or null'}, found {raw.get(key)!r}"
    if isinstance(raw.get("currency"), str) and raw["currency"]:
        yield from _refusal("currency", currency_code, raw["currency"])
    if not isinstance(raw.get("pages"), list):
        yield f"pages: expected a list, found {raw.get('pages')!r}"
        return
    wrong_base = list(_refusal("base_url", target, raw["base_url"])) if isinstance(raw.get("base_url"), str) else []
    yield from wrong_base
    base = raw["base_url"] if isinstance(raw.get("base_url"), str) and not wrong_base else None
    for number, page in enumerate(raw["pages"], start=1):
        yield from (f"page {number}: {words}" for words in _page_problems(page, base))


def _page_problems(page: Any, base: str | None) -> Iterator[str]:
    if not isinstance(page, dict):
        yield f"expected an object, found {page!r}"
        return
    for key in ("id", "url"):
        if not isinstance(page.get(key), str) or not page[key].strip():
            yield f"{key}: expected a text, found {page.get(key)!r}"
    for key in ("sku", "title", "currency"):
        if not isinstance(page.get(key), str | None):
            yield f"{key}: expected a text, found {page[key]!r}"
    if isinstance(page.get("currency"), str):
        yield from _refusal("currency", currency_code, page["currency"])
    for key in _AMOUNTS:
        if page.get(key) is not None:
            yield from _refusal(key, plain_amount, str(page[key]))
    if isinstance(page.get("url"), str) and base is not None:
        yield from _refusal("url", target, page["url"]) or _elsewhere(page["url"], base)


def _refusal(key: str, read: Any, text: str) -> list[str]:
    try:
        read(text)
    except ValueError as refused:
        return [f"{key}: {refused}"]
    return []


def _elsewhere(url: str, base: str) -> list[str]:
    if belongs(target(url), (target(base).site,)):
        return []
    return [f"url: {url!r} is not on {base!r}, the shop it belongs to"]


def _shop(raw: Mapping[str, Any], taken: set[str]) -> _Shop:
    wanted = re.sub(r"[^a-z0-9]+", "-", raw["site"].lower()).strip("-")[:50].strip("-") or "shop"
    free = (f"{wanted}-{number}" for number in range(2, len(taken) + 3))
    chosen = wanted if wanted not in taken else next(name for name in free if name not in taken)
    return _Shop(chosen, raw["site"], raw["base_url"], raw.get("lang"), raw.get("currency"), tuple(raw["pages"]))


def _products(shops: list[_Shop]) -> tuple[list[dict[str, str]], list[str]]:
    """Return one catalogue row per sku; the same sku in several shops is one product that each of them sells."""
    rows: dict[str, dict[str, str]] = {}
    problems = []
    for shop in shops:
        here: set[str] = set()
        for page in shop.pages:
            row = _catalogue_row(page, shop)
            if row["sku"] in here:
                problems.append(f"shop {shop.site!r}: {row['sku']!r} is on two of its pages; ids are unique in a shop")
            here.add(row["sku"])
            first = rows.setdefault(row["sku"], row)
            if first != row:
                differing = ", ".join(column for column in row if row[column] != first[column])
                problems.append(
                    f"shop {shop.site!r}: {row['sku']!r} is already another product of an earlier shop ({differing} "
                    "differ); give every product its own id, or the same values"
                )
    return list(rows.values()), problems


def _catalogue_row(page: Mapping[str, Any], shop: _Shop) -> dict[str, str]:
    own = page.get("price") is not None
    row = {
        "sku": _sku(page),
        "title": page.get("title") or page["id"],
        "currency": page.get("currency") or shop.currency or "",
        **{key: str(page[key]) if page.get(key) is not None else "" for key in _AMOUNTS},
        "locked": "" if own else "true",
    }
    return row if own else {**row, "price": amount_text(Decimal(1), row["currency"])}


def _sku(page: Mapping[str, Any]) -> str:
    return str(page.get("sku") or page["id"]).strip()


def _files(shops: list[_Shop], products: list[dict[str, str]]) -> MarketFiles:
    currencies = Counter(row["currency"] for row in products if row["currency"])
    watches = [
        {"competitor": shop.id, "sku": _sku(page), "url": page["url"], "match": "confirmed"}
        for shop in shops
        for page in shop.pages
    ]
    return MarketFiles(
        competitors_toml="# Written from a market manifest.\n" + "".join(map(_competitor_table, shops)),
        catalogue_csv=table_text(_CATALOGUE_COLUMNS, products),
        watches_csv=table_text(("competitor", "sku", "url", "match"), watches),
        currency=currencies.most_common(1)[0][0] if currencies else None,
    )


def _competitor_table(shop: _Shop) -> str:
    to = target(shop.base_url)
    keys: dict[str, str | None] = {
        "id": _quoted(shop.id),
        "name": _quoted(" ".join(shop.site.split())[:120]),
        "base_url": _quoted(shop.base_url),
        "currency": _quoted(shop.currency),
        "language": _quoted(shop.language),
    }
    if _is_loopback(to.host):
        keys |= {"delay_s": "0", "jitter": "0", "allow_addresses": f"[{_quoted(to.authority)}]"}
    return "\n[[competitor]]\n" + "".join(f"{key} = {value}\n" for key, value in keys.items() if value)


def _quoted(text: str | None) -> str | None:
    # A JSON string is a TOML basic string, once DEL is escaped too.
    return None if text is None else json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
