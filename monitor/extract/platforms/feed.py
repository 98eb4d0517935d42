"""Merchant feeds: one file with the whole catalogue, as Google Merchant, Facebook and price comparisons take it.

RSS and Atom with `g:` names, plain XML with the same names, TSV and CSV; packed or not. Only a feed that the
operator entered is asked for: feeds lie at private addresses, and none is guessed.

`sale_price` is what is paid when it is lower than `price` and now lies inside its dates; a sale price that is not
lower is no sale, and is told. A price without a currency has the currency of its own element or column, else the
operator's setting; never that of the shipping cost. Rows of one `item_group_id` are variants of one product, and so
are rows of one address: the address alone does not choose among them, the id does. The file is made once a day: its
date is told.

Sources: support.google.com/merchants (product data specification).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from monitor.domain.asking import CatalogueAsk, SoFar
from monitor.domain.catalogue import Watch
from monitor.domain.listing import Answer, Item, Listing, Problem, Variant
from monitor.extract.charset import decoded
from monitor.extract.identifiers import valid_gtin
from monitor.extract.platforms.feed_facts import (
    instant_of,
    is_running,
    mail_date_of,
    meanings_of,
    money_of,
    no_sale,
    number_as_id,
    stock_of,
)
from monitor.extract.platforms.json_answer import MAX_TEXT, above
from monitor.extract.platforms.matching import choices_of, place_of
from monitor.extract.platforms.packed import UnreadableXml, unpacked
from monitor.extract.platforms.table_rows import TableRows
from monitor.extract.platforms.xml_rows import AGAIN, Row, read_rows

WHOLE = "feed"
MAX_ROWS = 100_000  #: rows kept when every item is wanted
TOO_OLD = timedelta(days=7)
ROWS = frozenset({"item", "entry", "product", "offer", "shopitem"})
_PAGE = re.compile(rb"(?:\s*<!--.{0,200}?-->)?\s*<(?:!doctype\s+html|html)\b", re.IGNORECASE | re.DOTALL)
_JSON = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:\{\s*\"|\[\s*\{)")
#: Headers with which an answer tells where it ends.
_TELLING_ITS_END = {"content-length", "transfer-encoding"}
_PACKED = {
    b"PK\x03\x04": "a ZIP archive",
    b"BZh": "a bzip2 file",
    b"\xfd7zXZ": "an xz file",
    b"7z\xbc\xaf": "a 7z archive",
}
_DATES = frozenset({"pubdate", "lastbuilddate", "updated", "created_at", "date"})

#: What each fact is called, most telling first; compared in lower case with `_` for blanks.
_NAMES = {
    "id": ("id", "@id", "item_id", "product_id", "productid", "sku", "offer_id", "merchant_product_id"),
    "title": ("title", "name", "productname", "product_name", "product", "titel", "titre", "titolo", "título"),
    "link": ("link", "url", "product_url", "producturl", "merchant_deep_link", "deeplink", "lien", "enlace"),
    "price": ("price", "price_vat", "regular_price", "search_price", "preis", "prix", "prezzo", "precio", "prijs"),
    "sale": ("sale_price", "saleprice"),
    "sale_dates": ("sale_price_effective_date",),
    "former": ("oldprice", "old_price", "list_price"),
    "currency": ("currency", "currency_code", "currencyid", "price@currency"),
    "stock": ("availability", "in_stock", "instock", "stock_status", "@available", "verfügbarkeit"),
    "gtin": ("gtin", "ean", "barcode", "upc", "isbn"),
    "mpn": ("mpn", "manufacturer_sku", "sku_manufacturer"),
    "group": ("item_group_id", "itemgroup_id"),
    "brand": ("brand", "vendor", "manufacturer"),
}
#: For each of these names its fact, and its place among the names of the fact.
_FACT_OF = {name: (fact, place) for fact, names in _NAMES.items() for place, name in enumerate(names)}
_AGAIN = tuple(f"{name}{AGAIN}" for name in ("price", "sale_price"))  #: said a second time, and otherwise
_OPTIONS = ("color", "colour", "size", "material", "pattern")
_COLUMNS = frozenset({*_FACT_OF, *_OPTIONS})
#: Currencies that are no more: code, and what to know of it.
_FORMER = {
    "BGN": "the lev was replaced by the euro on 2026-01-01 (1 EUR = 1.95583 BGN)",
    "HRK": "the kuna was replaced by the euro on 2023-01-01 (1 EUR = 7.5345 HRK)",
}


class Feed:
    """The adapter of merchant feeds."""

    name = "feed"
    names_currency = True

    def endpoints(self, origin: str) -> Mapping[str, str]:
        """Return none: a feed's address is the operator's, and the plan holds it against robots.txt itself."""
        return {}

    def next(self, so_far: SoFar) -> CatalogueAsk | None:
        """Ask for the file, and once more after a fault that may pass."""
        is_done = any(call.failed is not Problem.PASSING for call in so_far.asked)
        if so_far.feed is None or WHOLE in so_far.closed or is_done or len(so_far.asked) > 1 or not so_far.left:
            return None
        every = {watch.sku: watch for watch in (*so_far.compare, *so_far.left)}
        return CatalogueAsk(so_far.feed, tuple(every.values()), WHOLE, WHOLE)

    def browse(self, so_far: SoFar) -> CatalogueAsk | None:
        """Ask for the file."""
        return None if so_far.feed is None or so_far.asked else CatalogueAsk(so_far.feed, (), WHOLE, WHOLE)

    def learn(self, markup: str, watches: Sequence[Watch]) -> Mapping[str, Any]:
        """Learn nothing from pages."""
        return {}

    def read(self, answer: Answer) -> Listing:
        """Read a feed of any form, or say why it is refused; never half of one."""
        kept = _Kept(answer.wanted)
        if words := _no_feed(answer.body):
            return Listing(problem=Problem.OFF, words=words)
        try:
            found = _read_table(answer, kept) if _is_table(answer.body) else _read_xml(answer, kept)
        except UnreadableXml as refused:
            return Listing(problem=Problem.OFF, words=f"the feed is refused: {refused}")
        if not kept.seen:
            none = f"none of its rows can be read: {kept.loss}" if kept.lost else "it has no products"
            return Listing(problem=Problem.OFF, words=f"the answer is no feed: {none}")
        made = _date_of(found.dates)
        if made is not None and answer.at - made > TOO_OLD:
            return Listing(problem=Problem.OFF, words=f"the feed is from {made:%Y-%m-%d}, too old to be used")
        as_of = f"as of {made:%Y-%m-%d %H:%M}" if made is not None else ""
        items = tuple(_items(kept.rows, answer.at, as_of))
        told = [
            *found.warnings,
            *([] if items else [f"of its products, {kept.seen} in all, none is watched; {kept.example}"]),
        ]
        return Listing(items, warnings=tuple(_warnings(told, items)), loss=kept.loss)

    def slug_of(self, url: str) -> str | None:
        """Return None: a feed names addresses whole."""
        return None


def _no_feed(body: bytes) -> str:
    """Return what a file is by its first bytes, in words, where that is nothing that is read."""
    if _PAGE.match(body[:400]):
        return "a page came instead of the feed"
    if _JSON.match(body[:400]):
        return "the feed is JSON, which is not read; XML and tables are"
    packed = next((name for magic, name in _PACKED.items() if body.startswith(magic)), None)
    return f"the feed is {packed}, which is not read; plain or gzip is" if packed else ""


@dataclass(frozen=True, slots=True)
class _Beside:
    """What a file says beside its rows."""

    dates: Mapping[str, str]
    warnings: Sequence[str]


@dataclass(slots=True)
class _Kept:
    """The rows that are wanted, and how many there were."""

    wanted: frozenset[str] | None
    rows: list[Row] = field(default_factory=list)
    seen: int = 0
    example: str = ""  #: what the first of them is called, in words
    lost: list[str] = field(default_factory=list)  #: the first rows that could not be read, in words
    lost_count: int = 0  #: rows that could not be read
    _ends: frozenset[str] = frozenset()  #: last parts of wanted addresses

    def __post_init__(self) -> None:
        self._ends = frozenset(key.rpartition("/")[2] for key in self.wanted or ())

    def take(self, row: Row) -> None:
        facts = _named(row)
        if "id" not in facts and "link" not in facts:
            return
        self.seen += 1
        self.example = self.example or f"its first is {facts.get('link') or facts.get('id')}"[:200]
        if self.wanted is not None and not self._is_wanted(facts):
            return
        if len(self.rows) < MAX_ROWS:
            beside = {key: row[key] for key in (*_OPTIONS, *_AGAIN) if key in row}
            self.rows.append(facts | beside)

    def _is_wanted(self, facts: Mapping[str, str]) -> bool:
        wanted = self.wanted or frozenset()
        return any(facts.get(key) in wanted for key in ("id", "gtin", "mpn", "group")) or self._is_at(facts, wanted)

    def _is_at(self, facts: Mapping[str, str], wanted: frozenset[str]) -> bool:
        """Say whether a row's address is wanted; to take an address apart is the dearest of a row by far."""
        link = facts.get("link", "")
        end = link.lower().partition("?")[0].partition("#")[0].rstrip("/").rpartition("/")[2]
        return (end in self._ends or "%" in end) and place_of(link) in wanted

    def restart(self) -> None:
        self.rows.clear()
        self.seen = 0

    @property
    def loss(self) -> str:
        """What could not be read, in words."""
        left_out = f"{self.seen - MAX_ROWS} rows beyond {MAX_ROWS}" if self.seen > MAX_ROWS and not self.wanted else ""
        more = self.lost_count - len(self.lost)
        told = [*self.lost, f"and {more} more" if more else "", left_out]
        return "; ".join(filter(None, told))


