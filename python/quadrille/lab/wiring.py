# SPDX-License-Identifier: BSD-3-Clause
"""From the lab file to cables: every default resolved, every queue with rate and depth, nothing built yet.

A pure function of the topology. Switches, groups and buses all become bridges; a port's `Queue` is the
`tbf` on that end of its cable. Directions are named from the bridge: `to_host` leaves the switch.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from quadrille.lab.topology import DEEP_BUFFER_KIB, USUAL_MTU, Bus, Group, Hosts, Switch, Topology, Trunk
from quadrille.lab.topology_checks import frame_bytes

HOST_QUEUE_FRAMES = 1000
"""A host's own transmit queue: Linux's default."""


@dataclass(frozen=True)
class Queue:
    """One end of a cable: `rate_bit_s` in bit/s, `limit_bytes` of frames that may wait.

    Where `limits` is false nothing is built: frames pass as fast as this machine carries them.
    """

    rate_bit_s: int
    limit_bytes: int
    limits: bool = True
    mtu: int = USUAL_MTU

    @property
    def burst_bytes(self) -> int:
        """Return the token bucket's size: two frames, or 2 us of the rate where that is more."""
        return max(2 * frame_bytes(self.mtu), math.ceil(self.rate_bit_s / 8 * 2e-6))


@dataclass(frozen=True)
class HostCable:
    """A host's cable to its bridge. A queue of None does not limit."""

    host: str
    number: int
    bridge: str
    to_host: Queue | None
    from_host: Queue
    loss_to_host: float
    loss_from_host: float
    ambient_to_host_share: float
    ambient_from_host_share: float
    mtu: int = USUAL_MTU
    offloads: bool = False
    udp_segmentation: bool = True  # among these

    @property
    def mac(self) -> str:
        """Return the hardware address of the host's interface (locally administered)."""
        return f"02:51:00:00:{self.number >> 8:02x}:{self.number & 255:02x}"


@dataclass(frozen=True)
class TrunkCable:
    """A cable between two bridges, `one` and `other`, with the queue at each end."""

    name: str
    one: str
    other: str
    from_one: Queue | None
    from_other: Queue | None
    delay_s: float
    jitter_s: float
    loss: float
    ambient_share: float
    ambient_rate_bit_s: int
    multicast: bool = True
    mtu: int = USUAL_MTU


@dataclass(frozen=True)
class BusBridge:
    """A bridge whose ports share one queue."""

    name: str
    queue: Queue
    loss: float
    ambient_share: float


@dataclass(frozen=True)
class Wiring:
    """All bridges and cables of a lab."""

    bridges: tuple[str, ...]
    without_multicast: frozenset[str]
    buses: tuple[BusBridge, ...]
    hosts: tuple[HostCable, ...]
    trunks: tuple[TrunkCable, ...]

    def queueing_bridges(self) -> frozenset[str]:
        """Return the bridges at which frames may wait: at a port with a rate, or for a bus."""
        found = {bus.name for bus in self.buses}
        ports = [(cable.bridge, cable.to_host) for cable in self.hosts]
        for trunk in self.trunks:
            ports += [(trunk.one, trunk.from_one), (trunk.other, trunk.from_other)]
        return frozenset(found | {bridge for bridge, queue in ports if queue is not None and queue.limits})

    def load_frames_s(self) -> float:
        """Return the full frames/s towards hosts, at their MTU: what the emulation may have to move."""
        ports = [cable.to_host for cable in self.hosts if cable.to_host and cable.to_host.limits]
        queues = [*ports, *(bus.queue for bus in self.buses)]
        return sum(queue.rate_bit_s / 8 / frame_bytes(queue.mtu) for queue in queues)


