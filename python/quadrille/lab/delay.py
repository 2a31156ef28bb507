# SPDX-License-Identifier: BSD-3-Clause
"""Delay and jitter on a trunk: by the kernel's `netem` where it has it, else by a forwarder of our own.

A delayed trunk is two cables, each from a bridge to a far end. `netem` delays on a small bridge that joins
the far ends. The forwarder is a process of `quadrille-lab-traffic` that carries frames from one far end to
the other: a frame may leave `delay` after the kernel received it (its own time stamp, so that a late wake-up
does not add), never before the frame ahead of it. `netem` reorders frames under jitter, so jitter is always
the forwarder's.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import Any

from pyroute2 import NetlinkError

from quadrille.lab.services import become_traffic_program

_ETH_P_ALL = 0x0003
_SOL_PACKET, _PACKET_VNET_HDR, _PACKET_IGNORE_OUTGOING = 263, 15, 23
_SO_TIMESTAMPNS = 35
_RECEIVE_BUFFER = 8 << 20


def netem_delay(ipr: Any, name: str, ends: tuple[int, int], delay_s: float) -> bool:
    """Join the far ends (interface indices) by bridge `name` with netem on both; False without netem.

    REQUIRES: the far ends are up and carry no queue.
    """
    try:
        for index in ends:
            ipr.tc("add", "netem", index, 0x10000, delay=round(delay_s * 1e6), limit=100_000)
    except NetlinkError:
        for index in ends:
            _remove_queue(ipr, index)
        return False
    ipr.link("add", ifname=name, kind="bridge", br_stp_state=0, br_mcast_snooping=0, state="up")
    for index in ends:
        ipr.link("set", index=index, master=socket.if_nametoindex(name))
    return True


def _remove_queue(ipr: Any, index: int) -> None:
    try:
        ipr.tc("del", index=index, handle=0x10000)
    except NetlinkError:
        return  # there was none: netem was refused at the first end


def forwarder(one: str, other: str, delay_s: float, jitter_s: float, seed: int) -> Callable[[], None]:
    """Return the body of a process that forwards between interfaces `one` and `other` for ever.

    The sockets are opened by the call itself, so that frames sent from then on are not missed.
    """
    ends = [_frame_socket(one), _frame_socket(other)]
    times = {"--delay-ns": round(delay_s * 1e9), "--jitter-ns": round(jitter_s * 1e9), "--seed": seed}
    options = [str(word) for pair in times.items() for word in pair]
    numbers = [str(end.fileno()) for end in ends]
    return lambda: become_traffic_program("delay", ends, ["--ends", *numbers, *options])


def _frame_socket(name: str) -> socket.socket:
    frames = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(_ETH_P_ALL))
    frames.setsockopt(_SOL_PACKET, _PACKET_IGNORE_OUTGOING, 1)
    frames.setsockopt(_SOL_PACKET, _PACKET_VNET_HDR, 1)  # carries unfinished check sums over as such
    frames.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS, 1)
    frames.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _RECEIVE_BUFFER)
    frames.setblocking(False)
    frames.bind((name, _ETH_P_ALL))
    return frames
