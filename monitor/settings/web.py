"""`[web]` and `[approval_webhook]` of monitor.toml: who may connect, and which program may decide."""

from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Annotated, Any

from pydantic import BeforeValidator, model_validator

from monitor.settings.forms import HostName, Switch, shown, text_of, whole, words
from monitor.settings.toml_file import Section


def _proxies(value: Any) -> tuple[IPv4Network | IPv6Network, ...]:
    """Read addresses and networks; one that holds everybody would let anybody say who they are."""
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
        raise ValueError(f'{shown(value)} is not a list of texts; write ["127.0.0.1", "10.0.3.0/28"]')
    return tuple(_proxy(item) for item in value)


def _proxy(text: str) -> IPv4Network | IPv6Network:
    try:
        network = ip_network(text)
    except ValueError:
        raise ValueError(
            f"{text!r} is not the address of a proxy or its network; write 127.0.0.1 or 10.0.3.0/28, never a name or *"
        ) from None
    widest = 16 if network.version == 4 else 48
    if network.prefixlen < widest:
        raise ValueError(
            f"{text!r} is wider than /{widest}: everybody in it could say who they are; list your proxies' addresses"
        )
    return network


def _header(text: str) -> str:
    if not text.replace("-", "").isalnum() or not text.isascii() or not 1 <= len(text) <= 60:
        raise ValueError(f'{text!r} is not the name of a header; write it as "Remote-User"')
    if text.lower() in {"authorization", "cookie", "host", "origin", "x-forwarded-for"}:
        raise ValueError(f"{text!r} is a header of browsers, which anybody can send; name the one your proxy sets")
    return text.lower()


class WebSection(Section):
    host: HostName = "127.0.0.1"
    port: Annotated[int, whole(0, 65_535)] = 8080
    trusted_proxies: Annotated[tuple[IPv4Network | IPv6Network, ...], BeforeValidator(_proxies)] = ()
    user_header: Annotated[str, text_of(_header)] | None = None

    @model_validator(mode="after")
    def _a_header_needs_its_proxy(self) -> "WebSection":
        if self.user_header is not None and not self.trusted_proxies:
            raise ValueError("user_header needs trusted_proxies, the addresses of the proxies that set it")
        return self


class ApprovalWebhookSection(Section):
    name: Annotated[str, words(60)] = "approval webhook"
    may_approve: Switch = False
