# SPDX-License-Identifier: BSD-3-Clause
"""By how much a job beside slows one, each side beside its own kind and beside the other."""

from __future__ import annotations

from typing import Any

from quadrille.reproduce.experiment import Data, Effect
from quadrille.reproduce.experiments.umbc_jobs.measuring import LINK
from quadrille.reproduce.sorts.judging import NOT_MEASURED
from quadrille.reproduce.sorts.measuring import LIBRARY, OURS

_SLOWED = 1.1
OWN_KIND = {LIBRARY: "native", OURS: "quadrille"}


def found(data: Data, way: str, beside: str | None, shared: str = LINK) -> dict[str, Any] | None:
    """Return that point; the jobs of a real cluster share hosts, whatever is asked for."""
    points = [p for p in data.get("points", []) if (p["way"], p["beside"]) == (way, beside)]
    return next((point for point in points if point["shared"] == shared), None)


def slowed(data: Data, way: str, beside: str, shared: str = LINK) -> float | None:
    """Return how many times as long as alone; None where not both were measured."""
    alone, together = found(data, way, None, shared), found(data, way, beside, shared)
    return together["median_ns"] / alone["median_ns"] if alone and together else None


def shared_of(data: Data) -> list[str]:
    """Return what the measured jobs shared, in the order of measuring."""
    return list(dict.fromkeys(point["shared"] for point in data.get("points", [])))


def judge(data: Data) -> list[Effect]:
    """Return what sharing costs, for each thing that is shared."""
    return [
        effect
        for shared in shared_of(data) or [LINK]
        for effect in (_costs(data, shared), _ours_together(data, shared), _beside_the_other(data, shared))
    ]


def _costs(data: Data, shared: str) -> Effect:
    name = f"sharing the {shared}: two jobs of the library's all-to-alls slow each other"
    factor = slowed(data, LIBRARY, "native", shared)
    if factor is None:
        return Effect(name, None, NOT_MEASURED)
    return Effect(name, factor > _SLOWED, f"{factor:.2f} times as long as alone")


def _ours_together(data: Data, shared: str) -> Effect:
    name = f"sharing the {shared}: two jobs by Quadrille are faster than two by the library"
    ours, library = (found(data, way, OWN_KIND[way], shared) for way in (OURS, LIBRARY))
    if ours is None or library is None:
        return Effect(name, None, NOT_MEASURED)
    factor = slowed(data, OURS, "quadrille", shared)
    alone = "" if factor is None else f", {factor:.2f} times as long as alone"
    why = f"{ours['median_ns'] / 1e6:.0f} and {library['median_ns'] / 1e6:.0f} ms{alone}"
    return Effect(name, ours["median_ns"] < library["median_ns"], why)


def _beside_the_other(data: Data, shared: str) -> Effect:
    """Whether grants starve, or are starved by, who does not ask for them."""
    name = f"sharing the {shared}: a job of the library suffers no more beside Quadrille than beside its like"
    beside = {load: slowed(data, LIBRARY, load, shared) for load in ("native", "quadrille")}
    ours = slowed(data, OURS, "native", shared)
    if beside["native"] is None or beside["quadrille"] is None or ours is None:
        return Effect(name, None, NOT_MEASURED, must_appear=False)
    why = f"{beside['quadrille']:.2f} and {beside['native']:.2f} times as long as alone"
    why += f"; Quadrille beside the library {ours:.2f}"
    return Effect(name, beside["quadrille"] <= _SLOWED * beside["native"], why, must_appear=False)
