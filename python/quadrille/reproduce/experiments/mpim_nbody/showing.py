# SPDX-License-Identifier: BSD-3-Clause
"""The page of mpim-nbody: the second figure drawn again, speedup over nodes for few and many bodies."""

from __future__ import annotations

from typing import Any

from quadrille.report.charts import LIMIT_COLOUR, Figure, layout
from quadrille.report.formatting import escape, time_text
from quadrille.report.frame import chart_cell
from quadrille.report.tables import table
from quadrille.report.topology_picture import topology_svg
from quadrille.reproduce.experiment import Data
from quadrille.reproduce.experiments.mpim_nbody.judging import counts_of_bodies, speedups, steps
from quadrille.reproduce.experiments.mpim_nbody.measuring import CONVENTIONAL, MULTICAST, WAYS

_STYLES = {CONVENTIONAL: ("#D55E00", "triangle-up"), MULTICAST: ("#0072B2", "square")}
_DASHES = ("solid", "dash", "dot", "dashdot")
"""From many bodies to few."""


def show(data: Data) -> str:
    """Return the sections between the page's values and the command to repeat it."""
    points = data.get("points", [])
    parts = ["<h2>The network</h2>", topology_svg(data["truth"])] if data.get("truth") else []
    for forces in dict.fromkeys(point["forces"] for point in points):
        parts.append(f"<h2>Forces by {escape(forces)}</h2>")
        if any(point["nodes"] == 1 for point in points):
            parts.append(f'<div class="charts">{chart_cell(_chart(data, forces))}</div>')
        parts.append(_table(data, forces))
    return "\n".join(parts)


def _chart(data: Data, forces: str) -> Figure:
    nodes = sorted({point["nodes"] for point in data["points"]})
    line = {"color": LIMIT_COLOUR, "width": 1, "dash": "dot"}
    series: list[Figure] = [
        {"type": "scatter", "mode": "lines", "name": "N", "x": nodes, "y": nodes, "line": line}
    ]
    for place, bodies in enumerate(reversed(counts_of_bodies(data, forces))):
        for way in WAYS:
            found = speedups(data, forces, bodies, way)
            x = sorted(found)
            name, dash = f"{bodies} bodies, {way}", _DASHES[place % len(_DASHES)]
            series.append(_line(name, way, dash, x, [found[count] for count in x]))
    axes = [{"title": {"text": text}, "type": "log", "tickvals": nodes} for text in ("nodes", "speedup")]
    return {"data": series, "layout": layout("Speedup", *axes)}


def _line(name: str, way: str, dash: str, x: list[int], y: list[float]) -> Figure:
    colour, symbol = _STYLES[way]
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": name,
        "x": x,
        "y": y,
        "line": {"color": colour, "width": 2, "dash": dash},
        "marker": {"color": colour, "symbol": symbol, "size": 8},
    }


def _table(data: Data, forces: str) -> str:
    head = ["bodies", "nodes", "bodies a node", "conventional", "multicast", "of it"]
    head += ["speedup, conventional", "speedup, multicast"]
    rows = []
    for bodies in counts_of_bodies(data, forces):
        library, ours = (steps(data, forces, bodies, way) for way in WAYS)
        for nodes in sorted(library):
            times = [library[nodes], ours.get(nodes)]
            found = [speedups(data, forces, bodies, way).get(nodes) for way in WAYS]
            rows.append([str(bodies), str(nodes), f"{bodies / nodes:.0f}", *_cells(times, found)])
    return table(head, rows)


def _cells(times: list[Any], found: list[float | None]) -> list[str]:
    cells = [time_text(time) if time is not None else "–" for time in times]
    cells.append(f"{times[1] / times[0]:.2f}" if times[1] is not None else "–")
    return cells + [f"{one:.2f}" if one is not None else "–" for one in found]
