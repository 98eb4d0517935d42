"""`[web]` and `[approval_webhook]` of monitor.toml."""

from ipaddress import ip_network
from typing import Any

import pytest
from pydantic import ValidationError

from monitor.settings.environment import read_environment
from monitor.settings.web import WebSection

KEYS = {"MONITOR_SECRET_KEYS": "0123456789abcdef" * 4}


def test_proxies_are_addresses_and_narrow_networks() -> None:
    read = WebSection.model_validate(
        {"trusted_proxies": ["127.0.0.1", "10.0.3.0/28", "::1"], "user_header": "Remote-User"}
    )

    assert read.trusted_proxies == (ip_network("127.0.0.1"), ip_network("10.0.3.0/28"), ip_network("::1"))
    assert read.user_header == "remote-user"


@pytest.mark.parametrize(
    "given",
    [
        {"trusted_proxies": ["*"]},
        {"trusted_proxies": ["0.0.0.0/0"]},
        {"trusted_proxies": ["::/0"]},
        {"trusted_proxies": ["10.0.0.0/8"]},
        {"trusted_proxies": ["proxy.example"]},
        {"trusted_proxies": "127.0.0.1"},
        {"user_header": "Remote-User"},
        {"trusted_proxies": ["127.0.0.1"], "user_header": "Cookie"},
        {"trusted_proxies": ["127.0.0.1"], "user_header": "X Y"},
    ],
)
def test_40_a_proxy_that_is_everybody_is_refused_at_start(given: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        WebSection.model_validate(given)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MONITOR_SECRET_KEYS", "change-me-change-me-change-me-change-me"),
        ("MONITOR_SECRET_KEYS", "short"),
        ("MONITOR_SECRET_KEYS", "a" * 64),
        ("MONITOR_API_TOKEN", "your-token-here-your-token-here-your"),
        ("MONITOR_APPROVAL_SECRET", "whsec_Y2hhbmdl"),
        ("MONITOR_APPROVAL_SECRET", "not one"),
        ("MONITOR_APPROVAL_SECRET", "whsec_" + "QUFB" * 12),
    ],
)
def test_placeholder_secrets_are_refused_at_start_without_being_shown(name: str, value: str) -> None:
    found, problems = read_environment(KEYS | {name: value}, shop="price_file")

    assert found is None
    assert any(problem.startswith(name) for problem in problems)
    assert not [problem for problem in problems if value in problem]
