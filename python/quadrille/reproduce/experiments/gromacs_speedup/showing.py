# SPDX-License-Identifier: BSD-3-Clause
"""The page of gromacs-speedup: composed speedup and communication over the number of processes."""

from __future__ import annotations

from typing import Any

from quadrille.report.charts import LIMIT_COLOUR, Figure, layout
from quadrille.report.formatting import escape
from quadrille.report.frame import chart_cell
from quadrille.report.tables import table
from quadrille.report.topology_picture import topology_svg
from quadrille.reproduce.experiment import Data
from quadrille.reproduce.experiments.gromacs_speedup.judging import speedup
from quadrille.reproduce.experiments.gromacs_speedup.measuring import CONTROLLED, ORDERED, STANDARD, VARIANTS

_STYLES = {
    STANDARD: ("#D55E00", "square"),
    CONTROLLED: ("#009E73", "triangle-up"),
    ORDERED: ("#0072B2", "circle"),
}
"""Orange, green and blue as on the poster."""
_PUBLISHED = {"Myrinet (poster)": ([8, 16], [6.2, 10]), "InfiniBand (poster)": ([16], [11])}


def show(data: Data) -> str:
    """Return the sections between the poster's values and the command to repeat it."""
    runs = data.get("runs", [])
    parts = ["<h2>The network</h2>", topology_svg(data["truth"])] if data.get("truth") else []
    if data.get("one_ms"):
        parts.append(f"<p>A step of one process: {data['one_ms']:.0f} ms.</p>")
    for nodes in dict.fromkeys(run["nodes"] for run in runs):
        here = [run for run in runs if run["nodes"] == nodes]
        parts.append(f"<h2>{escape(nodes)} nodes</h2>" if nodes != "as it is" else "<h2>The cluster</h2>")
        if data.get("one_ms"):
            cells = (chart_cell(_speedup_chart(data, here)), chart_cell(_communication_chart(here)))
            parts.append(f'<div class="charts">{"".join(cells)}</div>')
        parts.append(_table(data, here))
    return "\n".join(parts)


def _speedup_chart(data: Data, runs: list[dict[str, Any]]) -> Figure:
    counts = [1, *sorted({run["ranks"] for run in runs})]
    line = {"color": LIMIT_COLOUR, "width": 1, "dash": "dot"}
    series: list[Figure] = [
        {"type": "scatter", "mode": "lines", "name": "N", "x": counts, "y": counts, "line": line}
    ]
    for variant in VARIANTS:
        ours = sorted((run for run in runs if run["variant"] == variant), key=lambda run: run["ranks"])
        y = [1.0, *(speedup(data, run) for run in ours)]
        series.append(_line(variant, [1, *(run["ranks"] for run in ours)], y))
    for name, (x, values) in _PUBLISHED.items():
        marker = {"color": "#999999", "symbol": "star", "size": 10}
        series.append(
            {"type": "scatter", "mode": "markers", "name": name, "x": x, "y": values, "marker": marker}
        )
    return {"data": series, "layout": layout("Composed speedup", _axis("processes"), _axis("Sp"))}


def _communication_chart(runs: list[dict[str, Any]]) -> Figure:
    series = []
    for variant in VARIANTS:
        ours = sorted((run for run in runs if run["variant"] == variant), key=lambda run: run["ranks"])
        series.append(
            _line(variant, [run["ranks"] for run in ours], [run["communication_ms"] for run in ours])
        )
    figure = layout("Communication of a step", _axis("processes"), _axis("ms"))
    return {"data": series, "layout": figure}


def _line(variant: str, x: list[int], y: list[Any]) -> Figure:
    colour, symbol = _STYLES[variant]
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": variant,
        "x": x,
        "y": y,
        "line": {"color": colour, "width": 2},
        "marker": {"color": colour, "symbol": symbol, "size": 8},
    }


def _axis(title: str) -> Figure:
    return {"title": {"text": title}, "rangemode": "tozero"}


def _table(data: Data, runs: list[dict[str, Any]]) -> str:
    head = [
        "variant",
        "processes",
        "step, ms",
        "communication, ms",
        "of which PME 3D-FFT Comm.",
        "composed Sp",
    ]
    rows = []
    for run in sorted(runs, key=lambda run: (run["ranks"], VARIANTS.index(run["variant"]))):
        composed = speedup(data, run)
        rows.append(
            [
                escape(run["variant"]),
                str(run["ranks"] or "all"),
                *(f"{run[key]:.0f}" for key in ("step_ms", "communication_ms", "fft_ms")),
                f"{composed:.1f}" if composed is not None else "–",
            ]
        )
    return table(head, rows)
