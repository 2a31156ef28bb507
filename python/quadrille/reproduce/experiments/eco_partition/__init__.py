# SPDX-License-Identifier: BSD-3-Clause
"""eco-partition: which hosts share a network, found from round trips (ECO, Figure 3 a and b)."""

from __future__ import annotations

from quadrille.reproduce.experiment import Experiment, Published
from quadrille.reproduce.experiments.eco_partition.judging import judge
from quadrille.reproduce.experiments.eco_partition.measuring import measure
from quadrille.reproduce.experiments.eco_partition.showing import show
from quadrille.reproduce.patterns.pattern_experiment import ECO_PAPER

EXPERIMENT = Experiment(
    id="eco-partition",
    title="ECO: hosts partitioned into subnets by round trips",
    paper=f"{ECO_PAPER} Sections 3 and 4.1.",
    published=(
        Published(
            "Figure 3 a, b",
            "switched FDDI and several 10 Mbit/s Ethernets behind a bridge, at CMU and PSC",
            "every host in the subnet of its physical network",
        ),
        Published("Figure 2", "an edge joins two subnets when it costs at most so much more", "20 %"),
        Published(
            "section 3",
            "which statistic of the repeated round trips",
            "the minimum: a single collision can make the mean of two hosts on one bus look worse than "
            "that of hosts hundreds of miles apart",
        ),
        Published(
            "section 4.1", "a small number of inaccurate measurements", "do not cause incorrect partitioning"
        ),
    ),
    setting=(
        "Emulated: three 10 Mbit/s Ethernets (shared, of 5, 3 and 2 hosts), a switched FDDI of 3 hosts at "
        "30 Mbit/s and a far site of 2 hosts behind one bridge; then two equal switches of 4 hosts with one "
        "trunk. Hosts start in a random order. Bursts are 120 full frames within each network, 0.25 s apart "
        "on average; ambient traffic takes a steady 30 % of each bus and of each trunk between switches. An "
        "emulated link passes its first two frames at once, so a bridge is not seen by its store and "
        "forward, as a real one is; here it delays each frame by 0.3 ms instead. Messages are 64 B; what "
        "their frames would take on both hosts' cables, at the rates that the probe found, is added. With "
        "the 16 000 B of the paper's other experiments such a bridge is not seen by the rule: 24.0 ms there "
        "and back on one Ethernet, 24.2 ms across the bridge were measured here, and 20 % would take a "
        "bridge of 2.4 ms a message."
    ),
    measure=measure,
    judge=judge,
    show=show,
)
