"""Where a request comes from: which page of a browser, and which address on the network.

A browser says where a form was (`Sec-Fetch-Site`, or `Origin` in older ones). The address is that of the connection;
what a proxy adds about it is believed only from the addresses in `web.trusted_proxies`.
"""

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import TypeAlias
from urllib.parse import urlsplit

from starlette.requests import Request

from monitor.domain.report.clean import clean
from monitor.flow.admit import Where

Network: TypeAlias = IPv4Network | IPv6Network
_MAX_AGENT = 120


def is_from_our_page(request: Request, public_url: str, *, may_be_silent: bool = True) -> bool:
    """Say whether a POST comes from a page of ours.

    Args:
        request: the POST.
        public_url: where our pages are.
        may_be_silent: whether to let something through that says nothing about it, as programs do: where the token in
            the address is the authority, never where a cookie is.
    """
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        return site == "same-origin"
    origin = request.headers.get("origin")
    if origin is None:
        return may_be_silent
    return origin in (origin_of(public_url), f"http://{request.headers.get('host', '')}".lower())


def origin_of(url: str) -> str:
    """Return `scheme://host[:port]` of a URL, in lower case."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}".lower()


def address_of(request: Request, proxies: Sequence[Network] = ()) -> IPv4Address | IPv6Address | None:
    """Return the address that asks: the last one that is no proxy of ours."""
    found = _address(request.client.host if request.client else "")
    forwarded = [part.strip() for part in request.headers.get("x-forwarded-for", "").split(",") if part.strip()]
    while found is not None and forwarded and is_among(found, proxies):
        found = _address(forwarded.pop())
    return found


def is_among(address: IPv4Address | IPv6Address, networks: Sequence[Network]) -> bool:
    """Say whether an address is in one of these networks."""
    return any(address.version == one.version and address in one for one in networks)


def _address(text: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(text)
    except ValueError:
        return None


def network_of(request: Request, proxies: Sequence[Network] = ()) -> str | None:
    """Return the network that a request came from, not the person's address: /24 of IPv4, /48 of IPv6."""
    address = address_of(request, proxies)
    return None if address is None else str(ip_network((address, 24 if address.version == 4 else 48), strict=False))


def agent_of(request: Request) -> str | None:
    """Return the start of the browser's name, or None."""
    return clean(request.headers.get("user-agent", ""), _MAX_AGENT) or None


def where_of(request: Request, proxies: Sequence[Network] = ()) -> Where:
    """Return where a request comes from, as far as it is kept.

    Everybody behind an unlisted proxy on this machine has its address, so tries are not counted by that one.
    """
    address, network = address_of(request, proxies), network_of(request, proxies)
    counted = None if address is None or address.is_loopback else network
    return Where(network, counted, agent_of(request))
