# SPDX-License-Identifier: BSD-3-Clause
"""Times all-to-alls of the first N processes on small and deep buffers, one and two a host.

`data["points"]`: `nodes` ("single-CPU" or "dual-CPU"; "as it is" on a real cluster), `exchange`, `hosts`,
`ranks`, `bytes`, `samples_ns`, `median_ns`, `stalls` and `limit_ns`, the wire's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from quadrille.lab.ready_made import resolve
from quadrille.reproduce.experiment import Data
from quadrille.reproduce.programs import bench as run_bench
from quadrille.reproduce.workbench import Workbench

OPEN_MPI, MPICH, FLOOD = "Open MPI", "MPICH", "flood"
FLOOD_CONTROLLED, CONTROLLED = "flood, flow control", "Open MPI, flow control"
ORDERED = "ordered"
EXCHANGES = (FLOOD, OPEN_MPI, MPICH, FLOOD_CONTROLLED, CONTROLLED, ORDERED)

_NODES = {"single-CPU": (1, 25), "dual-CPU": (2, 50)}
"""Processes a node and Mbit/s of its port."""
_SMALL, _DEEP = 32, 16384
"""KiB of a port's buffer."""
_LINEAR = ("--mca", "coll_tuned_use_dynamic_rules", "1", "--mca", "coll_tuned_alltoall_algorithm", "1")
_QUICK = ((4, 8), (8192, 32768), ("single-CPU",), ("--calls", "1", "--blocks", "1", "--seconds", "1"))
_FULL = (
    (2, 4, 8, 16),
    (1024, 4096, 8192, 16384, 32768, 65536, 131072),
    tuple(_NODES),
    ("--calls", "3", "--blocks", "2", "--seconds", "0.7"),
)


def measure(bench: Workbench, data: Data) -> None:
    """Measure on emulated switches; on a real cluster its library and the ordered exchange."""
    counts, sizes, nodes, given = _QUICK if bench.quick else _FULL
    data |= {"truth": None, "points": []}
    if bench.launcher is not None:
        _Timing(bench, data, "as it is", sizes, ["--warmup", "2", *given]).in_turn(bench.launcher)
        return
    arguments = ["--warmup", "2", *given, "--ranks", ",".join(map(str, counts))]
    for node in nodes:
        per_host, rate = _NODES[node]
        timing = _Timing(bench, data, node, sizes, arguments)
        for buffer in (_SMALL, _DEEP):
            network = f"one_switch:hosts={max(counts) // per_host},rate_mbit={rate},buffer_kib={buffer}"
            with bench.lab(resolve(network), "gromacs-throughput") as lab:
                data["truth"] = data["truth"] or lab.truth()
                ompi = lab.launcher("ompi4", per_host=per_host)
                if buffer == _SMALL:
                    timing.in_turn(ompi)
                    timing.library_alone(MPICH, lab.launcher("mpich", per_host=per_host))
                    timing.library_alone(FLOOD, [*ompi, *_LINEAR])
                else:
                    timing.library_alone(CONTROLLED, ompi)
                    timing.library_alone(FLOOD_CONTROLLED, [*ompi, *_LINEAR])


@dataclass(frozen=True)
class _Timing:
    """Times exchanges of one kind of node and adds their points to `data`."""

    bench: Workbench
    data: Data
    nodes: str
    sizes: Sequence[int]
    arguments: Sequence[str]

    def in_turn(self, line: Sequence[str]) -> None:
        """Time the MPI library's exchange and the ordered one in the same processes."""
        self.bench.announce(f"{self.nodes}: {ORDERED} and the MPI library's in turn")
        for point in run_bench(line, "alltoall", self.sizes, self.arguments, forced="alltoall:granted"):
            if point["blocks"]["quadrille"]["executor"] == "quadrille":
                self._add(ORDERED, point, "quadrille")
            self._add(OPEN_MPI, point, "native")
        self.bench.save()

    def library_alone(self, exchange: str, line: Sequence[str]) -> None:
        """Time the exchange of the MPI library that `line` starts."""
        self.bench.announce(f"{self.nodes}: {exchange}")
        for point in run_bench(line, "alltoall", self.sizes, [*self.arguments, "--without-library"]):
            self._add(exchange, point, "native")
        self.bench.save()

    def _add(self, exchange: str, point: dict[str, Any], side: str) -> None:
        measured = point["blocks"][side]
        self.data["points"].append(
            {
                "nodes": self.nodes,
                "exchange": exchange,
                "hosts": point["hosts"],
                "ranks": point["ranks"],
                "bytes": point["bytes"],
                "samples_ns": measured["samples_ns"],
                "median_ns": measured["median_ns"],
                "stalls": measured["stalls"],
                "limit_ns": point["bound"]["framed_ns"] if point["bound"] else None,
            }
        )
