# SPDX-License-Identifier: BSD-3-Clause
"""Plotly figures as plain data: time over size with the limit, and ratios with their intervals.

Colours are Okabe and Ito's, which colour-blind readers can tell apart; line style and marker differ too.
"""

from __future__ import annotations

import math
from typing import Any

from quadrille.contracts import Measurement, PointLine, Side
from quadrille.report.formatting import size_text, time_text
from quadrille.report.grouping import Series

NATIVE_COLOUR = "#D55E00"
QUADRILLE_COLOUR = "#0072B2"
LIMIT_COLOUR = "#000000"
ALTERNATING_COLOUR = "#009E73"

Figure = dict[str, Any]

_GRID = {"gridcolor": "#e6e6e6", "linecolor": "#999"}

# Ticks of a ratio axis that spans less than a factor of three, and of any other.
_FINE_TICKS = (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.35, 1.5, 1.75, 2, 2.5)
_COARSE_TICKS = (0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 1, 1.4, 2, 3, 5, 7, 10)


def rgb_of(colour: str) -> tuple[int, int, int]:
    """Return the parts, 0 to 255, of a colour such as `#0072B2`."""
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return red, green, blue


def time_chart(series: Series) -> Figure:
    """Return median times of both sides over size (or ranks), with their p10 to p90 band and the limit."""
    x = [series.x(point) for point in series.points]
    natives = [point.blocks.native for point in series.points]
    ours = [point.blocks.quadrille for point in series.points]
    data = [_band(x, natives, NATIVE_COLOUR), _band(x, ours, QUADRILLE_COLOUR)]
    data.append(_medians(x, natives, "MPI library", NATIVE_COLOUR, "square", "dash"))
    data.append(_medians(x, ours, "Quadrille", QUADRILLE_COLOUR, "circle", "solid"))
    bounds = [point.bound for point in series.points]
    if any(bound is not None and bound.framed_ns > 0 for bound in bounds):
        data.append(
            {
                "type": "scatter",
                "mode": "lines",
                "name": "limit of the wire",
                "x": x,
                "y": [bound.framed_ns / 1e6 if bound and bound.framed_ns else None for bound in bounds],
                "line": {"color": LIMIT_COLOUR, "width": 1.5, "dash": "dot"},
                "hovertemplate": "limit %{y:.3g} ms<extra></extra>",
            }
        )
    arranged = _layout_over_sizes(series, f"Time of one {series.collective}", "time, ms (log)")
    arranged["yaxis"] |= {"type": "log", "dtick": 1, "minor": {"ticks": "outside", "showgrid": True}}
    return {"data": data, "layout": arranged}


def ratio_chart(series: Series) -> Figure:
    """Return Quadrille's median time over the MPI library's, with 95 % intervals."""
    blocks = [(series.x(point), point.blocks) for point in series.points]
    turns = [(series.x(point), point.alternating) for point in series.points if point.alternating]
    data = [_ratios(blocks, "in blocks", QUADRILLE_COLOUR, "circle", "solid")]
    if turns:
        data.append(_ratios(turns, "in turn", ALTERNATING_COLOUR, "diamond", "dot"))
    arranged = _layout_over_sizes(series, "Below 1 Quadrille is faster", "Quadrille / MPI library (log)")
    low, high = _ratio_range([ratio for _, measured in blocks + turns for ratio in _interval(measured)])
    ticks = [tick for tick in (_FINE_TICKS if high / low < 3 else _COARSE_TICKS) if low <= tick <= high]
    arranged["yaxis"] |= {
        "type": "log",
        "range": [math.log10(low), math.log10(high)],
        "tickvals": ticks,
        "ticktext": [f"{tick:g}" for tick in ticks],
    }
    line = {"color": "#333", "width": 1.5}
    arranged["shapes"] = [{"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": 1, "y1": 1, "line": line}]
    return {"data": data, "layout": arranged}


def _interval(measurement: Measurement) -> tuple[float, float]:
    return measurement.ratio_of_medians.low, measurement.ratio_of_medians.high


def _ratio_range(values: list[float]) -> tuple[float, float]:
    """Return an axis from a tenth to ten times at most, and from 0.8 to 1.25 at least."""
    low = max(min([*values, 0.8 * 1.03]) / 1.03, 0.1)
    high = min(max([*values, 1.25 / 1.03]) * 1.03, 10.0)
    return low, high


