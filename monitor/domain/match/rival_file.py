"""What a competitor sells, from a file: a feed or export in any form that is known, or a simple table.

The simple table needs `url` and `title`; `brand, gtin, mpn, sku, variant, price, currency, condition` help. The names
that other monitors use for them are known.
"""

from decimal import Decimal
from urllib.parse import urljoin

from monitor.domain.intake import Asked, Intake, Kind, Listed, read_catalogue_file
from monitor.domain.intake.amounts import UnclearAmount, amount, decimal_sign, stated
from monitor.domain.intake.sheet import Sheet, normal, read_sheet
from monitor.domain.match.profile import Listing

#: Our word by the headers that are known.
COLUMNS = {
    **dict.fromkeys(("url", "link", "product url", "producturl", "page"), "url"),
    **dict.fromkeys(("title", "name", "product", "product name", "productname", "offer name"), "title"),
    **dict.fromkeys(("brand", "manufacturer", "vendor"), "brand"),
    **dict.fromkeys(("gtin", "ean", "barcode", "upc", "ean13", "gtin13"), "gtin"),
    **dict.fromkeys(("mpn", "manufacturer part number", "model"), "mpn"),
    **dict.fromkeys(("sku", "their_sku", "item id", "itemid", "id"), "sku"),
    **dict.fromkeys(("variant", "variant id"), "variant"),
    **dict.fromkeys(("price", "promoprice", "current price"), "price"),
    "currency": "currency",
    "condition": "condition",
}


def read_rivals(body: bytes, name: str, base_url: str, asked: Asked) -> tuple[tuple[Listing, ...], tuple[str, ...]]:
    """Return the listings of a file and everything wrong with it; with problems there are none.

    Args:
        body: the file.
        name: how problems call it.
        base_url: of the competitor, for files that know only handles.
        asked: what whoever imports says about the file.
    """
    sheet = read_sheet(body, name, asked.encoding)
    found = {COLUMNS.get(normal(column)) for column in sheet.columns}
    if asked.kind is None and {"url", "title"} <= found and not sheet.problems:
        return _simple(sheet, base_url)
    intake = read_catalogue_file(body, name, asked)
    if intake.problems:
        hint = f"{name}: or give a table with the columns url and title, and gtin, brand, mpn, price where known"
        return (), (*intake.problems, hint)
    return tuple(_listing(each, intake, base_url) for each in intake.listed if _url(each, intake)), ()


def _listing(each: Listed, intake: Intake, base_url: str) -> Listing:
    facts = each.facts
    return Listing(
        url=urljoin(base_url, _url(each, intake)),
        title=str(facts.get("title", "")),
        brand=facts.get("brand"),
        gtin=facts.get("gtin"),
        mpn=facts.get("mpn"),
        sku=each.stated.get("sku") or each.key,
        options=facts.get("options", ()),
        condition=each.stated.get("condition"),
        price=facts.get("price"),
        currency=facts.get("currency"),
    )


def _url(each: Listed, intake: Intake) -> str:
    if intake.kind is Kind.SHOPIFY:
        return f"/products/{each.stated.get('handle', '')}"
    return str(each.facts.get("url") or "")


def _simple(sheet: Sheet, base_url: str) -> tuple[tuple[Listing, ...], tuple[str, ...]]:
    places: dict[str, int] = {}
    for at, column in enumerate(sheet.columns):
        if field := COLUMNS.get(normal(column)):
            places.setdefault(field, at)
    listings, problems = [], []
    for record in sheet.records:
        cells = {field: record.cells[at].strip() for field, at in places.items()}
        if not cells["url"] or not cells["title"]:
            problems.append(f"{sheet.name}, line {record.line}: url and title are both needed in every row")
            continue
        price, currency = _price(cells)
        listings.append(
            Listing(
                url=urljoin(base_url, cells["url"]),
                title=cells["title"],
                price=price,
                currency=currency,
                **{
                    field: cells.get(field) or None for field in ("brand", "gtin", "mpn", "sku", "variant", "condition")
                },  # type: ignore[arg-type]  # all text
            )
        )
    return (() if problems else tuple(listings)), tuple(problems)


def _price(cells: dict[str, str]) -> tuple[Decimal | None, str | None]:
    """Return the price when it can be told; it only raises a doubt, so an unclear one is none."""
    try:
        read = stated(cells.get("price", ""))
        sign = decimal_sign([(0, read.number)], None)
        currency = read.currency or cells.get("currency", "").upper() or None
        return (amount(read.number, sign), currency) if sign else (None, None)
    except UnclearAmount:
        return None, None
