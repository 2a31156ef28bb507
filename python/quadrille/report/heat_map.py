# SPDX-License-Identifier: BSD-3-Clause
"""Maps, operation and ranks by size: ratios, in which losses are as visible as wins, and shares of the limit.

Cells carry their number. The palette of ratios diverges from blue (faster) over white to orange (slower),
which colour-blind readers can tell apart, with as much colour for twice as slow as for twice as fast (log
scale). Shares go from white to blue.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from quadrille.bench.slower import LIMIT
from quadrille.contracts import PointLine
from quadrille.report.charts import NATIVE_COLOUR, QUADRILLE_COLOUR, rgb_of
from quadrille.report.formatting import escape, size_text
from quadrille.report.summary import executed

FULL = 4.0
"""Ratio, or one over it, from which on a cell has the full colour."""
_DEEPEST_SHARE = 0.45
"""Of the full colour, in the map of shares, so that the numbers stay black and readable."""


def colour_of(ratio: float) -> str:
    """Return the colour of a cell: white at 1, the same depth for r as for 1/r. REQUIRES: ratio > 0."""
    depth = min(abs(math.log(ratio)) / math.log(FULL), 1)
    full = QUADRILLE_COLOUR if ratio < 1 else NATIVE_COLOUR  # of whoever is faster
    return _mixed(full, depth)


def _mixed(full: str, depth: float) -> str:
    """Return `depth` (0 to 1) of a colour on white."""
    return "#" + "".join(f"{round(255 + (part - 255) * depth):02x}" for part in rgb_of(full))


def heat_map(points: list[PointLine]) -> str:
    """Return the map of ratios as HTML; of points measured several times the worst is shown."""
    return _map(points, _ratio_cell) + _LEGEND


def limit_map(points: list[PointLine]) -> str:
    """Return the map of shares of the network's limit as HTML; empty where no limit is known."""
    known = [point for point in points if point.blocks.quadrille.percent_of_framed_limit is not None]
    return _map(known, _share_cell) + _LIMIT_LEGEND if known else ""


def _map(points: list[PointLine], cell: Callable[[PointLine], str]) -> str:
    sizes = sorted({point.bytes for point in points})
    rows: dict[tuple[str, int, int], dict[int, PointLine]] = {}
    for point in points:
        row = rows.setdefault((point.collective, point.ranks, point.hosts), {})
        known = row.get(point.bytes)
        if known is None or known.blocks.ratio_of_medians.value < point.blocks.ratio_of_medians.value:
            row[point.bytes] = point
    head = "".join(f"<th>{size_text(size)}</th>" for size in sizes)
    body = "".join(
        f"<tr><th>{escape(collective)}, {ranks} on {hosts}</th>"
        + "".join(cell(row[size]) if size in row else "<td></td>" for size in sizes)
        + "</tr>"
        for (collective, ranks, hosts), row in rows.items()
    )
    return (
        f'<div class="scroll"><table class="heat"><thead><tr><th>ranks on hosts</th>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _ratio_cell(point: PointLine) -> str:
    ratio = point.blocks.ratio_of_medians
    text = f"{ratio.value:.2f}"
    if ratio.low > LIMIT or ratio.high < 1 / LIMIT:
        text = f"<b>{text}</b>"
    mark = "" if executed(point) else "<i>m</i>"
    is_dark = max(ratio.value, 1 / ratio.value) > 0.6 * FULL
    return _cell(text + mark, colour_of(ratio.value), f"{ratio.low:.2f} to {ratio.high:.2f}", is_dark)


def _share_cell(point: PointLine) -> str:
    ours = point.blocks.quadrille.percent_of_framed_limit or 0
    alone = point.blocks.native.percent_of_framed_limit
    depth = min(ours / 100, 1) * _DEEPEST_SHARE
    text = f"<b>{ours:.0f}</b><i>{'–' if alone is None else f'{alone:.0f}'}</i>"
    return _cell(text, _mixed(QUADRILLE_COLOUR, depth), "Quadrille; the MPI library", False)


def _cell(text: str, colour: str, title: str, is_dark: bool) -> str:
    style = f"background:{colour};color:{'#fff' if is_dark else '#000'}"
    return f'<td style="{style}" title="{title}">{text}</td>'


_LEGEND = (
    "<p class=\"quiet\">Quadrille's time over the MPI library's: blue below 1 is faster, orange above 1 "
    "slower, the same depth for half as for twice. Bold: the whole 95 % interval is beyond 3 %. "
    "<i>m</i>: all or some calls were left to the MPI library.</p>"
)
_LIMIT_LEGEND = (
    '<p class="quiet">Per cent of the least time that the network allows, with frames counted: '
    "<b>under Quadrille</b> and <i>by the MPI library</i>. Short messages are far from it by their latency. "
    "Above 100: a message reached several hosts at once, or lay in buffers when the call was over.</p>"
)
