# SPDX-License-Identifier: BSD-3-Clause
"""The page of gromacs-throughput: throughput over size for each kind of node, all points below."""

from __future__ import annotations

from typing import Any

from quadrille.report.charts import LIMIT_COLOUR, Figure, layout
from quadrille.report.formatting import escape, percent_text, size_text, time_text
from quadrille.report.frame import chart_cell
from quadrille.report.tables import table
from quadrille.report.topology_picture import topology_svg
from quadrille.reproduce.experiment import Data
from quadrille.reproduce.experiments.gromacs_throughput.judging import TYPICAL_BYTES, of_limit, throughput
from quadrille.reproduce.experiments.gromacs_throughput.measuring import EXCHANGES

_STYLES = {
    "flood": ("#D55E00", "x", "dot"),
    "Open MPI": ("#E69F00", "square", "dash"),
    "MPICH": ("#CC79A7", "diamond", "dash"),
    "flood, flow control": ("#009E73", "triangle-down", "dot"),
    "Open MPI, flow control": ("#009E73", "triangle-up", "dash"),
    "ordered": ("#0072B2", "circle", "solid"),
}
"""Colour, marker and line of each exchange: orange, green and blue as on the poster."""


def show(data: Data) -> str:
    """Return the sections between the poster's values and the command to repeat it."""
    points = data.get("points", [])
    parts = ["<h2>The network</h2>", topology_svg(data["truth"])] if data.get("truth") else []
    for nodes in dict.fromkeys(point["nodes"] for point in points):
        here = [point for point in points if point["nodes"] == nodes]
        parts.append(f"<h2>{escape(nodes)} nodes</h2>" if nodes != "as it is" else "<h2>The cluster</h2>")
        counts = sorted({point["ranks"] for point in here})
        cells = [chart_cell(_chart([point for point in here if point["ranks"] == count])) for count in counts]
        parts += [f'<div class="charts">{"".join(cells)}</div>', _table(here)]
    return "\n".join(parts)


def _chart(points: list[dict[str, Any]]) -> Figure:
    """Return T over S of all exchanges of one number of processes, GROMACS's sizes shaded."""
    series = []
    for exchange in EXCHANGES:
        ours = sorted((p for p in points if p["exchange"] == exchange), key=lambda point: point["bytes"])
        colour, symbol, dash = _STYLES[exchange]
        if ours:
            series.append(
                {
                    "type": "scatter",
                    "mode": "lines+markers",
                    "name": exchange,
                    "x": [point["bytes"] for point in ours],
                    "y": [throughput(point) for point in ours],
                    "line": {"color": colour, "dash": dash, "width": 2},
                    "marker": {"color": colour, "symbol": symbol, "size": 8},
                }
            )
    limits = {p["bytes"]: throughput(p) / share for p in points if (share := of_limit(p))}
    if limits:
        x = sorted(limits)
        y = [limits[size] for size in x]
        line = {"color": LIMIT_COLOUR, "width": 1.5, "dash": "dot"}
        series.append({"type": "scatter", "mode": "lines", "name": "limit", "x": x, "y": y, "line": line})
    sizes = sorted({point["bytes"] for point in points})
    x_axis = {
        "type": "log",
        "title": {"text": "S, block of a pair"},
        "tickvals": sizes,
        "ticktext": [size_text(size) for size in sizes],
    }
    y_axis = {"title": {"text": "T, MB/s for each process"}, "rangemode": "tozero"}
    figure = layout(f"{points[0]['ranks']} processes", x_axis, y_axis)
    figure["shapes"] = [
        {
            "type": "rect",
            "xref": "x",
            "yref": "paper",
            "x0": TYPICAL_BYTES[0],
            "x1": TYPICAL_BYTES[1],
            "y0": 0,
            "y1": 1,
            "fillcolor": "rgba(86,180,233,0.15)",
            "line": {"width": 0},
            "layer": "below",
        }
    ]
    return {"data": series, "layout": figure}


def _table(points: list[dict[str, Any]]) -> str:
    head = ["exchange", "processes", "block", "median", "T, MB/s", "of the limit", "stalled calls"]
    rows = []
    for point in sorted(points, key=lambda p: (p["ranks"], p["bytes"], EXCHANGES.index(p["exchange"]))):
        share = of_limit(point)
        rows.append(
            [
                escape(point["exchange"]),
                str(point["ranks"]),
                size_text(point["bytes"]),
                time_text(point["median_ns"]),
                f"{throughput(point):.2f}",
                percent_text(100 * share) if share is not None else "unknown",
                f"{point['stalls']} of {len(point['samples_ns'])}",
            ]
        )
    return table(head, rows)
