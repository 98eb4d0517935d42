"""Structured logs on standard error: an event name and fields, never a secret or a signed link."""

import logging
import re
import sys
from collections.abc import MutableMapping
from typing import Any

import structlog

#: What must not be read in a log, and what stands there instead.
_SECRETS = (
    (re.compile(r"/a/[A-Za-z0-9_.\-]{20,}"), "/a/…"),
    (re.compile(r"whsec_[A-Za-z0-9+/=]{16,}"), "whsec_…"),
    (re.compile(r"pmt_[A-Za-z0-9_\-]{16,}"), "pmt_…"),
    (re.compile(r"shp[a-z]{2}_[A-Za-z0-9]{16,}"), "shp…"),
    (re.compile(r"\b(c[ks]_)[0-9a-f]{20,}"), r"\1…"),
    (re.compile(r"(?i)\b(bearer|basic) +[A-Za-z0-9+/=_.\-]{8,}"), r"\1 …"),
    (re.compile(r"(://[^\s:/@]+):[^\s/@]+@"), r"\1:…@"),
)


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
            without_secrets,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=_to_standard_error,
        cache_logger_on_first_use=False,
    )
    of_libraries = logging.StreamHandler(sys.stderr)
    of_libraries.setFormatter(_Redacting("%(levelname)s %(name)s %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[of_libraries])


def only_warnings() -> None:
    """Leave out what is no warning, where a person is told in lines of his own."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))


def _to_standard_error(*_: Any) -> structlog.PrintLogger:
    """Write to what standard error is now: the one of the start may have been replaced, and closed, since."""
    return structlog.PrintLogger(sys.stderr)


def without_secrets(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Cut links, tokens, keys and passwords out of whatever got into a log line."""
    return {name: redacted(value) if isinstance(value, str) else value for name, value in event.items()}


def redacted(text: str) -> str:
    """Return a text without what must not be read in a log."""
    for pattern, instead in _SECRETS:
        text = pattern.sub(instead, text)
    return text


class _Redacting(logging.Formatter):
    """Formats what libraries log, exceptions included, without secrets."""

    def format(self, record: logging.LogRecord) -> str:
        return redacted(super().format(record))
