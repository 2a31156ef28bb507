# SPDX-License-Identifier: BSD-3-Clause
"""The page of gamma-amdahl: Figure 3 drawn again with the fitted curves, and the serial shares."""

from __future__ import annotations

from quadrille.report.charts import LIMIT_COLOUR, Figure, layout
from quadrille.report.formatting import escape
from quadrille.report.frame import chart_cell
from quadrille.report.tables import table
from quadrille.report.topology_picture import topology_svg
from quadrille.reproduce.experiment import Data
from quadrille.reproduce.experiments.gamma_amdahl.judging import (
    PUBLISHED_SHARES,
    share,
    share_text,
    speedups,
)
from quadrille.reproduce.experiments.gamma_amdahl.measuring import PROVIDER, SOLVERS, TCP, WAYS
from quadrille.reproduce.fits import amdahl

_STYLES = {TCP: ("#D55E00", "circle-open"), PROVIDER: ("#0072B2", "circle")}
"""Open and filled circles as in the paper's figure."""
_CURVE_POINTS = 40


def show(data: Data) -> str:
    """Return the sections between the page's values and the command to repeat it."""
    parts = ["<h2>The network</h2>", topology_svg(data["truth"])] if data.get("truth") else []
    solvers = [solver for solver in SOLVERS if speedups(data, solver, TCP)]
    if solvers:
        parts.append("<h2>Speedup and serial share</h2>")
        cells = "".join(chart_cell(_chart(data, solver)) for solver in solvers)
        parts.append(f'<div class="charts">{cells}</div>')
        parts += [_shares(data, solvers), *(_table(data, solver) for solver in solvers)]
    return "\n".join(parts)


def _chart(data: Data, solver: str) -> Figure:
    most = max(count for way in WAYS for count in speedups(data, solver, way))
    counts = [1 + (most - 1) * place / _CURVE_POINTS for place in range(_CURVE_POINTS + 1)]
    series: list[Figure] = [_curve("N", counts, counts, LIMIT_COLOUR, "dot")]
    for way in WAYS:
        colour, symbol = _STYLES[way]
        found = {1: 1.0, **speedups(data, solver, way)}
        marker = {"color": colour, "symbol": symbol, "size": 9}
        points = {"x": list(found), "y": list(found.values()), "marker": marker}
        series.append({"type": "scatter", "mode": "markers", "name": way, **points})
        fitted = share(data, solver, way)
        if fitted is not None:
            y = [amdahl(fitted.value, count) for count in counts]
            series.append(_curve(f"P = {fitted.value:.3f}", counts, y, colour, "solid"))
        paper = PUBLISHED_SHARES[way]
        y = [amdahl(paper, count) for count in counts]
        series.append(_curve(f"paper, {way}: P = {paper:.2f}", counts, y, colour, "dash"))
    figure = layout(solver.capitalize(), _axis("processors"), _axis("speedup"))
    below = {"orientation": "h", "x": 0, "y": -0.2, "yanchor": "top"}
    margin = {**figure["margin"], "b": 200}
    return {"data": series, "layout": {**figure, "height": 540, "margin": margin, "legend": below}}


def _curve(name: str, x: list[float], y: list[float], colour: str, dash: str) -> Figure:
    line = {"color": colour, "width": 1.5, "dash": dash}
    return {"type": "scatter", "mode": "lines", "name": name, "x": x, "y": y, "line": line}


def _axis(title: str) -> Figure:
    return {"title": {"text": title}, "rangemode": "tozero"}


def _shares(data: Data, solvers: list[str]) -> str:
    rows = [
        [escape(solver), way, share_text(share(data, solver, way)), f"{PUBLISHED_SHARES[way]:.2f}"]
        for solver in solvers
        for way in WAYS
    ]
    note = (
        '<p class="quiet">P by least squares of T(N)/T(1) - 1/N = P (1 - 1/N) over all runs, with its '
        "standard error, which holds what Amdahl's law does not describe too: communication that grows with "
        "N.</p>"
    )
    return table(["program", "messages", "serial share P", "paper (Siesta)"], rows, numbers_from=2) + note


def _table(data: Data, solver: str) -> str:
    gains = {way: speedups(data, solver, way) for way in WAYS}
    rows = []
    for count in sorted(gains[TCP].keys() & gains[PROVIDER].keys()):
        late = [run["late_share"] for run in data["runs"] if (run["solver"], run["ranks"]) == (solver, count)]
        both = [gains[way][count] for way in WAYS]
        cells = [*(f"{gain:.2f}" for gain in both), f"{both[1] / both[0]:.2f}", f"{100 * max(late):.1f} %"]
        rows.append([escape(solver), str(count), *cells])
    head = ["program", "processors", "speedup, TCP", "speedup, provider", "of it", "computing late, most"]
    return table(head, rows)
