# SPDX-License-Identifier: BSD-3-Clause
"""Builds a wired lab: bridges and cables in this process's network namespace, each host in its own.

Runs in the keeper, whose own network namespace is the lab's network: nothing of the lab has a name outside,
and when the last process that holds it ends, the kernel removes it all.
"""

from __future__ import annotations

import ipaddress
import json
import os
import signal
import socket
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pyroute2 import IPRoute

from quadrille.errors import QuadrilleError
from quadrille.lab import ambient, delay, host, interfaces
from quadrille.lab.namespaces import parent_death_signal
from quadrille.lab.services import start_service
from quadrille.lab.wiring import HostCable, TrunkCable, Wiring

ADMIN_BRIDGE = "adm.sw"
ADMIN_NETWORK = ipaddress.IPv4Network("198.19.0.0/16")
MOST_NEIGHBOURS = 512
"""All namespaces of a kernel share one neighbour table: above 512 entries (gc_thresh2) it throws out what was
not used for five seconds, above 1024 nobody reaches anybody new. Permanent entries do not count."""
NAMESPACE_KINDS = ("net", "uts", "mnt", "ipc")


@dataclass
class BuiltHost:
    """A host that stands: `handles` are open descriptors of its namespaces, by kind."""

    addresses: host.HostAddresses
    handles: dict[str, int]
    facts: dict[str, Any] = field(default_factory=dict)


def host_addresses(
    wiring: Wiring, network: ipaddress.IPv4Network, admin: bool
) -> dict[str, host.HostAddresses]:
    """Return every host's addresses: its number within each network."""
    known: tuple[tuple[str, str], ...] = ()
    if len(wiring.hosts) * (len(wiring.hosts) - 1) > MOST_NEIGHBOURS:
        known = tuple((str(network[cable.number]), cable.mac) for cable in wiring.hosts)
    return {
        cable.host: host.HostAddresses(
            fast=f"{network[cable.number]}/{network.prefixlen}",
            admin=f"{ADMIN_NETWORK[cable.number]}/{ADMIN_NETWORK.prefixlen}" if admin else None,
            neighbours=tuple(pair for pair in known if pair[1] != cable.mac),
        )
        for cable in wiring.hosts
    }


def host_table(addresses: dict[str, host.HostAddresses]) -> str:
    """Return the /etc/hosts that every host of the lab sees."""
    lines = ["127.0.0.1 localhost"]
    for name, own in addresses.items():
        lines.append(f"{own.fast.split('/')[0]} {name}")
        if own.admin is not None:
            lines.append(f"{own.admin.split('/')[0]} {name}-admin")
    return "\n".join(lines) + "\n"


def build(wiring: Wiring, addresses: dict[str, host.HostAddresses], hosts_file: Path) -> dict[str, BuiltHost]:
    """Build bridges, cables and hosts; return the hosts. Raises QuadrilleError, OSError.

    Delayed trunks still lack what joins their far ends: `start_services`.
    """
    interfaces.no_ipv6()
    interfaces.netfilter_by_bridge()
    children = {cable.host: _HostChild(cable, addresses[cable.host], hosts_file) for cable in wiring.hosts}
    try:
        with IPRoute() as ipr:
            fabric = _Fabric(ipr, wiring)
            admin = any(own.admin for own in addresses.values())
            fabric.add_bridges(admin)
            for trunk in wiring.trunks:
                fabric.add_trunk(trunk)
            for cable in wiring.hosts:
                child = children[cable.host]
                child.wait_until_away()
                fabric.add_host(cable, child.handles["net"], admin)
                child.proceed()
            fabric.finish()
        interfaces.lose(_losses(wiring))
        return {name: child.result() for name, child in children.items()}
    finally:
        for child in children.values():
            child.end()


