# SPDX-License-Identifier: BSD-3-Clause
"""Times steps of integrations of a fixed number of bodies among the first N hosts of an emulated switch.

`data["points"]`: `forces` ("direct sum", "tree"), `bodies` of all nodes together, `nodes`, `way`,
`samples_ns`, `median_ns`. On a real cluster all processes of the launcher step, and no speedup is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from quadrille.lab.ready_made import resolve
from quadrille.reproduce.experiment import Data
from quadrille.reproduce.programs import bench as run_bench
from quadrille.reproduce.workbench import Workbench

CONVENTIONAL, MULTICAST = "conventional", "multicast"
WAYS = (CONVENTIONAL, MULTICAST)
FEWEST_A_NODE = 14
"""The page's most extreme example, on the most nodes."""

_STEPS = {"direct sum": "nbody_timed_step", "tree": "nbody_tree_timed_step"}
_BODY_BYTES = 24  # three doubles
_COMPUTING_SCALE = 10
"""An interaction takes about 6 ns on a processor of today; about ten times that is assumed of 2003."""


@dataclass(frozen=True)
class _Form:
    """`bodies`: of all nodes together, by forces; each number of them is a multiple of all of `nodes`."""

    network: str
    nodes: tuple[int, ...]
    bodies: dict[str, tuple[int, ...]]
    given: tuple[str, ...]


_QUICK = _Form(
    "one_switch:hosts=8,rate_mbit=50,buffer_kib=32",
    (1, 2, 8),
    {"direct sum": (8 * FEWEST_A_NODE, 800, 6400)},
    ("--calls", "4", "--blocks", "1", "--seconds", "0.7"),
)
_FULL = _Form(
    "one_switch:hosts=16,rate_mbit=25,buffer_kib=32",
    (1, 2, 4, 8, 16),
    {
        "direct sum": (16 * FEWEST_A_NODE, 800, 3200, 9600),
        "tree": (16 * FEWEST_A_NODE, 3200, 32_000),
    },
    ("--calls", "6", "--blocks", "3", "--seconds", "3.4"),
)


def measure(bench: Workbench, data: Data) -> None:
    """Measure on an emulated switch; on a real cluster with all of its processes."""
    form = _QUICK if bench.quick else _FULL
    data |= {"truth": None, "points": []}
    if bench.launcher is not None:
        for forces in _STEPS:
            _time(bench, data, forces, bench.launcher, [FEWEST_A_NODE, 100, 1000], form.given)
        return
    with bench.lab(resolve(form.network), "mpim-nbody") as lab:
        data["truth"] = lab.truth()
        for forces, bodies in form.bodies.items():
            for nodes in form.nodes:
                given = [*form.given, "--ranks", str(nodes)]
                _time(bench, data, forces, lab.launcher(), [count // nodes for count in bodies], given)


def _time(
    bench: Workbench,
    data: Data,
    forces: str,
    line: Sequence[str],
    bodies_a_node: Sequence[int],
    given: Sequence[str],
) -> None:
    """Time steps with so many bodies a node, each number of nodes in a job of its own."""
    nodes = given[given.index("--ranks") + 1] if "--ranks" in given else "all"
    bench.announce(f"{forces} on {nodes} nodes: {CONVENTIONAL} and {MULTICAST} in turn")
    sizes = [_BODY_BYTES * count for count in bodies_a_node]
    arguments = ["--warmup", "1" if nodes == "1" else "2", "--computing-scale", str(_COMPUTING_SCALE), *given]
    for point in run_bench(line, _STEPS[forces], sizes, arguments, forced="bcast:multicast"):
        _add(data, forces, point, CONVENTIONAL, "native")
        if point["ranks"] == 1 or point["blocks"]["quadrille"]["executor"] == "quadrille":
            _add(data, forces, point, MULTICAST, "quadrille")
    bench.save()


def _add(data: Data, forces: str, point: dict[str, Any], way: str, side: str) -> None:
    measured = point["blocks"][side]
    data["points"].append(
        {
            "forces": forces,
            "bodies": point["bytes"] // _BODY_BYTES * point["ranks"],
            "nodes": point["ranks"],
            "way": way,
            "samples_ns": measured["samples_ns"],
            "median_ns": measured["median_ns"],
        }
    )
