# SPDX-License-Identifier: BSD-3-Clause
"""Times every pattern on one network, one after the other in several rounds, so that a drift meets all alike.

`data` holds `topology` and `truth` (None on a real cluster), the probed `model`, and `points`: a pattern's
samples of one collective in one round, with those of the MPI library in the same processes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from quadrille.lab.ready_made import resolve
from quadrille.reproduce.experiment import Data
from quadrille.reproduce.patterns.comparison import Calls, Comparison
from quadrille.reproduce.programs import bench as run_bench
from quadrille.reproduce.programs import model_file, probe
from quadrille.reproduce.workbench import Workbench

_QUICK = (1, ["--calls", "2", "--blocks", "1", "--seconds", "0.7"], 1)
_FULL = (2, ["--calls", "6", "--blocks", "3", "--seconds", "1.4"], 3)
"""Rounds, the benchmark's arguments in each, and calls before that open a forced pattern's connections: where
Quadrille chooses, the benchmark's default applies, which outlasts a trial. Calls take 50 to 300 ms:
1.4 seconds are some 7 to 20 calls of each side."""


def measure(comparison: Comparison, bench: Workbench, data: Data) -> None:
    """Measure on the comparison's emulated network, or on the cluster of the given launcher."""
    data |= {"topology": None, "truth": None, "points": []}
    if bench.launcher is not None:
        _measure_on(comparison, bench, bench.launcher, data)
        return
    with bench.lab(resolve(comparison.topology), "patterns") as lab:
        data |= {"topology": comparison.topology, "truth": lab.truth()}
        _measure_on(comparison, bench, lab.launcher(), data)


def _measure_on(comparison: Comparison, bench: Workbench, line: Sequence[str], data: Data) -> None:
    models = bench.probed if bench.quick and bench.launcher is None else {}
    if comparison.topology not in models:
        bench.announce("probe")
        models[comparison.topology] = probe(line, seed=1, shared=bench.folder).model
    data["model"] = models[comparison.topology]
    bench.save()
    rounds, arguments, warm_up = _QUICK if bench.quick else _FULL
    calls = comparison.measured_in_short() if bench.quick else comparison.measured()
    patterns = comparison.judged() if bench.quick else comparison.patterns
    with model_file(data["model"], bench.folder) as path:
        for number in range(rounds):
            for pattern in patterns:
                forced = ["--warmup", str(warm_up)] if pattern.algorithms else []
                bench.announce(f"round {number + 1} of {rounds}: {pattern.name}")
                for size, collectives in _by_size(calls).items():
                    given = [*arguments, "--model", path, *forced]
                    points = run_bench(line, collectives, [size], given, forced=pattern.forced())
                    about = {"pattern": pattern.name, "round": number + 1}
                    data["points"] += [about | _figures(point) for point in points]
                    bench.save()


def _by_size(step: Sequence[Calls]) -> dict[int, str]:
    """Return the collectives of each size, so that calls of one size share a job."""
    sizes: dict[int, list[str]] = {}
    for calls in step:
        sizes.setdefault(calls.size, []).append(calls.collective)
    return {size: ",".join(collectives) for size, collectives in sizes.items()}


def _figures(point: dict[str, Any]) -> dict[str, Any]:
    ours, native = point["blocks"]["quadrille"], point["blocks"]["native"]
    return {
        "collective": point["collective"],
        "bytes": point["bytes"],
        "ranks": point["ranks"],
        "executor": ours["executor"],
        "algorithm": ours["algorithm"],
        "samples_ns": _samples(ours),
        "mpi_samples_ns": _samples(native),
        "limit_ns": point["bound"]["framed_ns"] if point["bound"] else None,
    }


def _samples(side: dict[str, Any]) -> list[int]:
    """Return the root's start to the last receipt, as the paper measures; without a root, the call."""
    samples: list[int] = side["root_to_last_ns"] or side["samples_ns"]
    return samples
