"""Article numbers and GTINs: validated, and found beside their labels when nothing is declared."""

import re
from functools import lru_cache

from stdnum import ean, isbn

from monitor.extract.needles import every
from monitor.extract.vocabulary import Heads

#: Labels of an article number in shop pages, lower case, each followed by the number.
_SKU = re.compile(
    r"(?:\bsku|\basin|\bart(?:icle|ikel|ikl)?[ .-]*(?:no|nr|nummer|number|n°|code|#)[.:#]*|\bitem(?=:)"
    r"|\bitem ?(?:#|no\.?|number|code|id)|\bproduct (?:code|id|number|no\.?|#)|\bmodel ?(?:#|no\.?|number)?"
    r"|\br[eé]f(?:\.|erence|erencia|erenza|érence|:)|код товара|артикул|šifra(?: artikla| izdelka)?"
    r"|kód(?: produktu| tovaru| zboží)?:|kod (?:produktu|towaru)|\bmpn|\bstyle ?(?:#|no\.?|number)"
    r"|(?:bestell|produkt)-?(?:nr\.?|nummer)|best\.-?nr\.?|\bcod(?:ice|\.)(?: (?:prodotto|articolo))?"
    r"|\bcódigo(?: (?:do|de) produto)?"
    r"|код:|арт\.|商品編號|貨號|商品番号|商品コード|品番|型番|品號"
    r"|código de producto|상품번호|상품코드|varenummer|varenr\.?|artnr\.?|tuotenumero|tuotekoodi|cikkszám"
    r"|κωδικ[οό][ςσ](?: προϊόντος)?"
    r"|ürün kodu|stok kodu|indeks|symbol|kods|prekės kodas|toote kood|cod produs"
    r"|vörunúmer|\bplu|\bugs|kode produk|mã sản phẩm|mã(?: sp| hàng)?:|รหัสสินค้า|מק\"ט|\bcatalog(?:ue)? ?(?:#"
    r"|no\.?|number))(?: ?\(?sku\)?)?[\s\x1f:：#№.-]{0,6}([a-z0-9][a-z0-9_./-]{2,29})",
)
_CODED = re.compile(r"[A-Z]{1,5}-[A-Z]{1,6}(?:-[A-Z]{1,6})?")  #: a number of letters alone: AP-GO
_BRACKETED = re.compile(r"\s*[\[(]([A-Z0-9][A-Z0-9._/-]{2,24})[\])]")  #: a number in brackets behind the product's name
_GTIN = re.compile(
    r"(?:\bean(?:-?13)?|\bgtin(?:-?1[0-9])?|\bupc|(?<![a-z])isbn(?:-?1[03])?"
    r"|\bbarcode)[\s\x1f:：#.-]{0,6}([0-9][0-9 x-]{7,20})"
)

_GTIN_LENGTHS = frozenset({8, 12, 13, 14})
LONGEST_NUMBER = 100  #: characters of a text that may be a GTIN, spaces and hyphens counted

_GTIN_LABELS = ("ean", "gtin", "upc", "isbn", "barcode")  #: with which `_GTIN` begins

_MODEL_LABELS = ("model", "mpn", "style")  #: labels of a number that several articles may share

#: How the labels of `_SKU` begin; looking for these first is many times faster. Of common words more is asked.
_SKU_HEADS = Heads((
    "sku", "asin", "artnr", "art ", "art.", "artc", "artn", "arti", "art#", "art-", "item #", "item n", "item c",
    "item i", "item#", "itemn", "itemc", "itemi", "item:", "product c", "product i", "product n", "product #",
    "catalog", "model", "ref", "produktn", "produkt-n", "réf", "vöru", "plu", "kode", "mã", "kód", "kod", "mpn",
    "style", "best", "cod", "cód", "varen", "tuote", "cikksz", "stok", "indeks", "symbol", "prek", "toote", "ugs",
    "รหัส", "מק", "код", "šifra", "арт", "商品", "貨號", "상품", "品番", "型番", "品號", "κωδ", "ürün",
))  # fmt: skip


def valid_gtin(*texts: str | None) -> str | None:
    """Return the first text that is a GTIN with a right check digit, digits only; an ISBN-10 becomes an ISBN-13."""
    return next((gtin for gtin in (_gtin_of(text[:LONGEST_NUMBER]) for text in texts if text) if gtin), None)


@lru_cache(maxsize=4096)
def _gtin_of(text: str) -> str | None:
    digits = "".join(text.replace("-", " ").split())
    if len(digits) in _GTIN_LENGTHS and digits.isdigit() and ean.is_valid(digits) and digits.strip("0"):
        return digits
    if len(digits) == 10 and isbn.is_valid(digits):
        return str(isbn.to_isbn13(digits)).replace("-", "")
    return None


def labelled_sku(text: str, lower: str) -> str | None:
    """Return the article number that a label in `text` announces, rather than its model; it must hold a digit.

    Args:
        text: as shown.
        lower: the same in lower case, at the same offsets.
    """
    model: str | None = None
    for place in _SKU_HEADS.places(lower, 0, len(lower)):
        found = _SKU.match(lower, place)
        if found is None:
            continue
        number = text[found.start(1) : found.end(1)].strip("./-_")
        if len(number) >= 3 and (any(c.isdigit() for c in number) or _CODED.fullmatch(number)):
            if not found.group().startswith(_MODEL_LABELS):
                return number
            model = model or number
    return model


def bracketed_sku(text: str) -> str | None:
    """Return the number in brackets with which `text` begins, as in `[SSC-6]`; it must hold a digit."""
    found = _BRACKETED.match(text)
    number = found.group(1) if found else ""
    return number if any(c.isdigit() for c in number) else None


def labelled_gtin(lower: str) -> str | None:
    """Return the valid GTIN that a label in a text announces, given in lower case."""
    places = sorted(place for label in _GTIN_LABELS for place in every(lower, label))
    labelled = (_GTIN.match(lower, place) for place in places)
    return valid_gtin(*(found.group(1) for found in labelled if found))


def code_in_address(url: str) -> str | None:
    """Return the article code of capitals and digits that a part of the address is: `/detail/FIGURE-1234`."""
    found = re.search(r"/([A-Z]{2,}[-_]?[0-9]{3,}[A-Z0-9-]{0,12})(?=$|[/?#.])", url)
    return found.group(1) if found else None


def number_in_address(url: str) -> str | None:
    """Return the last long number of an address: `/itm/123808916008`, `?pid=260591`."""
    numbers = re.findall(r"(?:^|[/=_p-])([0-9]{5,16})(?=$|[/?&#.]|[_-][a-z])", url)
    return numbers[-1] if numbers else None
