"""Who we say we are. No browser's costume: a polite program that is refused reports it."""

import re

_TOKEN = re.compile(r"[A-Za-z][A-Za-z_-]*")
_UNPRINTABLE = re.compile(r"[^\x20-\x7e]|[()\\]")


def user_agent(version: str, contact: str, *, product: str = "price-monitor") -> str:
    """Return the User-Agent header: product token, version, and where to complain.

    Args:
        version: of this program.
        contact: a URL or an e-mail address; empty leaves it out.
        product: the product token a robots.txt can name: letters, `-` and `_` only (RFC 9309, section 2.2.1).

    Raises:
        ValueError: a token or a contact that cannot stand in the header.

    >>> user_agent("1.2.0", "https://brand.example/bot")
    'price-monitor/1.2.0 (+https://brand.example/bot)'
    """
    if not _TOKEN.fullmatch(product):
        raise ValueError(f"{product!r} is not a product token; use letters, hyphens and underscores only")
    if _UNPRINTABLE.search(contact):
        raise ValueError(f"{contact!r} cannot stand in a User-Agent; use a plain URL or e-mail address")
    return f"{product}/{version} (+{contact})" if contact else f"{product}/{version}"
