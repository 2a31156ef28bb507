# SPDX-License-Identifier: BSD-3-Clause
"""The page of gamma-scf: Table 1 with our columns beside the paper's, and the times as bars."""

from __future__ import annotations

from quadrille.report.charts import Figure, layout
from quadrille.report.formatting import escape
from quadrille.report.frame import chart_cell
from quadrille.report.tables import table
from quadrille.report.topology_picture import topology_svg
from quadrille.reproduce.experiment import Data
from quadrille.reproduce.experiments.gamma_scf.judging import PUBLISHED, Row, row
from quadrille.reproduce.experiments.gamma_scf.measuring import TCP, WAITING, WAYS

_PARTS = {"CPU": "#0072B2", "not CPU": "#D55E00"}


def show(data: Data) -> str:
    """Return the sections between the page's values and the command to repeat it."""
    parts = ["<h2>The network</h2>", topology_svg(data["truth"])] if data.get("truth") else []
    for waiting in WAITING:
        rows = {way: found for way in WAYS if (found := row(data, way, waiting)) is not None}
        if rows:
            parts.append(f"<h2>Ranks that {waiting}</h2>")
            cells = "".join(chart_cell(figure) for figure in (_bars(rows), _relative(rows)))
            parts.append(f'<div class="charts">{cells}</div>{_table(rows)}')
    if len(parts) > 2:
        parts.append(
            '<p class="quiet">Seconds, mean of the ranks, median of the turns. In collectives: from the call '
            "to its return, waiting for others and for a core included. The paper's differences are of ranks "
            "that sleep for TCP, and of ranks that spin for GAMMA, which show no wait.</p>"
        )
    return "\n".join(parts)


def _bars(rows: dict[str, Row]) -> Figure:
    """Return wall time, of which CPU time."""
    values = {
        "CPU": [found.cpu_s for found in rows.values()],
        "not CPU": [max(found.difference_s, 0) for found in rows.values()],
    }
    data = [
        {"type": "bar", "name": name, "x": _labels(rows), "y": values[name], "marker": {"color": colour}}
        for name, colour in _PARTS.items()
    ]
    figure = layout("Wall time of a process", {}, {"title": {"text": "s"}})
    return {"data": data, "layout": {**figure, "barmode": "stack"}}


def _labels(rows: dict[str, Row]) -> list[str]:
    return [way.replace(", flow control ", ",<br>flow control<br>") for way in rows]


def _relative(rows: dict[str, Row]) -> Figure:
    """Return wall times over that by TCP, the paper's beside."""
    if TCP not in rows:
        return {"data": [], "layout": layout("Wall time over that by TCP", {}, {})}
    ours = [found.wall_s / rows[TCP].wall_s for found in rows.values()]
    paper = [PUBLISHED[way][0] / PUBLISHED[TCP][0] for way in rows]
    data = [
        {"type": "bar", "name": name, "x": _labels(rows), "y": values, "marker": {"color": colour}}
        for name, values, colour in (("here", ours, "#0072B2"), ("paper, Table 1", paper, "#999999"))
    ]
    figure = layout("Wall time over that by TCP", {}, {"title": {"text": "of it"}, "rangemode": "tozero"})
    return {"data": data, "layout": figure}


def _table(rows: dict[str, Row]) -> str:
    lines = []
    for way, found in rows.items():
        again = "–" if found.resent_share is None else f"{100 * found.resent_share:.2f} %"
        ours = [
            f"{found.wall_s:.2f}",
            f"{found.cpu_s:.2f}",
            f"{found.difference_s:.2f}",
            f"{found.ratio:.2f}",
        ]
        paper = ", ".join(f"{value:g}" for value in PUBLISHED[way][:3]) + f", {PUBLISHED[way][3]:.2f}"
        lines.append([escape(way), *ours, f"{found.mpi_s:.2f}", again, paper])
    head = ["messages", "wall", "CPU", "difference", "ratio", "in collectives", "packets sent again"]
    return table([*head, "paper: wall, CPU, difference, ratio"], lines)
