# SPDX-License-Identifier: BSD-3-Clause
"""Times a sort's exchanges over numbers of nodes, in one job for all of them.

`data["points"]`: `way`, `exchange`, `nodes`, `ranks`, `doubles`, `bytes` of a pair, `samples_ns`,
`first_ns` (of the process's first call, where nothing was called before), `median_ns`, `stalls`, `limit_ns`,
`arrays_bytes` and `grown_bytes` of a process, `swapped`; an experiment adds its own keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from quadrille.lab.ready_made import resolve
from quadrille.reproduce.experiment import Data
from quadrille.reproduce.programs import bench as run_bench
from quadrille.reproduce.workbench import Workbench

LIBRARY, CONTROLLED, OURS = "MPI library", "MPI library, flow control", "Quadrille"
WAYS = (LIBRARY, CONTROLLED, OURS)
VECTORS_EXCHANGE = "sort_alltoallv_double"
GRANTED = "alltoallv:granted"
"""Quadrille's own exchange over datagrams; nothing is tried, so that few calls tell."""


@dataclass(frozen=True)
class Sort:
    """n vectors of m doubles; `memory` as `quadrille bench contention` takes it."""

    vectors: int
    doubles: int
    memory: str

    def arguments(self) -> list[str]:
        """Return the benchmark's arguments."""
        sizes = ["--vectors", str(self.vectors), "--doubles", str(self.doubles)]
        return [*sizes, "--memory", self.memory]


@dataclass(frozen=True)
class Scaling:
    """`hosts` on one switch, the first N of which sort, `per_node` processes on each."""

    hosts: int
    rate_mbit: int
    nodes: tuple[int, ...]
    per_node: int
    sort: Sort
    given: tuple[str, ...]

    def network(self, deep: bool) -> str:
        """Return the emulated network; `deep`: buffers that never overflow."""
        text = f"one_switch:hosts={self.hosts},rate_mbit={self.rate_mbit},buffer_kib=32"
        return f"{text},flow_control=on" if deep else text


def timed(
    line: Sequence[str], exchanges: Sequence[str], arguments: Sequence[str], forced: str = GRANTED
) -> list[tuple[str, dict[str, Any]]]:
    """Return (way, figures) of each exchange that `line` makes: the library's and Quadrille's in turn.

    What Quadrille left to the library, though `forced` names its own, is no figure of it.
    """
    found = []
    for point in run_bench(line, ",".join(exchanges), [0], arguments, forced):
        found.append((LIBRARY, figures(point, "native")))
        if point["blocks"]["quadrille"]["executor"] == "quadrille":
            found.append((OURS, figures(point, "quadrille")))
    return found


def figures(point: dict[str, Any], side: str) -> dict[str, Any]:
    """Return what is kept of one side of a point."""
    measured, sort = point["blocks"][side], point["sort"]
    return {
        "exchange": point["collective"],
        "nodes": point["hosts"],
        "ranks": point["ranks"],
        "doubles": sort["doubles"],
        "bytes": point["bytes"],
        "samples_ns": measured["samples_ns"],
        "first_ns": measured["samples_ns"][0],
        "median_ns": measured["median_ns"],
        "stalls": measured["stalls"],
        "limit_ns": point["bound"]["framed_ns"] if point["bound"] else None,
        "arrays_bytes": sort["arrays_bytes"],
        "grown_bytes": sort["grown_bytes"],
        "swapped": sort["swapped"],
    }


def measure_scaling(bench: Workbench, data: Data, scaling: Scaling) -> None:
    """Time the exchange of vectors on each number of nodes: small buffers, then those of flow control."""
    data |= {"truth": None, "points": []}
    given = [*scaling.sort.arguments(), *scaling.given]
    if bench.launcher is not None:
        _add(bench, data, timed(bench.launcher, [VECTORS_EXCHANGE], given))
        return
    ranks = ",".join(str(nodes * scaling.per_node) for nodes in scaling.nodes)
    given += ["--ranks", ranks]
    for deep in (False, True):
        with bench.lab(resolve(scaling.network(deep)), "umbc") as lab:
            data["truth"] = data["truth"] or lab.truth()
            line = lab.launcher(per_host=scaling.per_node)
            bench.announce(CONTROLLED if deep else f"{LIBRARY} and {OURS} in turn")
            if deep:
                points = run_bench(line, VECTORS_EXCHANGE, [0], [*given, "--without-library"])
                _add(bench, data, [(CONTROLLED, figures(point, "native")) for point in points])
            else:
                _add(bench, data, timed(line, [VECTORS_EXCHANGE], given))


def _add(bench: Workbench, data: Data, found: Sequence[tuple[str, dict[str, Any]]]) -> None:
    data["points"] += [{"way": way} | point for way, point in found]
    bench.save()
