# SPDX-License-Identifier: BSD-3-Clause
"""Speedups, fitted serial shares, and which of the paper's statements they show."""

from __future__ import annotations

import statistics

from quadrille.reproduce.experiment import Data, Effect
from quadrille.reproduce.experiments.gamma_amdahl.measuring import PROVIDER, SOLVERS, TCP, WAYS
from quadrille.reproduce.fits import Fitted, serial_share

PUBLISHED_SHARES = {PROVIDER: 0.10, TCP: 0.23}
PUBLISHED_RATIO = 1.5
_NEARLY_LINEAR = 0.8
_NOT_MEASURED = "not measured in this run"


def times(data: Data, solver: str, way: str) -> list[tuple[int, float]]:
    """Return (processors, seconds) of each run, one processor's left out."""
    return [
        (run["ranks"], run["seconds"])
        for run in data.get("runs", [])
        if (run["solver"], run["way"]) == (solver, way)
    ]


def share(data: Data, solver: str, way: str) -> Fitted | None:
    """Return the serial share that fits all runs best; None where there are none."""
    alone = data.get("alone", {}).get(solver)
    return serial_share(times(data, solver, way), alone["seconds"]) if alone else None


def speedups(data: Data, solver: str, way: str) -> dict[int, float]:
    """Return by processors how many times as fast the median run is as one processor."""
    alone = data.get("alone", {}).get(solver)
    found: dict[int, list[float]] = {}
    for processors, seconds in times(data, solver, way) if alone else []:
        found.setdefault(processors, []).append(seconds)
    return {count: alone["seconds"] / statistics.median(found[count]) for count in sorted(found)}


def share_text(found: Fitted | None) -> str:
    """Return value and standard error."""
    if found is None:
        return "–"
    return f"{found.value:.3f}" if found.error is None else f"{found.value:.3f} ± {found.error:.3f}"


def judge(data: Data) -> list[Effect]:
    """Return the effects of Figure 3 for both solvers."""
    judges = (_smaller, _faster, _linear)
    return [*(judged(data, solver) for solver in SOLVERS for judged in judges), _solved(data)]


def _smaller(data: Data, solver: str) -> Effect:
    name = f"{solver}: the serial share is less over the provider than over TCP"
    by_tcp, ours = (share(data, solver, way) for way in WAYS)
    if by_tcp is None or ours is None:
        return Effect(name, None, _NOT_MEASURED)
    if by_tcp.error is None or ours.error is None:
        return Effect(name, None, "one run of each: how far off it may be is not known", must_appear=False)
    why = f"{share_text(ours)} against {share_text(by_tcp)} (standard errors of the fit)"
    if not ours.differs_from(by_tcp):
        why += ": no difference beyond twice the errors"
    return Effect(name, ours.value < by_tcp.value and ours.differs_from(by_tcp), why, must_appear=False)


def _faster(data: Data, solver: str) -> Effect:
    name = f"{solver}: on most processors {PUBLISHED_RATIO} times as fast as over TCP"
    by_tcp, ours = (speedups(data, solver, way) for way in WAYS)
    most = max(by_tcp.keys() & ours.keys(), default=0)
    if most == 0:
        return Effect(name, None, _NOT_MEASURED)
    ratio = ours[most] / by_tcp[most]
    why = f"{ratio:.2f} times on {most}: speedup {ours[most]:.2f} against {by_tcp[most]:.2f}"
    return Effect(name, ratio >= PUBLISHED_RATIO, why, must_appear=False)


def _linear(data: Data, solver: str) -> Effect:
    name = f"{solver}: almost linear up to four processors over the provider (at least {_NEARLY_LINEAR} N)"
    found = {count: gain for count, gain in speedups(data, solver, PROVIDER).items() if count <= 4}
    if not found:
        return Effect(name, None, _NOT_MEASURED)
    why = ", ".join(f"{gain:.2f} on {count}" for count, gain in found.items())
    seen = all(gain >= _NEARLY_LINEAR * count for count, gain in found.items())
    return Effect(name, seen, why, must_appear=False)


def _solved(data: Data) -> Effect:
    name = "every result is right"
    runs = data.get("runs", [])
    if not runs:
        return Effect(name, None, _NOT_MEASURED)
    words = {run["solver"]: f"{run['solver']}: {run['verified']}, {run['error']:.1e}" for run in runs}
    return Effect(name, all(run["correct"] for run in runs), "; ".join(words.values()), exact=True)
