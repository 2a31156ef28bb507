# SPDX-License-Identifier: BSD-3-Clause
"""gromacs-speedup: GROMACS itself over 1 to 16 nodes, standard, with flow control and ordered."""

from __future__ import annotations

from quadrille.reproduce.experiment import Experiment, Published
from quadrille.reproduce.experiments.gromacs_speedup.judging import judge
from quadrille.reproduce.experiments.gromacs_speedup.measuring import measure
from quadrille.reproduce.experiments.gromacs_speedup.showing import show

EXPERIMENT = Experiment(
    id="gromacs-speedup",
    title="GROMACS on Ethernet: speedup",
    paper=(
        "C. Kutzner, D. van der Spoel, M. Fechner, E. Lindahl, U. W. Schmitt, B. L. de Groot, H. Grubmüller: "
        "poster on GROMACS on Ethernet Beowulf clusters. Central figure."
    ),
    published=(
        Published("summary", "speedup on 16 single-CPU nodes with flow control or ordered, 80k atoms", "> 8"),
        Published("section text", "scaling on Ethernet without flow control breaks down", "beyond 2 nodes"),
        Published("introduction", "Myrinet", "Sp8 = 6.2, Sp16 = 10"),
        Published("introduction", "InfiniBand; Regatta", "Sp16 = 11; Sp32 = 21"),
    ),
    setting=(
        "Debian's gmx_mpi, unmodified: 79 260 atoms of water, PME, on one emulated switch, 25 Mbit/s for "
        "each process, one process a host and two (at 50 Mbit/s). Standard: 32 KiB a port. Flow control: "
        "buffers that never overflow. Ordered: 32 KiB, under Quadrille; other messages stay the library's. "
        "All hosts share this machine's cores, so that a step's time is no measure of computing. The speedup "
        "is composed: T1 / (T1/N + C/40), with T1 the step of one process here and C what GROMACS logs as "
        "communication, taken to 1 Gbit/s, forty times as fast. Real switches' 200 ms timeouts do not shrink "
        "so; C also holds waits for this machine's cores."
    ),
    measure=measure,
    judge=judge,
    show=show,
)
