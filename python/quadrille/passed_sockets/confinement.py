# SPDX-License-Identifier: BSD-3-Clause
"""The namespaces that confine passed sockets: one for the holders of each rule, and a gate in front of them.

        host                gate                        holders of rule i
    interface ---- macvlan up0  --- filters --- down_i ---- eth0, the network's address and ports
    link to it --------- side0  ---/

A holder's namespace has nothing but its end of a cable. What it sends is looked at where the cable ends in
the gate, where its sockets cannot reach. All rules of a network share one hardware and one IP address and
differ by their ports; the gate gives each what is for its ports. The link to the host's own side is there
because a macvlan and its interface do not see each other.

The cable's end does no offloads: what a socket leaves to later (check sums, cutting) would change frames that
were looked at already.
"""

from __future__ import annotations

import hashlib
import ipaddress
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyroute2 import IPRoute, NetlinkError
from pyroute2.netlink.rtnl import rt_scope

from quadrille.errors import QuadrilleError
from quadrille.lab.interfaces import checksums_off, offloads_off
from quadrille.passed_sockets.address_claim import announce, holder_of
from quadrille.passed_sockets.frame_filters import Holder
from quadrille.passed_sockets.gate import Crossing, open_gate
from quadrille.passed_sockets.namespace_thread import NamespaceThread
from quadrille.passed_sockets.rules import Network

HOLDER_INTERFACE = "eth0"
_UP, _SIDE, _DOWN = "up0", "side0", "down"
_ARPHRD_ETHER = 1
_NO_IPV6_ADDRESSES = {"attrs": [["AF_INET6", {"attrs": [["IFLA_INET6_ADDR_GEN_MODE", 1]]}]]}
_PREDECESSOR_S = 3
"""How long the kernel may take to remove what a killed predecessor had."""


@dataclass
class Confinement:
    """What stands: `holders` and `rooms`, the namespaces of them, in the order of the network's rules."""

    network: Network
    gate: NamespaceThread
    holders: list[Holder]
    rooms: list[NamespaceThread]

    def is_whole(self) -> bool:
        """Return whether its interface still exists: it goes with the host's."""
        return self.gate.run(_has, _UP)

    def close(self) -> None:
        """Take all of it away. Sockets that were passed reach nobody any more."""
        self.gate.run(_remove_all)
        for thread in [*self.rooms, self.gate]:
            thread.close()


@dataclass(frozen=True)
class _Host:
    """The host's side: its interface, and the first of its addresses in the network, if any."""

    index: int
    mtu: int
    address: ipaddress.IPv4Address | None


def confine(network: Network) -> Confinement:
    """Build all for `network`. Raises QuadrilleError, OSError, NetlinkError.

    REQUIRES: the calling thread is in the host's network namespace. Takes two seconds.
    """
    hardware = hardware_address(network)
    host_hardware = hardware_address(network, "host")
    side = side_interface(network)
    gate = NamespaceThread()
    with IPRoute() as ipr:
        host = _look_at_host(ipr, network)
        _when_predecessor_is_gone(lambda: _add_macvlan(ipr, host, gate, hardware))
        _when_predecessor_is_gone(lambda: _add_side(ipr, side, host, gate, host_hardware))
    gate.run(_set_up, _UP)
    if (taken := gate.run(holder_of, _UP, hardware, network.address.ip)) is not None:
        raise QuadrilleError(
            f"address {network.address.ip} on {network.interface} is taken by {taken}; choose another"
        )
    rooms = [NamespaceThread() for _ in network.rule]
    holders = [Holder(hardware, network.address.ip, rule.ports) for rule in network.rule]
    for place, room in enumerate(rooms):
        gate.run(_add_cable, place, room.handle, hardware, host.mtu)
        room.run(_settle, network, host.address, host_hardware)
    downs = [f"{_DOWN}{place}" for place in range(len(rooms))]
    gate.run(open_gate, Crossing(_UP, _SIDE, host_hardware, tuple(zip(downs, holders, strict=True))))
    gate.run(_set_up, _SIDE, *downs)
    with IPRoute() as ipr:
        _lead_to_holders(ipr, side, network, host, hardware)
    gate.run(announce, _UP, hardware, network.address.ip)
    return Confinement(network, gate, holders, rooms)


def hardware_address(network: Network, end: str = "") -> bytes:
    """Return a locally administered address, the same one after every start on this machine."""
    try:
        machine = Path("/etc/machine-id").read_text(encoding="ascii")
    except OSError:
        machine = ""
    names = f"{machine} {network.interface} {network.address.ip} {end}"
    return b"\x02" + hashlib.sha256(names.encode()).digest()[:5]


