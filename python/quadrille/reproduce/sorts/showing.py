# SPDX-License-Identifier: BSD-3-Clause
"""Times over nodes as charts and tables: the paper's figure drawn again, ours beside it."""

from __future__ import annotations

from collections.abc import Sequence

from quadrille.report.charts import LIMIT_COLOUR, Figure, layout
from quadrille.report.formatting import escape, percent_text, size_text, time_text
from quadrille.report.frame import chart_cell
from quadrille.report.tables import table
from quadrille.report.topology_picture import topology_svg
from quadrille.reproduce.experiment import Data
from quadrille.reproduce.sorts import paper
from quadrille.reproduce.sorts.judging import of_limit, times
from quadrille.reproduce.sorts.measuring import CONTROLLED, LIBRARY, OURS, WAYS

STYLES = {
    LIBRARY: ("#D55E00", "triangle-up", "solid"),
    CONTROLLED: ("#009E73", "diamond", "dash"),
    OURS: ("#0072B2", "square", "solid"),
}


def network(data: Data) -> list[str]:
    """Return the picture of the emulated network, if it was one."""
    return ["<h2>The network</h2>", topology_svg(data["truth"])] if data.get("truth") else []


def line(name: str, style: tuple[str, str, str], x: Sequence[int], y: Sequence[float]) -> Figure:
    """Return one curve with its marks."""
    colour, symbol, dash = style
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": name,
        "x": list(x),
        "y": list(y),
        "line": {"color": colour, "width": 2, "dash": dash},
        "marker": {"color": colour, "symbol": symbol, "size": 8},
    }


def limit_line(x: Sequence[int], y: Sequence[float]) -> Figure:
    """Return the curve of what the wire allows."""
    style = {"color": LIMIT_COLOUR, "width": 1.5, "dash": "dot"}
    return {"type": "scatter", "mode": "lines", "name": "limit", "x": list(x), "y": list(y), "line": style}


def over_nodes(title: str, series: Sequence[Figure], x_title: str = "nodes") -> Figure:
    """Return a chart of seconds over the number of nodes."""
    x = sorted({nodes for curve in series for nodes in curve["x"]})
    axes = (
        {"type": "log", "title": {"text": x_title}, "tickvals": x, "ticktext": [str(nodes) for nodes in x]},
        {"title": {"text": "seconds"}, "rangemode": "tozero"},
    )
    return {"data": list(series), "layout": layout(title, *axes)}


def setting_of(array: str) -> str:
    """Return what a scaling is measured on, of an array such as `8 vectors of 2 doubles`."""
    return (
        "Emulated: one switch, 8 hosts of two processes at 25 Mbit/s or 16 of one at 15; "
        f"n = {array}. InfiniBand loses no frame: buffers that never overflow "
        "stand for it (flow control); ports of 32 KiB are Ethernet's. One node is not judged: its memory is "
        "not slowed down as wires are."
    )


def show_scaling(data: Data, where: str, seconds: Sequence[float], doubles: Sequence[int]) -> str:
    """Return the paper's figure and ours, and their tables; `doubles`: m of each of the paper's nodes."""
    ways = {way: found for way in WAYS if (found := times(data, way))}
    if not ways:
        return ""
    least = [paper.least_s(nodes, m) for nodes, m in zip(paper.NODES, doubles, strict=True)]
    theirs = [line(where, STYLES[LIBRARY], paper.NODES, seconds), limit_line(paper.NODES, least)]
    ours = [
        line(way, STYLES[way], list(found), [point["median_ns"] / 1e9 for point in found.values()])
        for way, found in ways.items()
    ]
    limits = {n: p["limit_ns"] / 1e9 for found in ways.values() for n, p in found.items() if p["limit_ns"]}
    if limits:
        ours.append(limit_line(sorted(limits), [limits[nodes] for nodes in sorted(limits)]))
    charts = [over_nodes(f"The paper, {where}", theirs), over_nodes("Measured", ours)]
    cells = "".join(chart_cell(chart) for chart in charts)
    parts = [*network(data), "<h2>Time over nodes</h2>", f'<div class="charts">{cells}</div>']
    return "\n".join([*parts, _paper_table(where, seconds, doubles), points_table(data)])


def _paper_table(where: str, seconds: Sequence[float], doubles: Sequence[int]) -> str:
    rows = []
    for nodes, m, time in zip(paper.NODES, doubles, seconds, strict=True):
        share = percent_text(100 * paper.of_limit(nodes, m, time)) if nodes > 1 else "no wire"
        rows.append([str(nodes), str(m), f"{time:.2f} s", f"{(nodes - 1) / nodes:.3f}", share])
    return table([f"nodes, {escape(where)}", "m", "time", "share off the node", "of the limit"], rows)


def points_table(data: Data) -> str:
    """Return every measured point as a row."""
    head = ["way", "nodes", "processes", "m", "a pair", "median", "of the limit", "stalled calls"]
    rows = []
    for point in data.get("points", []):
        share = of_limit(point)
        swapped = " (swapped)" if point["swapped"] else ""
        rows.append(
            [
                escape(point["way"]),
                str(point["nodes"]),
                str(point["ranks"]),
                str(point["doubles"]),
                size_text(point["bytes"]),
                time_text(point["median_ns"]) + swapped,
                percent_text(100 * share) if share is not None and point["nodes"] > 1 else "–",
                f"{point['stalls']} of {len(point['samples_ns'])}",
            ]
        )
    return table(head, rows)
