# SPDX-License-Identifier: BSD-3-Clause
"""mpim-nbody: how an N-body integration speeds up with the number of nodes, by messages and by multicast."""

from __future__ import annotations

from quadrille.reproduce.experiment import Experiment, Published
from quadrille.reproduce.experiments.mpim_nbody.judging import judge
from quadrille.reproduce.experiments.mpim_nbody.measuring import measure
from quadrille.reproduce.experiments.mpim_nbody.showing import show

EXPERIMENT = Experiment(
    id="mpim-nbody",
    title="MPIM: an N-body integration on 1 to 16 nodes",
    paper=(
        "P. Tamblyn: Collective Communication Optimization in Beowulf Clusters (MPIM), project page, 2003. "
        "Second figure."
    ),
    published=(
        Published("many bodies", "compute bound", "good scaling by either way"),
        Published("14 bodies a node", "conventional broadcasts", "slower with more than about 6 nodes"),
        Published("14 bodies a node", "multicast over conventional", "twice as fast"),
        Published("project abstract", "tree-based calculations", "will benefit too"),
    ),
    setting=(
        "Emulated: one switch with 32 KiB a port, 8 hosts at 50 Mbit/s, in the full form 16 at 25. In a step "
        "each node moves its bodies and broadcasts their positions, one node after the other, then computes. "
        "All hosts share two cores, so that they sleep in place of computing: for the node's share of the "
        "forces as they take here, ten times as long: what is assumed of the processors of the page's time. "
        "Conventional: Open MPI's own broadcast, in turn with Quadrille's in the same processes."
    ),
    measure=measure,
    judge=judge,
    show=show,
)
