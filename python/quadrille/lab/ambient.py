# SPDX-License-Identifier: BSD-3-Clause
"""Ambient traffic: a bounded stream of UDP datagrams over one link, from when the lab comes up until it goes.

A datagram enters at an endpoint beside the link's near bridge (or from the host itself) and is addressed to
the hardware at the far end, so that it crosses this one link and no other. Its IP address belongs to
nobody: whoever gets it drops it without an answer. Gaps are exponential, seeded; the mean is share times
rate.
"""

from __future__ import annotations

import ipaddress
import os
import socket
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from quadrille.lab import namespaces as ns
from quadrille.lab.host import FAST_INTERFACE
from quadrille.lab.interfaces import redirect_ingress
from quadrille.lab.services import become_traffic_program
from quadrille.lab.wiring import HostCable, TrunkCable, Wiring

FRAME_BYTES = 1000
"""Of an ambient frame, Ethernet header included: between the small and the full frames of real traffic."""

_DISCARD_PORT = 9
_SOURCE, _NOBODY = ipaddress.IPv4Address("198.19.255.253"), ipaddress.IPv4Address("198.19.255.254")
_NTF_MASTER, _NUD_NOARP = 0x04, 0x40


@dataclass(frozen=True)
class Flow:
    """A stream sent from `interface` (of `host`, or of the switches when None) to hardware address `mac`."""

    interface: str
    host: str | None
    mac: str
    rate_bit_s: float


@dataclass(frozen=True)
class _Leg:
    """One direction of one link: from `source` (a bridge or a host) to `target` (a bridge or a host)."""

    source: str
    source_host: str | None
    target: str
    port: str | None
    rate_bit_s: float


def endpoint(bridge: str) -> tuple[str, str]:
    """Return both ends of the cable by which ambient traffic enters `bridge`: its port, the sender's."""
    return f"amb.{bridge}", f"amf.{bridge}"


def plan_flows(wiring: Wiring) -> list[_Leg]:
    """Return every direction of every link that has a share."""
    legs = [leg for trunk in wiring.trunks for leg in _trunk_legs(trunk)]
    legs += [leg for cable in wiring.hosts for leg in _host_legs(cable)]
    legs += [
        _Leg(bus.name, None, bus.name, None, bus.ambient_share * bus.queue.rate_bit_s) for bus in wiring.buses
    ]
    return [leg for leg in legs if leg.rate_bit_s > 0]


def _trunk_legs(trunk: TrunkCable) -> list[_Leg]:
    rate = trunk.ambient_share * trunk.ambient_rate_bit_s
    return [
        _Leg(trunk.one, None, trunk.other, f"{trunk.name}.a", rate),
        _Leg(trunk.other, None, trunk.one, f"{trunk.name}.b", rate),
    ]


def _host_legs(cable: HostCable) -> list[_Leg]:
    inward = cable.ambient_to_host_share * (cable.to_host or cable.from_host).rate_bit_s
    outward = cable.ambient_from_host_share * cable.from_host.rate_bit_s
    return [
        _Leg(cable.bridge, None, cable.host, cable.host, inward),
        _Leg(cable.host, cable.host, cable.bridge, None, outward),
    ]


def prepare(ipr: Any, wiring: Wiring, legs: Sequence[_Leg]) -> list[Flow]:
    """Make the endpoints and the bridges' entries for `legs`; return what to send."""
    macs = {cable.host: cable.mac for cable in wiring.hosts}
    buses = {bus.name for bus in wiring.buses}
    for bridge in sorted({leg.source for leg in legs if leg.source_host is None}):
        port, sender = endpoint(bridge)
        ipr.link("add", ifname=port, kind="veth", peer={"ifname": sender})
        ipr.link("set", index=socket.if_nametoindex(sender), state="up")
        index = socket.if_nametoindex(port)
        ipr.link("set", index=index, master=socket.if_nametoindex(bridge), state="up")
        if bridge in buses:
            redirect_ingress(ipr, index, socket.if_nametoindex(f"bus.{bridge}"))
    flows = []
    for leg in legs:
        mac = macs.get(leg.target) or _mac_of(ipr, leg.target)
        if leg.port is not None:
            index = socket.if_nametoindex(leg.port)
            ipr.fdb("add", ifindex=index, lladdr=mac, flags=_NTF_MASTER, state=_NUD_NOARP)
        interface = FAST_INTERFACE if leg.source_host else endpoint(leg.source)[1]
        flows.append(Flow(interface, leg.source_host, mac, leg.rate_bit_s))
    return flows


def _mac_of(ipr: Any, name: str) -> str:
    return str(ipr.get_links(socket.if_nametoindex(name))[0].get_attr("IFLA_ADDRESS"))


def header(target_mac: str) -> bytes:
    """Return how a frame begins: Ethernet, IPv4 and UDP to the discard port of an address nobody has."""
    length = FRAME_BYTES - 14
    head = struct.pack(
        "!BBHHHBBH4s4s", 0x45, 0, length, 0, 0x4000, 1, socket.IPPROTO_UDP, 0, _SOURCE.packed, _NOBODY.packed
    )
    words = sum(struct.unpack("!10H", head))
    folded = (words & 0xFFFF) + (words >> 16)
    head = head[:10] + struct.pack("!H", ~folded & 0xFFFF) + head[12:]
    udp = struct.pack("!HHHH", _DISCARD_PORT, _DISCARD_PORT, length - 20, 0)
    ether = bytes.fromhex(target_mac.replace(":", "")) + b"\x02\x51\xff\x00\x00\x01" + b"\x08\x00"
    return ether + head + udp


def sender(flows: Sequence[Flow], host_namespaces: Mapping[str, str], seed: int) -> Callable[[], None]:
    """Return the body of a process that sends all `flows` for ever."""

    def run() -> None:
        outlets, options = [], []
        for flow in flows:
            if flow.host is not None:
                ns.enter([host_namespaces[flow.host]])
            outlet = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
            outlet.bind((flow.interface, 0))
            outlet.setblocking(False)
            ns.enter([switches])
            outlets.append(outlet)
            mean_gap_ns = FRAME_BYTES * 8e9 / flow.rate_bit_s
            options.append(f"{outlet.fileno()}:{mean_gap_ns:.0f}:{header(flow.mac).hex()}")
        common = ["--frame-bytes", str(FRAME_BYTES), "--seed", str(seed)]
        become_traffic_program("ambient", outlets, [*common, "--flow", *options])

    switches = f"/proc/{os.getpid()}/ns/net"
    return run