def _band(x: list[int], sides: list[Side], colour: str) -> Figure:
    low = [side.p10_ns / 1e6 for side in sides]
    high = [side.p90_ns / 1e6 for side in sides]
    return {
        "type": "scatter",
        "mode": "lines",
        "x": x + x[::-1],
        "y": high + low[::-1],
        "fill": "toself",
        "fillcolor": _translucent(colour),
        "line": {"width": 0},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _medians(x: list[int], sides: list[Side], name: str, colour: str, marker: str, dash: str) -> Figure:
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": name,
        "x": x,
        "y": [side.median_ns / 1e6 for side in sides],
        "line": {"color": colour, "width": 2, "dash": dash},
        "marker": {"size": 8, "color": colour, "symbol": [_symbol(side, name, marker) for side in sides]},
        "customdata": [_hover(side) for side in sides],
        "hovertemplate": f"{name}: %{{customdata}}<extra></extra>",
    }


def _symbol(side: Side, name: str, marker: str) -> str:
    """Return an open marker where a call of ours was left to the MPI library."""
    return marker + "-open" if name == "Quadrille" and side.executor != "quadrille" else marker


def _hover(side: Side) -> str:
    who = side.algorithm or ("left to the MPI library" if side.executor == "mpi" else side.executor)
    band = f"p10 {time_text(side.p10_ns)}, p90 {time_text(side.p90_ns)}"
    return f"median {time_text(side.median_ns)}, {band}, {who}"


def _ratios(
    measured: list[tuple[int, Measurement]], name: str, colour: str, marker: str, dash: str
) -> Figure:
    ratios = [measurement.ratio_of_medians for _, measurement in measured]
    open_or_full = [
        marker if measurement.quadrille.executor == "quadrille" else marker + "-open"
        for _, measurement in measured
    ]
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": name,
        "x": [x for x, _ in measured],
        "y": [ratio.value for ratio in ratios],
        "error_y": {
            "type": "data",
            "symmetric": False,
            "array": [max(ratio.high - ratio.value, 0) for ratio in ratios],
            "arrayminus": [max(ratio.value - ratio.low, 0) for ratio in ratios],
            "thickness": 1.2,
            "width": 4,
        },
        "line": {"color": colour, "width": 2, "dash": dash},
        "marker": {"size": 8, "color": colour, "symbol": open_or_full},
        "hovertemplate": f"{name}: %{{y:.3f}}<extra></extra>",
    }


def layout(title: str, x_axis: Figure, y_axis: Figure) -> Figure:
    """Return a layout in the report's style; what the axes give goes over the usual."""
    return {
        "title": {"text": title, "font": {"size": 15}, "x": 0.02, "xanchor": "left"},
        "font": {"family": "system-ui, sans-serif", "size": 12.5, "color": "#222"},
        "paper_bgcolor": "#fff",
        "plot_bgcolor": "#fff",
        "height": 380,
        "margin": {"l": 64, "r": 16, "t": 72, "b": 64},
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
        "xaxis": {**_GRID, **x_axis},
        "yaxis": {**_GRID, **y_axis},
    }


def _layout_over_sizes(series: Series, title: str, y_title: str) -> Figure:
    ticks = sorted({series.x(point) for point in series.points})
    labels = [size_text(tick) if series.axis == "bytes" else str(tick) for tick in ticks]
    if series.axis == "bytes":
        x_title = f"bytes {_meaning(series.points[0])} (log)"
        axis: Figure = {"type": "log"} if min(ticks) > 0 else {"type": "category"}
    else:
        x_title, axis = "ranks (log)", {"type": "log"}
    if axis["type"] == "log" and len(ticks) == 1:
        axis = {"type": "category"}
    # Categories stand in the order of the points, which is that of their sizes, and are counted from 0.
    axis |= {"tickvals": ticks if axis["type"] == "log" else list(range(len(ticks))), "ticktext": labels}
    x_axis = {"title": {"text": x_title}, **axis}
    return {**layout(title, x_axis, {"title": {"text": y_title}}), "hovermode": "x unified"}


def _meaning(point: PointLine) -> str:
    meaning = point.bytes_meaning.split(";")[0]
    return "of " + meaning if meaning.startswith("the ") else meaning


def _translucent(colour: str) -> str:
    red, green, blue = rgb_of(colour)
    return f"rgba({red},{green},{blue},0.15)"
