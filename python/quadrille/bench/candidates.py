# SPDX-License-Identifier: BSD-3-Clause
"""Measures the planner's cheapest candidates for each shape: what was predicted, and what its choice loses.

Regret is the share by which the choice takes longer than the best candidate measured, by medians of the
calls in blocks. Each candidate runs in a job of its own, beside the MPI library in the same processes. In
one more job nothing is forced: what a program gets, where candidates and the library have met in trials. Its
regret is against the best of the candidates and the library, each by its ratio to the library in its job.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from quadrille.bench.cases import Case
from quadrille.contracts import PointLine, RunLine
from quadrille.errors import UsageError
from quadrille.plan.asking import Placement, Question, ask, parse_size


@dataclass(frozen=True)
class Measured:
    """A candidate, what was predicted of it, and the calls that it carried out, which may be none."""

    name: str
    predicted_ns: int
    samples_ns: tuple[int, ...]
    library_ns: tuple[int, ...]
    wrong_results: int

    @property
    def median_ns(self) -> float:
        """Infinite where no call was carried out."""
        return statistics.median(self.samples_ns) if self.samples_ns else float("inf")

    @property
    def ratio(self) -> float:
        """Over the MPI library's median in the same job."""
        return self.median_ns / statistics.median(self.library_ns)


@dataclass(frozen=True)
class Shape:
    """One collective at one size; the planner's choice comes first."""

    collective: str
    size: int
    ranks: int
    candidates: tuple[Measured, ...]
    in_a_program: Measured
    """What calls took that nothing was forced of, whoever carried them out."""

    @property
    def best_ns(self) -> float:
        """The least median of all candidates."""
        return min(one.median_ns for one in self.candidates)

    @property
    def regret(self) -> float | None:
        """None where the choice carried out no call, so that there is nothing to compare."""
        choice = self.candidates[0].median_ns
        return None if choice == float("inf") else choice / self.best_ns - 1

    @property
    def regret_in_a_program(self) -> float:
        """Of what a program gets, the MPI library being one of the candidates."""
        best = min(1.0, *(one.ratio for one in self.candidates))
        return max(0.0, self.in_a_program.ratio / best - 1)


Measure = Callable[[Case, str], tuple[RunLine, list[PointLine]]]
"""Runs a case with what QUADRILLE_ALGORITHM is to name (nothing: the choice); returns what was written."""

_WHERE = Case(
    description="where ranks run", collectives=["barrier"], bytes=["0"], ranks=None, calls=1, seconds=0.1
)


def measure_candidates(case: Case, model: Path, most: int, measure: Measure) -> Iterator[Shape]:
    """Yield each shape of `case` with at most `most` candidates measured, the planner's choice first.

    `model`: of the network. Raises UsageError where ranks are placed so that they cannot be planned for, and
    as `ask` and `measure` do.
    """
    run, _ = measure(_WHERE, "")
    for collective in case.collectives:
        for text in case.bytes:
            for ranks in case.ranks or [run.ranks]:
                size = parse_size(text)
                plan = ask(Question(collective, size, case.root), _placement(run, model, ranks))
                one = {"collectives": [collective], "bytes": [text], "ranks": [ranks]}
                shape = case.model_copy(update=one)
                cheapest = {each.name: each.time_ns for each in (plan.plan, *plan.candidates)}
                found = [
                    _measured(name, time_ns, measure(shape, f"{collective}:{name}")[1])
                    for name, time_ns in list(cheapest.items())[:most]
                ]
                free = _unforced(measure(shape, "")[1])
                yield Shape(collective, size, ranks, tuple(found), free)


def _measured(name: str, predicted_ns: int, points: list[PointLine]) -> Measured:
    (point,) = points
    ours, library = point.blocks.quadrille, point.blocks.native
    carried_out = tuple(ours.samples_ns) if ours.executor == "quadrille" else ()
    return Measured(name, predicted_ns, carried_out, tuple(library.samples_ns), point.wrong_results)


def _unforced(points: list[PointLine]) -> Measured:
    (point,) = points
    ours, library = point.blocks.quadrille, point.blocks.native
    name = {"mpi": "the MPI library", "mixed": "not settled"}.get(ours.executor, ours.algorithm or "several")
    return Measured(name, 0, tuple(ours.samples_ns), tuple(library.samples_ns), point.wrong_results)


def _placement(run: RunLine, model: Path, ranks: int) -> Placement:
    hosts = sorted(run.hosts, key=lambda host: host.ranks[0])
    each = len(hosts[0].ranks)
    in_order = [rank for host in hosts for rank in host.ranks]
    if in_order != sorted(in_order) or any(len(host.ranks) != each for host in hosts[:-1]):
        raise UsageError(
            "candidates are planned for hosts with the same number of neighbouring ranks each; here "
            + ", ".join(f"{host.name} has {_spelt(host.ranks)}" for host in hosts[:4])
        )
    names = ",".join(host.name for host in hosts)
    return Placement(model, ranks, each, names)


def _spelt(ranks: list[int]) -> str:
    return " ".join(map(str, ranks[:8])) + (" ..." if len(ranks) > 8 else "")


def table(shape: Shape) -> list[str]:
    """Return the lines of one shape, the fastest first; `*` marks the planner's choice."""
    library = statistics.median(sample for one in shape.candidates for sample in one.library_ns)
    lost = "not known" if shape.regret is None else f"{shape.regret:.1%}"
    head = f"{shape.collective} {shape.size} B, {shape.ranks} ranks"
    lines = [
        f"{head}: MPI library {library / 1e6:.2f} ms, regret {lost}",
        f"  {'':1} {'measured':>9} {'predicted':>9} {'off':>6}",
    ]
    for one in sorted(shape.candidates, key=lambda one: one.median_ns):
        mark = "*" if one is shape.candidates[0] else " "
        if not one.samples_ns:
            lines.append(f"  {mark} {'left':>9} {one.predicted_ns / 1e6:>9.2f} {'':>6} {one.name}")
            continue
        off = one.predicted_ns / one.median_ns - 1
        times = f"{one.median_ns / 1e6:>9.2f} {one.predicted_ns / 1e6:>9.2f} {off:>+6.0%}"
        lines.append(f"  {mark} {times} {one.name}")
    free = shape.in_a_program
    lines.append(
        f"  in a program: {free.median_ns / 1e6:.2f} ms, {free.name}, regret {shape.regret_in_a_program:.1%}"
    )
    return lines


def summary(shapes: list[Shape]) -> str:
    """Return the regrets of all shapes in a line each. REQUIRES: a shape."""
    by_model = [shape.regret for shape in shapes if shape.regret is not None]
    lines = ["by the model: no choice was carried out by Quadrille"]
    if by_model:
        lines = [f"by the model: regret {_mean_and_worst(by_model)}"]
    in_programs = [shape.regret_in_a_program for shape in shapes]
    return "\n".join([*lines, f"in a program: regret {_mean_and_worst(in_programs)}"])


def _mean_and_worst(regrets: list[float]) -> str:
    return f"mean {statistics.fmean(regrets):.1%}, worst {max(regrets):.1%} of {len(regrets)} shapes"
