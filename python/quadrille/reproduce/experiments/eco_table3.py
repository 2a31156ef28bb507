# SPDX-License-Identifier: BSD-3-Clause
"""eco-table3: a broadcast of 16 000 B to eight hosts on three 10 Mbit/s Ethernets (ECO, Table 3)."""

from __future__ import annotations

from quadrille.reproduce.experiment import Published
from quadrille.reproduce.patterns.comparison import Calls, Comparison, Order, PaperTime
from quadrille.reproduce.patterns.pattern import PLANNED, RING, SPANNING_TREE, STAR, eco, heap, in_turn
from quadrille.reproduce.patterns.pattern_experiment import pattern_experiment

_ECO, _BINARY, _TERNARY = eco(2), heap(2), heap(3)

EXPERIMENT = pattern_experiment(
    id="eco-table3",
    title="ECO: broadcast on three bridged Ethernets",
    comparison=Comparison(
        where="Table 3",
        unit="s (median)",
        topology="eco_three_buses",
        patterns=(*map(in_turn, (_ECO, _BINARY, _TERNARY, STAR, SPANNING_TREE, RING)), PLANNED),
        step=(Calls("bcast", 16_000),),
        paper=(
            PaperTime(_ECO.name, 0.119, 0.0651),
            PaperTime(_BINARY.name, 0.174, 0.128),
            PaperTime(_TERNARY.name, 0.162, 0.122),
            PaperTime(STAR.name, 0.141, 0.109),
        ),
        orders=(
            Order(_ECO.name, _BINARY.name),
            Order(_ECO.name, _TERNARY.name),
            Order(_ECO.name, STAR.name),
        ),
    ),
    published=(
        Published(
            "Table 3", "ECO: mean (standard deviation), median, minimum; s", "0.119 (.008), 0.0651, 0.0614"
        ),
        Published("Table 3", "tree (k = 2)", "0.174 (.007), 0.128, 0.104"),
        Published("Table 3", "tree (k = 3)", "0.162 (.007), 0.122, 0.104"),
        Published("Table 3", "star", "0.141 (.007), 0.109, 0.104"),
    ),
    setting=(
        "Eight hosts on three emulated 10 Mbit/s buses around one bridge, hosts 0 3 6 / 1 4 7 / 2 5, no "
        "other traffic; the paper had little. A time runs from the root's start to the last receipt, with "
        "clocks compared beforehand, as the paper's does. ECO's tree follows the segments of a model that is "
        "probed first; the paper does not say which k its own had. As in the paper's PVM a rank sends to its "
        "children one after the other: the next when the one before has all."
    ),
)
