# SPDX-License-Identifier: BSD-3-Clause
"""The sockets of one rank, opened inside a holder's namespace; src/wire/links/passed_sockets.cpp takes them.

The kernel lets the last one change things where who opened it and who uses it may, both: no holder may.
"""

from __future__ import annotations

import ctypes
import errno
import random
import socket
from collections.abc import Iterable

from quadrille.errors import QuadrilleError
from quadrille.passed_sockets import frame_filters as filters
from quadrille.passed_sockets.frame_filters import Holder

_SO_ATTACH_FILTER, _SO_LOCK_FILTER = 26, 44


class _Program(ctypes.Structure):
    """The kernel's sock_fprog."""

    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def open_sockets(holder: Holder) -> list[socket.socket]:
    """Return a UDP socket of a free port, a packet socket that sees only what is for it, and one for routes.

    Raises QuadrilleError where all ports are in use, OSError. REQUIRES: called in the holder's namespace.
    """
    opened: list[socket.socket] = []
    try:
        opened.append(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        port = _bind_to_any(opened[0], holder)
        # Of no protocol: it takes nothing before its owner has set it up.
        opened.append(socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0))
        lock_filter(opened[1], filters.assemble(filters.of_one_port(holder, port)))
        opened.append(socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE))
    except BaseException:
        close_all(opened)
        raise
    return opened


def close_all(opened: Iterable[socket.socket]) -> None:
    """Close them."""
    for one in opened:
        one.close()


def attach_filter(to: socket.socket, program: list[filters.Instruction]) -> None:
    """Have `to` take only what `program` accepts. Raises OSError."""
    packed = _Program(len(program), filters.packed(program))
    to.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, bytes(packed))


def lock_filter(to: socket.socket, program: list[filters.Instruction]) -> None:
    """The same, for good: nobody takes the filter off or puts another in its place. Raises OSError."""
    attach_filter(to, program)
    to.setsockopt(socket.SOL_SOCKET, _SO_LOCK_FILTER, 1)


def _bind_to_any(opened: socket.socket, holder: Holder) -> int:
    """Bind to a free port of the holder's; return it. Which one is random, as other systems do it."""
    count = holder.ports.last - holder.ports.first + 1
    start = random.randrange(count)
    for step in range(count):
        port = holder.ports.first + (start + step) % count
        try:
            opened.bind((str(holder.address), port))
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
        else:
            return port
    raise QuadrilleError(f"all ports of the rule ({holder.ports}) are in use")
