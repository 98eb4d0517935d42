"""Structured logs on standard error: an event name and fields, never a secret or a signed link."""

import logging
import re
import sys
from collections.abc import MutableMapping
from typing import Any

import structlog

_LINK = re.compile(r"/a/[A-Za-z0-9_.\-]{20,}")


def configure_log(form: str) -> None:
    """Write logs as `json` lines or for a `console`; what libraries log goes the same way from WARNING up."""
    renderer: Any = structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    if form == "json":
        renderer = structlog.processors.JSONRenderer()
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            without_links,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=_to_standard_error,
        cache_logger_on_first_use=False,
    )
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s %(message)s")


def _to_standard_error(*_: Any) -> structlog.PrintLogger:
    """Write to what standard error is now: the one of the start may have been replaced, and closed, since."""
    return structlog.PrintLogger(sys.stderr)


def without_links(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Cut the token out of any signed link that got into a log line."""
    return {name: _LINK.sub("/a/…", value) if isinstance(value, str) else value for name, value in event.items()}
