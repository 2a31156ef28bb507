# SPDX-License-Identifier: BSD-3-Clause
"""eco-table6: the collectives of CHARMM on eight hosts on one 10 Mbit/s switch (ECO, Table 6)."""

from __future__ import annotations

from quadrille.reproduce.experiment import Published
from quadrille.reproduce.patterns.charmm import CHARMM_KERNEL, CHARMM_STEP, HOW_A_STEP_IS_TIMED
from quadrille.reproduce.patterns.comparison import Comparison, Order, PaperTime
from quadrille.reproduce.patterns.pattern import BUTTERFLY, PLANNED, STAR, eco
from quadrille.reproduce.patterns.pattern_experiment import pattern_experiment

_ECO2, _ECO3 = eco(2), eco(3)

EXPERIMENT = pattern_experiment(
    id="eco-table6",
    title="ECO: CHARMM's collectives on one switch",
    comparison=Comparison(
        where="Table 6",
        unit="min",
        topology="one_switch:hosts=8,rate_mbit=10",
        patterns=(_ECO2, _ECO3, STAR, BUTTERFLY, PLANNED),
        step=CHARMM_STEP,
        kernel=CHARMM_KERNEL,
        paper=(
            PaperTime(_ECO2.name, 1.08),
            PaperTime(_ECO3.name, 3.28),
            PaperTime(BUTTERFLY.name, 0.82),
        ),
        orders=(Order(BUTTERFLY.name, _ECO2.name), Order(BUTTERFLY.name, _ECO3.name)),
    ),
    published=(
        Published("Table 6", "ECO (k = 2); min", "1.08"),
        Published("Table 6", "ECO (k = 3)", "3.28"),
        Published("Table 6", "CHARMM butterfly", "0.82"),
    ),
    setting=(
        f"Eight hosts on one emulated switch of 10 Mbit/s a port, no other traffic. {HOW_A_STEP_IS_TIMED}"
    ),
)
