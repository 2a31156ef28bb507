# SPDX-License-Identifier: BSD-3-Clause
"""Times two solvers on 2 to 8 hosts, over TCP and over the provider.

`data["alone"]`: of each solver the time on one processor, `seconds`, and its `steps`. `data["runs"]`:
`solver`, `way`, `turn`, and what `quadrille.reproduce.solver_job.Solved` holds. On a real cluster all
processes of the launcher compute, and one processor's time is what they all compute together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from quadrille.lab.ready_made import resolve
from quadrille.reproduce.experiment import Data
from quadrille.reproduce.provider import provider_variables
from quadrille.reproduce.solver_job import Solved, solve
from quadrille.reproduce.workbench import Workbench

DIAGONALISATION, POISSON = "diagonalisation", "poisson"
SOLVERS = (DIAGONALISATION, POISSON)
TCP, PROVIDER = "TCP", "provider"
WAYS = (TCP, PROVIDER)
COMPUTING_SCALE = 100
"""What one processor computes takes so many times as long as here; see the experiment's setting."""

_NETWORK = "one_switch:hosts=8,rate_mbit=50,buffer_kib=32"
_ALONE_REPEATED = 3


@dataclass(frozen=True)
class _Form:
    """`arguments`: by solver. Reference 19 has 500 000 elements: 80 along an edge."""

    processors: tuple[int, ...]
    turns: int
    arguments: dict[str, tuple[str, ...]]


_QUICK = _Form((2, 8), 1, {DIAGONALISATION: ("--order", "320"), POISSON: ("--length", "48")})
_FULL = _Form((2, 3, 4, 6, 8), 3, {DIAGONALISATION: ("--order", "512"), POISSON: ("--length", "80")})


def measure(bench: Workbench, data: Data) -> None:
    """Measure on an emulated switch; on a real cluster with all of its processes."""
    form = _QUICK if bench.quick else _FULL
    data |= {"truth": None, "alone": {}, "runs": []}
    if bench.launcher is not None:
        _on_cluster(bench, data, form, bench.launcher)
        return
    with bench.lab(resolve(_NETWORK), "gamma-amdahl") as lab:
        data["truth"] = lab.truth()
        given = {name: _alone(bench, data, form, name, lab.launcher("ompi4", 1)) for name in SOLVERS}
        for turn in range(form.turns):
            for name in SOLVERS:
                for processors in form.processors:
                    line = lab.launcher("ompi4", processors)
                    _both_ways(bench, data, (name, turn), line, given[name])


def _alone(bench: Workbench, data: Data, form: _Form, solver: str, line: Sequence[str]) -> list[str]:
    """Note the time on one processor, the least of several; return the arguments that pace by it."""
    bench.announce(f"{solver} on one processor")
    found = [solve(line, [solver, *form.arguments[solver]]) for _ in range(_ALONE_REPEATED)]
    phases = [
        COMPUTING_SCALE * min(times) for times in zip(*(one.computing_ns for one in found), strict=True)
    ]
    data["alone"][solver] = {"seconds": _seconds(solver, phases, found[0].steps), "steps": found[0].steps}
    bench.save()
    return [*form.arguments[solver], "--computing-ns", ",".join(f"{time:.0f}" for time in phases)]


def _seconds(solver: str, phases: Sequence[float], steps: int) -> float:
    """Return the whole computing time; the program tells that of an iteration, or of all columns together."""
    return sum(phases) * (steps if solver == POISSON else 1) / 1e9


def _both_ways(
    bench: Workbench, data: Data, which: tuple[str, int], line: Sequence[str], arguments: Sequence[str]
) -> list[Solved]:
    solver, turn = which
    solved = []
    for way in WAYS:
        variables = provider_variables(line) if way == PROVIDER else None
        one = solve(line, [solver, *arguments], variables)
        bench.announce(f"{solver} on {one.ranks} processors, {way}: {one.seconds:.2f} s")
        data["runs"].append({"way": way, "turn": turn, **one.model_dump()})
        bench.save()
        solved.append(one)
    return solved


def _on_cluster(bench: Workbench, data: Data, form: _Form, line: Sequence[str]) -> None:
    for turn in range(form.turns):
        for solver in SOLVERS:
            one = _both_ways(bench, data, (solver, turn), line, form.arguments[solver])[0]
            seconds = one.ranks * _seconds(solver, one.computing_ns, one.steps)
            data["alone"].setdefault(solver, {"seconds": seconds, "steps": one.steps})
