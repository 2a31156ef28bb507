# SPDX-License-Identifier: BSD-3-Clause
"""Speedups, and which of the page's statements on them the steps show."""

from __future__ import annotations

from quadrille.reproduce.experiment import Data, Effect
from quadrille.reproduce.experiments.mpim_nbody.measuring import (
    CONVENTIONAL,
    FEWEST_A_NODE,
    MULTICAST,
    WAYS,
)

_DOMINATES = 0.5
"""Where nodes are used to less than half, more is communicated than computed."""
_TWICE = 2.0
_SCALES = 0.5
_NOT_MEASURED = "not measured in this run"


def steps(data: Data, forces: str, bodies: int, way: str) -> dict[int, float]:
    """Return the median step in ns by number of nodes."""
    wanted = (forces, bodies, way)
    return {
        point["nodes"]: float(point["median_ns"])
        for point in data.get("points", [])
        if (point["forces"], point["bodies"], point["way"]) == wanted
    }


def speedups(data: Data, forces: str, bodies: int, way: str) -> dict[int, float]:
    """Return how many times as fast a step is as on one node; empty where that was not measured."""
    times = steps(data, forces, bodies, way)
    return {nodes: times[1] / time for nodes, time in times.items()} if 1 in times else {}


def counts_of_bodies(data: Data, forces: str) -> list[int]:
    """Return the numbers of bodies that were integrated, sorted."""
    return sorted({point["bodies"] for point in data.get("points", []) if point["forces"] == forces})


def judge(data: Data) -> list[Effect]:
    """Return the effects of the second figure, by direct sum first."""
    kinds = list(dict.fromkeys(point["forces"] for point in data.get("points", []))) or ["direct sum"]
    return [effect for forces in kinds for effect in _of_forces(data, forces)]


def _of_forces(data: Data, forces: str) -> list[Effect]:
    judges = (_slower, _twice, _fewest, _faster, _scales)
    return [judged(data, forces) for judged in judges]


def _slower(data: Data, forces: str) -> Effect:
    name = f"{forces}, few bodies: by conventional broadcasts more nodes become slower"
    counts = counts_of_bodies(data, forces)
    times = speedups(data, forces, counts[0], CONVENTIONAL) if counts else {}
    if len(times) < 2:
        return Effect(name, None, _NOT_MEASURED)
    best, most = max(times, key=lambda nodes: times[nodes]), max(times)
    why = f"{counts[0]} bodies: {times[best]:.2f} on {best} nodes, {times[most]:.2f} on {most}"
    return Effect(name, best < most, why)


def _gains(data: Data, forces: str) -> dict[int, float]:
    """Return by bodies how many times as fast multicast is on most nodes, where communication dominates."""
    found = {}
    for bodies in counts_of_bodies(data, forces):
        library, ours = (speedups(data, forces, bodies, way) for way in WAYS)
        common = library.keys() & ours.keys() - {1}
        if common and library[max(common)] < _DOMINATES * max(common):
            most = max(common)
            found[bodies] = (
                steps(data, forces, bodies, CONVENTIONAL)[most]
                / (steps(data, forces, bodies, MULTICAST)[most])
            )
    return found


def _twice(data: Data, forces: str) -> Effect:
    name = f"{forces}, where communication dominates: a step by multicast is twice as fast"
    gains = _gains(data, forces)
    if not gains:
        return Effect(name, None, _NOT_MEASURED)
    why = ", ".join(f"{gain:.2f} times with {bodies} bodies" for bodies, gain in gains.items())
    return Effect(name, max(gains.values()) >= _TWICE, why, must_appear=False)


def _faster(data: Data, forces: str) -> Effect:
    name = f"{forces}, many bodies: multicast speeds up more than conventional broadcasts"
    counts = counts_of_bodies(data, forces)
    library, ours = (speedups(data, forces, counts[-1], way) if counts else {} for way in WAYS)
    most = max(library.keys() & ours.keys(), default=1)
    if most == 1:
        return Effect(name, None, _NOT_MEASURED)
    why = f"{counts[-1]} bodies: {ours[most]:.1f} on {most} nodes, {library[most]:.1f} conventional"
    return Effect(name, ours[most] > library[most], why)


def _fewest(data: Data, forces: str) -> Effect:
    name = f"{forces}, {FEWEST_A_NODE} bodies a node on most nodes: a step by multicast is twice as fast"
    most = max((point["nodes"] for point in data.get("points", [])), default=0)
    bodies = FEWEST_A_NODE * most
    library, ours = (steps(data, forces, bodies, way) for way in WAYS)
    if most not in library or most not in ours:
        return Effect(name, None, _NOT_MEASURED)
    gain = library[most] / ours[most]
    why = f"{gain:.2f} times: {library[most] / 1e6:.2f} and {ours[most] / 1e6:.2f} ms on {most} nodes"
    return Effect(name, gain >= _TWICE, why, must_appear=False)


def _scales(data: Data, forces: str) -> Effect:
    name = f"{forces}, many bodies: either way scales (at least {_SCALES} N)"
    counts = counts_of_bodies(data, forces)
    found = {way: speedups(data, forces, counts[-1], way) for way in WAYS} if counts else {}
    if not all(found.values()) or not found:
        return Effect(name, None, _NOT_MEASURED)
    most = min(max(times) for times in found.values())
    if most == 1:
        return Effect(name, None, _NOT_MEASURED)
    words = ", ".join(f"{times[most]:.1f} {way}" for way, times in found.items())
    seen = all(times[most] >= _SCALES * most for times in found.values())
    return Effect(name, seen, f"{counts[-1]} bodies on {most} nodes: {words}")
