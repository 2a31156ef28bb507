# SPDX-License-Identifier: BSD-3-Clause
"""The decision table as a page: for each operation, which algorithm is chosen over sizes and ranks, and how
much faster it is predicted to be than the MPI library."""

from __future__ import annotations

import math
from itertools import groupby

from quadrille.plan.contract import Cell
from quadrille.report.charts import Figure, layout
from quadrille.report.formatting import escape, plural, size_text, time_text
from quadrille.report.frame import chart_cell, frame

COLOURS = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#CC79A7",
    "#56B4E9",
    "#D55E00",
    "#F0E442",
    "#000000",
)
"""Okabe and Ito's, one an algorithm; no operation has more candidates."""
_NO_PLAN = "#ffffff"
# The colours reach from so many times as slow to so many times as fast: the first range that holds all.
_SPEED_RANGES = (2.0, 5.0, 10.0)
# Blue is faster, orange slower, white alike: told apart by colour-blind readers too.
_SPEED_COLOURS: list[list[float | str]] = [[0.0, "#D55E00"], [0.5, "#ffffff"], [1.0, "#0072B2"]]
_SPEED_TICKS = (0.1, 0.2, 0.5, 0.7, 1, 1.4, 2, 5, 10)


def render_table_page(cells: list[Cell], title: str, command: str) -> str:
    """Return the whole page. REQUIRES: `cells` is not empty."""
    body = [f"<h1>{escape(title)}</h1>", _summary(cells)]
    order = {cell.collective: at for at, cell in reversed(list(enumerate(cells)))}
    ordered = sorted(cells, key=lambda cell: order[cell.collective])
    for collective, found in groupby(ordered, key=lambda cell: cell.collective):
        of_this = list(found)
        charts = "".join(chart_cell(figure) for figure in (choice_map(of_this), speed_map(of_this)))
        body.append(f'<h2>{escape(collective)}</h2><div class="charts">{charts}</div>')
    body += [_METHOD, f"<h2>To repeat it</h2><pre>{escape(command)}</pre>"]
    return frame(title, "\n".join(body), with_charts=True)


def choice_map(cells: list[Cell]) -> Figure:
    """Return which algorithm is chosen, a colour each. REQUIRES: all cells are of one operation."""
    names = sorted({cell.algorithm for cell in cells if cell.algorithm})
    number = {name: at for at, name in enumerate(names)}
    sizes, ranks, at = _grid(cells)
    z: list[list[float | None]] = [
        [number.get(at[size, count].algorithm or "") for size in sizes] for count in ranks
    ]
    most = max(len(names), 1)
    scale: list[list[float | str]] = []
    for place in range(most):
        colour = COLOURS[place % len(COLOURS)] if names else _NO_PLAN
        scale += [[place / most, colour], [(place + 1) / most, colour]]
    prefix = f"{cells[0].collective}_"
    bar = {
        "tickvals": list(range(len(names))),
        "ticktext": [name.removeprefix(prefix).replace("_", " ") for name in names],
        "thickness": 14,
    }
    data = _heat(cells, z, scale) | {"zmin": -0.5, "zmax": most - 0.5, "colorbar": bar}
    return {"data": [data], "layout": _layout(cells, "Chosen algorithm")}


def speed_map(cells: list[Cell]) -> Figure:
    """Return the MPI library's time over the plan's, by colour. REQUIRES: all cells are of one operation."""
    sizes, ranks, at = _grid(cells)
    z = [[_log_speed(at[size, count]) for size in sizes] for count in ranks]
    bar = {
        "tickvals": [math.log10(tick) for tick in _SPEED_TICKS],
        "ticktext": [f"{tick:g}" for tick in _SPEED_TICKS],
        "thickness": 14,
    }
    largest = max((abs(value) for row in z for value in row if value is not None), default=0)
    ranges = [math.log10(ratio) for ratio in _SPEED_RANGES]
    most = next((reach for reach in ranges if largest <= reach), ranges[-1])
    data = _heat(cells, z, _SPEED_COLOURS) | {"zmin": -most, "zmax": most, "colorbar": bar}
    return {"data": [data], "layout": _layout(cells, "Predicted speedup against the MPI library")}


