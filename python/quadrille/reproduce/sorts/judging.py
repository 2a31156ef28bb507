# SPDX-License-Identifier: BSD-3-Clause
"""Times over nodes, and whether they fall or grow as in the paper."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from quadrille.report.formatting import time_text
from quadrille.reproduce.experiment import Data, Effect
from quadrille.reproduce.sorts.measuring import LIBRARY, OURS

NOT_MEASURED = "not measured in this run"
_NO_SLOWER = 1.03
_NOISE = 1.03


def times(data: Data, way: str) -> dict[int, dict[str, Any]]:
    """Return the points of `way` by nodes; on one node nothing crosses the network, so it is left out."""
    points = {point["nodes"]: point for point in data.get("points", []) if point["way"] == way}
    return {nodes: points[nodes] for nodes in sorted(points) if nodes > 1}


def of_limit(point: dict[str, Any]) -> float | None:
    """Return the share of what the wire allows; None where it is not known."""
    return point["limit_ns"] / point["median_ns"] if point["limit_ns"] else None


def along_nodes(data: Data, way: str, name: str, grows: bool, must_appear: bool = True) -> Effect:
    """Judge whether each step to more nodes takes more time, or less; a step within noise is neither."""
    points = times(data, way)
    if len(points) < 2:
        return Effect(name, None, NOT_MEASURED, must_appear)
    medians = [float(point["median_ns"]) for point in points.values()]
    steps = [late / early for early, late in pairwise(medians)]
    through = medians[-1] / medians[0]
    if grows:
        seen = min(steps) > 1 / _NOISE and through > _NOISE
    else:
        seen = max(steps) < _NOISE and through < 1 / _NOISE
    why = ", ".join(f"{time_text(point['median_ns'])} on {nodes}" for nodes, point in points.items())
    return Effect(name, seen, why, must_appear)


def no_slower(data: Data) -> Effect:
    """Judge whether Quadrille is as fast as the library in the same processes on each number of nodes."""
    name = "beyond the paper: Quadrille's exchange is as fast as the library's on each number of nodes"
    library, ours = times(data, LIBRARY), times(data, OURS)
    common = library.keys() & ours.keys()
    ratios = {nodes: ours[nodes]["median_ns"] / library[nodes]["median_ns"] for nodes in common}
    if not ratios:
        return Effect(name, None, NOT_MEASURED, must_appear=False)
    why = ", ".join(f"{1 / ratios[nodes]:.2f} times on {nodes}" for nodes in sorted(ratios))
    return Effect(name, max(ratios.values()) <= _NO_SLOWER, why, must_appear=False)


def keeps_share(data: Data, least: float) -> Effect:
    """Judge whether Quadrille keeps a share of the wire's rate on each number of nodes."""
    name = f"beyond the paper: Quadrille uses {least:.0%} of the wire on each number of nodes"
    shares = {n: share for n, point in times(data, OURS).items() if (share := of_limit(point)) is not None}
    if not shares:
        return Effect(name, None, NOT_MEASURED, must_appear=False)
    why = ", ".join(f"{share:.0%} on {nodes}" for nodes, share in shares.items())
    return Effect(name, min(shares.values()) >= least, why, must_appear=False)
