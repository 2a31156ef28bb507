# SPDX-License-Identifier: BSD-3-Clause
"""Times broadcasts among N hosts of emulated switches, without and with loss, and on a simulated one.

`data["points"]`: `network` ("8 hosts, 50 Mbit/s"; "the cluster" for a real one), `rate_mbit`, `loss_percent`,
`way`, `ranks`, `bytes`, `samples_ns`, `median_ns`, and `limit_ns`, the wire's. `data["simulated"]`:
`loss_percent`, `hosts`, `bytes`, `multicast_ns`, `binomial_ns`.
"""

from __future__ import annotations

import json
import statistics
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from quadrille.errors import QuadrilleError
from quadrille.installation import native_program
from quadrille.lab.topology import Topology, parse_topology
from quadrille.reproduce.experiment import Data
from quadrille.reproduce.programs import bench as run_bench
from quadrille.reproduce.workbench import Workbench

BINOMIAL, OPEN_MPI, MULTICAST = "conventional (binomial tree)", "Open MPI's choice", "multicast"
WAYS = (BINOMIAL, OPEN_MPI, MULTICAST)
SMALL_BYTES, LARGE_BYTES = 8, 20_000
LOSS_PERCENT = 1.0

_AS_A_TREE = ("--mca", "coll_tuned_use_dynamic_rules", "1", "--mca", "coll_tuned_bcast_algorithm", "6")
_SIMULATION_TIMEOUT_S = 120


@dataclass(frozen=True)
class _Network:
    hosts: int
    rate_mbit: int
    counts: tuple[int, ...]

    def name(self) -> str:
        return f"{self.hosts} hosts, {self.rate_mbit} Mbit/s"

    def topology(self, loss_percent: float) -> Topology:
        hosts = {"names": [f"h0..h{self.hosts - 1}"], "on": "s0", "loss_to_host_percent": loss_percent}
        switch = {"name": "s0", "rate_mbit": self.rate_mbit, "buffer_kib": 32}
        return parse_topology({"name": "mpim", "switch": [switch], "hosts": [hosts]}, "mpim")


_QUICK = ((_Network(8, 50, (2, 8)),), ("--calls", "5", "--blocks", "3", "--seconds", "0.4"))
_FULL = (
    (_Network(16, 25, (2, 4, 8, 16)), _Network(8, 50, (2, 4, 8)), _Network(4, 100, (2, 3, 4))),
    ("--calls", "10", "--blocks", "5", "--seconds", "2"),
)


def measure(bench: Workbench, data: Data) -> None:
    """Measure on emulated switches and the simulated one; on a real cluster all of its processes."""
    networks, given = _QUICK if bench.quick else _FULL
    data |= {"truth": None, "points": [], "simulated": []}
    if bench.launcher is not None:
        _Timing(bench, data, "the cluster", None, 0, given).in_turn(OPEN_MPI, bench.launcher)
        return
    for loss in (0.0, LOSS_PERCENT):
        bench.announce(f"simulated, {loss:g} % lost")
        data["simulated"] += [{"loss_percent": loss, **line} for line in _simulate(loss)]
        for network in networks:
            with bench.lab(network.topology(loss), "mpim-bcast") as lab:
                data["truth"] = data["truth"] or lab.truth()
                timing = _Timing(bench, data, network.name(), network.rate_mbit, loss, given)
                for count in network.counts:
                    timing.in_turn(BINOMIAL, [*lab.launcher(), *_AS_A_TREE], count)
                    if not (bench.quick and loss):
                        timing.in_turn(OPEN_MPI, lab.launcher(), count)


def _simulate(loss_percent: float) -> list[dict[str, Any]]:
    command = [str(native_program("quadrille-simulated-broadcast")), "--loss", f"{loss_percent:g}"]
    command += ["--bytes", str(LARGE_BYTES)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=_SIMULATION_TIMEOUT_S, check=False)
    if done.returncode != 0:
        raise QuadrilleError(f"{command[0]}: exit code {done.returncode}: {done.stderr.strip()}")
    return [json.loads(line) for line in done.stdout.splitlines()]


@dataclass(frozen=True)
class _Timing:
    """Times the broadcasts of one network and adds their points to `data`."""

    bench: Workbench
    data: Data
    network: str
    rate_mbit: int | None
    loss_percent: float
    arguments: Sequence[str]

    def in_turn(self, library: str, line: Sequence[str], count: int | None = None) -> None:
        """Time the MPI library's broadcast, called `library`, and multicast in the same processes.

        Among the first `count` of them, in a job of its own: a communicator that gets the number of a freed
        one with other ranks goes without multicast.
        """
        nodes = f"{count or 'all'} nodes of {self.network}"
        self.bench.announce(f"{nodes}, {self.loss_percent:g} % lost: {library} and {MULTICAST} in turn")
        arguments = ["--warmup", "3", *self.arguments, *(["--ranks", str(count)] if count else [])]
        sizes = (SMALL_BYTES, LARGE_BYTES)
        for point in run_bench(line, "bcast", sizes, arguments, forced="bcast:multicast"):
            self._add(library, point, "native")
            if point["blocks"]["quadrille"]["executor"] == "quadrille":
                self._add(MULTICAST, point, "quadrille")
        self.bench.save()

    def _add(self, way: str, point: dict[str, Any], side: str) -> None:
        samples = point["blocks"][side]["root_to_last_ns"]
        self.data["points"].append(
            {
                "network": self.network,
                "rate_mbit": self.rate_mbit,
                "loss_percent": self.loss_percent,
                "way": way,
                "ranks": point["ranks"],
                "bytes": point["bytes"],
                "samples_ns": samples,
                "median_ns": statistics.median(samples),
                "limit_ns": point["bound"]["framed_ns"] if point["bound"] else None,
            }
        )
