# SPDX-License-Identifier: BSD-3-Clause
"""eco-table4: the collectives of CHARMM on eight hosts on three 10 Mbit/s Ethernets (ECO, Table 4)."""

from __future__ import annotations

from quadrille.reproduce.experiment import Published
from quadrille.reproduce.patterns.charmm import CHARMM_KERNEL, CHARMM_STEP, HOW_A_STEP_IS_TIMED
from quadrille.reproduce.patterns.comparison import Comparison, Order, PaperTime
from quadrille.reproduce.patterns.pattern import BUTTERFLY, PLANNED, SPANNING_TREE, STAR, eco, heap
from quadrille.reproduce.patterns.pattern_experiment import pattern_experiment

_ECO, _BINARY, _TERNARY = eco(2), heap(2), heap(3)

EXPERIMENT = pattern_experiment(
    id="eco-table4",
    title="ECO: CHARMM's collectives on three bridged Ethernets",
    comparison=Comparison(
        where="Table 4",
        unit="min",
        topology="eco_three_buses",
        patterns=(_ECO, _BINARY, _TERNARY, STAR, SPANNING_TREE, BUTTERFLY, PLANNED),
        step=CHARMM_STEP,
        kernel=CHARMM_KERNEL,
        paper=(
            PaperTime(_ECO.name, 2.1, 2.17),
            PaperTime(_BINARY.name, 2.7, 2.66),
            PaperTime(_TERNARY.name, 2.3, 2.30),
            PaperTime(STAR.name, 2.7, 2.59),
            PaperTime(BUTTERFLY.name, 3.0, 2.95),
        ),
        orders=(
            Order(_ECO.name, _BINARY.name),
            Order(_ECO.name, STAR.name),
            Order(_ECO.name, BUTTERFLY.name),
        ),
    ),
    published=(
        Published("Table 4", "ECO: mean (standard deviation), median, minimum; min", "2.1 (.2), 2.17, 1.79"),
        Published("Table 4", "tree (k = 2)", "2.7 (.1), 2.66, 2.65"),
        Published("Table 4", "tree (k = 3)", "2.3 (.1), 2.30, 2.12"),
        Published("Table 4", "star", "2.7 (.2), 2.59, 2.47"),
        Published("Table 4", "CHARMM butterfly", "3.0 (.4), 2.95, 2.69"),
    ),
    setting=(
        "Eight hosts on three emulated 10 Mbit/s buses around one bridge, hosts 0 3 6 / 1 4 7 / 2 5, no "
        f"other traffic. {HOW_A_STEP_IS_TIMED}"
    ),
)
