"""Writes what the browser draws with: the chart library and every chart's specification (`make charts`).

They are kept in `templates/web/static`, so that no page waits for a child process; a test says when they are old.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

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
            yield f"{chart}.{theme}.json", json.dumps(compiled, separators=(",", ":")) + "\n"


if __name__ == "__main__":
    for name, text in files():
        (Path(sys.argv[1]) / name).write_text(text)
