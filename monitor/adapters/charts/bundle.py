"""Writes what the browser draws with: the chart library and every chart's specification (`make charts`).

They are kept in `templates/web/static`, so that no page waits for a child process; a test says when they are old.
"""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import vl_convert

from monitor.adapters.charts.specs import VEGA_LITE, specification
from monitor.domain.picture import HEIGHTS, Chart, Theme

#: What of the library's packages the browser draws with. Vega-Lite stays out, which is a third of all there is: the
#: specifications are compiled here. The names of the packages are those under which the lock's version has them inside.
_LIBRARY = """
import { View, parse } from "/npm/vega@6.2.0/+esm";
import { expressionInterpreter as expr } from "/npm/vega-interpreter@2.0.0/+esm";
import { Handler as Tooltip } from "/npm/vega-tooltip@1.0.0/+esm";
window.library = { View, parse, expr, Tooltip };
"""
#: The interpreter makes a table of the functions of an event anew for each expression of each mark, half of its time,
#: though there is an event in none of them.
_TABLE_OF_EVENT = re.compile(
    r"\w+\.forEach\((\w+)=>\w+\.fn\[\1\]=function\(\)\{return (\w+)\.vega\[\1\]\(\.\.\.arguments\);\}\)"
)


class OtherLibrary(Exception):
    """The library is not the one that this was written for."""


def files() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each file."""
    yield "vega.js", library() + "\n"
    for chart in Chart:
        for theme in Theme:
            spec = specification(chart, theme, width="container", height=HEIGHTS[chart])
            compiled = vl_convert.vegalite_to_vega(spec, vl_version=VEGA_LITE)  # once here, and not in every browser
            tell_when_pointed_at(compiled, tooltips(spec))
            compiled["axes"] = one_of_two(compiled["axes"])
            yield f"{chart}.{theme}.json", json.dumps(compiled, separators=(",", ":")) + "\n"


def library() -> str:
    """Return the library as one script; `OtherLibrary` when the lock's has changed in what this relies on."""
    text, found = _TABLE_OF_EVENT.subn(r"\2&&\g<0>", vl_convert.javascript_bundle(_LIBRARY))
    if found != 1:
        raise OtherLibrary(f"The chart library makes tables of events in {found} places, not in one. Look at it again.")
    return text


def one_of_two(axes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return axes with their grids: Vega-Lite makes of each grid an axis of its own, laid out like any other."""
    grids = {axis["scale"]: axis for axis in axes if axis.get("grid") and not axis.get("labels", True)}
    named = [axis for axis in axes if axis not in grids.values()]
    lines = {scale: {key: axis[key] for key in ("grid", "gridScale")} for scale, axis in grids.items()}
    return [axis | lines.get(axis["scale"], {}) for axis in named]


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
