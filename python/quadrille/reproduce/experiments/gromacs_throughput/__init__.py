# SPDX-License-Identifier: BSD-3-Clause
"""gromacs-throughput: what an all-to-all lets each process send, with and without congestion."""

from __future__ import annotations

from quadrille.reproduce.experiment import Experiment, Published
from quadrille.reproduce.experiments.gromacs_throughput.judging import judge
from quadrille.reproduce.experiments.gromacs_throughput.measuring import measure
from quadrille.reproduce.experiments.gromacs_throughput.showing import show

EXPERIMENT = Experiment(
    id="gromacs-throughput",
    title="GROMACS on Ethernet: throughput of all-to-all",
    paper=(
        "C. Kutzner, D. van der Spoel, M. Fechner, E. Lindahl, U. W. Schmitt, B. L. de Groot, H. Grubmüller: "
        "poster on GROMACS on Ethernet Beowulf clusters. Sections 1 to 3."
    ),
    published=(
        Published("section 1", "scaling over Ethernet without flow control breaks down", "beyond 2 nodes"),
        Published("section 2", "with IEEE 802.3x flow control", "performs significantly better"),
        Published("section 3", "ordered all-to-all without flow control", "reliable at GROMACS's sizes"),
        Published("plots", "throughput T = (N-1) S / dt over S", "the values inside the plots are not known"),
    ),
    setting=(
        "Emulated: one switch, 25 Mbit/s for each process (the poster's fortieth), on single-CPU nodes one "
        "process a host, on dual-CPU nodes two at 50 Mbit/s. Standard: 32 KiB a port. Flow control: buffers "
        "that never overflow, since frames of IEEE 802.3x cannot be sent there. Flood: Open MPI's linear "
        "all-to-all, which sends everything at once as LAM did. Ordered: Quadrille's, by its own datagrams."
    ),
    measure=measure,
    judge=judge,
    show=show,
)
