# SPDX-License-Identifier: BSD-3-Clause
"""eco-table7: a molecular dynamics program's collectives on 20 hosts of five networks (ECO, Table 7)."""

from __future__ import annotations

from quadrille.reproduce.experiment import Published
from quadrille.reproduce.patterns.charmm import CHARMM_KERNEL
from quadrille.reproduce.patterns.comparison import Calls, Comparison, Order, PaperTime
from quadrille.reproduce.patterns.pattern import PLANNED, RING, SPANNING_TREE, STAR, eco, heap
from quadrille.reproduce.patterns.pattern_experiment import pattern_experiment

_ECO, _QUATERNARY = eco(2), heap(4)
_RANKS = 20
_VECTOR_BYTES = 500 * 3 * 8  # 500 atoms of three doubles

EXPERIMENT = pattern_experiment(
    id="eco-table7",
    title="ECO: molecular dynamics on 20 hosts of five networks",
    comparison=Comparison(
        where="Table 7",
        unit="s",
        topology="eco_table7",
        patterns=(_ECO, STAR, _QUATERNARY, RING, SPANNING_TREE, PLANNED),
        step=(Calls("allreduce", _VECTOR_BYTES), Calls("allgather", _VECTOR_BYTES // _RANKS)),
        kernel=CHARMM_KERNEL,
        paper=(
            PaperTime(_ECO.name, 63.0),
            PaperTime(STAR.name, 153.5),
            PaperTime(_QUATERNARY.name, 148.1),
            PaperTime(RING.name, 414.2),
        ),
        orders=(
            Order(_ECO.name, STAR.name),
            Order(_ECO.name, _QUATERNARY.name),
            Order(_ECO.name, RING.name),
        ),
    ),
    published=(
        Published("Table 7", "ECO; s", "63.0"),
        Published("Table 7", "star", "153.5"),
        Published("Table 7", "tree (k = 4)", "148.1"),
        Published("Table 7", "ring", "414.2"),
    ),
    setting=(
        "20 hosts: six on two emulated 10 Mbit/s buses, five on another, two on a 100 Mbit/s switch, seven "
        "on a 10 Mbit/s switch. The paper says neither which calls the program makes nor of which size; here "
        "a step is a reduce-to-all of 12 000 B and a gather-to-all of 600 B a rank, by their medians, so "
        "only ratios compare. The ring is a chain of ranks up and down. CHARMM, which the authors had not "
        "yet run on such hosts, is here the kernel of a step of Table 4: the two calls and a broadcast of "
        "1200 B in a row."
    ),
)
