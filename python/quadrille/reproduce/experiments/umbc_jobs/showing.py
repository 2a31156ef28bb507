# SPDX-License-Identifier: BSD-3-Clause
"""The page of umbc-jobs: medians alone and beside another job. The paper has no chart of it."""

from __future__ import annotations

from quadrille.report.charts import Figure, layout
from quadrille.report.formatting import escape, time_text
from quadrille.report.frame import chart_cell
from quadrille.report.tables import table
from quadrille.reproduce.experiment import Data
from quadrille.reproduce.experiments.umbc_jobs.judging import found, shared_of, slowed
from quadrille.reproduce.sorts.measuring import LIBRARY, OURS
from quadrille.reproduce.sorts.showing import STYLES, network

_LOADS = {None: "alone", "native": "beside the library's", "quadrille": "beside Quadrille's"}


def show(data: Data) -> str:
    """Return the sections between the paper's question and the command to repeat it."""
    if not data.get("points"):
        return ""
    cells = "".join(chart_cell(_bars(data, shared)) for shared in shared_of(data))
    return "\n".join(
        [*network(data), "<h2>Two jobs</h2>", f'<div class="charts">{cells}</div>', _table(data)]
    )


def _bars(data: Data, shared: str) -> Figure:
    bars = []
    for way in (LIBRARY, OURS):
        points = {words: point for load, words in _LOADS.items() if (point := found(data, way, load, shared))}
        times = [point["median_ns"] / 1e9 for point in points.values()]
        marker = {"color": STYLES[way][0]}
        bars.append({"type": "bar", "name": way, "x": list(points), "y": times, "marker": marker})
    y_axis = {"title": {"text": "seconds"}, "rangemode": "tozero"}
    return {"data": bars, "layout": layout(f"Shared: {shared}", {"type": "category"}, y_axis)}


def _table(data: Data) -> str:
    head = ["shared", "job", "other job", "median", "of alone", "stalled calls"]
    rows = []
    for shared in shared_of(data):
        for way in (LIBRARY, OURS):
            for load, words in _LOADS.items():
                point = found(data, way, load, shared)
                if point is None:
                    continue
                times = None if load is None else slowed(data, way, load, shared)
                cells = [time_text(point["median_ns"]), "–" if times is None else f"{times:.2f}"]
                stalls = f"{point['stalls']} of {len(point['samples_ns'])}"
                rows.append([escape(shared), escape(way), escape(words), *cells, stalls])
    return table(head, rows, numbers_from=3)
