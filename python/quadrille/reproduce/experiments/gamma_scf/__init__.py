# SPDX-License-Identifier: BSD-3-Clause
"""gamma-scf: a first-principles program's self-consistent field, by TCP and over the provider (Table 1)."""

from __future__ import annotations

from quadrille.reproduce.experiment import Experiment, Published
from quadrille.reproduce.experiments.gamma_scf.judging import judge
from quadrille.reproduce.experiments.gamma_scf.measuring import measure
from quadrille.reproduce.experiments.gamma_scf.showing import show

_WHAT = "wall, CPU, difference in s, ratio"

EXPERIMENT = Experiment(
    id="gamma-scf",
    title="GAMMA: a first-principles program, wall and CPU time",
    paper=(
        "M. Tanaka: PC Cluster Machine Equipped with Low-Latency Communication Software. "
        "arXiv:physics/0407152, 2004. Table 1."
    ),
    published=(
        Published("Table 1", f"MPICH over TCP: {_WHAT}", "93, 67, 26, 1.39"),
        Published("Table 1", f"GAMMA, flow control on: {_WHAT}", "66, 66, 0.1, 1.00"),
        Published("Table 1", f"GAMMA, flow control off: {_WHAT}", "115, 98, 17, 1.17"),
        Published("Table 1", f"IBM Power 4: {_WHAT}", "59, 59, 0.1, 1.00"),
    ),
    setting=(
        "Debian's Quantum ESPRESSO (pw.x), unmodified, in place of Siesta: one self-consistent field of "
        "eight water molecules (24 atoms, 32 states, plane waves to 40 Ry) on four emulated hosts, one "
        "process each, that send at 100 Mbit/s and take in 70, as the paper's took in 706 of 1000; 16 KiB a "
        "port. Open MPI over TCP and over the libfabric provider, which is told the 16 KiB, with its flow "
        "control and without (QUADRILLE_FABRIC_FLOW=off). All-to-alls are Open MPI's linear ones, which send "
        "all blocks at once, as MPICH did in 2004: three of 25 KiB meet in a port. Collectives stay the MPI "
        "library's; Quadrille only notes when they begin and end. The hosts share two cores, so that "
        "computing takes as long as on two processors. Ranks that spin ask for messages again and again "
        "and give their core away in between, as Open MPI does; ranks that sleep sleep 20 us instead of "
        "that. Wall and CPU time are those of a process from its start to its end, mean of the four."
    ),
    measure=measure,
    judge=judge,
    show=show,
)
