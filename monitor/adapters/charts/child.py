"""The drawing process: a line of JSON in, a chart out, until nobody asks any more.

Answers are a byte that says whether it was drawn, four bytes of length and the chart, or why not in words.
"""

import json
import struct
import sys
from typing import Any, BinaryIO

import vl_convert

from monitor.adapters.charts.specs import VEGA_LITE, specification
from monitor.domain.picture import Chart, Form, Theme

#: Of words in a mail's pictures: a phone shows them at seven tenths of their size.
MAIL_FONT_PX = 15
_HEAD = struct.Struct(">?I")


def serve(asked: BinaryIO, answers: BinaryIO) -> None:
    """Answer every line."""
    for line in asked:
        try:
            is_drawn, body = True, drawn(json.loads(line))
        except Exception as error:  # the parent is told, and goes on without this chart
            is_drawn, body = False, f"{type(error).__name__}: {error}".encode()[:2_000]
        answers.write(_HEAD.pack(is_drawn, len(body)) + body)
        answers.flush()


def drawn(asked: dict[str, Any]) -> bytes:
    """Return one chart."""
    chart, form, theme = Chart(asked["chart"]), Form(asked["form"]), Theme(asked["theme"])
    spec = specification(chart, theme, width=asked["width"], height=asked["height"])
    spec["datasets"] = {**spec.get("datasets", {}), **asked["tables"]}
    if form is Form.SVG:
        svg: str = vl_convert.vegalite_to_svg(spec, vl_version=VEGA_LITE)
        return svg.encode()
    spec["config"]["background"] = "white"  # a mail may be shown on any ground
    spec["config"]["axis"] |= {"labelFontSize": MAIL_FONT_PX, "titleFontSize": MAIL_FONT_PX}
    png: bytes = vl_convert.vegalite_to_png(spec, vl_version=VEGA_LITE, scale=2)
    return png


if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout.buffer)
