"""How each chart looks: one Altair specification, drawn everywhere.

Tables are named in the specification and filled when it is drawn, so it does not depend on what it shows.
Colours differ in lightness too, and what matters has a shape or a dash beside its colour.
"""

from collections.abc import Callable, Mapping
from typing import Any

import altair as alt

from monitor.domain.picture import Chart, Theme

#: The version of Vega-Lite that the specifications are written for.
VEGA_LITE = "6.4"

_OWN, _BAD = "#1f6feb", "#cf222e"
#: Ours first, then rivals in an order in which neighbours differ.
_SELLERS = [_OWN, "#d9822b", "#2a9d5c", "#b5475d", "#8a63d2", "#7a7f87", "#b8860b", "#17a2b8", "#c2569b", "#6b8e23"]
_SELLERS += ["#a0522d", "#4b6a88", "#e07b91", "#3f9b9b", "#9a8c3f", "#5c5c99", "#cc6644", "#779977", "#aa7744"]
_SELLERS += ["#666666"]
_INK = {Theme.LIGHT: "#1f2328", Theme.DARK: "#e6edf3"}
_QUIET = {Theme.LIGHT: "#d0d7de", Theme.DARK: "#3d444d"}
#: What is drawn is written as UTC already, whatever zone its times are of, so that no machine's own zone tells.
_CLOCK = alt.Scale(type="utc")
#: The same with room at its ends: a plot that can be moved is cut off there, and with it the dots of the first night.
_MOVED = alt.Scale(type="utc", padding=10)
_DAYS = "utcFormat(datum.value, utcdate(datum.value) > 1 || utcmonth(datum.value) ? '%-d %b' : '%-d %b %Y')"
#: Of the finest part that a tick has; a library's own words are a clock of twelve hours without its half of the day.
_TICK = (
    "utcseconds(datum.value) ? utcFormat(datum.value, '%H:%M:%S')"
    f" : utchours(datum.value) || utcminutes(datum.value) ? utcFormat(datum.value, '%H:%M') : {_DAYS}"
)
#: Nights have days and no hours.
_NIGHT = f"utchours(datum.value) || utcminutes(datum.value) ? '' : {_DAYS}"
#: From first to last seen; a stretch of one night is a dot, else it could not be seen.
_TIME = alt.X("from:T", title=None, scale=_MOVED, axis=alt.Axis(labelOverlap=True, tickCount=8, labelExpr=_TICK))
_PRICE = alt.Y("price:Q", title=None, scale=alt.Scale(zero=False, nice=True, padding=8))
_COLOUR = alt.Color(
    "seller:N", scale=alt.Scale(range=_SELLERS), sort=alt.EncodingSortField("own", op="max", order="descending")
)
#: What is said of an offer under the pointer.
_OFFER = [
    alt.Tooltip("seller:N", title="seller"),
    alt.Tooltip("text:N", title="price"),
    alt.Tooltip("kind:N", title="as"),
    alt.Tooltip("stock:N", title="stock"),
    alt.Tooltip("from:T", title="first seen", format="%d %b %Y"),
    alt.Tooltip("to:T", title="last seen", format="%d %b %Y"),
    alt.Tooltip("night:N", title="evidence of"),
]


def specification(chart: Chart, theme: Theme, *, width: int | str, height: int) -> dict[str, Any]:
    """Return a chart as Vega-Lite JSON with empty tables."""
    made = _CHARTS[chart](theme).properties(width=width, height=height)
    # A canvas and a picture have one label for the whole; one for each mark took a third of the time to draw.
    made = made.configure(background="transparent", font="system-ui, sans-serif", padding=4, aria=False)
    made = made.configure_mark(invalid="show")  # there is none; it is not looked for in every row
    made = made.configure_axis(
        labelColor=_INK[theme],
        titleColor=_INK[theme],
        gridColor=_QUIET[theme],
        domain=False,
        tickColor=_QUIET[theme],
        labelFontSize=12,
        titleFontSize=12,
        titleFontWeight="normal",
    )
    made = made.configure_legend(
        labelColor=_INK[theme],
        titleColor=_INK[theme],
        orient="bottom",
        columns=alt.ExprRef("max(1, floor(width / 135))"),  # as many as a phone is wide for
        symbolType="stroke",
        title=None,
        labelFontSize=12,
    )
    made = made.configure_view(stroke=None).configure_title(color=_INK[theme])
    spec: dict[str, Any] = made.to_dict()
    return spec


def _table(name: str) -> alt.NamedData:
    return alt.NamedData(name=name)


def _history(theme: Theme) -> Any:
    chosen = alt.selection_point(fields=["seller"], bind="legend", name="chosen")
    moved = alt.selection_interval(bind="scales", encodings=["x"], name="moved")
    seen = alt.condition(chosen, alt.value(1.0), alt.value(0.08))
    lines = _lines(seen).add_params(chosen, moved)
    return alt.layer(_turns(seen), lines, _dots(seen), _held(), _changes(theme))


def _lines(seen: Any) -> Any:
    dash = alt.StrokeDash(
        "kind:N",
        legend=None,
        scale=alt.Scale(domain=["regular", "on sale", "sold out", "held"], range=[[1, 0], [6, 2], [1, 4], [2, 2]]),
    )
    return (
        alt.Chart(_table("stretches"))
        .mark_rule(strokeCap="butt")
        .encode(
            x=_TIME,
            x2="until:T",
            y=_PRICE,
            color=_COLOUR,
            strokeDash=dash,
            size=alt.condition("datum.own", alt.value(4), alt.value(2.5)),
            opacity=seen,
            tooltip=_OFFER,
        )
    )


