# SPDX-License-Identifier: BSD-3-Clause
"""umbc-global: an array of constant size on more and more nodes, tables 4.1 and 4.2, figure 4.1."""

from __future__ import annotations

from quadrille.reproduce.experiment import Data, Effect, Experiment, Published
from quadrille.reproduce.sorts import paper
from quadrille.reproduce.sorts.judging import along_nodes, keeps_share, no_slower
from quadrille.reproduce.sorts.measuring import CONTROLLED, LIBRARY, OURS, Scaling, Sort, measure_scaling
from quadrille.reproduce.sorts.showing import setting_of, show_scaling
from quadrille.reproduce.workbench import Workbench

QUICK = Scaling(
    8,
    25,
    (2, 4, 8),
    2,
    Sort(147_456, 2, "constant-global"),
    ("--warmup", "1", "--calls", "2", "--blocks", "1", "--seconds", "0.6"),
)
FULL = Scaling(
    16,
    15,
    (1, 2, 4, 8, 16),
    1,
    Sort(147_456, 4, "constant-global"),
    ("--warmup", "2", "--calls", "4", "--blocks", "3", "--seconds", "7"),
)
_DOUBLES = (paper.DOUBLES,) * len(paper.NODES)
_SHARE = 0.6


def _measure(bench: Workbench, data: Data) -> None:
    measure_scaling(bench, data, QUICK if bench.quick else FULL)


def _judge(data: Data) -> list[Effect]:
    return [
        along_nodes(data, CONTROLLED, "where no frame is lost, more nodes take less time", grows=False),
        along_nodes(data, OURS, "by Quadrille, on small buffers, more nodes take less time", grows=False),
        along_nodes(data, LIBRARY, "by the library on small buffers too", grows=False, must_appear=False),
        no_slower(data),
        keeps_share(data, _SHARE),
    ]


def _show(data: Data) -> str:
    return show_scaling(data, "table 4.2", paper.GLOBAL_S, _DOUBLES)


EXPERIMENT = Experiment(
    id="umbc-global",
    title="UMBC: all-to-all with constant global memory",
    paper=paper.PAPER,
    published=(
        Published("table 4.2", "seconds on 1, 3, 9, 18, 36 nodes, m = 512", "1.14 0.57 0.25 0.15 0.11"),
        Published("section 4.1", "with more nodes", "the communication takes less time"),
        Published("section 2.1", "wire of a node", "3.5 GB/s"),
        Published(
            "by these",
            "of what that wire allows, 3 to 36 nodes",
            "68 %, 69 %, 61 %, 43 %",
        ),
    ),
    setting=setting_of("147 456 vectors of 2 or 4 doubles"),
    measure=_measure,
    judge=_judge,
    show=_show,
)
