# SPDX-License-Identifier: BSD-3-Clause
"""The page of eco-table1: the simplest network, completion times from every root, all other networks."""

from __future__ import annotations

from typing import Any

from quadrille.report.charts import Figure, layout
from quadrille.report.formatting import escape
from quadrille.report.frame import chart_cell
from quadrille.report.tables import table
from quadrille.reproduce.experiment import Data
from quadrille.reproduce.experiments.eco_table1.arithmetic import LETTERS
from quadrille.reproduce.experiments.eco_table1.searching import PUBLISHED

TREES = {
    "spanning": ("minimal spanning tree", "#D55E00"),
    "binary": ("binary tree", "#E69F00"),
    "eco": ("ECO's tree", "#0072B2"),
    "least": ("least of all trees and orders", "#999999"),
}


def show(data: Data) -> str:
    """Return the sections between the paper's values and the command to repeat it."""
    if not data.get("solutions"):
        return "<p>No network was found.</p>"
    simplest = data["solutions"][0]
    return "\n".join(
        [
            "<h2>The simplest network that gives the paper's times</h2>",
            _network(simplest),
            _times(simplest["completions"]),
            f'<div class="charts">{chart_cell(_chart(simplest["completions"]))}</div>',
            "<h2>All that give them</h2>",
            _all(data["solutions"]),
        ]
    )


def _network(found: dict[str, Any]) -> str:
    rows = [
        [escape(_pairs(found)), _inside(found), _between(found), escape(" ".join(found["spanning_tree"]))]
    ]
    return table(
        ["subnets", "cost inside each", "between 1-2, 2-3, 1-3", "spanning tree"], rows, numbers_from=9
    )


def _pairs(found: dict[str, Any]) -> str:
    return " / ".join(" ".join(LETTERS[host] for host in pair) for pair in found["subnets"])


def _inside(found: dict[str, Any]) -> str:
    return ", ".join(map(str, found["inside"]))


def _between(found: dict[str, Any]) -> str:
    return ", ".join(map(str, found["between"]))


def _times(completions: dict[str, dict[str, int]]) -> str:
    rows = []
    for root, row in completions.items():
        paper = PUBLISHED.get(root)
        rows.append(
            [
                f"from {root}",
                *(str(row[tree]) for tree in TREES),
                f"{paper['spanning']}, {paper['binary']}" if paper else "–",
            ]
        )
    head = ["broadcast", *(name for name, _ in TREES.values()), "paper: spanning, binary"]
    return table(head, rows)


def _chart(completions: dict[str, dict[str, int]]) -> Figure:
    bars = [
        {
            "type": "bar",
            "name": name,
            "x": [f"from {root}" for root in completions],
            "y": [row[tree] for row in completions.values()],
            "marker": {"color": colour},
        }
        for tree, (name, colour) in TREES.items()
    ]
    y_axis = {"title": {"text": "completion, cost units"}, "rangemode": "tozero"}
    return {"data": bars, "layout": layout("Completion by root and tree", {"type": "category"}, y_axis)}


def _all(solutions: list[dict[str, Any]]) -> str:
    rows = [
        [escape(_pairs(one)), _inside(one), _between(one), escape(" ".join(one["spanning_tree"]))]
        for one in solutions
    ]
    return table(["subnets", "inside", "between", "spanning tree"], rows, numbers_from=9)
