# SPDX-License-Identifier: BSD-3-Clause
"""eco-table5: CHARMM's collectives on three 10 Mbit/s Ethernets that others use as well (ECO, Table 5)."""

from __future__ import annotations

from quadrille.reproduce.experiment import Published
from quadrille.reproduce.patterns.charmm import CHARMM_KERNEL, CHARMM_STEP, HOW_A_STEP_IS_TIMED
from quadrille.reproduce.patterns.comparison import Comparison, Order, PaperTime
from quadrille.reproduce.patterns.pattern import BUTTERFLY, PLANNED, SPANNING_TREE, eco, heap
from quadrille.reproduce.patterns.pattern_experiment import pattern_experiment

_ECO, _BINARY, _TERNARY = eco(2), heap(2), heap(3)
_AMBIENT_SHARE = 0.5

EXPERIMENT = pattern_experiment(
    id="eco-table5",
    title="ECO: CHARMM's collectives on three bridged Ethernets under high ambient traffic",
    comparison=Comparison(
        where="Table 5",
        unit="min",
        topology=f"eco_three_buses:ambient_share={_AMBIENT_SHARE}",
        patterns=(_ECO, _BINARY, _TERNARY, SPANNING_TREE, BUTTERFLY, PLANNED),
        step=CHARMM_STEP,
        kernel=CHARMM_KERNEL,
        paper=(
            PaperTime(_ECO.name, 13.9),
            PaperTime(_BINARY.name, 18.7),
            PaperTime(_TERNARY.name, 21.6),
            PaperTime(BUTTERFLY.name, 16.6),
        ),
        orders=(
            Order(_ECO.name, _BINARY.name),
            Order(_ECO.name, _TERNARY.name),
            Order(_ECO.name, BUTTERFLY.name),
        ),
    ),
    published=(
        Published("Table 5", "ECO: mean of two runs; min", "13.9"),
        Published("Table 5", "tree (k = 2)", "18.7"),
        Published("Table 5", "tree (k = 3)", "21.6"),
        Published("Table 5", "CHARMM butterfly", "16.6"),
    ),
    setting=(
        "Eight hosts on three emulated 10 Mbit/s buses around one bridge, hosts 0 3 6 / 1 4 7 / 2 5. Other "
        f"people's datagrams take {_AMBIENT_SHARE:.0%} of each bus, at random times; the paper does not say "
        'how much "high" was, nor whose it was: its times are six times those of Table 4. '
        f"{HOW_A_STEP_IS_TIMED}"
    ),
)
