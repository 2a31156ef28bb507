# SPDX-License-Identifier: BSD-3-Clause
"""A page's chart as a small SVG that needs no script: lines, markers, bands and bars.

Takes the part of Plotly's figures that the experiments use; others (boxes of raw samples) have no such
picture.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from quadrille.report.charts import Figure
from quadrille.report.formatting import escape

_WIDTH, _HEIGHT = 640, 360
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 14, 34, 52
_LEGEND_ROW, _LETTER = 18, 6.6
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_DASHES = {"dash": "7 4", "dot": "2 3", "dashdot": "7 3 2 3"}
_TICKS = 5

Place = Callable[[Any], float]


def static_chart(figure: Figure) -> str | None:
    """Return the chart as SVG; None where it has anything but scatter and upright bar traces with values."""
    traces = figure["data"]
    if any(
        trace.get("type") not in ("scatter", "bar") or trace.get("orientation") == "h" for trace in traces
    ):
        return None
    traces = [trace for trace in traces if any(y is not None for y in trace["y"])]
    if not traces:
        return None
    named = [
        (at, trace) for at, trace in enumerate(traces) if trace.get("showlegend", True) and "name" in trace
    ]
    legend, rows = _legend(named)
    top = _TOP + rows * _LEGEND_ROW
    layout = figure["layout"]
    bars = any(trace["type"] == "bar" for trace in traces)
    xs = [x for trace in traces for x in trace["x"] if x is not None]
    ys = [y for trace in traces for y in trace["y"] if y is not None] + ([0] if bars else [])
    x_axis, y_axis = layout.get("xaxis", {}), layout.get("yaxis", {})
    to_x, x_ticks = _axis(x_axis, xs, _LEFT, _WIDTH - _RIGHT, 0.5 if bars else 0.04)
    to_y, y_ticks = _axis(y_axis, ys, _HEIGHT - _BOTTOM, top, 0.0 if bars else 0.04)
    parts = [_grid(x_ticks, y_ticks, top), _texts(layout, top), legend]
    columns = [at for at, trace in enumerate(traces) if trace["type"] == "bar"]
    for at, trace in enumerate(traces):
        if trace["type"] == "bar":
            room = (_WIDTH - _LEFT - _RIGHT) / max(1, len(set(map(str, xs))))
            parts.append(_bars(trace, _colour(at, trace), to_x, to_y, room, columns.index(at), len(columns)))
        else:
            parts.append(_line(trace, _colour(at, trace), to_x, to_y))
    style = "font-family='system-ui,sans-serif' font-size='12' fill='#222'"
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {_WIDTH} {_HEIGHT}' {style}>"
        f"<rect width='100%' height='100%' fill='#fff'/>{''.join(parts)}</svg>\n"
    )


def _text(value: Any) -> str:
    """Return a title as plain text: figures have it alone or in a dictionary, with breaks."""
    text = value.get("text", "") if isinstance(value, dict) else value or ""
    return escape(text.replace("<br>", " "))


def _colour(at: int, trace: Figure) -> str:
    for part in ("line", "marker"):
        colour = trace.get(part, {}).get("color")
        if isinstance(colour, str):
            return colour
    return _COLOURS[at % len(_COLOURS)]


def _axis(
    axis: Figure, values: Sequence[Any], low_px: float, high_px: float, edge: float
) -> tuple[Place, list[tuple[float, str]]]:
    """Return where a value stands, and the ticks as (place, text)."""
    if axis.get("type") == "category" or any(isinstance(value, str) for value in values):
        names = [str(name) for name in axis.get("categoryarray") or dict.fromkeys(map(str, values))]
        step = (high_px - low_px) / max(1, len(names))
        places = {name: low_px + (at + 0.5) * step for at, name in enumerate(names)}
        shown = axis.get("ticktext") if len(axis.get("ticktext") or []) == len(names) else names
        return lambda value: places[str(value)], list(zip(places.values(), shown or names, strict=True))
    log = axis.get("type") == "log" and min(values) > 0
    scale: Callable[[float], float] = math.log10 if log else float
    low, high = scale(min(values)), scale(max(values))
    gap = (high - low or 1) * edge
    low, high = low - gap, high + (gap or (high - low or 1) * 0.05)

    def place(value: float) -> float:
        return low_px + (scale(value) - low) / (high - low) * (high_px - low_px)

    ticks = axis.get("tickvals") or _round_values(low, high, log)
    texts = axis.get("ticktext") or [f"{tick:g}" for tick in ticks]
    inside = [
        (place(tick), text)
        for tick, text in zip(ticks, texts, strict=True)
        if (tick > 0 or not log) and low <= scale(tick) <= high
    ]
    return place, inside


def _round_values(low: float, high: float, log: bool) -> list[float]:
    if log:
        powers = range(math.floor(low), math.ceil(high) + 1)
        factors = (1,) if high - low > 2 else (1, 2, 5)
        return [factor * 10.0**power for power in powers for factor in factors]
    step = 10.0 ** math.floor(math.log10((high - low) / _TICKS))
    step *= next(factor for factor in (1, 2, 5, 10) if (high - low) / (step * factor) <= _TICKS + 1)
    return [step * at for at in range(math.ceil(low / step), math.floor(high / step) + 1)]


def _grid(x_ticks: list[tuple[float, str]], y_ticks: list[tuple[float, str]], top: float) -> str:
    bottom, right = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
    lines = [f"<path d='M{_LEFT} {top}V{bottom}H{right}' fill='none' stroke='#999'/>"]
    for x, text in x_ticks:
        lines.append(f"<text x='{x:.1f}' y='{bottom + 16}' text-anchor='middle'>{_text(text)}</text>")
    for y, text in y_ticks:
        lines.append(f"<path d='M{_LEFT} {y:.1f}H{right}' stroke='#e6e6e6'/>")
        lines.append(f"<text x='{_LEFT - 6}' y='{y + 4:.1f}' text-anchor='end'>{_text(text)}</text>")
    return "".join(lines)


def _texts(layout: Figure, top: float) -> str:
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    half = (top + _HEIGHT - _BOTTOM) / 2
    x_title, y_title = (_text(layout.get(axis, {}).get("title")) for axis in ("xaxis", "yaxis"))
    return (
        f"<text x='8' y='20' font-size='14'>{_text(layout.get('title'))}</text>"
        f"<text x='{middle}' y='{_HEIGHT - 12}' text-anchor='middle'>{x_title}</text>"
        f"<text transform='translate(14 {half:.0f}) rotate(-90)' text-anchor='middle'>{y_title}</text>"
    )


def _legend(named: list[tuple[int, Figure]]) -> tuple[str, int]:
    """Return the legend and how many rows it takes."""
    parts, x, row = [], float(_LEFT), 0
    for at, trace in named:
        width = 34 + _LETTER * len(trace["name"])
        if x + width > _WIDTH and x > _LEFT:
            x, row = float(_LEFT), row + 1
        y = _TOP + row * _LEGEND_ROW
        dash = _DASHES.get(trace.get("line", {}).get("dash", ""), "")
        stroke = f"stroke='{_colour(at, trace)}' stroke-width='3' stroke-dasharray='{dash}'"
        parts.append(f"<path d='M{x:.0f} {y}h18' {stroke}/>")
        parts.append(f"<text x='{x + 22:.0f}' y='{y + 4}'>{_text(trace['name'])}</text>")
        x += width
    return "".join(parts), row + 1 if parts else 0


def _line(trace: Figure, colour: str, to_x: Place, to_y: Place) -> str:
    points = [
        None if x is None or y is None else (to_x(x), to_y(y))
        for x, y in zip(trace["x"], trace["y"], strict=True)
    ]
    mode = trace.get("mode", "lines+markers")
    path, pen = "", "M"
    for point in points:
        path += "" if point is None else f"{pen}{point[0]:.1f} {point[1]:.1f}"
        pen = "M" if point is None else "L"
    if trace.get("fill") == "toself":
        return f"<path d='{path}Z' fill='{trace.get('fillcolor', colour)}'/>"
    dash = _DASHES.get(trace.get("line", {}).get("dash", ""), "")
    drawn = f"<path d='{path}' fill='none' stroke='{colour}' stroke-width='2' stroke-dasharray='{dash}'/>"
    dots = "".join(f"<circle cx='{p[0]:.1f}' cy='{p[1]:.1f}' r='3.5' fill='{colour}'/>" for p in points if p)
    return (drawn if "lines" in mode else "") + (dots if "markers" in mode else "")


def _bars(
    trace: Figure, colour: str, to_x: Place, to_y: Place, room: float, column: int, columns: int
) -> str:
    width = room * 0.8 / columns
    parts = []
    for x, y in zip(trace["x"], trace["y"], strict=True):
        if y is not None:
            left = to_x(x) - room * 0.4 + column * width
            top, bottom = sorted((to_y(y), float(_HEIGHT - _BOTTOM)))
            size = f"width='{width:.1f}' height='{bottom - top:.1f}'"
            parts.append(f"<rect x='{left:.1f}' y='{top:.1f}' {size} fill='{colour}'/>")
    return "".join(parts)
