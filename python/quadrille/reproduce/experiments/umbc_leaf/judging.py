# SPDX-License-Identifier: BSD-3-Clause
"""Whether a second leaf costs more than what is sent more, and whether placement matters."""

from __future__ import annotations

from typing import Any

from quadrille.reproduce.experiment import Data, Effect
from quadrille.reproduce.experiments.umbc_leaf.measuring import BOTH, NARROW, ONE_LEAF, SPREAD, WIDE
from quadrille.reproduce.sorts.judging import NOT_MEASURED
from quadrille.reproduce.sorts.measuring import LIBRARY, OURS

_NOTHING = 0.25
"""More than (N-1)/N explains: 16 cables and their ports share two cores with what they carry."""
_SHOWS = 1.15


def found(data: Data, way: str, uplink: str, placed: str) -> dict[str, Any] | None:
    """Return the point of that place."""
    wanted = (way, uplink, placed)
    points = data.get("points", [])
    return next((p for p in points if (p["way"], p["uplink"], p["placed"]) == wanted), None)


def ratio(data: Data, way: str, uplink: str, placed: str) -> float | None:
    """Return how many times as long as on one leaf the exchange takes; None where not both were measured."""
    one, other = found(data, way, uplink, ONE_LEAF), found(data, way, uplink, placed)
    return other["median_ns"] / one["median_ns"] if one and other else None


def sent_more(data: Data, way: str, uplink: str) -> float | None:
    """Return how many times as much leaves a node of all hosts as of one leaf's: it is (N-1)/N."""
    one, other = found(data, way, uplink, ONE_LEAF), found(data, way, uplink, BOTH)
    if not one or not other:
        return None
    n, m = one["nodes"], other["nodes"]
    return float((m - 1) / m * n / (n - 1))


def judge(data: Data) -> list[Effect]:
    """Return the paper's effect, and those of placement beyond it."""
    return [
        _second_leaf(data, OURS, must_appear=True),
        _second_leaf(data, LIBRARY, must_appear=False),
        _placement(data, OURS, must_appear=True),
        _placement(data, LIBRARY, must_appear=False),
        _none_of_wide(data),
    ]


def _second_leaf(data: Data, way: str, must_appear: bool) -> Effect:
    name = f"{way}: where uplinks carry all ports, all of two leaves take as much more as is sent more"
    measured, expected = ratio(data, way, WIDE, BOTH), sent_more(data, way, WIDE)
    if measured is None or expected is None:
        return Effect(name, None, NOT_MEASURED, must_appear)
    why = f"{measured:.2f} times as long as on one leaf, {expected:.2f} is sent more; the paper 1.01 and 1.03"
    return Effect(name, measured < (1 + _NOTHING) * expected, why, must_appear)


def _placement(data: Data, way: str, must_appear: bool) -> Effect:
    name = f"{way}: where uplinks are narrow, hosts of one leaf are faster than as many of two"
    measured = ratio(data, way, NARROW, SPREAD)
    if measured is None:
        return Effect(name, None, NOT_MEASURED, must_appear)
    stalls = sum(
        point["stalls"] for place in (ONE_LEAF, SPREAD) if (point := found(data, way, NARROW, place))
    )
    why = f"spread over two leaves it takes {measured:.2f} times as long; {stalls} calls stalled"
    return Effect(name, measured > _SHOWS, why, must_appear)


def _none_of_wide(data: Data) -> Effect:
    name = f"{OURS}: where uplinks carry all ports, placement costs nothing"
    measured = ratio(data, OURS, WIDE, SPREAD)
    if measured is None:
        return Effect(name, None, NOT_MEASURED, must_appear=False)
    why = f"spread over two leaves it takes {measured:.2f} times as long"
    return Effect(name, measured <= _SHOWS, why, must_appear=False)
