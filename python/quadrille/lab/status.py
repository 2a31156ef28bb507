# SPDX-License-Identifier: BSD-3-Clause
"""A lab as a tree with the live rates and drops of each port, and the same as data.

Rates are the difference of two looks at the counters; drops are since the lab came up, with the last
interval's in front. `in` and `out` are seen from the switch: out goes to the host.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from rich.text import Text
from rich.tree import Tree

from quadrille.lab.build import trunk_ends
from quadrille.lab.counters import LabCounters, PortCounters, read_counters
from quadrille.lab.state import LabState
from quadrille.lab.wiring import Queue, TrunkCable, Wiring, wire


@dataclass(frozen=True)
class PortStatus:
    """One port over the interval: rates in bit/s, drops in the interval and since the lab came up."""

    port: str
    out_bit_s: float
    in_bit_s: float
    dropped_now: int
    dropped_frames: int
    waiting_bytes: int


@dataclass(frozen=True)
class LabStatus:
    """All ports by interface name, and every host's TCP repetitions in the interval and in total."""

    interval_s: float
    ports: dict[str, PortStatus]
    tcp_retransmitted: dict[str, int]


def observe(state: LabState, interval_s: float = 1.0) -> LabStatus:
    """Look at the counters twice, `interval_s` apart."""
    before, began = read_counters(state), time.monotonic()
    time.sleep(interval_s)
    after, passed = read_counters(state), time.monotonic() - began
    return _difference(before, after, passed)


def _difference(before: LabCounters, after: LabCounters, passed_s: float) -> LabStatus:
    empty = PortCounters(0, 0, 0, 0, 0, 0)
    ports = {}
    for name, now in after.ports.items():
        then = before.ports.get(name, empty)
        ports[name] = PortStatus(
            port=name,
            out_bit_s=(now.out_bytes - then.out_bytes) * 8 / passed_s,
            in_bit_s=(now.in_bytes - then.in_bytes) * 8 / passed_s,
            dropped_now=now.dropped_frames - then.dropped_frames,
            dropped_frames=now.dropped_frames,
            waiting_bytes=now.waiting_bytes,
        )
    return LabStatus(passed_s, ports, {name: host.tcp_retransmitted for name, host in after.hosts.items()})


def as_json(state: LabState, status: LabStatus) -> dict[str, Any]:
    """Return the status as plain data."""
    return {
        "lab": state.lab_id,
        "keeper_pid": state.keeper_pid,
        "user_namespace": state.user_namespace is not None,
        "delay_by": state.delay_by,
        "notes": state.notes,
        **asdict(status),
    }


def as_tree(state: LabState, status: LabStatus) -> Tree:
    """Return the topology as a tree of switches, trunks and hosts with their live figures."""
    wiring = wire(state.parsed_topology())
    how = "user namespace" if state.user_namespace else "root"
    delay = f", delay by {state.delay_by}" if state.delay_by else ""
    tree = Tree(Text(f"lab {state.lab_id}: {len(state.hosts)} hosts, {how}{delay}", style="bold"))
    _grow(tree, wiring, status, wiring.bridges[0], None)
    for note in state.notes:
        tree.add(Text(f"note: {note}", style="yellow"))
    return tree


def _grow(tree: Tree, wiring: Wiring, status: LabStatus, bridge: str, came_by: TrunkCable | None) -> None:
    branch = tree.add(_bridge_text(wiring, status, bridge))
    for cable in wiring.hosts:
        if cable.bridge == bridge:
            label = f"{cable.host} {_rate(cable.to_host or cable.from_host)}"
            branch.add(_port_text(label, status.ports[cable.host], status.tcp_retransmitted[cable.host]))
    for trunk, end, beyond in _trunks_of(wiring, bridge):
        if trunk is not came_by:
            delay = f" +{trunk.delay_s * 1e3:g} ms" if trunk.delay_s else ""
            quiet = "" if trunk.multicast else ", no multicast"
            label = f"trunk to {beyond} {trunk.ambient_rate_bit_s / 1e6:g} Mbit/s{delay}{quiet}"
            _grow(branch.add(_port_text(label, status.ports[end])), wiring, status, beyond, trunk)


def _trunks_of(wiring: Wiring, bridge: str) -> Iterator[tuple[TrunkCable, str, str]]:
    for trunk in wiring.trunks:
        one, other = trunk_ends(trunk)
        if trunk.one == bridge:
            yield trunk, one, trunk.other
        elif trunk.other == bridge:
            yield trunk, other, trunk.one


def _bridge_text(wiring: Wiring, status: LabStatus, bridge: str) -> Text:
    bus = next((bus for bus in wiring.buses if bus.name == bridge), None)
    quiet = ", no multicast" if bridge in wiring.without_multicast else ""
    if bus is None:
        return Text(f"switch {bridge}{quiet}", style="cyan")
    label = f"bus {bridge} {_rate(bus.queue)}{quiet}"
    return _port_text(label, status.ports[f"bus.{bridge}"], style="magenta")


def _rate(queue: Queue) -> str:
    return f"{queue.rate_bit_s / 1e6:g} Mbit/s" if queue.limits else "unlimited"


def _port_text(label: str, port: PortStatus, repeated: int | None = None, style: str = "") -> Text:
    text = Text(f"{label}: out {port.out_bit_s / 1e6:.2f} in {port.in_bit_s / 1e6:.2f} Mbit/s", style=style)
    drops = f", drops {port.dropped_frames} (+{port.dropped_now})"
    text.append(drops, style="red" if port.dropped_now else "dim")
    if port.waiting_bytes:
        text.append(f", waiting {port.waiting_bytes / 1024:.0f} KiB")
    if repeated:
        text.append(f", TCP repeated {repeated}", style="dim")
    return text
