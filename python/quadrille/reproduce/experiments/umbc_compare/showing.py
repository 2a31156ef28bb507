# SPDX-License-Identifier: BSD-3-Clause
"""The page of umbc-compare: first calls over processes, the paper's and ours, and what connecting takes."""

from __future__ import annotations

from quadrille.report.charts import Figure
from quadrille.report.formatting import escape, time_text
from quadrille.report.frame import chart_cell
from quadrille.report.tables import table
from quadrille.reproduce.experiment import Data
from quadrille.reproduce.experiments.umbc_compare.judging import processes, time_of
from quadrille.reproduce.experiments.umbc_compare.measuring import JOBS, LIBRARY, OURS, A, B, C
from quadrille.reproduce.sorts import paper
from quadrille.reproduce.sorts.showing import line, network, over_nodes

_LETTERS = {A: "A", B: "B", C: "C"}
_STYLES = {
    A: ("#999999", "circle", "dot"),
    B: ("#D55E00", "triangle-up", "solid"),
    C: ("#0072B2", "square", "solid"),
}


def show(data: Data) -> str:
    """Return the sections between the paper's values and the command to repeat it."""
    if not data.get("points"):
        return ""
    charts = [_papers(), *(_ours(data, job) for job in (LIBRARY, OURS))]
    cells = "".join(chart_cell(chart) for chart in charts)
    parts = [*network(data), "<h2>First calls</h2>", f'<div class="charts">{cells}</div>']
    return "\n".join([*parts, _table(data), "<h2>What connecting takes</h2>", _connecting(data)])


def _papers() -> Figure:
    p = [nodes * paper.PER_NODE for nodes in paper.NODES]
    curves = [line("B", _STYLES[B], p, paper.ALLTOALLV_INT_S), line("C", _STYLES[C], p, paper.GLOBAL_S)]
    return over_nodes("The paper, table 4.6", curves, x_title="processes")


def _ours(data: Data, job: str) -> Figure:
    curves = []
    for exchange, letter in _LETTERS.items():
        found = {ranks: time_of(data, job, exchange, ranks) for ranks in processes(data)}
        known = {ranks: time / 1e9 for ranks, time in found.items() if time is not None}
        curves.append(line(letter, _STYLES[exchange], list(known), list(known.values())))
    return over_nodes(job, curves, x_title="processes")


def _table(data: Data) -> str:
    head = ["job", "processes"]
    head += [f"{letter}, {call}" for letter in _LETTERS.values() for call in ("first call", "later")]
    rows = []
    for job in JOBS:
        for ranks in processes(data):
            times = [time_of(data, job, one, ranks, w) for one in _LETTERS for w in ("first_ns", "later_ns")]
            if any(time is not None for time in times):
                cells = ["–" if time is None else time_text(time) for time in times]
                rows.append([escape(job), str(ranks), *cells])
    return table(head, rows)


def _connecting(data: Data) -> str:
    """Return what B's first call takes more than later ones, and the paper's B, for each partner."""
    extra = {}
    for ranks in processes(data):
        first, later = (time_of(data, LIBRARY, B, ranks, which) for which in ("first_ns", "later_ns"))
        if first is not None and later is not None:
            extra["measured", ranks] = max(first - later, 0)
    for nodes, seconds in zip(paper.NODES[1:], paper.ALLTOALLV_INT_S[1:], strict=True):
        extra["the paper's B", nodes * paper.PER_NODE] = seconds * 1e9
    rows = [
        [whose, str(ranks), time_text(time), time_text(time / (ranks - 1))]
        for (whose, ranks), time in extra.items()
    ]
    return table(["", "processes", "more than later calls", "for each partner"], rows)