def speed(cell: Cell) -> float | None:
    """Return the library's time over the plan's, where both are known."""
    return cell.library_ns / cell.time_ns if cell.library_ns and cell.time_ns else None


def _log_speed(cell: Cell) -> float | None:
    ratio = speed(cell)
    return None if ratio is None else round(math.log10(ratio), 4)


Grid = tuple[list[int], list[int], dict[tuple[int, int], Cell]]


def _grid(cells: list[Cell]) -> Grid:
    sizes = sorted({cell.bytes for cell in cells})
    ranks = sorted({cell.ranks for cell in cells})
    return sizes, ranks, {(cell.bytes, cell.ranks): cell for cell in cells}


def _heat(cells: list[Cell], z: list[list[float | None]], scale: list[list[float | str]]) -> Figure:
    sizes, ranks, at = _grid(cells)
    return {
        "type": "heatmap",
        "x": [size_text(size) for size in sizes],
        "y": [str(count) for count in ranks],
        "z": z,
        "colorscale": scale,
        "xgap": 1,
        "ygap": 1,
        "text": [[_hover(at[size, count]) for size in sizes] for count in ranks],
        "hovertemplate": "%{text}<extra></extra>",
    }


def _hover(cell: Cell) -> str:
    """Return what is told when the pointer rests on a cell."""
    head = f"{size_text(cell.bytes)}, {plural(cell.ranks, 'rank')}"
    if cell.name is None or cell.time_ns is None:
        return f"{head}<br>left to the MPI library: too large to be costed"
    limit = f", {100 * cell.bound_ns / max(cell.time_ns, 1):.0f} % of the limit" if cell.bound_ns else ""
    lines = [head, escape(cell.name), f"{time_text(cell.time_ns)}{limit}"]
    if cell.library_ns is not None:
        lines.append(f"MPI library {time_text(cell.library_ns)}, {cell.library_source}")
    return "<br>".join(lines)


def _layout(cells: list[Cell], title: str) -> Figure:
    arranged = layout(
        f"{cells[0].collective}: {title}",
        {"title": {"text": "size (log)"}, "type": "category"},
        {"title": {"text": "ranks"}, "type": "category"},
    )
    arranged["margin"] = {"l": 64, "r": 16, "t": 48, "b": 72}
    return arranged


def _summary(cells: list[Cell]) -> str:
    ratios = sorted(ratio for cell in cells if (ratio := speed(cell)) is not None)
    sources = {cell.library_source for cell in cells if cell.library_source}
    faster = sum(ratio > 1.02 for ratio in ratios)
    items = [f"{plural(len(cells), 'call')} planned, {faster} of them predicted faster than the MPI library"]
    if ratios:
        middle = ratios[len(ratios) // 2]
        items.append(f"the median is {middle:.2f} times as fast, the best {ratios[-1]:.2f} times")
    if "estimated" in sources:
        items.append(
            "the library's time is estimated where the model has no measured one: the best algorithm that "
            "goes by ranks alone, so what a library that chooses well could reach"
        )
    listed = "".join(f"<li>{escape(item)}</li>" for item in items)
    return f'<section class="summary"><ul>{listed}</ul></section>'


_METHOD = (
    '<p class="quiet">Sizes: the whole vector of bcast, reduce, allreduce, scan and exscan; one rank\'s '
    "block of allgather, gather, scatter and reduce_scatter_block; one pair's block of alltoall. Roots are "
    "rank 0. A limit lets a message on a bus reach all its hosts (multicast). These are predictions: in a "
    "program, calls that may change their algorithm meet the MPI library in a trial before they are "
    "replaced.</p>"
)