def _named(row: Row) -> dict[str, str]:
    """Return the facts of a row under our names."""
    places: dict[str, int] = {}
    facts: dict[str, str] = {}
    for name, text in row.items():
        if text and (known := _FACT_OF.get(name)) and known[1] < places.get(known[0], len(_FACT_OF)):
            facts[known[0]], places[known[0]] = text, known[1]
    return facts


def _read_xml(answer: Answer, kept: _Kept) -> _Beside:
    rows = read_rows(answer.body, ROWS, kept.take, kept.restart, _DATES)
    return _Beside(rows.found, rows.warnings)


def _is_table(body: bytes) -> bool:
    head = next(unpacked(body), b"") if body.startswith(b"\x1f\x8b") else body[:2000]
    return not decoded(head[:2000]).lstrip("\ufeff \t\r\n").startswith("<")


def _read_table(answer: Answer, kept: _Kept) -> _Beside:
    whole = b"".join(unpacked(answer.body)) if answer.body.startswith(b"\x1f\x8b") else answer.body
    text, cut = _without_half_a_row(decoded(whole, answer.content_type), answer)
    table = TableRows(text, _COLUMNS, kept.take, kept.restart)
    table.read()
    kept.lost, kept.lost_count = [*cut, *table.lost], table.lost_count + len(cut)
    if not kept.seen and not any(_FACT_OF.get(name, ("",))[0] in ("id", "link") for name in table.header):
        names = ", ".join(table.header)[:200]
        raise UnreadableXml(f"its first line names neither the id nor the link of a product: {names}")
    return _Beside({}, table.warnings)


