# SPDX-License-Identifier: BSD-3-Clause
"""The page of mpim-bcast: the first figure drawn again for each network, the simulated switch, all points."""

from __future__ import annotations

from typing import Any

from quadrille.report.charts import LIMIT_COLOUR, Figure, layout
from quadrille.report.formatting import escape, percent_text, size_text, time_text
from quadrille.report.frame import chart_cell
from quadrille.report.tables import table
from quadrille.report.topology_picture import topology_svg
from quadrille.reproduce.experiment import Data
from quadrille.reproduce.experiments.mpim_bcast.judging import medians
from quadrille.reproduce.experiments.mpim_bcast.measuring import BINOMIAL, LARGE_BYTES, MULTICAST, WAYS

_STYLES = {
    BINOMIAL: ("#D55E00", "triangle-up"),
    "Open MPI's choice": ("#E69F00", "diamond"),
    MULTICAST: ("#0072B2", "square"),
}
"""Triangles and squares as on the page."""
_PUBLISHED_MS_AT_100_MBIT = 1.6


def show(data: Data) -> str:
    """Return the sections between the page's values and the command to repeat it."""
    points = data.get("points", [])
    parts = ["<h2>The network</h2>", topology_svg(data["truth"])] if data.get("truth") else []
    for network in dict.fromkeys(point["network"] for point in points):
        here = [point for point in points if point["network"] == network]
        parts.append(f"<h2>{escape(network)}</h2>")
        shapes = sorted({(point["loss_percent"], point["bytes"]) for point in here})
        cells = [chart_cell(_chart(data, here, size, loss)) for loss, size in shapes]
        parts += [f'<div class="charts">{"".join(cells)}</div>', _table(here)]
    simulated = data.get("simulated", [])
    if simulated:
        parts += ["<h2>A simulated switch of 100 Mbit/s</h2>", _simulated_table(simulated)]
        parts.append(f'<div class="charts">{chart_cell(_simulated_chart(simulated))}</div>')
    return "\n".join(parts)


def _chart(data: Data, points: list[dict[str, Any]], size: int, loss: float) -> Figure:
    series = []
    for way in WAYS:
        times = medians(data, points[0]["network"], way, size, loss)
        if times:
            x = sorted(times)
            series.append(_line(way, x, [times[count] / 1e6 for count in x]))
    counts = sorted({point["ranks"] for point in points})
    rate = points[0]["rate_mbit"]
    if size == LARGE_BYTES and rate:
        value = _PUBLISHED_MS_AT_100_MBIT * 100 / rate
        series.append(_level(f"the page's 1.6 ms, at {rate} Mbit/s", counts, value))
    title = f"{size_text(size)}, {loss:g} % lost"
    return {"data": series, "layout": layout(title, _axis("nodes"), _axis("ms"))}


def _simulated_chart(simulated: list[dict[str, Any]]) -> Figure:
    whole = [one for one in simulated if one["loss_percent"] == 0]
    x = [one["hosts"] for one in whole]
    series = [
        _line(BINOMIAL, x, [one["binomial_ns"] / 1e6 for one in whole]),
        _line(MULTICAST, x, [one["multicast_ns"] / 1e6 for one in whole]),
        _level("the page's 1.6 ms", x, _PUBLISHED_MS_AT_100_MBIT),
    ]
    axis = {"title": {"text": "simulated hosts"}, "type": "log", "tickvals": x}
    return {"data": series, "layout": layout("20 kB, nothing lost", axis, _axis("ms"))}


def _line(way: str, x: list[int], y: list[float]) -> Figure:
    colour, symbol = _STYLES[way]
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": way,
        "x": x,
        "y": y,
        "line": {"color": colour, "width": 2},
        "marker": {"color": colour, "symbol": symbol, "size": 8},
    }


def _level(name: str, x: list[int], value: float) -> Figure:
    line = {"color": LIMIT_COLOUR, "width": 1.5, "dash": "dot"}
    return {"type": "scatter", "mode": "lines", "name": name, "x": x, "y": [value] * len(x), "line": line}


def _axis(title: str) -> Figure:
    return {"title": {"text": title}, "rangemode": "tozero"}


def _table(points: list[dict[str, Any]]) -> str:
    head = ["way", "message", "lost", "nodes", "median", "of the limit", "calls"]
    order = sorted(points, key=lambda p: (p["bytes"], p["loss_percent"], p["ranks"], WAYS.index(p["way"])))
    rows = [
        [
            escape(point["way"]),
            size_text(point["bytes"]),
            f"{point['loss_percent']:g} %",
            str(point["ranks"]),
            time_text(point["median_ns"]),
            percent_text(point["limit_ns"] / point["median_ns"] if point["limit_ns"] else None),
            str(len(point["samples_ns"])),
        ]
        for point in order
    ]
    return table(head, rows)


def _simulated_table(simulated: list[dict[str, Any]]) -> str:
    head = ["hosts", "lost", "multicast", "binomial tree", "times as fast"]
    rows = [
        [
            str(one["hosts"]),
            f"{one['loss_percent']:g} %",
            time_text(one["multicast_ns"]),
            time_text(one["binomial_ns"]),
            f"{one['binomial_ns'] / one['multicast_ns']:.1f}",
        ]
        for one in simulated
    ]
    return table(head, rows)
