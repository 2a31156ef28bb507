# SPDX-License-Identifier: BSD-3-Clause
"""What only the whole of a lab file can have wrong: names, addresses, loops, parts that nobody reaches."""

from __future__ import annotations

import ipaddress
import re
from typing import TYPE_CHECKING, NoReturn

from quadrille.errors import UsageError

if TYPE_CHECKING:
    from quadrille.lab.topology import Topology

_ETHERNET_HEADER_BYTES = 14
_HOST_NAME = re.compile(r"^[a-z][a-z0-9-]{0,10}$")


def frame_bytes(mtu: int) -> int:
    """Return the bytes of a full Ethernet frame as `tbf` counts it: without preamble, check sum and gap."""
    return mtu + _ETHERNET_HEADER_BYTES


def check_whole(topology: Topology, origin: str, allowed: ipaddress.IPv4Network) -> None:
    """Raise UsageError, opening with `origin`, at the first contradiction between tables of `topology`."""
    nodes = _check_names(topology, origin)
    _check_switches(topology, origin)
    _check_addresses(topology, origin, allowed)
    _check_attachments(topology, origin, nodes)
    _check_tree(topology, origin, nodes)
    _check_delays_and_events(topology, origin)


def _refuse(origin: str, path: str, value: object, reason: str) -> NoReturn:
    raise UsageError(f"{origin}: {path} = {value!r}: {reason}")


def _check_names(topology: Topology, origin: str) -> dict[str, str]:
    nodes: dict[str, str] = {}
    for index, switch in enumerate(topology.switch):
        named = [(f"switch[{index}].name", switch.name)]
        named += [(f"switch[{index}].group[{at}].name", group.name) for at, group in enumerate(switch.group)]
        for path, name in named:
            if name in nodes:
                _refuse(origin, path, name, f"already the name of {nodes[name]}; give each its own")
            nodes[name] = path.removesuffix(".name")
    for index, bus in enumerate(topology.bus):
        if bus.name in nodes:
            _refuse(origin, f"bus[{index}].name", bus.name, f"already the name of {nodes[bus.name]}")
        nodes[bus.name] = f"bus[{index}]"
    taken = dict(nodes)
    for index, entry in enumerate(topology.hosts):
        for at, name in enumerate(entry.names):
            path = f"hosts[{index}].names[{at}]"
            if not _HOST_NAME.match(name):
                _refuse(origin, path, name, "must be 1 to 11 of a-z, 0-9 and -, beginning with a letter")
            if name in taken:
                _refuse(origin, path, name, f"already the name of {taken[name]}; give each its own")
            taken[name] = path
        if not entry.names:
            _refuse(origin, f"hosts[{index}].names", entry.names, "name at least one host")
    return nodes


def _check_switches(topology: Topology, origin: str) -> None:
    for index, switch in enumerate(topology.switch):
        if switch.offloads and not switch.unlimited:
            reason = "a port with a rate carries single frames; set unlimited = true, or leave offloads out"
            _refuse(origin, f"switch[{index}].offloads", switch.offloads, reason)
        least_kib = 2 * frame_bytes(switch.mtu) / 1024
        if switch.buffer_kib < least_kib:
            reason = f"two frames of MTU {switch.mtu} need {least_kib:.1f} KiB"
            _refuse(origin, f"switch[{index}].buffer_kib", switch.buffer_kib, reason)


def _check_addresses(topology: Topology, origin: str, allowed: ipaddress.IPv4Network) -> None:
    try:
        network = ipaddress.IPv4Network(topology.network)
    except ValueError as error:
        _refuse(origin, "network", topology.network, f"not an IPv4 network ({error})")
    if not network.subnet_of(allowed) or network.prefixlen < 16:
        _refuse(origin, "network", topology.network, f"must lie inside {allowed} and be a /16 or smaller")
    hosts, room = len(topology.host_names()), max(network.num_addresses - 2, 0)
    if hosts > room:
        _refuse(origin, "network", topology.network, f"{hosts} hosts need more than its {room} addresses")


def _check_attachments(topology: Topology, origin: str, nodes: dict[str, str]) -> None:
    buses = {bus.name for bus in topology.bus}
    for index, entry in enumerate(topology.hosts):
        if entry.on not in nodes:
            _refuse(
                origin, f"hosts[{index}].on", entry.on, f"no such switch, group or bus among {sorted(nodes)}"
            )
        if entry.on in buses and entry.to_host_mbit:
            reason = "a host on a bus hears all of it; set rate_mbit of the bus"
            _refuse(origin, f"hosts[{index}].to_host_mbit", entry.to_host_mbit, reason)
    for index, trunk in enumerate(topology.trunk):
        for at, name in enumerate(trunk.between):
            if name not in nodes:
                path = f"trunk[{index}].between[{at}]"
                _refuse(origin, path, name, f"no such switch, group or bus among {sorted(nodes)}")


def _check_tree(topology: Topology, origin: str, nodes: dict[str, str]) -> None:
    parent = {name: name for name in nodes}

    def root(name: str) -> str:
        while parent[name] != name:
            name = parent[name]
        return name

    for switch in topology.switch:
        for group in switch.group:
            parent[root(group.name)] = root(switch.name)
    for index, trunk in enumerate(topology.trunk):
        one, other = (root(name) for name in trunk.between)
        if one == other:
            path = f"trunk[{index}].between"
            _refuse(
                origin, path, list(trunk.between), "closes a loop; Ethernet switches need a tree, remove it"
            )
        parent[one] = other
    first = root(topology.hosts[0].on)
    for index, entry in enumerate(topology.hosts):
        if root(entry.on) != first:
            other_name = topology.hosts[0].names[0]
            reason = f"{entry.names[0]} cannot reach {other_name}; join the two with a [[trunk]]"
            _refuse(origin, f"hosts[{index}].on", entry.on, reason)


def _check_delays_and_events(topology: Topology, origin: str) -> None:
    for index, trunk in enumerate(topology.trunk):
        if trunk.jitter_ms > trunk.delay_ms:
            reason = f"must not exceed delay_ms = {trunk.delay_ms:g}"
            _refuse(origin, f"trunk[{index}].jitter_ms", trunk.jitter_ms, reason)
    hosts = set(topology.host_names())
    for index, event in enumerate(topology.event):
        if event.host not in hosts:
            _refuse(origin, f"event[{index}].host", event.host, "no such host")
        if event.action == "kill" and event.for_s is not None:
            _refuse(origin, f"event[{index}].for_s", event.for_s, "only a freeze ends; remove the key")
