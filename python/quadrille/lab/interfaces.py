# SPDX-License-Identifier: BSD-3-Clause
"""What a cable end is made of: offloads off, a `tbf` of the port's rate and buffer, loss by nftables.

Runs inside the namespace that owns the interface; `ipr` is a pyroute2 socket opened there.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import socket
import struct
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pyroute2.ethtool.ethtool import Ethtool

from quadrille.errors import QuadrilleError
from quadrille.lab.wiring import Queue

BRIDGE_SETTINGS = Path("/proc/sys/net/bridge")
"""There where the kernel has br_netfilter."""
_SIOCETHTOOL = 0x8946
_ETHTOOL_STXCSUM, _ETHTOOL_STSO, _ETHTOOL_SGSO, _ETHTOOL_SGRO = 0x17, 0x1F, 0x24, 0x2C
_UDP_SEGMENTS = "tx-udp-segmentation"
_INGRESS_PARENT = 0xFFFF0000
_TBF_HANDLE = 0x10000
_ETH_P_ALL = 0x0003


def offloads_off(names: Sequence[str]) -> None:
    """Turn tso, uso, gso and gro off: a wire carries frames, not the 64 KiB segments of an interface."""
    for command in (_ETHTOOL_STSO, _ETHTOOL_SGSO, _ETHTOOL_SGRO):
        _turn_off(names, command)
    udp_segmentation_off(names)


def udp_segmentation_off(names: Sequence[str]) -> None:
    """Have what UDP sends in one piece cut before it leaves; what TCP does stays as it is."""
    tool = Ethtool()
    try:
        for name in names:
            features = tool.get_features(name)
            if _UDP_SEGMENTS in features.features and features.features[_UDP_SEGMENTS].enable:
                features.features[_UDP_SEGMENTS].enable = False
                tool.set_features(name, features)
    finally:
        tool.close()


def checksums_off(names: Sequence[str]) -> None:
    """Have check sums written before a frame leaves: afterwards nothing of it changes."""
    _turn_off(names, _ETHTOOL_STXCSUM)


def _turn_off(names: Sequence[str], command: int) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        for name in names:
            setting = ctypes.create_string_buffer(struct.pack("=II", command, 0), 8)
            request = struct.pack("=16sQ8x", name.encode(), ctypes.addressof(setting))
            fcntl.ioctl(control, _SIOCETHTOOL, request)


def no_ipv6() -> None:
    """Keep the kernel's own IPv6 chatter off the interfaces that this namespace gets from now on."""
    for scope in ("all", "default"):
        path = Path(f"/proc/sys/net/ipv6/conf/{scope}/disable_ipv6")
        if path.exists():
            path.write_text("1", encoding="ascii")


def netfilter_by_bridge() -> None:
    """Leave it to each bridge of this namespace whether it shows frames to the firewall (br_netfilter).

    No switch does, and it takes about a fifth of a frame's processor time. But only then does a bridge take a
    frame off the account of the socket that sent it, who would else learn how long it waits in the switch.
    """
    for kind in ("iptables", "ip6tables", "arptables"):
        # Where there is no br_netfilter, or /proc is read-only, all bridges are alike.
        with contextlib.suppress(OSError):
            (BRIDGE_SETTINGS / f"bridge-nf-call-{kind}").write_text("0", encoding="ascii")


def limit(ipr: Any, index: int, queue: Queue | None) -> None:
    """Give interface `index` the rate and depth of `queue` as its only queue."""
    if queue is None or not queue.limits:
        return
    ipr.tc(
        "add",
        "tbf",
        index,
        _TBF_HANDLE,
        rate=queue.rate_bit_s // 8,
        burst=queue.burst_bytes,
        limit=queue.limit_bytes,
    )


def redirect_ingress(ipr: Any, index: int, target: int) -> None:
    """Send every frame that arrives on interface `index` through interface `target` first (an ifb)."""
    ipr.tc("add", "ingress", index)
    ipr.tc(
        "add-filter",
        "u32",
        index,
        parent=_INGRESS_PARENT,
        protocol=_ETH_P_ALL,
        prio=1,
        target=0x10001,
        keys=["0x0/0x0+0"],
        action={"kind": "mirred", "direction": "egress", "action": "redirect", "ifindex": target},
    )


def lose(rules: Sequence[tuple[str, str, float]]) -> None:
    """Drop frames at random: `rules` are (bridge port, "in" or "out", probability 0..1).

    Not those of ARP: after three lost requests in a row a host is unreachable, which ends MPICH's launcher.

    In the bridge, not at the interfaces: netdev hooks do not see what `mirred` redirects to a bus. Raises
    QuadrilleError when nftables or this kernel cannot.
    """
    if not rules:
        return
    chains = ""
    for direction, name, hook in (("in", "iifname", "prerouting"), ("out", "oifname", "postrouting")):
        drops = "".join(
            f'  {name} "{port}" ether type != arp'
            f" numgen random mod 1000000 < {round(part * 1e6)} counter drop\n"
            for port, way, part in rules
            if way == direction
        )
        chains += f" chain {direction} {{ type filter hook {hook} priority 0; policy accept;\n{drops} }}\n"
    script = f"table bridge quadrille {{\n{chains}}}\n"
    try:
        done = subprocess.run(["nft", "-f", "-"], input=script, text=True, capture_output=True, timeout=20)
    except FileNotFoundError:
        raise QuadrilleError("random loss needs the program nft; install the package nftables") from None
    if done.returncode != 0:
        raise QuadrilleError(f"random loss: nft refused: {done.stderr.strip().splitlines()[0]}")
