# SPDX-License-Identifier: BSD-3-Clause
"""umbc-compare: the three exchanges of table 4.6, and why B overtakes C there."""

from __future__ import annotations

from quadrille.reproduce.experiment import Experiment, Published
from quadrille.reproduce.experiments.umbc_compare.judging import judge
from quadrille.reproduce.experiments.umbc_compare.measuring import measure
from quadrille.reproduce.experiments.umbc_compare.showing import show
from quadrille.reproduce.sorts import paper

EXPERIMENT = Experiment(
    id="umbc-compare",
    title="UMBC: alltoall of counts, alltoallv of ints, alltoallv of doubles",
    paper=paper.PAPER,
    published=(
        Published("table 4.6, A", "MPI_Alltoall(int), 1, 3, 9, 18, 36 nodes", "< 0.01 s throughout"),
        Published("table 4.6, B", "MPI_Alltoallv(int), seconds", "< 0.01 0.01 0.10 0.32 0.59"),
        Published("table 4.6, C", "MPI_Alltoallv(double), seconds", "1.14 0.57 0.25 0.15 0.11"),
        Published("section 4.3", "why B grows and overtakes", "we have no explanation"),
    ),
    setting=(
        "Emulated: 8 hosts at 50 Mbit/s on one switch without loss, as on InfiniBand; 2, 4 and 8 processes a "
        "host; n = 147 456 vectors of 2 doubles. Each job calls A, B and C on processes that have not talked "
        "before, so that first calls are measured: a sort that exchanges once has no others."
    ),
    measure=measure,
    judge=judge,
    show=show,
)
