"""Writes what the browser draws with: the chart library and every chart's specification (`make charts`).

They are kept in `templates/web/static`, so that no page waits for a child process; a test says when they are old.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import vl_convert

from monitor.adapters.charts.specs import VEGA_LITE, specification
from monitor.domain.picture import HEIGHTS, Chart, Theme


def files() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each file."""
    yield "vega.js", vl_convert.javascript_bundle() + "\n"  # type: ignore[call-arg]  # its stub forgot the default
    for chart in Chart:
        for theme in Theme:
            spec = specification(chart, theme, width="container", height=HEIGHTS[chart])
            compiled = vl_convert.vegalite_to_vega(spec, vl_version=VEGA_LITE)  # once here, and not in every browser
            tell_when_pointed_at(compiled, tooltips(spec))
            yield f"{chart}.{theme}.json", json.dumps(compiled, separators=(",", ":")) + "\n"


def tooltips(spec: Any) -> list[list[list[str]]]:
    """Return each list of what is told of a mark: titles, fields and formats, the longest first."""
    found: list[list[list[str]]] = []
    for key, value in spec.items() if isinstance(spec, dict) else enumerate(spec):
        if key == "tooltip" and isinstance(value, list):
            found.append([[one["title"], one["field"], one.get("format", "")] for one in value])
        elif isinstance(value, dict | list):
            found += tooltips(value)
    return sorted({json.dumps(one): one for one in found}.values(), key=len, reverse=True)


def tell_when_pointed_at(compiled: dict[str, Any], told: list[list[list[str]]]) -> None:
    """Leave it to the browser to put together what is told of a mark when somebody points at it.

    Put together for every mark beforehand, by interpreted expressions, it took a fifth of the time to draw two years.
    """
    for mark in compiled["marks"]:
        if "tooltip" in mark["encode"]["update"]:
            mark["encode"]["update"]["tooltip"] = {"signal": "datum"}
    compiled["usermeta"] = {"told": told}


if __name__ == "__main__":
    for name, text in files():
        (Path(sys.argv[1]) / name).write_text(text)
