# SPDX-License-Identifier: BSD-3-Clause
"""The process that is a lab: it builds it, holds its namespaces open, and ends it by ending.

`python -m quadrille.lab.keeper DIRECTORY LOCK_FD ANSWER_FD [--user-namespace]`. It answers on ANSWER_FD with
one line of JSON ({"ready": true} or {"error": text}). Whatever kills it, also half-way, the kernel then
removes every interface and namespace that no process of the lab is still inside of.
"""

from __future__ import annotations

import ipaddress
import json
import os
import signal
import sys
from pathlib import Path

from pyroute2 import NetlinkError

from quadrille.errors import QuadrilleError
from quadrille.lab import namespaces as ns
from quadrille.lab.build import NAMESPACE_KINDS, BuiltHost, build, host_addresses, host_table, start_services
from quadrille.lab.entrance import write_entrance
from quadrille.lab.host import CONGESTION_CONTROL, allow_congestion_control
from quadrille.lab.interfaces import BRIDGE_SETTINGS
from quadrille.lab.state import HostState, LabState, boot_id, write_state
from quadrille.lab.topology import Topology
from quadrille.lab.wiring import Wiring, wire


def keep(directory: Path, answer: int, user_namespace: bool) -> None:
    """Build the lab described in DIRECTORY/topology.json, say so on `answer`, and hold it until killed."""
    try:
        _build_and_write(directory, user_namespace)
    except (QuadrilleError, NetlinkError, OSError) as error:
        os.write(answer, json.dumps({"error": str(error)}).encode() + b"\n")
        return
    os.write(answer, b'{"ready": true}\n')
    os.close(answer)
    while True:
        signal.pause()


def _build_and_write(directory: Path, user_namespace: bool) -> None:
    topology = Topology.model_validate_json((directory / "topology.json").read_text(encoding="utf-8"))
    if user_namespace:
        ns.become_root_of_new_user_namespace()
    else:
        allow_congestion_control()
    ns.unshare(ns.NEWNET)
    wiring = wire(topology)
    addresses = host_addresses(wiring, ipaddress.IPv4Network(topology.network), topology.admin_network)
    hosts_file = directory / "hosts"
    hosts_file.write_text(host_table(addresses), encoding="ascii")
    hosts = build(wiring, addresses, hosts_file)
    delay_by = start_services(wiring, hosts)
    own = f"/proc/{os.getpid()}/ns"
    state = LabState(
        lab_id=directory.name,
        boot_id=boot_id(),
        keeper_pid=os.getpid(),
        user_namespace=f"{own}/user" if user_namespace else None,
        switch_namespace=f"{own}/net",
        switch_inode=Path("/proc/self/ns/net").stat().st_ino,
        switch_cookie=ns.network_cookie(),
        delay_by=delay_by,
        notes=_notes(hosts, user_namespace) + notes_on_queues(wiring),
        hosts={name: _host_state(name, host) for name, host in hosts.items()},
        topology=topology.model_dump(mode="json"),
    )
    write_entrance(directory, state)
    write_state(directory, state)


def _host_state(name: str, host: BuiltHost) -> HostState:
    admin = host.addresses.admin
    return HostState(
        name=name,
        address=host.addresses.fast.split("/")[0],
        admin_address=admin.split("/")[0] if admin else None,
        namespaces={kind: f"/proc/{os.getpid()}/fd/{host.handles[kind]}" for kind in NAMESPACE_KINDS},
        network_inode=os.fstat(host.handles["net"]).st_ino,
        network_cookie=host.facts["cookie"],
        congestion_control=host.facts["congestion_control"],
    )


def _notes(hosts: dict[str, BuiltHost], user_namespace: bool) -> list[str]:
    notes = []
    used = {host.facts["congestion_control"] for host in hosts.values()}
    if used != {CONGESTION_CONTROL}:
        notes.append(
            f"TCP runs {', '.join(sorted(used))} instead of {CONGESTION_CONTROL}; root can allow it with "
            f"`sysctl -w net.ipv4.tcp_allowed_congestion_control='reno {CONGESTION_CONTROL}'`"
        )
    if user_namespace:
        notes.append("built in a user namespace: no XDP programs, no real-time priorities; root has both")
    return notes


def notes_on_queues(wiring: Wiring) -> list[str]:
    """Say where a sender notices what waits in switches (docs/decisions/54_frames_leave_their_socket.md)."""
    if BRIDGE_SETTINGS.exists() or not wiring.queueing_bridges():
        return []
    note = (
        "this kernel has no br_netfilter: what waits in a switch is charged to the sender's socket, which "
        "blocks where a real host's does not; root can load it with `modprobe br_netfilter`, which has the "
        "firewall see what other bridges of this machine carry, too"
    )
    return [note]


def main() -> None:
    """Parse the arguments that `lab up` passes and keep the lab."""
    if os.fork():
        os._exit(0)  # so that whoever called `lab up` need not wait for a child that lives on
    directory, lock, answer = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    os.write(lock, f"{os.getpid()}\n".encode())
    keep(directory, answer, "--user-namespace" in sys.argv[4:])


if __name__ == "__main__":
    main()
