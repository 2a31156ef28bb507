# SPDX-License-Identifier: BSD-3-Clause
"""Ratios as a map, operation and ranks by size: losses are as visible as wins.

Cells carry their number; the palette diverges from blue (faster) over white to orange (slower), which colour-
blind readers can tell apart, with as much colour for twice as slow as for twice as fast (log scale).
"""

from __future__ import annotations

import math

from quadrille.bench.slower import LIMIT
from quadrille.contracts import PointLine
from quadrille.report.charts import NATIVE_COLOUR, QUADRILLE_COLOUR, rgb_of
from quadrille.report.formatting import escape, size_text
from quadrille.report.summary import executed

FULL = 4.0
"""Ratio, or one over it, from which on a cell has the full colour."""


def colour_of(ratio: float) -> str:
    """Return the colour of a cell: white at 1, the same depth for r as for 1/r. REQUIRES: ratio > 0."""
    depth = min(abs(math.log(ratio)) / math.log(FULL), 1)
    full = QUADRILLE_COLOUR if ratio < 1 else NATIVE_COLOUR  # of whoever is faster
    return "#" + "".join(f"{round(255 + (part - 255) * depth):02x}" for part in rgb_of(full))


def heat_map(points: list[PointLine]) -> str:
    """Return the map as HTML; of points measured several times the worst is shown."""
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
        + "".join(_cell(row.get(size)) for size in sizes)
        + "</tr>"
        for (collective, ranks, hosts), row in rows.items()
    )
    return (
        f'<div class="scroll"><table class="heat"><thead><tr><th>ranks on hosts</th>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>{_LEGEND}"
    )


def _cell(point: PointLine | None) -> str:
    if point is None:
        return "<td></td>"
    ratio = point.blocks.ratio_of_medians
    text = f"{ratio.value:.2f}"
    if ratio.low > LIMIT or ratio.high < 1 / LIMIT:
        text = f"<b>{text}</b>"
    mark = "" if executed(point) else "<i>m</i>"
    dark = max(ratio.value, 1 / ratio.value) > 0.6 * FULL
    style = f"background:{colour_of(ratio.value)};color:{'#fff' if dark else '#000'}"
    return f'<td style="{style}" title="{ratio.low:.2f} to {ratio.high:.2f}">{text}{mark}</td>'


_LEGEND = (
    "<p class=\"quiet\">Quadrille's time over the MPI library's: blue below 1 is faster, orange above 1 "
    "slower, the same depth for half as for twice. Bold: the whole 95 % interval is beyond 3 %. "
    "<i>m</i>: all or some calls were left to the MPI library.</p>"
)
