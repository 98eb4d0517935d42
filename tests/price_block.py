"""One block of a product's page, and the price that is read of it."""

from monitor.extract import extract

_PAGE = (
    "<html lang='{language}'><head><title>Blue vase</title></head><body><h1>Blue vase</h1>{block}<button>{buy}</button>"
)


def price_of(block: str, language: str = "de", buy: str = "In den Warenkorb") -> str | None:
    """Return the price that is read of a product beside whose name a block stands, None for none."""
    page = _PAGE.format(language=language, block=block, buy=buy)
    found = extract(page.encode(), "https://vase.example/products/blue-vase", "text/html; charset=utf-8")
    return None if found.price is None else str(found.price)