def _without_half_a_row(text: str, answer: Answer) -> tuple[str, list[str]]:
    """Return a table without a last row that may be cut off, and what was left out, in words.

    An answer that ends with its connection tells nothing of what is missing: `19.90 EUR` may be left as `1`.
    """
    is_whole = answer.body.startswith(b"\x1f\x8b") or _TELLING_ITS_END & answer.headers.keys()
    rows, end, last = text.rpartition("\n")
    if is_whole or not last.strip() or not end:
        return text, []
    return rows + end, ["its last line has no end and may be cut off; left out"]


def _date_of(dates: Mapping[str, str]) -> datetime | None:
    for name in sorted(_DATES):
        text = dates.get(name, "")
        for read in (instant_of, mail_date_of):
            made = read(text)
            if made is not None:
                return made
    return None


def _warnings(told: Sequence[str], items: Sequence[Item]) -> Iterator[str]:
    yield from told
    currencies = {variant.currency for item in items for variant in item.variants}
    yield from (f"{code}: {words}; amounts are kept as stated" for code, words in _FORMER.items() if code in currencies)


def _items(rows: Sequence[Mapping[str, str]], at: datetime, as_of: str) -> Iterator[Item]:
    """Yield products: rows of one group, or of one address."""
    groups: dict[str, list[Mapping[str, str]]] = {}
    for row in rows:
        groups.setdefault(_group_of(row), []).append(row)
    for key, members in groups.items():
        first = members[0]
        variants = tuple(_variant(row, at, as_of, alone=len(members) == 1) for row in members)
        yield Item(key, first.get("title", "")[:MAX_TEXT], None, first.get("link"), first.get("brand"), variants)


