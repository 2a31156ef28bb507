# SPDX-License-Identifier: BSD-3-Clause
"""The page of umbc-leaf: the paper's last two nodes, and ours by place and uplink."""

from __future__ import annotations

from quadrille.report.charts import Figure, layout
from quadrille.report.formatting import escape, percent_text, time_text
from quadrille.report.frame import chart_cell
from quadrille.report.tables import table
from quadrille.reproduce.experiment import Data
from quadrille.reproduce.experiments.umbc_leaf.judging import found, ratio
from quadrille.reproduce.experiments.umbc_leaf.measuring import PLACES, UPLINKS
from quadrille.reproduce.sorts import paper
from quadrille.reproduce.sorts.judging import of_limit
from quadrille.reproduce.sorts.measuring import LIBRARY, OURS
from quadrille.reproduce.sorts.showing import STYLES, limit_line, line, network, over_nodes


def show(data: Data) -> str:
    """Return the sections between the paper's values and the command to repeat it."""
    if not data.get("points"):
        return ""
    least = [paper.least_s(nodes, paper.DOUBLES * nodes) for nodes in paper.NODES]
    theirs = [line("table 4.4", STYLES[LIBRARY], paper.NODES, paper.LOCAL_S), limit_line(paper.NODES, least)]
    charts = [over_nodes("The paper: 36 nodes are on two leaves", theirs)]
    charts += [_bars(data, uplink) for uplink in UPLINKS]
    cells = "".join(chart_cell(chart) for chart in charts)
    return "\n".join(
        [*network(data), "<h2>By place</h2>", f'<div class="charts">{cells}</div>', _table(data)]
    )


def _bars(data: Data, uplink: str) -> Figure:
    bars = []
    for way in (LIBRARY, OURS):
        points = {place: point for place in PLACES if (point := found(data, way, uplink, place))}
        times = [point["median_ns"] / 1e9 for point in points.values()]
        colour = STYLES[way][0]
        bars.append({"type": "bar", "name": way, "x": list(points), "y": times, "marker": {"color": colour}})
    y_axis = {"title": {"text": "seconds"}, "rangemode": "tozero"}
    return {"data": bars, "layout": layout(f"Uplink: {uplink}", {"type": "category"}, y_axis)}


def _table(data: Data) -> str:
    head = ["uplink", "hosts", "way", "nodes", "median", "of one leaf's", "of the limit"]
    rows = []
    for uplink in UPLINKS:
        for placed in PLACES:
            for way in (LIBRARY, OURS):
                point = found(data, way, uplink, placed)
                if point is None:
                    continue
                times, share = ratio(data, way, uplink, placed), of_limit(point)
                of_one = "–" if times is None else f"{times:.2f}"
                of_wire = percent_text(None if share is None else 100 * share)
                cells = [str(point["nodes"]), time_text(point["median_ns"]), of_one, of_wire]
                rows.append([escape(uplink), escape(placed), escape(way), *cells])
    return table(head, rows, numbers_from=3)
