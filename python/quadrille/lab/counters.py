# SPDX-License-Identifier: BSD-3-Clause
"""Reads what a lab's ports and hosts counted since it came up."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyroute2 import IPRoute

from quadrille.lab import namespaces as ns
from quadrille.lab.state import LabState

_SNMP_TCP_RETRANSMITTED, _SNMP_UDP_BUFFER_ERRORS = ("Tcp", "RetransSegs"), ("Udp", "RcvbufErrors")


@dataclass(frozen=True)
class PortCounters:
    """One bridge port: bytes and frames out of and into the switch, frames dropped by its egress buffer."""

    out_bytes: int
    out_frames: int
    in_bytes: int
    in_frames: int
    dropped_frames: int
    waiting_bytes: int


@dataclass(frozen=True)
class HostCounters:
    """One host: TCP segments sent again, datagrams that found no room in their socket."""

    tcp_retransmitted: int
    udp_buffer_errors: int


@dataclass(frozen=True)
class LabCounters:
    """All ports by interface name (a host's port has the host's name), all hosts by name."""

    ports: dict[str, PortCounters]
    hosts: dict[str, HostCounters]


def read_counters(state: LabState) -> LabCounters:
    """Return the counters now. Raises QuadrilleError when the lab has gone."""
    ports, hosts = ns.call_inside(
        state.inside(state.switch_namespace),
        _read_all,
        {name: host.namespaces["net"] for name, host in state.hosts.items()},
    )
    return LabCounters(
        ports={name: PortCounters(**values) for name, values in ports.items()},
        hosts={name: HostCounters(**values) for name, values in hosts.items()},
    )


def _read_all(host_namespaces: dict[str, str]) -> tuple[dict[str, Any], dict[str, Any]]:
    with IPRoute() as ipr:
        ports = _ports(ipr)
    hosts = {}
    for name, path in host_namespaces.items():
        ns.enter([path])
        snmp = _snmp()
        hosts[name] = {
            "tcp_retransmitted": snmp.get(_SNMP_TCP_RETRANSMITTED, 0),
            "udp_buffer_errors": snmp.get(_SNMP_UDP_BUFFER_ERRORS, 0),
        }
    return ports, hosts


def _ports(ipr: Any) -> dict[str, Any]:
    queues = {
        message["index"]: message for message in ipr.get_qdiscs() if message.get_attr("TCA_KIND") == "tbf"
    }
    found = {}
    for link in ipr.get_links():
        name, stats = link.get_attr("IFLA_IFNAME"), link.get_attr("IFLA_STATS64")
        if name == "lo" or stats is None:
            continue
        queue = _queue_stats(queues.get(link["index"]))
        found[name] = {
            "out_bytes": stats["tx_bytes"],
            "out_frames": stats["tx_packets"],
            "in_bytes": stats["rx_bytes"],
            "in_frames": stats["rx_packets"],
            "dropped_frames": queue.get("drops", 0),
            "waiting_bytes": queue.get("backlog", 0),
        }
    return found


def _queue_stats(message: Any) -> dict[str, int]:
    if message is None:
        return {}
    values: dict[str, int] = {}
    stats = message.get_attr("TCA_STATS2")
    part = stats.get_attr("TCA_STATS_QUEUE") if stats is not None else None
    for key in ("drops", "backlog"):
        if part is not None and key in part:
            values[key] = part[key]
    return values


def _snmp() -> dict[tuple[str, str], int]:
    lines = Path("/proc/self/net/snmp").read_text(encoding="ascii").splitlines()
    values: dict[tuple[str, str], int] = {}
    for names, numbers in zip(lines[::2], lines[1::2], strict=True):
        layer = names.partition(":")[0]
        for name, number in zip(names.split()[1:], numbers.split()[1:], strict=True):
            values[layer, name] = int(number)
    return values
