"""Which URLs and addresses may be visited, and which site a URL belongs to.

Every shop address comes from outside: from a file, a redirect, a feed. This module says no to the ones that
would turn the monitor into a tool against its own network. It judges the *resolved* address, because
`2130706433`, `0x7f.1` and `localtest.example` are all ways to write 127.0.0.1; the caller resolves once, checks
every answer and connects to a checked one.

An operator may allow one exact `host:port` to be loopback or private (a demo shop, an intranet webhook).
Link-local and cloud metadata stay refused even then. Nothing here looks a name up: the public suffix list
is the one bundled with tldextract.

Sources: the IANA special-purpose address registries; RFC 6890, 6598 (100.64/10), 6052 (NAT64), 3056 (6to4),
4380 (Teredo), 5214 (ISATAP). `ipaddress` of Python 3.11.7 calls several of these global, hence the list of our own.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

import idna

if TYPE_CHECKING:
    from tldextract import TLDExtract

#: Ports a shop may be visited at without being named in `allow_addresses`.
WEB_PORTS = frozenset({80, 443})

#: Longest URL that is sent; longer ones are refused (servers commonly stop at 8,000 octets, RFC 9110 4.1).
MAX_URL_LENGTH = 8_000

_DEFAULT_PORT = {"http": 80, "https": 443}
_HOST_NAME = re.compile(r"[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*\.?")
_NOT_ASCII = re.compile(r"[^\x21-\x7e]+")
_BRACKETED = re.compile(r"\[[^\[\]]*\](?::[0-9]*)?")
_DOT = re.compile(r"%2e", re.IGNORECASE)
_DOTS = re.compile(r"/(?:\.|%2e){1,2}(?:/|\Z)", re.IGNORECASE)
_UNSAFE = re.compile(r"[\x00-\x20\x7f\\\ud800-\udfff]")

#: Not reachable as a public shop although `ipaddress` calls them global, or calls them so in some versions.
_NOT_PUBLIC = tuple(
    ip_network(block)
    for block in (
        "100.64.0.0/10",  # carrier-grade NAT
        "192.0.0.0/24",  # protocol assignments
        "192.88.99.0/24",  # 6to4 relays
        "168.63.129.16/32",  # Azure's wire server: a public number that answers inside every machine there
        "::/96",  # IPv4-compatible
        "64:ff9b::/96",  # NAT64: 64:ff9b::a9fe:a9fe is 169.254.169.254
        "64:ff9b:1::/48",  # local NAT64
        "2001::/32",  # Teredo
        "2002::/16",  # 6to4
        "fec0::/10",  # site-local
        "3fff::/20",  # documentation, RFC 9637
        "5f00::/16",  # segment routing, RFC 9602
    )
)

#: What an exact `host:port` of the operator may open up.
_ALLOWABLE = tuple(
    ip_network(block)
    for block in (
        "127.0.0.0/8",
        "10.0.0.0/8",
        "172.16.0.0/12",
        "192.168.0.0/16",
        "100.64.0.0/10",
        "::1/128",
        "fc00::/7",
    )
)

#: Addresses inside the allowable blocks that hand out a machine's credentials.
_METADATA = frozenset(
    ip_address(text) for text in ("100.100.100.200", "192.0.0.192", "168.63.129.16", "fd00:ec2::254", "fd20:ce::254")
)


class UrlRefused(ValueError):
    """A URL that is never visited, whatever it resolves to."""

    def __init__(self, url: str, why: str) -> None:
        super().__init__(
            f"{url[:200]!r} is not visited: {why}. Write an http:// or https:// address of a public host "
            "without user name, on port 80 or 443; other ports only when allow_addresses names host:port."
        )
        self.url, self.why = url, why


@dataclass(frozen=True, slots=True)
class Target:
    """Where a URL leads, read once and strictly, so that no second parser can read it differently."""

    url: str  #: with an ASCII host, without fragment and dots
    scheme: str  #: `http` or `https`
    host: str  #: lower case, IDNA 2008, IPv6 without brackets
    port: int

    @property
    def authority(self) -> str:
        """`host:port`, always with the port, IPv6 in brackets: the form `allow_addresses` uses."""
        return f"{_bracketed(self.host)}:{self.port}"

    @property
    def site(self) -> str:
        """The registrable domain, or `host:port` for addresses and single names."""
        return registrable(self.host) or self.authority


@lru_cache(maxsize=1024)  # one request asks a dozen times: for its slot, its robots.txt, its cookies, its connection
def target(url: str) -> Target:
    """Read a URL as the client will send it.

    Raises:
        UrlRefused: another scheme, a user name, no or a malformed host, white space, a backslash, a bad port.
    """
    if len(url) > MAX_URL_LENGTH:
        raise UrlRefused(url, f"it is longer than {MAX_URL_LENGTH} characters")
    if _UNSAFE.search(url):
        raise UrlRefused(url, "it contains white space, a control character, a backslash or half a character")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise UrlRefused(url, f"it cannot be read ({error})") from None
    if parts.scheme not in _DEFAULT_PORT:
        raise UrlRefused(url, f"its scheme is {parts.scheme or 'missing'}")
    if "@" in parts.netloc:
        raise UrlRefused(url, "it carries a user name")
    if "[" in parts.netloc and (":" not in (parts.hostname or "") or not _BRACKETED.fullmatch(parts.netloc)):
        raise UrlRefused(url, "what stands in brackets is not an IPv6 address")
    host = _ascii_host(url, parts.hostname or "")
    if port == 0:
        raise UrlRefused(url, "port 0 does not exist")
    netloc = _bracketed(host) + (f":{port}" if port else "")
    path = _without_dots(_ascii(parts.path) or "/")
    exact = parts._replace(netloc=netloc, path=path, query=_ascii(parts.query), fragment="").geturl()
    return Target(exact, parts.scheme, host, port or _DEFAULT_PORT[parts.scheme])


def admit(to: Target, allow_addresses: frozenset[str], ports: frozenset[int] = WEB_PORTS) -> None:
    """Refuse a port that is neither a web port nor named by the operator.

    Raises:
        UrlRefused: `to.port` is not in `ports` and `to.authority` not in `allow_addresses`.
    """
    if to.port not in ports and to.authority not in allow_addresses:
        raise UrlRefused(to.url, f"port {to.port} is not allowed for {to.host}")


def _without_dots(path: str) -> str:
    """Return a path without `.` and `..`, however they are written: what every server and every browser makes of it."""
    if not _DOTS.search(path):
        return path
    kept: list[str] = []
    parts = path.split("/")[1:]
    for part in parts:
        plain = _DOT.sub(".", part)
        if plain == "..":
            kept = kept[:-1]
        elif plain != ".":
            kept.append(part)
    ends_in_folder = _DOT.sub(".", parts[-1]) in (".", "..")
    return "/" + "/".join([*kept, ""] if ends_in_folder else kept)


def _ascii(text: str) -> str:
    return _NOT_ASCII.sub(lambda found: quote(found.group()), text)


def _ascii_host(url: str, host: str) -> str:
    if "%" in host:
        raise UrlRefused(url, f"{host!r} carries a zone or an escape")
    if ":" in host:
        try:
            return str(IPv6Address(host))
        except ValueError:
            raise UrlRefused(url, f"{host!r} is not an address") from None
    if not host.isascii():
        try:
            host = idna.encode(host).decode("ascii")
        except idna.IDNAError:
            raise UrlRefused(url, f"{host!r} is not a host name (IDNA 2008)") from None
    if not _HOST_NAME.fullmatch(host) or any(len(label) > 63 for label in host.split(".")) or len(host) > 253:
        raise UrlRefused(url, f"{host!r} is not a host name" if host else "it has no host")
    return host


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def address_refusal(address: str, *, allowed: bool = False) -> str | None:
    """Say in words why a resolved address is not connected to, or None when it may be.

    Args:
        address: as a resolver returns it; an IPv6 zone (`%eth0`) is ignored for the judgement.
        allowed: whether the operator named this exact `host:port`; opens loopback and private addresses only.
    """
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return f"{address!r} is not an IP address"
    judged = _unwrapped(found)
    if judged in _METADATA or judged.is_link_local:
        return f"{address} is a link-local or cloud metadata address and is never allowed"
    if allowed and _within(judged, _ALLOWABLE):
        return None
    if _tunnels(judged):
        return f"{address} carries an address of another network inside (ISATAP)"
    if not judged.is_global or judged.is_multicast or judged.is_reserved or _within(judged, _NOT_PUBLIC):
        return f"{address} is {_kind(judged)}, not a public one"
    return None


def _unwrapped(found: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    mapped = found.ipv4_mapped if isinstance(found, IPv6Address) else None
    return mapped or found


def _tunnels(found: IPv4Address | IPv6Address) -> bool:
    """Say whether an IPv6 address of any network leads to the IPv4 address in its last 32 bits (RFC 5214)."""
    return found.version == 6 and (int(found) >> 32) & 0xFDFFFFFF == 0x00005EFE


def _within(found: IPv4Address | IPv6Address, blocks: tuple[IPv4Network | IPv6Network, ...]) -> bool:
    return any(found in block for block in blocks)


def _kind(found: IPv4Address | IPv6Address) -> str:
    if found.is_loopback:
        return "a loopback address"
    if found.is_multicast:
        return "a multicast address"
    return "a private or special address"


@lru_cache(maxsize=1)
def _suffixes() -> "TLDExtract":
    from tldextract import TLDExtract  # here, because it costs half a second and most commands never ask

    # Private suffixes count: a.myshopify.com and b.myshopify.com are two shops.
    return TLDExtract(cache_dir=None, suffix_list_urls=(), include_psl_private_domains=True)


@lru_cache(maxsize=1024)
def registrable(host: str) -> str | None:
    """Return the registrable domain of a host name; None for addresses and single names.

    A suffix the list does not know counts as one label, as the list's own rules say.

    >>> registrable("www.shop.co.uk"), registrable("alpkontor.example"), registrable("localhost")
    ('shop.co.uk', 'alpkontor.example', None)
    """
    name = host.rstrip(".").lower()
    if ":" in name or name.rpartition(".")[2].isdigit() or name.rpartition(".")[2].startswith("0x"):
        return None
    found = _suffixes()(name)
    if found.suffix and found.domain:
        return f"{found.domain}.{found.suffix}"
    labels = name.split(".")
    return ".".join(labels[-2:]) if len(labels) > 1 else None


def belongs(to: Target, hosts: tuple[str, ...]) -> bool:
    """Say whether a target is one of `hosts`: registrable domains, exact hosts, or exact `host:port`."""
    return not {to.site, to.host.rstrip("."), to.authority}.isdisjoint(hosts)