def start_services(wiring: Wiring, hosts: dict[str, BuiltHost]) -> str | None:
    """Join delayed trunks and start ambient traffic; return what delays frames, `netem` or `forwarder`."""
    delay_by = None
    with IPRoute() as ipr:
        for seed, trunk in enumerate(wiring.trunks):
            if trunk.delay_s > 0:
                delay_by = _join_delayed(ipr, trunk, seed)
        flows = ambient.prepare(ipr, wiring, ambient.plan_flows(wiring))
    if flows:
        paths = {name: f"/proc/{os.getpid()}/fd/{built.handles['net']}" for name, built in hosts.items()}
        start_service(ambient.sender(flows, paths, seed=1))
    return delay_by


def _join_delayed(ipr: Any, trunk: TrunkCable, seed: int) -> str:
    one, other = (far_end(end) for end in trunk_ends(trunk))
    indices = (socket.if_nametoindex(one), socket.if_nametoindex(other))
    if trunk.jitter_s == 0 and delay.netem_delay(ipr, f"{trunk.name}.mid", indices, trunk.delay_s):
        return "netem"
    start_service(delay.forwarder(one, other, trunk.delay_s, trunk.jitter_s, seed))
    return "forwarder"


class _Fabric:
    """The switches: their bridges, ports, buses and trunks."""

    def __init__(self, ipr: Any, wiring: Wiring) -> None:
        self._ipr = ipr
        self._wiring = wiring
        self._bridges: dict[str, int] = {}
        self._bus_devices: dict[str, int] = {}
        self._ends: list[str] = []

    def add_bridges(self, admin: bool) -> None:
        queueing = self._wiring.queueing_bridges()
        for name in (*self._wiring.bridges, *([ADMIN_BRIDGE] if admin else [])):
            self._ipr.link(
                "add",
                ifname=name,
                kind="bridge",
                br_stp_state=0,
                br_forward_delay=0,
                br_mcast_snooping=0,
                br_nf_call_iptables=int(name in queueing),
                state="up",
            )
            self._bridges[name] = self._index(name)
        for bus in self._wiring.buses:
            device = f"bus.{bus.name}"
            self._ipr.link("add", ifname=device, kind="ifb", state="up")
            self._bus_devices[bus.name] = self._index(device)
            interfaces.limit(self._ipr, self._bus_devices[bus.name], bus.queue)

    def add_host(self, cable: HostCable, namespace: int, admin: bool) -> None:
        peer = {"ifname": host.FAST_INTERFACE, "net_ns_fd": namespace, "address": cable.mac}
        self._add_cable(cable.host, peer, cable.mtu)
        self._plug(cable.host, cable.bridge, cable.to_host, offloads=cable.offloads)
        if admin:
            port = f"adm.{cable.host}"
            peer = {"ifname": host.ADMIN_INTERFACE, "net_ns_fd": namespace}
            self._ipr.link("add", ifname=port, kind="veth", peer=peer)
            self._plug(port, ADMIN_BRIDGE, None)

    def add_trunk(self, trunk: TrunkCable) -> None:
        one, other = trunk_ends(trunk)
        if trunk.delay_s == 0:
            self._add_cable(one, {"ifname": other}, trunk.mtu)
        else:
            for end in (one, other):
                outer = far_end(end)
                self._add_cable(end, {"ifname": outer}, trunk.mtu)
                self._ipr.link("set", index=self._index(outer), state="up")
                self._ends.append(outer)
        self._plug(one, trunk.one, trunk.from_one, trunk.multicast)
        self._plug(other, trunk.other, trunk.from_other, trunk.multicast)

    def _add_cable(self, end: str, peer: dict[str, Any], mtu: int) -> None:
        self._ipr.link("add", ifname=end, kind="veth", mtu=mtu, peer={**peer, "mtu": mtu})

    def _plug(
        self, port: str, bridge: str, queue: Any, multicast: bool = True, offloads: bool = False
    ) -> None:
        index = self._index(port)
        self._ipr.link("set", index=index, master=self._bridges[bridge], state="up")
        interfaces.limit(self._ipr, index, queue)
        if bridge in self._bus_devices:
            interfaces.redirect_ingress(self._ipr, index, self._bus_devices[bridge])
        if not multicast or bridge in self._wiring.without_multicast:
            self._ipr.brport("set", index=index, mcast_flood=0)
        if not offloads:
            self._ends.append(port)

    def finish(self) -> None:
        """Turn offloads off at every cable end but those of hosts that have them."""
        interfaces.offloads_off(self._ends)

    def _index(self, name: str) -> int:
        return socket.if_nametoindex(name)


