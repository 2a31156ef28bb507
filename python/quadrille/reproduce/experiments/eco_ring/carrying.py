# SPDX-License-Identifier: BSD-3-Clause
"""What a step of the ring puts on each bus, trunk and cable, and so how long it takes at least.

In a step every pair of neighbours moves one message, in one direction. A pair of which one or both are on a
bus occupies it for that message; a trunk and a host's cable carry what crosses them, both directions at a
time. A bus of n hosts, others elsewhere, carries n + 1 messages in the best order and 2 n in the worst: no
order halves the time of a step where a bus sets it.
"""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from quadrille.reproduce.trunk_sides import places_behind

_PAYLOAD_BYTES = 1448  # of a TCP segment with time stamps at MTU 1500
_EMULATED_HEADERS_BYTES = 66  # Ethernet, IPv4, TCP: what an emulated link counts
_CABLE_HEADERS_BYTES = 90  # with preamble, check sequence and the gap between frames
_SHUFFLES = 300


@dataclass(frozen=True)
class Ring:
    """The host at each place, and the share of steps in which that place gave to its right neighbour."""

    hosts: tuple[str, ...]
    gave_right: tuple[float, ...]

    def moves(self) -> Iterator[tuple[str, str, float]]:
        """Yield giver, taker and messages a step, for both directions of each pair on two hosts."""
        for place, (here, share) in enumerate(zip(self.hosts, self.gave_right, strict=True)):
            right = self.hosts[(place + 1) % len(self.hosts)]
            if here != right:
                yield here, right, share
                yield right, here, 1 - share

    def crossings(self, network: dict[str, Any]) -> int:
        """Return how often the ring changes the segment."""
        segment = {short_name(host): each["name"] for each in network["segments"] for host in each["hosts"]}
        return sum(
            segment.get(one) != segment.get(other)
            for one, other in zip(self.hosts, self.hosts[1:] + self.hosts[:1], strict=True)
        )


@dataclass(frozen=True)
class Carrier:
    """A bus with its `hosts`, or a trunk or cable with those behind it.

    Rates: from them and to them; a bus has one for all.
    """

    name: str
    hosts: frozenset[str]
    is_bus: bool
    out_bit_s: float
    in_bit_s: float

    def messages(self, ring: Ring) -> tuple[float, float]:
        """Return how many messages a step leave the hosts and reach them; of a bus, all that it carries."""
        out = back = 0.0
        for giver, taker, count in ring.moves():
            if self.is_bus:
                out += count * (giver in self.hosts or taker in self.hosts)
            else:
                out += count * (giver in self.hosts and taker not in self.hosts)
                back += count * (taker in self.hosts and giver not in self.hosts)
        return out, back

    def busy_ns(self, ring: Ring, wire_bytes: float) -> float:
        """Return how long a step keeps it busy."""
        out, back = self.messages(ring)
        return max(out / self.out_bit_s, back / self.in_bit_s) * wire_bytes * 8e9

    def fewest(self, hosts: int) -> int:
        """Return the messages that it carries at least, in any order of `hosts`, in either direction."""
        return min(len(self.hosts) + 1, hosts) if self.is_bus else 1

    def most(self, hosts: int) -> int:
        """Return the messages that it carries at most, one rank a host."""
        if self.is_bus:
            return min(2 * len(self.hosts), hosts)
        return 2 * min(len(self.hosts), hosts - len(self.hosts))


def carriers_of(network: dict[str, Any]) -> list[Carrier]:
    """Return all carriers with a rate, of a lab's truth or of a network model."""
    members = {one["name"]: frozenset(map(short_name, one["hosts"])) for one in network["segments"]}
    buses = {one["name"]: one["bus_rate_bit_s"] for one in network["segments"] if one["kind"] == "bus"}
    found = [Carrier(name, members[name], True, rate, rate) for name, rate in buses.items() if rate]
    on_buses = frozenset[str]().union(*(members[name] for name in buses))
    for host in network["hosts"]:
        name, rates = short_name(host["name"]), (host.get("from_host_bit_s"), host.get("to_host_bit_s"))
        if name not in on_buses and all(rates):
            found.append(Carrier(f"cable of {name}", frozenset({name}), False, *rates))
    return found + list(_trunks(network, members))


def _trunks(network: dict[str, Any], members: dict[str, frozenset[str]]) -> Iterator[Carrier]:
    everybody = frozenset[str]().union(*members.values())
    for trunk in network["trunks"]:
        side = places_behind(trunk, network["trunks"])
        hosts = frozenset[str]().union(*(members.get(place, frozenset()) for place in side))
        forward = trunk.get("rate_bit_s") or trunk.get("forward_bit_s")
        backward = trunk.get("rate_bit_s") or trunk.get("backward_bit_s")
        if trunk["between"][1] in side or hosts in (frozenset(), everybody) or not (forward and backward):
            continue
        yield Carrier(f"trunk {'–'.join(trunk['between'])}", hosts, False, forward, backward)


def short_name(host: str) -> str:
    """Return a host's name without its domain: models and processors do not always both have it."""
    return host.split(".")[0]


def wire_bytes(message_bytes: int, emulated: bool) -> int:
    """Return what a message takes with TCP's frames, acknowledgements left out."""
    headers = _EMULATED_HEADERS_BYTES if emulated else _CABLE_HEADERS_BYTES
    return message_bytes + math.ceil(message_bytes / _PAYLOAD_BYTES) * headers


def busiest(carriers: Sequence[Carrier], ring: Ring, bytes_on_wire: float) -> Carrier | None:
    """Return the carrier that a step keeps busy longest; None where none has a rate."""
    return max(carriers, key=lambda carrier: carrier.busy_ns(ring, bytes_on_wire), default=None)


def least_ns(carriers: Sequence[Carrier], ring: Ring, bytes_on_wire: float) -> float:
    """Return the time below which no step in this order can be."""
    return max((carrier.busy_ns(ring, bytes_on_wire) for carrier in carriers), default=0.0)


def least_of_random_ns(carriers: Sequence[Carrier], ring: Ring, bytes_on_wire: float) -> float:
    """Return the median of `least_ns` over random orders of the ring's places; the same in each run."""
    chance = random.Random(1)
    hosts = list(ring.hosts)
    found = []
    for _ in range(_SHUFFLES):
        chance.shuffle(hosts)
        found.append(least_ns(carriers, Ring(tuple(hosts), ring.gave_right), bytes_on_wire))
    return statistics.median(found)
