# SPDX-License-Identifier: BSD-3-Clause
"""The composed speedup, and which of the poster's statements it shows."""

from __future__ import annotations

from typing import Any

from quadrille.demo.mdrun_log import ENERGY_TOLERANCE, largest_difference
from quadrille.reproduce.experiment import Data, Effect
from quadrille.reproduce.experiments.gromacs_speedup.measuring import CONTROLLED, ORDERED, STANDARD

NETWORK_SCALE = 40
"""1 Gbit/s over the 25 Mbit/s of a process here."""

_SPEEDUP_OF_16 = 8
_NEAR = 0.9


def speedup(data: Data, run: dict[str, Any]) -> float | None:
    """Return T1 / (T1/N + C/40); None on a real cluster, whose T1 is not known."""
    one = data.get("one_ms")
    if not one or not run["ranks"]:
        return None
    return float(one / (one / run["ranks"] + run["communication_ms"] / NETWORK_SCALE))


def find(data: Data, nodes: str, variant: str, ranks: int | None = None) -> dict[str, Any] | None:
    """Return the run of `variant` with `ranks` processes, default: of the most."""
    runs = [run for run in data.get("runs", []) if (run["nodes"], run["variant"]) == (nodes, variant)]
    if ranks is not None:
        runs = [run for run in runs if run["ranks"] == ranks]
    return max(runs, key=lambda run: run["ranks"], default=None)


def judge(data: Data) -> list[Effect]:
    """Return the effects of the central figure."""
    kinds = list(dict.fromkeys(run["nodes"] for run in data.get("runs", []))) or ["single-CPU"]
    effects = [effect for nodes in kinds for effect in _of_nodes(data, nodes)]
    return [*effects, _sixteen(data, CONTROLLED), _sixteen(data, ORDERED), _energies(data)]


_NOT_MEASURED = "not measured in this run"


def _of_nodes(data: Data, nodes: str) -> list[Effect]:
    standard, controlled, ordered = (find(data, nodes, name) for name in (STANDARD, CONTROLLED, ORDERED))
    congested = f"{nodes} nodes: congestion costs what flow control gives back"
    freed = f"{nodes} nodes: ordered all-to-alls give it back without flow control"
    less = f"{nodes} nodes: the FFT's communication is shorter, ordered"
    if not standard or not ordered:
        return [Effect(name, None, _NOT_MEASURED) for name in (congested, freed, less)]
    effects = []
    if controlled:
        lost = standard["communication_ms"] - controlled["communication_ms"]
        won = standard["communication_ms"] - ordered["communication_ms"]
        words = f"{standard['communication_ms']:.0f} ms a step standard"
        share = controlled["communication_ms"] / standard["communication_ms"]
        why = f"{words}, {controlled['communication_ms']:.0f} with flow control"
        effects.append(Effect(congested, share < _NEAR, why))
        why = f"{words}, {ordered['communication_ms']:.0f} ordered: {won:.0f} ms of {lost:.0f} won"
        effects.append(Effect(freed, won > _NEAR * lost, why, must_appear=False))
    why = f"{standard['fft_ms']:.0f} ms a step standard, {ordered['fft_ms']:.0f} ordered"
    effects.append(Effect(less, ordered["fft_ms"] < standard["fft_ms"], why))
    return effects


def _sixteen(data: Data, variant: str) -> Effect:
    name = f"speedup of 16 single-CPU nodes above 8 ({variant}; composed)"
    run = find(data, "single-CPU", variant, 16)
    standard = find(data, "single-CPU", STANDARD, 16)
    ours = speedup(data, run) if run else None
    before = speedup(data, standard) if standard else None
    if ours is None or before is None:
        return Effect(name, None, _NOT_MEASURED)
    return Effect(name, ours > _SPEEDUP_OF_16, f"{ours:.1f}; standard {before:.1f}", must_appear=False)


def _energies(data: Data) -> Effect:
    name = "energies are those of the MPI library alone"
    largest = []
    for run in data.get("runs", []):
        alone = find(data, run["nodes"], STANDARD, run["ranks"])
        if run["variant"] == ORDERED and alone:
            largest.append(largest_difference(alone["energies"], run["energies"]))
    if not largest:
        return Effect(name, None, _NOT_MEASURED)
    why = f"they differ by {max(largest):.0e} at most; `gmx check` takes up to {ENERGY_TOLERANCE:g} as equal"
    return Effect(name, max(largest) <= ENERGY_TOLERANCE, why)
