# SPDX-License-Identifier: BSD-3-Clause
"""mpim-bcast: broadcasts over the number of nodes, by messages and by multicast."""

from __future__ import annotations

from quadrille.reproduce.experiment import Experiment, Published
from quadrille.reproduce.experiments.mpim_bcast.judging import judge
from quadrille.reproduce.experiments.mpim_bcast.measuring import measure
from quadrille.reproduce.experiments.mpim_bcast.showing import show

EXPERIMENT = Experiment(
    id="mpim-bcast",
    title="MPIM: broadcast by multicast",
    paper=(
        "P. Tamblyn: Collective Communication Optimization in Beowulf Clusters (MPIM), project page, 2003. "
        "First figure."
    ),
    published=(
        Published("20 kB, multicast", "on Fast Ethernet, any number of nodes", "1.6 ms, nearly constant"),
        Published("20 kB, conventional", "one receiver; more receivers", "1.6 ms; grows as log2(nodes)"),
        Published("small messages", "multicast over conventional", "less than twice as fast"),
        Published("project abstract", "expected for large clusters", "log2(nodes), 7 times as fast"),
    ),
    setting=(
        "Emulated: one switch with 32 KiB a port, at rates that two cores can carry: 16 hosts at 25 Mbit/s, "
        "8 at 50, 4 at 100; loss drops one frame of a hundred at each host, of TCP's too. Conventional: Open "
        "MPI's binomial tree, in turn with Quadrille's multicast in the same processes; and Open MPI's own "
        "choice. Times run from the root's start to the last receipt. Simulated: the same datagram protocol "
        "on a simulated switch of 100 Mbit/s, where hosts' processors take no time, against a binomial tree "
        "of messages by the same protocol."
    ),
    measure=measure,
    judge=judge,
    show=show,
)
