# SPDX-License-Identifier: BSD-3-Clause
"""gamma-amdahl: speedup over processors and the serial share of it, over TCP and over the provider."""

from __future__ import annotations

from quadrille.reproduce.experiment import Experiment, Published
from quadrille.reproduce.experiments.gamma_amdahl.judging import judge
from quadrille.reproduce.experiments.gamma_amdahl.measuring import measure
from quadrille.reproduce.experiments.gamma_amdahl.showing import show

EXPERIMENT = Experiment(
    id="gamma-amdahl",
    title="GAMMA: speedup and serial share",
    paper=(
        "M. Tanaka: PC Cluster Machine Equipped with Low-Latency Communication Software. "
        "arXiv:physics/0407152, 2004. Section 3, Figure 3, reference 19."
    ),
    published=(
        Published("section 3, Figure 3", "serial share of Siesta, 181 atoms: GAMMA; TCP", "0.10; 0.23"),
        Published("section 3, Figure 3", "speed over GAMMA, of that over TCP", "about 1.5 times"),
        Published("Figure 3", "speedup up to four processors", "almost linear"),
        Published("reference 19", "Poisson's equation, 500 000 elements and more", "scales quite similarly"),
    ),
    setting=(
        "Emulated: one switch with 32 KiB a port, 8 hosts at 50 Mbit/s, one process each, Open MPI as it is "
        "and over the libfabric provider (frames or UDP, collectives the library's own). Siesta's most "
        "demanding part, the diagonalisation of a dense matrix, is a reduction to tridiagonal form: for each "
        "column a broadcast and a sum of vectors. Poisson's equation is solved by conjugate gradients: six "
        "faces of a rank's box to its neighbours and two sums in an iteration. All hosts share two cores, so "
        "that computing, which is done, is stretched by sleep to what it takes one processor here, divided "
        "by N, times 100: the network is a twentieth of gigabit, and a processor of 2004 is assumed to take "
        "five times as long. One processor does not communicate: its time is this computing alone."
    ),
    measure=measure,
    judge=judge,
    show=show,
)