def _group_of(row: Mapping[str, str]) -> str:
    if group := row.get("group"):
        return f"group {group}"
    link = row.get("link")
    place = place_of(link)
    return f"{place}?{sorted(choices_of(link).items())}" if place else f"id {row.get('id')}"


def _unclear(row: Mapping[str, str], price: Decimal | None, sale: Decimal | None, at: datetime) -> str:
    """Return why a row gives no price although it has amounts, "" when it does."""
    for name, once in zip(_AGAIN, ("price", "sale"), strict=True):
        first, second = (money_of(row.get(each), row.get("currency")) for each in (once, name))
        if second[0] is not None and (second[0] != first[0] or (first[1] and second[1] and second[1] != first[1])):
            return f"its {name.removesuffix(AGAIN)} is said twice, as {row.get(once)} and as {row.get(name)}"
    if price is None and sale is None and (said := row.get("price")):
        return f"its price is written {said[:40]!r}"
    dates = row.get("sale_dates")
    if sale is not None and sale != price and dates and is_running(dates, at) is None:
        return f"nobody can tell whether its sale price {sale} counts now: {dates[:60]}"
    return ""


def _variant(row: Mapping[str, str], at: datetime, as_of: str, *, alone: bool) -> Variant:
    price, currency = money_of(row.get("price"), row.get("currency"))
    sale, sale_currency = money_of(row.get("sale"), row.get("currency"))
    is_alike = None in (currency, sale_currency) or currency == sale_currency
    note = no_sale(price, sale, row.get("sale_dates"), at, is_alike=is_alike) if sale is not None else ""
    former, _ = money_of(row.get("former"), row.get("currency"))
    paid, before = (sale, price) if sale is not None and not note else (price, former)
    if unclear := _unclear(row, price, sale, at):
        paid, note = None, unclear
    options = {key: row[key] for key in _OPTIONS if key in row}
    title = " / ".join(options.values()) or None
    return Variant(
        id=row.get("id") or row.get("link", ""),
        title=None if alone else title or row.get("title"),
        sku=row.get("mpn") or row.get("id"),
        gtin=valid_gtin(row.get("gtin")) or number_as_id(row.get("id")),
        price=paid,
        list_price=above(before, paid),
        currency=currency or sale_currency,
        may_be=() if currency or sale_currency else meanings_of(row.get("price")) or meanings_of(row.get("sale")),
        availability=stock_of(row.get("stock", "")),
        url=row.get("link"),
        options=options,
        note="; ".join(filter(None, (note, as_of))),
    )