def side_interface(network: Network) -> str:
    """Return the name of the host's end of its link to the gate."""
    return f"quad-{network.address.ip.packed.hex()}"


def _look_at_host(ipr: IPRoute, network: Network) -> _Host:
    name = network.interface
    found = ipr.link_lookup(ifname=name)
    if not found:
        raise QuadrilleError(f"interface {name} does not exist; `ip link` shows which do")
    link = ipr.get_links(found[0])[0]
    if link["ifi_type"] != _ARPHRD_ETHER:
        raise QuadrilleError(f"interface {name} carries no Ethernet frames")
    own = None
    for entry in ipr.get_addr(family=2):
        address = ipaddress.IPv4Address(entry.get_attr("IFA_LOCAL") or entry.get_attr("IFA_ADDRESS"))
        if address == network.address.ip:
            raise QuadrilleError(f"address {address} is this host's own; the rules need one that is free")
        if own is None and entry["index"] == found[0] and address in network.address.network:
            own = address
    return _Host(found[0], link.get_attr("IFLA_MTU"), own)


def _when_predecessor_is_gone(add: Callable[[], None]) -> None:
    end = time.monotonic() + _PREDECESSOR_S
    while True:
        try:
            return add()
        except NetlinkError as error:
            if error.code not in (17, 98) or time.monotonic() > end:  # EEXIST, EADDRINUSE
                raise
            time.sleep(0.1)


def _add_macvlan(ipr: IPRoute, host: _Host, gate: NamespaceThread, hardware: bytes) -> None:
    ipr.link(
        "add",
        ifname=_UP,
        kind="macvlan",
        macvlan_mode="bridge",
        link=host.index,
        address=hardware.hex(":"),
        net_ns_fd=gate.handle,
    )


def _add_side(ipr: IPRoute, name: str, host: _Host, gate: NamespaceThread, hardware: bytes) -> None:
    peer = {"ifname": _SIDE, "net_ns_fd": gate.handle, "mtu": host.mtu}
    ipr.link("add", ifname=name, kind="veth", mtu=host.mtu, address=hardware.hex(":"), peer=peer)


def _add_cable(place: int, room: int, hardware: bytes, mtu: int) -> None:
    peer = {"ifname": HOLDER_INTERFACE, "net_ns_fd": room, "mtu": mtu, "address": hardware.hex(":")}
    with IPRoute() as ipr:
        ipr.link("add", ifname=f"{_DOWN}{place}", kind="veth", mtu=mtu, peer=peer)


def _set_up(*names: str) -> None:
    with IPRoute() as ipr:
        for name in names:
            index = ipr.link_lookup(ifname=name)[0]
            ipr.link("set", index=index, IFLA_AF_SPEC=_NO_IPV6_ADDRESSES)
            ipr.link("set", index=index, state="up")


def _settle(network: Network, host: ipaddress.IPv4Address | None, host_hardware: bytes) -> None:
    """Set up a holder's namespace, from inside."""
    offloads_off([HOLDER_INTERFACE])
    checksums_off([HOLDER_INTERFACE])
    _set_up("lo", HOLDER_INTERFACE)
    with IPRoute() as ipr:
        index = ipr.link_lookup(ifname=HOLDER_INTERFACE)[0]
        ipr.addr(
            "add", index=index, address=str(network.address.ip), prefixlen=network.address.network.prefixlen
        )
        ipr.route("add", dst="224.0.0.0/4", oif=index, scope=rt_scope["link"])
        if network.gateway is not None:
            ipr.route("add", dst="default", gateway=str(network.gateway))
        if host is not None:
            ipr.neigh(
                "replace", ifindex=index, dst=str(host), lladdr=host_hardware.hex(":"), state="permanent"
            )


def _lead_to_holders(ipr: Any, side: str, network: Network, host: _Host, hardware: bytes) -> None:
    """Have the host reach the holders by the link that is there for it."""
    _set_up(side)
    if host.address is None:
        return
    index = ipr.link_lookup(ifname=side)[0]
    address = str(network.address.ip)
    ipr.neigh("replace", ifindex=index, dst=address, lladdr=hardware.hex(":"), state="permanent")
    ipr.route("add", dst=f"{address}/32", oif=index, scope=rt_scope["link"], prefsrc=str(host.address))


def _has(name: str) -> bool:
    with IPRoute() as ipr:
        return bool(ipr.link_lookup(ifname=name))


def _remove_all() -> None:
    with IPRoute() as ipr:
        for link in ipr.get_links():
            if link.get_attr("IFLA_IFNAME") != "lo":
                ipr.link("del", index=link["index"])
