# SPDX-License-Identifier: BSD-3-Clause
"""Which of the poster's statements the throughputs show."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

from quadrille.reproduce.experiment import Data, Effect
from quadrille.reproduce.experiments.gromacs_throughput.measuring import (
    FLOOD,
    FLOOD_CONTROLLED,
    MPICH,
    OPEN_MPI,
    ORDERED,
)

TYPICAL_BYTES = (4096, 32768)
"""Where blocks of GROMACS's transposes lie: 80 000 atoms have a grid of about 80 points a side, after the
real transform 80 x 80 x 41 complex values of 8 B, of which each of N processes sends a N^2-th to each other
one: 33 kB at N = 8, 8 kB at 16, 4 kB at 23."""

_COLLAPSED = 0.6
_NO_SLOWER = 0.97


def throughput(point: dict[str, Any]) -> float:
    """Return T = (N-1) S / dt in MB/s for each process, by the median."""
    sent: int = (point["ranks"] - 1) * point["bytes"]
    return sent * 1e3 / float(point["median_ns"])


def of_limit(point: dict[str, Any]) -> float | None:
    """Return the share of what the wire allows; None where it is not known."""
    return point["limit_ns"] / point["median_ns"] if point["limit_ns"] else None


def selected(
    data: Data, exchanges: Sequence[str], least_hosts: int = 3, sizes: Sequence[int] = TYPICAL_BYTES
) -> list[dict[str, Any]]:
    """Return the points of `exchanges` on `least_hosts` nodes and more, sizes in a range."""
    return [
        point
        for point in data.get("points", [])
        if point["exchange"] in exchanges
        and point["hosts"] >= least_hosts
        and sizes[0] <= point["bytes"] <= sizes[-1]
    ]


def judge(data: Data) -> list[Effect]:
    """Return the effects of sections 1 to 3."""
    return [
        _worst(data, "without flow control the flood collapses beyond two nodes", [FLOOD], collapses=True),
        _worst(data, "with flow control it does not", [FLOOD_CONTROLLED], collapses=False),
        _worst(data, "ordered, without flow control, it does not either", [ORDERED], collapses=False),
        _stalls(data),
        _never_slower(data),
    ]


_NOT_MEASURED = "not measured in this run"
_LEFT = "Quadrille left the calls to the MPI library: no datagrams between the hosts"


def _left_to_library(data: Data, exchanges: Sequence[str]) -> bool:
    return ORDERED in exchanges and bool(selected(data, [OPEN_MPI]))


def _worst(data: Data, name: str, exchanges: Sequence[str], collapses: bool) -> Effect:
    """Judge by the worst median of a point: one size at which an exchange collapses stops a program."""
    points = selected(data, exchanges)
    if not points:
        left = _left_to_library(data, exchanges)
        return Effect(name, False if left else None, _LEFT if left else _NOT_MEASURED)
    shares = [share for share in map(of_limit, points) if share is not None]
    if not shares:
        return Effect(name, None, "the limit of this network is not known")
    why = f"{min(shares):.0%} to {max(shares):.0%} of the limit, median {statistics.median(shares):.0%}"
    return Effect(name, (min(shares) < _COLLAPSED) == collapses, why)


def _stalls(data: Data) -> Effect:
    name = "ordered, no call stalls"
    points = selected(data, [ORDERED])
    if not points:
        left = _left_to_library(data, [ORDERED])
        return Effect(name, False if left else None, _LEFT if left else _NOT_MEASURED)
    stalled = sum(point["stalls"] for point in points)
    library = sum(point["stalls"] for point in selected(data, [FLOOD, OPEN_MPI, MPICH]))
    calls = sum(len(point["samples_ns"]) for point in points)
    return Effect(name, stalled == 0, f"{stalled} of {calls} calls; {library} of the libraries' stalled")


def _never_slower(data: Data) -> Effect:
    name = "beyond the poster: ordered is as fast as the library's own choice at each size from 4 KiB on"
    library = {_place(point): point for point in selected(data, [OPEN_MPI], least_hosts=2)}
    points = selected(data, [ORDERED], least_hosts=2)
    pairs = [(point, library[_place(point)]) for point in points if _place(point) in library]
    if not pairs:
        return Effect(name, None, _NOT_MEASURED)
    ratios = [throughput(point) / throughput(other) for point, other in pairs]
    slower = sum(ratio < _NO_SLOWER for ratio in ratios)
    why = f"{min(ratios):.2f} to {max(ratios):.2f} times as fast, slower at {slower} of {len(ratios)} points"
    return Effect(name, slower == 0, why, must_appear=False)


def _place(point: dict[str, Any]) -> tuple[str, int, int]:
    return (point["nodes"], point["ranks"], point["bytes"])
