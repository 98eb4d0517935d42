"""What is logged reaches standard error as it is now, without the token of a signed link."""

import io
import json
import sys
from collections.abc import Iterator

import pytest
import structlog

from monitor.adapters.log import configure_log


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    before = structlog.get_config()
    yield
    structlog.configure(**before)


def test_a_log_goes_to_what_standard_error_is_now_though_that_of_the_start_was_closed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first, second = io.StringIO(), io.StringIO()
    monkeypatch.setattr(sys, "stderr", first)
    configure_log("json")
    log = structlog.get_logger()
    log.error("one")
    assert json.loads(first.getvalue())["event"] == "one"

    first.close()
    monkeypatch.setattr(sys, "stderr", second)
    log.error("two")
    assert json.loads(second.getvalue())["event"] == "two"


@pytest.mark.parametrize("form", ["json", "console"])
def test_a_signed_link_is_logged_without_its_token(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    configure_log(form)
    structlog.get_logger().warning("asked", address="https://m.example/a/IjEyMzQ1Njc4OTAxMjM0NTY3ODkwIg.ab.cd")
    shown = capsys.readouterr().err
    assert "https://m.example/a/" in shown
    assert "IjEyMzQ1Njc4OTAxMjM0" not in shown
