# SPDX-License-Identifier: BSD-3-Clause
"""The rates of an emulated cluster as the kernel and the report read them: segments, hosts, trunks."""

from __future__ import annotations

from typing import Any

from quadrille.lab.state import LabState
from quadrille.lab.topology import Bus, Switch, Topology


def network_of(state: LabState) -> dict[str, Any]:
    """Return segments, hosts and trunks of a lab with their rates in Mbit/s of frames, buffers in KiB.

    A sub-switch is a segment of its own, joined to its switch by a trunk of the inner link's rate.
    """
    topology = state.parsed_topology()
    return {
        "lab": state.lab_id,
        "description": topology.description,
        "segments": _segments(topology),
        "hosts": _hosts(topology),
        "trunks": _trunks(topology),
    }


def _segments(topology: Topology) -> list[dict[str, Any]]:
    segments = []
    for switch in topology.switch:
        for name, buffer_kib in [
            (switch.name, switch.buffer_kib),
            *((g.name, g.buffer_kib) for g in switch.group),
        ]:
            segments.append(
                {
                    "name": name,
                    "kind": "switch",
                    "rate_mbit": switch.rate_mbit,
                    "buffer_kib": buffer_kib or switch.buffer_kib,
                    "flow_control": switch.flow_control,
                    "multicast": switch.multicast,
                    "hosts": _hosts_on(topology, name),
                }
            )
    for bus in topology.bus:
        segments.append(
            {
                "name": bus.name,
                "kind": "bus",
                "rate_mbit": bus.rate_mbit,
                "multicast": bus.multicast,
                "hosts": _hosts_on(topology, bus.name),
            }
        )
    return segments


def _hosts_on(topology: Topology, segment: str) -> list[str]:
    return [name for name in topology.host_names() if topology.host(name).on == segment]


def _rate_of(topology: Topology, segment: str) -> float:
    place = _place(topology, segment)
    return place.rate_mbit


def _place(topology: Topology, segment: str) -> Switch | Bus:
    for switch in topology.switch:
        if segment == switch.name or segment in {group.name for group in switch.group}:
            return switch
    return next(bus for bus in topology.bus if bus.name == segment)


def _hosts(topology: Topology) -> list[dict[str, Any]]:
    hosts = []
    for name in topology.host_names():
        entry = topology.host(name)
        rate = _rate_of(topology, entry.on)
        hosts.append(
            {
                "name": name,
                "to_host_mbit": entry.to_host_mbit or rate,
                "from_host_mbit": entry.from_host_mbit or rate,
                "loss_to_host_percent": entry.loss_to_host_percent,
                "loss_from_host_percent": entry.loss_from_host_percent,
            }
        )
    return hosts


def _trunks(topology: Topology) -> list[dict[str, Any]]:
    trunks: list[dict[str, Any]] = []
    for trunk in topology.trunk:
        slower = min(_rate_of(topology, end) for end in trunk.between)
        trunks.append(
            {
                "between": list(trunk.between),
                "rate_mbit": trunk.rate_mbit or slower,
                "delay_ms": trunk.delay_ms,
                "loss_percent": trunk.loss_percent,
            }
        )
    for switch in topology.switch:
        for group in switch.group:
            trunks.append(
                {
                    "between": [switch.name, group.name],
                    "rate_mbit": group.rate_mbit,
                    "delay_ms": 0,
                    "loss_percent": 0,
                }
            )
    return trunks