def _turns(seen: Any) -> Any:
    weight = alt.condition("datum.own", alt.value(2), alt.value(1))
    turns = alt.Chart(_table("turns")).mark_rule()
    return turns.encode(x=alt.X("at:T", scale=_MOVED), y=_PRICE, y2="next:Q", color=_COLOUR, size=weight, opacity=seen)


def _dots(seen: Any) -> Any:
    size = alt.condition("datum.own", alt.value(45), alt.value(18))
    dots = alt.Chart(_table("stretches")).transform_filter("datum.once").mark_point(filled=True)
    return dots.encode(x=_TIME, y=_PRICE, color=_COLOUR, size=size, opacity=seen, tooltip=_OFFER)


def _held() -> Any:
    held = alt.Chart(_table("stretches")).transform_filter("datum.kind == 'held'")
    crosses = held.mark_point(shape="cross", angle=45, size=90, color=_BAD, filled=True)
    return crosses.encode(x=_TIME, y=_PRICE, tooltip=_OFFER)


def _changes(theme: Theme) -> Any:
    tooltip = [
        alt.Tooltip("text:N", title="we changed"),
        alt.Tooltip("at:T", title="at", format="%d %b %Y %H:%M"),
    ]
    changes = alt.Chart(_table("changes"))
    triangles = changes.mark_point(shape="triangle-up", size=110, filled=True, color=_INK[theme], yOffset=12)
    return triangles.encode(x=alt.X("at:T", scale=_MOVED), y="price:Q", tooltip=tooltip)


def _by_night(theme: Theme, words: str, second: alt.Tooltip) -> Any:
    nights = alt.Chart(_table("nights"))
    tooltip = [
        alt.Tooltip("night:T", title="night", format="%d %b %Y"),
        alt.Tooltip("index:Q", title="price index", format=".1f"),
        second,
    ]
    line = nights.mark_line(
        color=_OWN, strokeWidth=2.5, interpolate="step-after", point=alt.OverlayMarkDef(size=25, color=_OWN)
    ).encode(
        x=alt.X("night:T", title=None, scale=_CLOCK, axis=alt.Axis(labelOverlap=True, tickCount=8, labelExpr=_NIGHT)),
        y=alt.Y("index:Q", title=words, scale=alt.Scale(zero=False)),
        tooltip=tooltip,
    )
    par = alt.Chart(alt.InlineData(values=[{"index": 100}])).mark_rule(color=_INK[theme], strokeDash=[4, 3])
    return alt.layer(par.encode(y="index:Q"), line)


def _standing(theme: Theme) -> Any:
    return _by_night(theme, "price index, median = 100", alt.Tooltip("place:N", title="place"))


def _portfolio(theme: Theme) -> Any:
    return _by_night(theme, "price index, median = 100", alt.Tooltip("lowest:Q", title="share lowest, %", format=".1f"))


def _spread(theme: Theme) -> Any:
    return (
        alt.Chart(_table("steps"))
        .mark_bar()
        .encode(
            x=alt.X("from:Q", title="percent from the rivals' median", axis=alt.Axis(format="+d"), bin="binned"),
            x2="to:Q",
            y=alt.Y("products:Q", title="products", axis=alt.Axis(tickMinStep=1)),
            color=alt.condition("datum.from >= 10", alt.value(_BAD), alt.value(_OWN)),
            tooltip=[
                alt.Tooltip("from:Q", title="from, %"),
                alt.Tooltip("to:Q", title="to, %"),
                alt.Tooltip("products:Q", title="products"),
            ],
        )
    )


def _strip(theme: Theme) -> Any:
    """Titles stand above their lines and not beside them, so that all of it can be read on a phone."""
    place = alt.Y(
        "title:N",
        title=None,
        sort=alt.EncodingSortField("place"),
        axis=alt.Axis(labels=False, grid=True, ticks=False),
    )
    level = alt.Scale(zero=False, nice=True, padding=14)
    axis = alt.Axis(grid=True, tickCount=5)
    proposals = alt.Chart(_table("proposals"))
    offers = (
        alt.Chart(_table("offers"))
        .mark_point(shape="circle", size=70, color=_INK[theme], opacity=0.65, strokeWidth=1.8)
        .encode(x=alt.X("at:Q", title="percent of our price today", scale=level, axis=axis), y=place)
    )
    move = proposals.mark_rule(strokeWidth=3, color=_OWN).encode(x=alt.X("from:Q", scale=level), x2="to:Q", y=place)
    ends = proposals.mark_point(filled=True, size=170, color=_OWN, shape="diamond").encode(
        x=alt.X("to:Q", scale=level), y=place
    )
    names = proposals.mark_text(
        align="left", baseline="bottom", dy=-9, fontSize=15, color=_INK[theme], limit=380, ellipsis="…"
    ).encode(x=alt.value(0), y=place, text="title:N")
    today = alt.Chart(alt.InlineData(values=[{"at": 100}])).mark_rule(color=_INK[theme], strokeDash=[4, 3])
    return alt.layer(today.encode(x="at:Q"), offers, move, ends, names)


_CHARTS: Mapping[Chart, Callable[[Theme], Any]] = {
    Chart.HISTORY: _history,
    Chart.STANDING: _standing,
    Chart.PORTFOLIO: _portfolio,
    Chart.SPREAD: _spread,
    Chart.STRIP: _strip,
}
