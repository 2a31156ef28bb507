# SPDX-License-Identifier: BSD-3-Clause
"""The lab's own truth: what a perfect measurement of it would find, as plain data.

Segments are switches, sub-switch groups and buses that have hosts of their own; what later parts measure is
compared with this.
"""

from __future__ import annotations

from typing import Any

from quadrille.lab.state import LabState
from quadrille.lab.topology import Topology
from quadrille.lab.wiring import HostCable, Queue, Wiring, wire


def truth_of(state: LabState) -> dict[str, Any]:
    """Return the network of a lab that is up, its addresses included."""
    truth = network_truth(state.parsed_topology())
    for host in truth["hosts"]:
        host["address"] = state.hosts[host["name"]].address
        host["admin_address"] = state.hosts[host["name"]].admin_address
    return {"lab": state.lab_id, "delay_by": state.delay_by, **truth}


def network_truth(topology: Topology) -> dict[str, Any]:
    """Return segments, trunks and hosts of a topology, rates in bit/s, buffers in bytes, times in ns."""
    wiring = wire(topology)
    return {
        "segments": [found for name in wiring.bridges if (found := _segment(wiring, name))["hosts"]],
        "bridges": [_segment(wiring, name) for name in wiring.bridges],
        "trunks": [
            {
                "name": trunk.name,
                "between": [trunk.one, trunk.other],
                "rate_bit_s": trunk.ambient_rate_bit_s,
                "buffer_bytes": [_bytes(trunk.from_one), _bytes(trunk.from_other)],
                "delay_ns": round(trunk.delay_s * 1e9),
                "jitter_ns": round(trunk.jitter_s * 1e9),
                "loss": trunk.loss,
                "ambient_share": trunk.ambient_share,
            }
            for trunk in wiring.trunks
        ],
        "hosts": [_host(topology, cable) for cable in wiring.hosts],
    }


def _segment(wiring: Wiring, name: str) -> dict[str, Any]:
    bus = next((bus for bus in wiring.buses if bus.name == name), None)
    return {
        "name": name,
        "kind": "bus" if bus else "switch",
        "hosts": [cable.host for cable in wiring.hosts if cable.bridge == name],
        "multicast": name not in wiring.without_multicast,
        "bus_rate_bit_s": bus.queue.rate_bit_s if bus else None,
        "loss": bus.loss if bus else 0.0,
        "ambient_share": bus.ambient_share if bus else 0.0,
    }


def _host(topology: Topology, cable: HostCable) -> dict[str, Any]:
    return {
        "name": cable.host,
        "segment": cable.bridge,
        "ranks": topology.host(cable.host).ranks,
        "to_host_bit_s": (cable.to_host or cable.from_host).rate_bit_s,
        "from_host_bit_s": cable.from_host.rate_bit_s,
        "buffer_bytes": _bytes(cable.to_host),
        "loss_to_host": cable.loss_to_host,
        "loss_from_host": cable.loss_from_host,
        "ambient_to_host_share": cable.ambient_to_host_share,
        "ambient_from_host_share": cable.ambient_from_host_share,
    }


def _bytes(queue: Queue | None) -> int | None:
    return queue.limit_bytes if queue else None
