# SPDX-License-Identifier: BSD-3-Clause
"""Delay and jitter on a trunk: by the kernel's `netem` where it has it, else by a forwarder of our own.

A delayed trunk is two cables, each from a bridge to a far end. `netem` delays on a small bridge that joins
the far ends. The forwarder is a process that carries frames from one far end to the other: a frame may
leave `delay` after the kernel received it (its own time stamp, so that a late wake-up does not add), never
before the frame ahead of it. `netem` reorders frames under jitter, so jitter is always the forwarder's.
"""

from __future__ import annotations

import random
import select
import socket
import struct
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pyroute2 import NetlinkError

_ETH_P_ALL = 0x0003
_SOL_PACKET, _PACKET_VNET_HDR, _PACKET_IGNORE_OUTGOING = 263, 15, 23
_SO_TIMESTAMPNS = 35
_LONGEST = 65536 + 64
_BATCH = 64
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


@dataclass
class DelayLine:
    """One direction: frames wait here. Times are seconds of one clock, given by the caller."""

    delay_s: float
    jitter_s: float
    random: random.Random
    waiting: deque[tuple[float, bytes]] = field(default_factory=deque)

    def push(self, frame: bytes, arrived_s: float) -> None:
        """Take a frame that arrived at `arrived_s`."""
        leaves = arrived_s + self.delay_s + self.random.uniform(-self.jitter_s, self.jitter_s)
        if self.waiting:
            leaves = max(leaves, self.waiting[-1][0])
        self.waiting.append((leaves, frame))

    def pop_due(self, now_s: float) -> bytes | None:
        """Return the first frame if it is due at `now_s`."""
        return self.waiting.popleft()[1] if self.waiting and self.waiting[0][0] <= now_s else None

    def next_s(self) -> float | None:
        """Return when the first frame is due."""
        return self.waiting[0][0] if self.waiting else None


def forwarder(one: str, other: str, delay_s: float, jitter_s: float, seed: int) -> Callable[[], None]:
    """Return the body of a process that forwards between interfaces `one` and `other` for ever.

    The sockets are opened by the call itself, so that frames sent from then on are not missed.
    """
    ends = [_frame_socket(one), _frame_socket(other)]
    lines = [DelayLine(delay_s, jitter_s, random.Random(seed + at)) for at in range(2)]

    def run() -> None:
        while True:
            due = [at for line in lines if (at := line.next_s()) is not None]
            patience = max(min(due) - time.time(), 0) if due else None
            readable, _, _ = select.select(ends, [], [], patience)
            for at in range(2):
                if ends[at] in readable:
                    _receive(ends[at], lines[at])
                _send_due(lines[at], ends[1 - at])

    return run


def _frame_socket(name: str) -> socket.socket:
    frames = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(_ETH_P_ALL))
    frames.setsockopt(_SOL_PACKET, _PACKET_IGNORE_OUTGOING, 1)
    frames.setsockopt(_SOL_PACKET, _PACKET_VNET_HDR, 1)  # carries unfinished check sums over as such
    frames.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS, 1)
    frames.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _RECEIVE_BUFFER)
    frames.setblocking(False)
    frames.bind((name, _ETH_P_ALL))
    return frames


def _receive(end: socket.socket, line: DelayLine) -> None:
    for _ in range(_BATCH):
        try:
            frame, ancillary, _, _ = end.recvmsg(_LONGEST, 64)
        except BlockingIOError:
            return
        seconds, nanoseconds = struct.unpack("=qq", ancillary[0][2][:16])
        line.push(frame, seconds + nanoseconds / 1e9)


def _send_due(line: DelayLine, end: socket.socket) -> None:
    while (frame := line.pop_due(time.time())) is not None:
        try:
            end.send(frame)
        except OSError:
            continue  # the cable is down or its queue full: the frame is lost, as on a wire
