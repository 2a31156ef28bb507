# SPDX-License-Identifier: BSD-3-Clause
"""umbc-leaf: hosts of one leaf module against hosts of two, and what placing them by name does."""

from __future__ import annotations

from quadrille.reproduce.experiment import Experiment, Published
from quadrille.reproduce.experiments.umbc_leaf.judging import judge
from quadrille.reproduce.experiments.umbc_leaf.measuring import measure
from quadrille.reproduce.experiments.umbc_leaf.showing import show
from quadrille.reproduce.sorts import paper

EXPERIMENT = Experiment(
    id="umbc-leaf",
    title="UMBC: nodes of one leaf module and of two",
    paper=paper.PAPER,
    published=(
        Published("section 2.2", "leaf modules of 18 ports", "two of them full of nodes, chosen by name"),
        Published("table 4.4", "18 nodes on one leaf, 36 on two, m = 512 N", "2.28 and 2.30 s"),
        Published("by (N-1)/N", "what 36 nodes send more than 18", "2.9 %: the second leaf costs nothing"),
    ),
    setting=(
        "Emulated: two leaves behind one core, of 4 hosts at 25 Mbit/s, in the full form of 8 at 10; one "
        "process a host, constant local memory. Links to the core once as fast as all ports of a leaf "
        "together, as the paper's times suggest, and once half as fast as one port, so that placement must "
        "show."
    ),
    measure=measure,
    judge=judge,
    show=show,
)
