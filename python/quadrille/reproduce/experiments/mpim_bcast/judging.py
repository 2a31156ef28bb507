# SPDX-License-Identifier: BSD-3-Clause
"""Which of the page's statements on broadcasts the times show, on the network with the most hosts."""

from __future__ import annotations

import math
import statistics
from typing import Any

from quadrille.reproduce.experiment import Data, Effect
from quadrille.reproduce.experiments.mpim_bcast.measuring import (
    BINOMIAL,
    LARGE_BYTES,
    LOSS_PERCENT,
    MULTICAST,
    OPEN_MPI,
    SMALL_BYTES,
)

_CONSTANT = 1.15
_NEAR_LIMIT = 1.25
_GROWS = 0.6
"""Of log2: Open MPI's tree sends the next child's part while the first one's is on its way."""
_LOSS_COSTS = 1.25
_LARGE_CLUSTER = 6
"""The page expects 7 of a large cluster, log2 of 128."""
_NOT_MEASURED = "not measured in this run"


def largest_network(data: Data) -> str | None:
    """Return the name of the network with the most processes."""
    points = data.get("points", [])
    return max(points, key=lambda point: point["ranks"])["network"] if points else None


def medians(data: Data, network: str | None, way: str, size: int, loss: float = 0) -> dict[int, float]:
    """Return a way's medians in ns by number of processes, over the samples of all its runs."""
    samples: dict[int, list[int]] = {}
    wanted = (network, way, size, loss)
    for point in data.get("points", []):
        if tuple(point[key] for key in ("network", "way", "bytes", "loss_percent")) == wanted:
            samples.setdefault(point["ranks"], []).extend(point["samples_ns"])
    return {count: statistics.median(found) for count, found in samples.items()}


def judge(data: Data) -> list[Effect]:
    """Return the effects of the first figure and of the abstract."""
    return [
        _constant(data),
        _near_limit(data),
        _grows(data),
        _small(data),
        _under_loss(data),
        _large_cluster(data),
    ]


def _constant(data: Data) -> Effect:
    name = f"20 kB by multicast: nearly constant in the number of nodes (within {_CONSTANT - 1:.0%})"
    times = medians(data, largest_network(data), MULTICAST, LARGE_BYTES)
    if not times:
        return _lacking(data, name)
    if len(times) < 2:
        return Effect(name, None, f"measured on {max(times)} nodes alone")
    few, most = min(times), max(times)
    why = f"{_ms(times[most])} on {most} nodes, {_ms(times[few])} on {few}"
    return Effect(name, times[most] <= _CONSTANT * times[few], why)


def _near_limit(data: Data) -> Effect:
    name = "20 kB by multicast: near the limit of the wire"
    network = largest_network(data)
    times = medians(data, network, MULTICAST, LARGE_BYTES)
    if not times:
        return _lacking(data, name)
    most = max(times)
    limits = [
        point["limit_ns"]
        for point in data["points"]
        if (point["network"], point["ranks"], point["bytes"]) == (network, most, LARGE_BYTES)
    ]
    if not limits[0]:
        return Effect(name, None, "the limit of this network is not known")
    why = f"{_ms(times[most])} on {most} nodes, {_ms(limits[0])} is the limit"
    return Effect(name, times[most] <= _NEAR_LIMIT * limits[0], why)


def _grows(data: Data) -> Effect:
    name = "20 kB conventional: grows about as log2(nodes)"
    times = medians(data, largest_network(data), BINOMIAL, LARGE_BYTES)
    if len(times) < 2:
        return Effect(name, None, _NOT_MEASURED)
    few, most = min(times), max(times)
    grown = times[most] / times[few]
    expected = math.log2(most) / math.log2(few)
    why = f"{grown:.1f} times from {few} to {most} nodes, log2 is {expected:.1f} times"
    return Effect(name, grown >= _GROWS * expected, why)


def _small(data: Data) -> Effect:
    name = "small messages: multicast is faster, by less than twice"
    network = largest_network(data)
    ours = medians(data, network, MULTICAST, SMALL_BYTES)
    library = medians(data, network, OPEN_MPI, SMALL_BYTES) or medians(data, network, BINOMIAL, SMALL_BYTES)
    gains = [library[count] / ours[count] for count in ours if count in library and count > 2]
    if not gains:
        return Effect(name, None, _NOT_MEASURED)
    why = f"{min(gains):.2f} to {max(gains):.2f} times as fast on 3 nodes and more"
    return Effect(name, min(gains) > 1 and max(gains) < 2, why, must_appear=False)


def _under_loss(data: Data) -> Effect:
    name = f"{LOSS_PERCENT:g} % lost: 20 kB by multicast take at most {_LOSS_COSTS} times as long"
    network = largest_network(data)
    whole = medians(data, network, MULTICAST, LARGE_BYTES)
    lossy = medians(data, network, MULTICAST, LARGE_BYTES, LOSS_PERCENT)
    common = whole.keys() & lossy.keys()
    if not common:
        return Effect(name, None, _NOT_MEASURED)
    most = max(common)
    why = f"{lossy[most] / whole[most]:.2f} times on {most} nodes"
    tree = [medians(data, network, BINOMIAL, LARGE_BYTES, loss) for loss in (0, LOSS_PERCENT)]
    if all(most in times for times in tree):
        why += f"; conventional {tree[1][most] / tree[0][most]:.2f} times"
    return Effect(name, lossy[most] <= _LOSS_COSTS * whole[most], why, must_appear=False)


def _large_cluster(data: Data) -> Effect:
    name = f"128 simulated hosts, 20 kB: at least {_LARGE_CLUSTER} times as fast as a binomial tree"
    found: list[dict[str, Any]] = [
        one for one in data.get("simulated", []) if one["hosts"] == 128 and one["loss_percent"] == 0
    ]
    if not found:
        return Effect(name, None, _NOT_MEASURED)
    gain = found[0]["binomial_ns"] / found[0]["multicast_ns"]
    why = f"{gain:.1f} times: {_ms(found[0]['multicast_ns'])} and {_ms(found[0]['binomial_ns'])}"
    return Effect(name, gain >= _LARGE_CLUSTER, why, must_appear=False)


def _lacking(data: Data, name: str) -> Effect:
    """Say why there is no multicast: not measured, or left to the library, which fails."""
    left = bool(data.get("points"))
    why = "Quadrille left the calls to the MPI library: no multicast there" if left else _NOT_MEASURED
    return Effect(name, False if left else None, why)


def _ms(nanoseconds: float) -> str:
    return f"{nanoseconds / 1e6:.2f} ms"