def trunk_ends(trunk: TrunkCable) -> tuple[str, str]:
    """Return the interface names of a trunk at its `one` and its `other` bridge."""
    return f"{trunk.name}.a", f"{trunk.name}.b"


def far_end(end: str) -> str:
    """Return the interface at the other end of a delayed trunk's cable."""
    return f"{end}.far"


def _losses(wiring: Wiring) -> list[tuple[str, str, float]]:
    # A bus loses a frame where it leaves the bus, so that the lost one took its time too.
    on_bus = {bus.name: bus.loss for bus in wiring.buses}
    rules = [
        (cable.host, "out", _either(cable.loss_to_host, on_bus.get(cable.bridge, 0)))
        for cable in wiring.hosts
    ]
    rules += [(cable.host, "in", cable.loss_from_host) for cable in wiring.hosts]
    for trunk in wiring.trunks:
        for end, bridge in zip(trunk_ends(trunk), (trunk.one, trunk.other), strict=True):
            rules.append((end, "out", _either(trunk.loss, on_bus.get(bridge, 0))))
    return [rule for rule in rules if rule[2] > 0]


def _either(one: float, other: float) -> float:
    """Return the probability that at least one of two independent losses happens."""
    return 1 - (1 - one) * (1 - other)


class _HostChild:
    """The child that becomes a host: it leaves, waits for its interfaces, settles, and ends."""

    def __init__(self, cable: HostCable, addresses: host.HostAddresses, hosts_file: Path) -> None:
        self._name = cable.host
        self._addresses = addresses
        self.handles: dict[str, int] = {}
        self._ours, theirs = socket.socketpair()
        arrange = parent_death_signal(signal.SIGKILL)
        self._pid = os.fork()
        if self._pid == 0:
            arrange()
            self._ours.close()
            self._live(theirs, cable, addresses, hosts_file)
        theirs.close()

    def wait_until_away(self) -> None:
        """Wait until the child has left, then hold its namespaces open."""
        self._expect("away")
        for kind in NAMESPACE_KINDS:
            self.handles[kind] = os.open(f"/proc/{self._pid}/ns/{kind}", os.O_RDONLY | os.O_CLOEXEC)

    def proceed(self) -> None:
        """Tell the child that its interfaces are there."""
        self._ours.send(b"go")

    def result(self) -> BuiltHost:
        """Wait for the child and return the host."""
        return BuiltHost(self._addresses, self.handles, self._expect("facts"))

    def end(self) -> None:
        """End the child, wherever it is."""
        self._ours.close()
        os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)

    def _expect(self, key: str) -> Any:
        answer = json.loads(self._ours.recv(65536) or b'{"error": "its process ended"}')
        if "error" in answer:
            raise QuadrilleError(f"host {self._name} cannot be set up: {answer['error']}")
        return answer[key]

    @staticmethod
    def _live(
        channel: socket.socket, cable: HostCable, addresses: host.HostAddresses, hosts_file: Path
    ) -> None:
        try:
            host.leave()
            channel.send(json.dumps({"away": True}).encode())
            if channel.recv(16):
                with IPRoute() as ipr:
                    facts = host.settle(ipr, cable, addresses, hosts_file)
                channel.send(json.dumps({"facts": facts}).encode())
        except Exception as error:
            channel.send(json.dumps({"error": f"{type(error).__name__}: {error}"}).encode())
        finally:
            os._exit(0)
