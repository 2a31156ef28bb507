# SPDX-License-Identifier: BSD-3-Clause
"""What the ring gains in each order, beside what the bytes on buses, trunks and cables allow."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from quadrille.report.formatting import time_text
from quadrille.reproduce.experiment import Data, Effect
from quadrille.reproduce.experiments.eco_ring.carrying import (
    Carrier,
    Ring,
    busiest,
    carriers_of,
    least_ns,
    least_of_random_ns,
    short_name,
    wire_bytes,
)
from quadrille.reproduce.experiments.eco_ring.networks import (
    LARGE_BYTES,
    MAPPED,
    NETWORKS,
    ORDERS,
    RANDOM_ORDER,
    title_of,
)

_CLEARLY = 0.9
"""The half must be seen where the bytes allow this share of it; closer to it, the rest of a step decides."""


@dataclass(frozen=True)
class Found:
    """What was measured on one network, and what follows from where its hosts are."""

    entry: dict[str, Any]

    @cached_property
    def network(self) -> dict[str, Any]:
        """The lab's truth, or of a real cluster its model."""
        network: dict[str, Any] = self.entry["truth"] or self.entry["model"]
        return network

    @cached_property
    def carriers(self) -> list[Carrier]:
        """Every bus, trunk and cable with a rate."""
        return carriers_of(self.network)

    def runs(self, order: str, size: int) -> list[dict[str, Any]]:
        """Return the runs in one order with one size."""
        return [run for run in self.entry["runs"] if (run["order"], run["bytes"]) == (order, size)]

    def sizes(self) -> list[int]:
        """Return the sizes that were measured."""
        return sorted({run["bytes"] for run in self.entry["runs"]})

    def orders(self) -> list[str]:
        """Return the orders that were measured."""
        return [order for order in ORDERS if any(run["order"] == order for run in self.entry["runs"])]

    def step_ns(self, order: str, size: int) -> float | None:
        """Return the median over runs, and so over seeds."""
        times = [run["step_ns"] for run in self.runs(order, size)]
        return statistics.median(times) if times else None

    def mapped(self, size: int) -> str | None:
        """Return the order by Quadrille that took less time, None where none was measured."""
        times = {order: time for order in MAPPED if (time := self.step_ns(order, size)) is not None}
        return min(times, key=lambda order: times[order]) if times else None

    def wire_bytes(self, size: int) -> int:
        """Return what a message takes on the wire."""
        return wire_bytes(size, emulated=self.entry["truth"] is not None)

    def least_ns(self, order: str, size: int) -> float | None:
        """Return what the bytes of this order take at least, the median over its runs."""
        times = [
            least_ns(self.carriers, ring_of(run), self.wire_bytes(size)) for run in self.runs(order, size)
        ]
        return statistics.median(times) if times else None

    def least_of_random_ns(self, size: int) -> float | None:
        """Return what the bytes of a random order take at least: the median over all such orders."""
        runs = self.runs(RANDOM_ORDER, size)
        return least_of_random_ns(self.carriers, ring_of(runs[0]), self.wire_bytes(size)) if runs else None

    def busiest(self, order: str, size: int) -> Carrier | None:
        """Return what is busy longest in the first run in this order."""
        runs = self.runs(order, size)
        return busiest(self.carriers, ring_of(runs[0]), self.wire_bytes(size)) if runs else None


def ring_of(run: dict[str, Any]) -> Ring:
    """Return the ring of a run, its hosts without their domains."""
    return Ring(tuple(map(short_name, run["ring"])), tuple(run["gave_right"]))


def judge(data: Data) -> list[Effect]:
    """Return for each network whether Quadrille's order is faster, and whether by half."""
    networks = data.get("networks") or {network.name: None for network in NETWORKS}
    effects = []
    for name, entry in networks.items():
        effects += _judge_network(title_of(name), Found(entry) if entry and entry["runs"] else None)
    return effects


def _judge_network(title: str, found: Found | None) -> list[Effect]:
    faster = f"{title}: the mapped ring takes less time than a random one ({LARGE_BYTES} B)"
    half = f"{title}: it takes less than half the time (section 6.2; {LARGE_BYTES} B)"
    mapped = found.mapped(LARGE_BYTES) if found else None
    time = found.step_ns(mapped, LARGE_BYTES) if found and mapped else None
    random = found.step_ns(RANDOM_ORDER, LARGE_BYTES) if found else None
    if found is None or mapped is None or time is None or random is None:
        return [Effect(faster, None, "not measured in this run"), Effect(half, None, "not measured")]
    ratio = time / random
    why = f"{time_text(time)} against {time_text(random)}: {ratio:.2f} of a random order's"
    least, of_random = found.least_ns(mapped, LARGE_BYTES), found.least_of_random_ns(LARGE_BYTES)
    if not least or not of_random:
        return [Effect(faster, ratio < 1, why), Effect(half, ratio < 0.5, why, must_appear=False)]
    bound = least / of_random
    allowed = f"{why}; the bytes on the wire allow {bound:.2f}, {_limit_words(found, mapped)}"
    return [
        Effect(faster, ratio < 1, why),
        Effect(half, ratio < 0.5, allowed, must_appear=bound < 0.5 * _CLEARLY),
    ]


def _limit_words(found: Found, order: str) -> str:
    """Say what sets the pace of the mapped ring, and what any other order puts on it."""
    carrier = found.busiest(order, LARGE_BYTES)
    run = found.runs(order, LARGE_BYTES)[0]
    if carrier is None:
        return "no rate is known"
    carried = max(carrier.messages(ring_of(run)))
    hosts = len(set(run["ring"]))
    least, most = carrier.fewest(hosts), carrier.most(hosts)
    limits = f"{least} at least and {most} at most in any order"
    return f"{carrier.name} carries {carried:.3g} messages a step, {limits}"
