# SPDX-License-Identifier: BSD-3-Clause
"""Times the very first calls of A, B and C, and later ones, in fresh jobs.

`data["points"]`: figures of `sorts.measuring`, with `job`: which order and start, and `later_ns`, the least
of the calls after the first: what the machine adds is no connection.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from quadrille.lab.ready_made import resolve
from quadrille.reproduce.experiment import Data
from quadrille.reproduce.programs import bench as run_bench
from quadrille.reproduce.sorts.measuring import GRANTED, figures
from quadrille.reproduce.workbench import Workbench

A, B, C = "sort_alltoall_int", "sort_alltoallv_int", "sort_alltoallv_double"
LIBRARY, C_FIRST, CONNECTED, OURS = "MPI library", "C before B", "connected at start", "Quadrille"
JOBS = (LIBRARY, C_FIRST, CONNECTED, OURS)

_NETWORK = "one_switch:hosts=8,rate_mbit=50,buffer_kib=32,flow_control=on"
_SIZES = ("--vectors", "147456", "--doubles", "2")
_CONNECT = ("--mca", "mpi_preconnect_mpi", "1")
"""Has Open MPI connect all pairs of processes in MPI_Init."""
_FIRST_CALLS = ("--warmup", "0", "--calls", "1", "--blocks", "3", "--seconds", "0.7", "--sync", "none")
_QUICK, _FULL = ((2, 4), 1), ((2, 4, 8), 5)
"""Processes a host, and rounds."""


def measure(bench: Workbench, data: Data) -> None:
    """Measure on an emulated switch, or with all processes of a real cluster's launcher."""
    per_host, rounds = _QUICK if bench.quick else _FULL
    data |= {"truth": None, "points": []}
    if bench.launcher is not None:
        for _ in range(rounds):
            for job in (LIBRARY, C_FIRST, OURS):
                _run(bench, data, job, bench.launcher)
        return
    with bench.lab(resolve(_NETWORK), "umbc-compare") as lab:
        data["truth"] = lab.truth()
        for count in per_host:
            for number in range(rounds):
                # In the short form why B is long is tried on most processes alone.
                jobs = (LIBRARY,) if bench.quick and count < max(per_host) else JOBS
                for job in jobs:
                    bench.announce(f"{count} processes a host, round {number + 1} of {rounds}: {job}")
                    line = lab.launcher(per_host=count)
                    _run(bench, data, job, [*line, *_CONNECT] if job == CONNECTED else line)


def _run(bench: Workbench, data: Data, job: str, line: Sequence[str]) -> None:
    order = (A, C, B) if job == C_FIRST else (A, B, C)
    given = [*_SIZES, *_FIRST_CALLS]
    given += ["--first", "quadrille"] if job == OURS else ["--without-library"]
    for point in run_bench(line, ",".join(order), [0], given, GRANTED if job == OURS else ""):
        data["points"].append({"job": job} | _with_first(figures(point, _side(point, job))))
    bench.save()


def _side(point: dict[str, Any], job: str) -> str:
    return "quadrille" if job == OURS else "native"


def _with_first(point: dict[str, Any]) -> dict[str, Any]:
    return point | {"later_ns": min(point["samples_ns"][1:])}
