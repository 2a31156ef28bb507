# SPDX-License-Identifier: BSD-3-Clause
"""Probes the switch and times the MPI library's all-to-all, with all ports of each group and with 9 of 12.

`data["sets"]` has an entry per set of ports: `hosts`, `model` and `probe_seconds` (in the short form of all
ports alone), and `alltoall`, an entry per size: `median_ns`, `samples_ns`, `stalls`, `limit_ns`, `dropped`
frames by port (none on a real cluster), and `ordered`, what Quadrille did with the probed model where it was
asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from quadrille.lab.lab import Lab
from quadrille.lab.ready_made import resolve
from quadrille.reproduce.experiment import Data
from quadrille.reproduce.programs import bench as run_bench
from quadrille.reproduce.programs import model_file, probe
from quadrille.reproduce.workbench import Workbench

PORTS_OF_A_GROUP = 12
SCATTERED_PORTS = 9
_QUICK = ("hp_port_groups:groups=3,rate_mbit=5,buffer_kib=32", (4096,))
_FULL = ("hp_port_groups:groups=4,rate_mbit=5,buffer_kib=32", (4096,))
_BENCH = ("--warmup", "1", "--calls", "2", "--blocks", "1", "--seconds", "4")


def measure(bench: Workbench, data: Data) -> None:
    """Measure both sets of ports of the emulated switch, or the hosts of the given launcher as they are."""
    topology, sizes = _QUICK if bench.quick else _FULL
    sets = data["sets"] = {}
    if bench.launcher is not None:
        data |= {"topology": None, "truth": None}
        sets["as it is"] = {}
        _probe(bench, bench.launcher, sets["as it is"])
        _measure_set(bench, bench.launcher, sizes, None, sets["as it is"])
        return
    with bench.lab(resolve(topology), "gromacs-ports") as lab:
        data |= {"topology": topology, "truth": lab.truth()}
        groups = [segment["hosts"] for segment in data["truth"]["segments"]]
        for used in (PORTS_OF_A_GROUP, SCATTERED_PORTS):
            hosts = [host for group in groups for host in group[:used]]
            found = sets[f"{used} of {PORTS_OF_A_GROUP}"] = {"hosts": hosts, "used_ports": used}
            if not (bench.quick and used == SCATTERED_PORTS):
                _probe(bench, lab.launcher(hosts=hosts), found)
            _measure_set(bench, lab.launcher(hosts=hosts), sizes, lab, found)


def _probe(bench: Workbench, line: Sequence[str], found: dict[str, Any]) -> None:
    bench.announce(f"{len(found.get('hosts', ())) or 'all'} hosts: probe")
    probing = probe(line, seed=1, shared=bench.folder)
    found |= {"model": probing.model, "probe_seconds": round(probing.seconds, 2)}
    bench.save()


def _measure_set(
    bench: Workbench, line: Sequence[str], sizes: Sequence[int], lab: Lab | None, found: dict[str, Any]
) -> None:
    found["alltoall"] = []
    for size in sizes:
        bench.announce(f"  all-to-all of {size} B a pair, the MPI library alone")
        before = _dropped(lab)
        points = run_bench(line, "alltoall", [size], [*_BENCH, "--without-library"])
        after = _dropped(lab)
        dropped = {port: after[port] - before[port] for port in after if after[port] > before[port]}
        entry = _alltoall(points[0]) | {"dropped": dropped if lab else None, "ordered": None}
        found["alltoall"].append(entry)
        bench.save()
        if not bench.quick:
            bench.announce(f"  all-to-all of {size} B a pair, Quadrille with the probed model")
            entry["ordered"] = _ordered(bench, line, size, found["model"])
            bench.save()


def _alltoall(point: dict[str, Any]) -> dict[str, Any]:
    side = point["blocks"]["native"]
    return {
        "bytes": point["bytes"],
        "ranks": point["ranks"],
        "median_ns": side["median_ns"],
        "samples_ns": side["samples_ns"],
        "stalls": side["stalls"],
        "limit_ns": point["bound"]["framed_ns"] if point["bound"] else None,
    }


def _ordered(
    bench: Workbench, line: Sequence[str], size: int, model: dict[str, Any]
) -> dict[str, Any] | None:
    """Return what Quadrille's own exchange took, None where it left the calls to the MPI library."""
    with model_file(model, bench.folder) as path:
        points = run_bench(line, "alltoall", [size], [*_BENCH, "--model", path])
    side = points[0]["blocks"]["quadrille"]
    if side["executor"] != "quadrille":
        return None
    kept = ("algorithm", "median_ns", "samples_ns", "stalls")
    return {key: side[key] for key in kept}


def _dropped(lab: Lab | None) -> dict[str, int]:
    """Return the frames dropped at each port since the lab came up; inner links are named `in.GROUP...`."""
    return {name: port.dropped_frames for name, port in lab.counters().ports.items()} if lab else {}
