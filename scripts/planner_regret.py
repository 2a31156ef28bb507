# SPDX-License-Identifier: BSD-3-Clause
"""Measures every candidate of the planner and prints what its choice loses to the best one measured.

    .venv/bin/python scripts/planner_regret.py eco_three_buses bcast:16000 allgather:16000
    .venv/bin/python scripts/planner_regret.py two_switches_one_trunk bcast:64K --also chain:segment=4096

A shape is COLLECTIVE:BYTES as in `quadrille bench`. The network is built and probed (or --model FILE). The
planner's candidates and their predicted times are those of `quadrille-plan choose`; --also adds algorithms of
every shape's collective by hand. Each candidate runs alone, the MPI library beside it in the same processes.

Regret: by what share the choice took longer than the best candidate measured, by medians of whole calls. The
candidates of a shape are measured one after the other, --rounds times.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from quadrille.errors import QuadrilleError
from quadrille.installation import native_program
from quadrille.lab.lab import Lab
from quadrille.lab.ready_made import resolve
from quadrille.reproduce.programs import bench, probe

_PLAN_TIMEOUT_S = 60
_UNITS = {"K": 1024, "M": 1024**2}


@dataclass
class Candidate:
    """An algorithm with its parameters, what was predicted of it, and the calls of it and of the library."""

    name: str
    predicted_ns: int
    samples_ns: list[int] = field(default_factory=list)
    library_ns: list[int] = field(default_factory=list)
    wrong_results: int = 0

    @property
    def measured_ns(self) -> float:
        """The median; infinite where no call of it was carried out."""
        return statistics.median(self.samples_ns) if self.samples_ns else float("inf")


@dataclass(frozen=True)
class Network:
    """A launcher line for all hosts, and the file of their model."""

    launcher: Sequence[str]
    model: Path


def main() -> int:
    """Build, probe, measure and print. Exit code 1 where a result was wrong."""
    arguments = _arguments()
    with (
        Lab.up(resolve(arguments.topology), f"regret-{os.getpid()}") as lab,
        TemporaryDirectory(prefix="quadrille-") as folder,
    ):
        model = arguments.model or Path(folder) / "model.json"
        if arguments.model is None:
            model.write_text(json.dumps(probe(lab.launcher(), seed=1).model), encoding="utf-8")
        network = Network(lab.launcher(), model)
        shapes = [(shape, measured(network, shape, arguments)) for shape in arguments.shapes]
    for shape, candidates in shapes:
        print("\n".join(table(shape, candidates)))
    regrets = [regret(candidates) for _, candidates in shapes]
    print(f"regret: mean {statistics.fmean(regrets):.1%}, worst {max(regrets):.1%} of {len(regrets)} shapes")
    return int(any(one.wrong_results for _, candidates in shapes for one in candidates))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("topology", help="NAME or NAME:key=value,... or a lab file")
    parser.add_argument("shapes", nargs="+", metavar="COLLECTIVE:BYTES")
    parser.add_argument(
        "--model", type=lambda text: Path(text).resolve(), help="of an earlier probe of the same network"
    )
    parser.add_argument("--also", action="append", default=[], metavar="ALGORITHM:NAME=VALUE")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=2, help="budget of a candidate in a round")
    return parser.parse_args()


def measured(network: Network, shape: str, arguments: argparse.Namespace) -> list[Candidate]:
    """Return the candidates of `shape`, the planner's choice first, with their calls."""
    collective, _, size = shape.partition(":")
    size_bytes = int(size[:-1]) * _UNITS[size[-1]] if size[-1] in _UNITS else int(size)
    candidates = predicted(network, collective, size_bytes)
    for algorithm in arguments.also:
        candidates += predicted(network, collective, size_bytes, algorithm)[:1]
    given = ["--calls", "4", "--blocks", "2", "--warmup", "3", "--seconds", f"{arguments.seconds:g}"]
    for number in range(arguments.rounds):
        for candidate in candidates:
            print(f"round {number + 1}: {shape} {candidate.name}", file=sys.stderr)
            forced = f"{collective}:{candidate.name}"
            for point in bench(
                network.launcher,
                collective,
                [size_bytes],
                [*given, "--model", str(network.model)],
                forced,
            ):
                take(candidate, point)
    return candidates


def predicted(network: Network, collective: str, size_bytes: int, forced: str = "") -> list[Candidate]:
    """Return the plan of `quadrille-plan choose` (`forced` where given), then the other candidates."""
    command = [str(native_program("quadrille-plan")), "choose", "--model", str(network.model)]
    command += ["--collective", collective, "--bytes", str(size_bytes)]
    command += ["--force", forced] if forced else []
    done = subprocess.run(command, capture_output=True, text=True, timeout=_PLAN_TIMEOUT_S, check=False)
    if done.returncode != 0:
        raise QuadrilleError(f"quadrille-plan: exit code {done.returncode}: {done.stderr.strip()}")
    answer = json.loads(done.stdout)
    found = {one["name"]: one["time_ns"] for one in [answer["plan"], *answer["candidates"]]}
    return [Candidate(name, time_ns) for name, time_ns in found.items()]


def take(candidate: Candidate, point: dict[str, Any]) -> None:
    """Add a point of the results file. Calls left to the MPI library are none of the candidate's."""
    ours, native = point["blocks"]["quadrille"], point["blocks"]["native"]
    if ours["executor"] == "quadrille":
        candidate.samples_ns += ours["samples_ns"]
    candidate.library_ns += native["samples_ns"]
    candidate.wrong_results += point["wrong_results"]


def regret(candidates: list[Candidate]) -> float:
    """Return the share by which the choice, the first, took longer than the best of the candidates."""
    return candidates[0].measured_ns / min(one.measured_ns for one in candidates) - 1


def table(shape: str, candidates: list[Candidate]) -> list[str]:
    """Return the lines of one shape, the fastest first; the planner's choice is marked."""
    library = statistics.median([sample for one in candidates for sample in one.library_ns])
    lines = [f"{shape}: MPI library {library / 1e6:.2f} ms, regret {regret(candidates):.1%}"]
    lines.append(f"  {'':1} {'measured':>9} {'predicted':>9} {'off':>6}")
    for one in sorted(candidates, key=lambda one: one.measured_ns):
        mark = "*" if one is candidates[0] else " "
        off = one.predicted_ns / one.measured_ns - 1
        times = f"{one.measured_ns / 1e6:>9.2f} {one.predicted_ns / 1e6:>9.2f} {off:>+6.0%}"
        lines.append(f"  {mark} {times} {one.name}")
    return lines


if __name__ == "__main__":
    sys.exit(main())
