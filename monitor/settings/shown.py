"""The settings as they are in force, each with where it comes from, for people to read; never a secret."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import time, timedelta
from enum import Enum
from typing import Any

from monitor.settings.sections import MonitorToml

#: How long a duration is per unit, by the end of its key.
_UNITS = {"_s": 1, "_h": 3_600, "_d": 86_400, "_days": 86_400}


@dataclass(frozen=True, slots=True)
class ShownSetting:
    """One key of monitor.toml as it is in force."""

    section: str
    key: str
    value: str
    is_default: bool  #: the file does not say it


def shown_settings(common: MonitorToml) -> tuple[ShownSetting, ...]:
    """Return every key of monitor.toml, in the order of `docs/configuration.md`."""
    return tuple(_shown(common))


def _shown(common: MonitorToml) -> Iterator[ShownSetting]:
    for name in type(common).model_fields:
        section = getattr(common, name)
        for key in type(section).model_fields:
            value = _text(key, getattr(section, key))
            yield ShownSetting(name, key, value, key not in section.model_fields_set)


def _text(key: str, value: Any) -> str:
    if value is None or value == () or value == "":
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, time):
        return f"{value:%H:%M}"
    if isinstance(value, timedelta):
        unit = next((size for end, size in _UNITS.items() if key.endswith(end)), 1)
        return f"{value.total_seconds() / unit:g}"
    if isinstance(value, tuple | list):
        return ", ".join(_text("", one) for one in value)
    return str(value)
