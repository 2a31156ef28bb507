# SPDX-License-Identifier: BSD-3-Clause
"""eco-table1: why neither a minimal spanning tree nor a binary tree will do (ECO, Figure 1 and Table 1)."""

from __future__ import annotations

from quadrille.reproduce.experiment import Data, Effect, Experiment, Published
from quadrille.reproduce.experiments.eco_table1.searching import PUBLISHED, as_data, networks, solutions
from quadrille.reproduce.experiments.eco_table1.showing import show
from quadrille.reproduce.patterns.pattern_experiment import ECO_PAPER
from quadrille.reproduce.workbench import Workbench


def _measure(bench: Workbench, data: Data) -> None:
    """Search; the short form is the whole."""
    data["networks"] = sum(1 for _ in networks())
    data["solutions"] = [as_data(network, edges) for network, edges in solutions()]


def _judge(data: Data) -> list[Effect]:
    """Say whether a network gives the paper's four times, and how ECO's tree does on the simplest."""
    found = "small whole costs give all four times of Table 1"
    better = "beyond the paper: from every root ECO's tree takes no longer than either"
    if not data.get("solutions"):
        missing = f"none of {data['networks']} networks does" if "networks" in data else "not searched"
        return [
            Effect(found, False if "networks" in data else None, missing, exact=True),
            Effect(better, None, missing, exact=True),
        ]
    simplest = data["solutions"][0]
    times = simplest["completions"]
    seen = all(times[root][tree] == row[tree] for root, row in PUBLISHED.items() for tree in row)
    why = (
        f"{len(data['solutions'])} pairs of network and spanning tree, of {data['networks']} networks; "
        f"on the simplest a message costs {simplest['inside'][0]} inside a subnet, else "
        f"{simplest['between'][0]}"
    )
    never_worse = all(row["eco"] <= min(row["spanning"], row["binary"]) for row in times.values())
    table = ", ".join(f"{row['eco']} from {root}" for root, row in times.items())
    simplest_network = f"on the simplest network: {table}"
    return [Effect(found, seen, why, exact=True), Effect(better, never_worse, simplest_network, exact=True)]


EXPERIMENT = Experiment(
    id="eco-table1",
    title="ECO: minimal spanning tree against binary tree, six hosts in three subnets",
    paper=f"{ECO_PAPER} Section 4.",
    published=(
        Published("Table 1", "completion from a: minimal spanning tree, binary tree", "7, 9"),
        Published("Table 1", "completion from d: minimal spanning tree, binary tree", "8, 7"),
    ),
    setting=(
        "The edge costs stand in Figure 1, which the text of the paper lacks. Here every network of three "
        "pairs of hosts is tried whose costs are whole numbers up to a bound, greater between any two pairs "
        "than inside every one, with every minimal spanning tree that ties leave. A host serves its children "
        "one after the other in the order of the alphabet from the root on, as the paper's binary tree is "
        "numbered; ECO's tree serves the other subnets before its own."
    ),
    measure=_measure,
    judge=_judge,
    show=show,
)
