# SPDX-License-Identifier: BSD-3-Clause
"""One emulated host, set up from inside: its name, its interfaces, its own /dev/shm, /sys and /etc/hosts.

Runs in a short-lived child of the keeper that has just left for new namespaces; the keeper holds them open.
"""

from __future__ import annotations

import contextlib
import os
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyroute2.netlink.rtnl import rt_scope

from quadrille.lab import namespaces as ns
from quadrille.lab.interfaces import limit, no_ipv6, offloads_off, udp_segmentation_off
from quadrille.lab.wiring import HostCable

FAST_INTERFACE = "eth0"
ADMIN_INTERFACE = "adm0"
HOST_NAMESPACES = ns.NEWNET | ns.NEWUTS | ns.NEWNS | ns.NEWIPC
CONGESTION_CONTROL = "cubic"
"""What clusters run. The kernel default may be another one (bbr here), which answers loss differently."""


@dataclass(frozen=True)
class HostAddresses:
    """A host's addresses with prefix length, such as 198.18.0.1/16; `admin` is None without that network.

    `neighbours`: other hosts' (address, hardware address) that it knows for good; all others it finds by ARP.
    """

    fast: str
    admin: str | None
    neighbours: tuple[tuple[str, str], ...] = ()


def leave() -> None:
    """Move into new network, host name, mount and IPC namespaces."""
    ns.unshare(HOST_NAMESPACES)
    no_ipv6()


def settle(ipr: Any, cable: HostCable, addresses: HostAddresses, hosts_file: Path) -> dict[str, Any]:
    """Set up everything inside the host. REQUIRES: its interfaces are there, `ipr` was opened here.

    Returns the network namespace's cookie and the TCP congestion control in force.
    """
    socket.sethostname(cable.host)
    own_mounts(hosts_file)
    links = {link.get_attr("IFLA_IFNAME"): link["index"] for link in ipr.get_links()}
    ipr.link("set", index=links["lo"], state="up")
    named = [(FAST_INTERFACE, addresses.fast), (ADMIN_INTERFACE, addresses.admin)]
    present = [(name, address) for name, address in named if address is not None]
    offloads_off([name for name, _ in present if name != FAST_INTERFACE or not cable.offloads])
    if not cable.udp_segmentation:
        udp_segmentation_off([FAST_INTERFACE])
    limit(ipr, links[FAST_INTERFACE], cable.from_host)
    # Who never asks for others tells the switches where he is.
    Path(f"/proc/sys/net/ipv4/conf/{FAST_INTERFACE}/arp_notify").write_text("1", encoding="ascii")
    for name, address in present:
        host, prefix = address.split("/")
        ipr.link("set", index=links[name], state="up")
        ipr.addr("add", index=links[name], address=host, prefixlen=int(prefix))
    for address, mac in addresses.neighbours:
        ipr.neigh("replace", ifindex=links[FAST_INTERFACE], dst=address, lladdr=mac, state="permanent")
    # There is no default route; without this one nobody could join a multicast group.
    ipr.route("add", dst="224.0.0.0/4", oif=links[FAST_INTERFACE], scope=rt_scope["link"])
    return {"cookie": ns.network_cookie(), "congestion_control": choose_congestion_control()}


def own_mounts(hosts_file: Path) -> None:
    """Give the host its own shared memory, its own view of its interfaces, and the lab's host table."""
    ns.mount("none", "/", "none", ns.MS_REC | ns.MS_PRIVATE)
    ns.mount("shm", "/dev/shm", "tmpfs", ns.MS_NOSUID | ns.MS_NODEV, "mode=1777")
    ns.mount(str(hosts_file), "/etc/hosts", "none", ns.MS_BIND)
    groups = os.open("/sys/fs/cgroup", os.O_PATH | os.O_CLOEXEC)
    with contextlib.suppress(
        PermissionError
    ):  # inside some containers: the host then sees the machine's /sys
        ns.mount("sysfs", "/sys", "sysfs", ns.MS_NOSUID | ns.MS_NODEV)
        ns.mount(f"/proc/self/fd/{groups}", "/sys/fs/cgroup", "none", ns.MS_BIND | ns.MS_REC)
    os.close(groups)


def choose_congestion_control() -> str:
    """Ask for cubic and return what the namespace really uses."""
    setting = Path("/proc/sys/net/ipv4/tcp_congestion_control")
    with contextlib.suppress(
        OSError
    ):  # not allowed or not in this kernel: the caller reports what is in force
        setting.write_text(CONGESTION_CONTROL, encoding="ascii")
    return setting.read_text(encoding="ascii").strip()


def allow_congestion_control() -> None:
    """Let namespaces choose cubic; a machine-wide permission that only real root can give."""
    allowed = Path("/proc/sys/net/ipv4/tcp_allowed_congestion_control")
    available = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")
    names = allowed.read_text(encoding="ascii").split()
    if CONGESTION_CONTROL in names or CONGESTION_CONTROL not in available.read_text(encoding="ascii").split():
        return
    with contextlib.suppress(OSError):  # not root of the machine: what is in force is reported instead
        allowed.write_text(" ".join([*names, CONGESTION_CONTROL]), encoding="ascii")
