"""Tell in which form a catalogue file comes, by its content and never by its name, and read it."""

from collections.abc import Callable
from dataclasses import replace

from monitor.domain.catalogue_file import PRODUCTS, read_products
from monitor.domain.intake import merchant, shopify, woocommerce
from monitor.domain.intake.feed_xml import looks_like_xml, read_feed
from monitor.domain.intake.listing import Asked, Intake, Kind, Listed
from monitor.domain.intake.sheet import Sheet, normal, read_sheet
from monitor.domain.intake.woo_words import HEADERS

#: What --column can name, besides the headers that are known.
MAPPABLE = (
    "id",
    "sku",
    "type",
    "name",
    "published",
    "regular_price",
    "sale_price",
    "stock",
    "in_stock",
    "parent",
    "gtin",
)


def read_catalogue_file(body: bytes, name: str, asked: Asked) -> Intake:
    """Return what a catalogue file lists, with every problem of it."""
    if asked.kind in (None, Kind.MERCHANT) and looks_like_xml(body):
        return _checked(merchant.read_feed_xml(read_feed(body, name, asked.encoding), name, asked))
    if asked.kind is Kind.OWN or (asked.kind is None and _is_own(body, name, asked)):
        return _own(body, name, asked)
    sheet = read_sheet(body, name, asked.encoding)
    if not sheet.columns:
        return Intake(name, asked.kind or Kind.OWN, problems=sheet.problems or (f"{name} is empty; export it again",))
    kind = asked.kind or _kind(sheet, asked)
    reader = _READERS.get(kind) if kind else None
    intake = reader(sheet, asked) if reader else None
    if intake is None:
        return Intake(name, kind or Kind.OWN, problems=(*sheet.problems, _unknown(sheet, asked)))
    return _checked(intake)


def _is_own(body: bytes, name: str, asked: Asked) -> bool:
    """Say whether a file has the headers of our own form, perhaps with a mistake in one of them."""
    sheet = read_sheet(body, name, asked.encoding)
    own = set(sheet.columns) & set(PRODUCTS.columns)
    others = _kind(sheet, asked)
    return others is None and "sku" in own and len(own) * 2 > len(sheet.columns)


def _kind(sheet: Sheet, asked: Asked) -> Kind | None:
    columns = frozenset(normal(column) for column in sheet.columns)
    if set(sheet.columns) <= set(PRODUCTS.columns):
        return None
    if shopify.fields_of(columns):
        return Kind.SHOPIFY
    if woocommerce.fields_of((*columns, *_mapped_fields(asked))):
        return Kind.WOOCOMMERCE
    return Kind.MERCHANT if merchant.is_feed(sheet.columns) else None


def _mapped_fields(asked: Asked) -> tuple[str, ...]:
    """Return the English header of each field that whoever imports has named."""
    english = {field: header for header, field in reversed(HEADERS.items())}
    return tuple(english[field] for field in asked.columns if field in english)


def _shopify(sheet: Sheet, asked: Asked) -> Intake | None:
    fields = shopify.fields_of(frozenset(normal(column) for column in sheet.columns))
    return shopify.read_shopify(sheet, asked, fields) if fields else None


def _woocommerce(sheet: Sheet, asked: Asked) -> Intake | None:
    said = {normal(header): field for field, header in asked.columns.items()}
    known = woocommerce.known_fields(normal(column) for column in sheet.columns)
    fields = {**{header: field for header, field in known.items() if field not in said.values()}, **said}
    found = {field for header, field in fields.items() if header in {normal(column) for column in sheet.columns}}
    if not {"name", "regular_price"} <= found or not found & {"id", "sku"}:
        return None
    return woocommerce.read_woocommerce(sheet, asked, fields)


def _merchant(sheet: Sheet, asked: Asked) -> Intake | None:
    return merchant.read_feed_table(sheet, asked) if merchant.is_feed(sheet.columns) else None


_READERS: dict[Kind, Callable[[Sheet, Asked], Intake | None]] = {
    Kind.SHOPIFY: _shopify,
    Kind.WOOCOMMERCE: _woocommerce,
    Kind.MERCHANT: _merchant,
}


def _own(body: bytes, name: str, asked: Asked) -> Intake:
    read = read_products(body, name, asked.currency)
    listed = tuple(
        Listed(
            key=row.value.sku,
            record=number,
            line=row.line,
            facts={field: getattr(row.value, field) for field in PRODUCTS.columns if field != "sku"},
            not_sold=None if row.value.active else "is not active",
        )
        for number, row in enumerate(read.values, 2)
    )
    return Intake(name, Kind.OWN, "our own CSV", listed, problems=read.problems)


def _checked(intake: Intake) -> Intake:
    """Return the intake with a problem for every key that stands twice, and for a file without a product."""
    seen: dict[str, Listed] = {}
    problems, listed = [], []
    for each in intake.listed:
        first = seen.setdefault(each.key, each)
        if first is each:
            listed.append(each)
        elif (first.facts, first.not_sold) != (each.facts, each.not_sold):
            problems.append(
                f"{intake.name}, line {each.line}: {each.key!r} is already in line {first.line}, with other content; "
                "keep one of the two"
            )
    repeated = len(intake.listed) - len(listed) - len(problems)
    notes = (*intake.notes, f"{repeated} rows repeat another one word for word") if repeated else intake.notes
    if not intake.listed and not intake.problems:
        problems.append(f"{intake.name}: no product in it")
    return replace(intake, listed=tuple(listed), notes=notes, problems=(*intake.problems, *problems))


def _unknown(sheet: Sheet, asked: Asked) -> str:
    shown = ", ".join(repr(column) for column in sheet.columns[:8] if column) or "nothing"
    wanted = f" (asked for as {asked.kind})" if asked.kind else ""
    return (
        f"{sheet.name}, line 1: the columns are of no form that is known{wanted}: {shown}. Known are Shopify's "
        "product CSV (Handle or URL handle, Title, Variant Price or Price), WooCommerce's (ID, SKU, Name, Regular "
        "price in the shop's language; name others with --column regular_price='…'), a Google Merchant feed (id, "
        "title, price; table or XML), and our own CSV (sku, title, price)"
    )