def wire(topology: Topology) -> Wiring:
    """Return the wiring of a checked topology."""
    groups = {group.name: switch for switch in topology.switch for group in switch.group}
    switches = {switch.name: switch for switch in topology.switch} | groups
    buses = {bus.name: bus for bus in topology.bus}
    inner = [_inner_link(switch, group) for switch in topology.switch for group in switch.group]
    trunks = [_trunk(f"trunk{at}", trunk, switches, buses) for at, trunk in enumerate(topology.trunk)]
    hosts = [
        _host(name, number, topology.host(name), switches, buses)
        for number, name in enumerate(topology.host_names(), start=1)
    ]
    silent = {name for name, switch in switches.items() if not switch.multicast}
    silent |= {name for name, bus in buses.items() if not bus.multicast}
    return Wiring(
        bridges=(*switches, *buses),
        without_multicast=frozenset(silent),
        buses=tuple(
            BusBridge(
                bus.name, _queue(bus.rate_mbit, bus.queue_kib), bus.loss_percent / 100, bus.ambient_share
            )
            for bus in topology.bus
        ),
        hosts=tuple(hosts),
        trunks=(*inner, *trunks),
    )


def _queue(rate_mbit: float, buffer_kib: float, limits: bool = True, mtu: int = USUAL_MTU) -> Queue:
    return Queue(max(round(rate_mbit * 1e6), 1), round(buffer_kib * 1024), limits, mtu)


def _buffer_kib(switch: Switch, own: float | None = None) -> float:
    if switch.flow_control:
        return DEEP_BUFFER_KIB
    return switch.buffer_kib if own is None else own


def _inner_link(switch: Switch, group: Group) -> TrunkCable:
    queue = _queue(group.rate_mbit, _buffer_kib(switch, group.buffer_kib), mtu=switch.mtu)
    name = f"in.{group.name}"
    return TrunkCable(
        name=name,
        one=group.name,
        other=switch.name,
        from_one=queue,
        from_other=queue,
        delay_s=0,
        jitter_s=0,
        loss=0,
        ambient_share=group.ambient_share,
        ambient_rate_bit_s=queue.rate_bit_s,
        mtu=switch.mtu,
    )


def _trunk(name: str, trunk: Trunk, switches: dict[str, Switch], buses: dict[str, Bus]) -> TrunkCable:
    one, other = trunk.between
    nodes: dict[str, Switch | Bus] = {**switches, **buses}
    rate_mbit = trunk.rate_mbit or min(nodes[one].rate_mbit, nodes[other].rate_mbit)
    mtu = min(switches[node].mtu if node in switches else USUAL_MTU for node in trunk.between)

    def end(node: str) -> Queue | None:
        # A frame that comes off a bus has already been serialised there.
        if node in buses:
            return None
        return _queue(rate_mbit, _buffer_kib(switches[node], trunk.buffer_kib), mtu=mtu)

    return TrunkCable(
        name=name,
        one=one,
        other=other,
        from_one=end(one),
        from_other=end(other),
        delay_s=trunk.delay_ms / 1000,
        jitter_s=trunk.jitter_ms / 1000,
        loss=trunk.loss_percent / 100,
        ambient_share=trunk.ambient_share,
        ambient_rate_bit_s=round(rate_mbit * 1e6),
        multicast=trunk.multicast,
        mtu=mtu,
    )


def _host(
    name: str, number: int, entry: Hosts, switches: dict[str, Switch], buses: dict[str, Bus]
) -> HostCable:
    limits, offloads, udp_segmentation, mtu = True, False, True, USUAL_MTU
    if entry.on in buses:
        to_host, rate_mbit = None, buses[entry.on].rate_mbit
    else:
        switch = switches[entry.on]
        rate_mbit, limits, mtu = switch.rate_mbit, not switch.unlimited, switch.mtu
        offloads, udp_segmentation = switch.offloads, switch.udp_segmentation
        to_host = _queue(entry.to_host_mbit or rate_mbit, _buffer_kib(switch), limits, mtu)
    own_queue = HOST_QUEUE_FRAMES * frame_bytes(mtu)
    from_host = Queue(round((entry.from_host_mbit or rate_mbit) * 1e6), own_queue, limits, mtu)
    return HostCable(
        host=name,
        number=number,
        bridge=entry.on,
        to_host=to_host,
        from_host=from_host,
        loss_to_host=entry.loss_to_host_percent / 100,
        loss_from_host=entry.loss_from_host_percent / 100,
        ambient_to_host_share=entry.ambient_to_host_share,
        ambient_from_host_share=entry.ambient_from_host_share,
        mtu=mtu,
        offloads=offloads,
        udp_segmentation=udp_segmentation,
    )
