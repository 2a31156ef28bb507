# SPDX-License-Identifier: BSD-3-Clause
"""umbc-local: arrays that grow with the nodes, tables 4.3 and 4.4, figure 4.2."""

from __future__ import annotations

import statistics

from quadrille.reproduce.experiment import Data, Effect, Experiment, Published
from quadrille.reproduce.sorts import paper
from quadrille.reproduce.sorts.judging import NOT_MEASURED, along_nodes, keeps_share, no_slower, times
from quadrille.reproduce.sorts.measuring import CONTROLLED, LIBRARY, OURS, Scaling, Sort, measure_scaling
from quadrille.reproduce.sorts.showing import setting_of, show_scaling
from quadrille.reproduce.workbench import Workbench

QUICK = Scaling(
    8,
    25,
    (2, 4, 8),
    2,
    Sort(73_728, 1, "constant-local"),
    ("--warmup", "1", "--calls", "2", "--blocks", "1", "--seconds", "0.6"),
)
FULL = Scaling(
    16,
    15,
    (1, 2, 4, 8, 16),
    1,
    Sort(147_456, 1, "constant-local"),
    ("--warmup", "2", "--calls", "4", "--blocks", "3", "--seconds", "7"),
)
_DOUBLES = tuple(paper.DOUBLES * nodes for nodes in paper.NODES)
_SHARE = 0.6
_SPREAD = 0.2


def _measure(bench: Workbench, data: Data) -> None:
    measure_scaling(bench, data, QUICK if bench.quick else FULL)


def off_node_spread(seconds: dict[int, float]) -> float:
    """Return how far times over (N-1)/N, the share that leaves a node, are from their median at most.

    0: times grow as that share does and for no other reason.
    """
    rates = [time * nodes / (nodes - 1) for nodes, time in seconds.items() if nodes > 1]
    middle = statistics.median(rates)
    return max(abs(rate / middle - 1) for rate in rates)


def _explained(data: Data, way: str) -> Effect:
    """The paper calls the growth contention; its own times are 2.4 s (N-1)/N within 4 %."""
    published = off_node_spread(dict(zip(paper.NODES, paper.LOCAL_S, strict=True)))
    name = f"{way}: time grows as (N-1)/N, what leaves a node, within {_SPREAD:.0%}; no contention is needed"
    points = times(data, way)
    if len(points) < 2:
        return Effect(name, None, NOT_MEASURED, must_appear=False)
    spread = off_node_spread({nodes: point["median_ns"] for nodes, point in points.items()})
    why = f"within {spread:.0%}; the paper's times within {published:.0%}"
    return Effect(name, spread <= _SPREAD, why, must_appear=False)


def _judge(data: Data) -> list[Effect]:
    return [
        along_nodes(data, CONTROLLED, "where no frame is lost, more nodes take more time", grows=True),
        along_nodes(data, LIBRARY, "by the library on small buffers too", grows=True),
        along_nodes(data, OURS, "by Quadrille too: more leaves each node", grows=True),
        _explained(data, CONTROLLED),
        _explained(data, OURS),
        no_slower(data),
        keeps_share(data, _SHARE),
    ]


def _show(data: Data) -> str:
    return show_scaling(data, "table 4.4", paper.LOCAL_S, _DOUBLES)


EXPERIMENT = Experiment(
    id="umbc-local",
    title="UMBC: all-to-all with constant local memory",
    paper=paper.PAPER,
    published=(
        Published("table 4.4", "seconds on 1, 3, 9, 18, 36 nodes, m = 512 N", "1.14 1.64 2.09 2.28 2.30"),
        Published("section 4.2", "with more nodes", "run times steadily increase"),
        Published(
            "by these",
            "of what 3.5 GB/s allow, 3 to 36 nodes",
            "71 %, 74 %, 72 %, 74 %",
        ),
        Published("by these", "time over (N-1)/N, the share that leaves a node", "2.46 2.35 2.41 2.37 s"),
    ),
    setting=setting_of("73 728 or 147 456 vectors of N doubles"),
    measure=_measure,
    judge=_judge,
    show=_show,
)
