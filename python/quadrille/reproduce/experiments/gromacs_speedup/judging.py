# SPDX-License-Identifier: BSD-3-Clause
"""The composed speedup, and which of the poster's statements it shows."""

from __future__ import annotations

from typing import Any

from quadrille.demo.mdrun_log import ENERGY_TOLERANCE, largest_difference
from quadrille.reproduce.experiment import Data, Effect
from quadrille.reproduce.experiments.gromacs_speedup.measuring import CONTROLLED, ORDERED, STANDARD

NETWORK_SCALE = 40
"""1 Gbit/s for each process over the 25 Mbit/s here."""

_SPEEDUP_OF_16 = 8
_NEAR = 0.9


def speedup(data: Data, run: dict[str, Any]) -> float | None:
    """Return T1 / (T1/N + C/40); None on a real cluster, whose T1 is not known."""
    one = data.get("one_ms")
    if not one or not run["ranks"]:
        return None
    return float(one / (one / run["ranks"] + run["communication_ms"] / NETWORK_SCALE))


def find(data: Data, nodes: str, variant: str, ranks: int) -> dict[str, Any] | None:
    """Return the run of `variant` with `ranks` processes."""
    runs = data.get("runs", [])
    wanted = (nodes, variant, ranks)
    return next((run for run in runs if (run["nodes"], run["variant"], run["ranks"]) == wanted), None)


def _largest_of_both(data: Data, nodes: str, one: str, other: str) -> list[dict[str, Any]]:
    """Return the runs of two variants with as many processes, the most there are of both; empty: none."""
    runs = [run for run in data.get("runs", []) if run["nodes"] == nodes]
    common = set.intersection(*({run["ranks"] for run in runs if run["variant"] == v} for v in (one, other)))
    found = (find(data, nodes, variant, max(common)) for variant in (one, other)) if common else ()
    return [run for run in found if run is not None]


def _count(run: dict[str, Any]) -> str:
    return str(run["ranks"] or "all")  # 0: those of a real cluster's launcher


def judge(data: Data) -> list[Effect]:
    """Return the effects of the central figure."""
    kinds = list(dict.fromkeys(run["nodes"] for run in data.get("runs", []))) or ["single-CPU"]
    effects = [effect for nodes in kinds for effect in _of_nodes(data, nodes)]
    return [*effects, _sixteen(data, CONTROLLED), _sixteen(data, ORDERED), _energies(data)]


_NOT_MEASURED = "not measured in this run"


def _of_nodes(data: Data, nodes: str) -> list[Effect]:
    return [_congestion(data, nodes), _given_back(data, nodes), _shorter_fft(data, nodes)]


def _congestion(data: Data, nodes: str) -> Effect:
    name = f"{nodes} nodes: congestion costs what flow control gives back"
    pair = _largest_of_both(data, nodes, STANDARD, CONTROLLED)
    if not pair:
        return Effect(name, None, _NOT_MEASURED)
    before, after = (run["communication_ms"] for run in pair)
    why = f"{_count(pair[0])} processes: {before:.0f} ms a step standard, {after:.0f} with flow control"
    return Effect(name, after < _NEAR * before, why)


def _given_back(data: Data, nodes: str) -> Effect:
    name = f"{nodes} nodes: ordered all-to-alls give it back without flow control"
    pair = _largest_of_both(data, nodes, CONTROLLED, ORDERED)
    standard = find(data, nodes, STANDARD, pair[0]["ranks"]) if pair else None
    if standard is None:
        return Effect(name, None, _NOT_MEASURED)
    lost, won = (standard["communication_ms"] - run["communication_ms"] for run in pair)
    why = f"{_count(standard)} processes: {won:.0f} ms a step won, {lost:.0f} by flow control"
    return Effect(name, won > _NEAR * lost, why, must_appear=False)


def _shorter_fft(data: Data, nodes: str) -> Effect:
    name = f"{nodes} nodes: the FFT's communication is shorter, ordered"
    pair = _largest_of_both(data, nodes, STANDARD, ORDERED)
    if not pair:
        return Effect(name, None, _NOT_MEASURED)
    before, after = (run["fft_ms"] for run in pair)
    why = f"{_count(pair[0])} processes: {before:.0f} ms a step standard, {after:.0f} ordered"
    return Effect(name, after < _NEAR * before, why)


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
    return Effect(name, max(largest) <= ENERGY_TOLERANCE, why, exact=True)
