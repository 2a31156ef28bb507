# SPDX-License-Identifier: BSD-3-Clause
"""Asking a network whether an address is free, and telling it whose it is now (RFC 5227).

Runs inside the namespace that owns the interface.
"""

from __future__ import annotations

import ipaddress
import select
import socket
import struct
import time

_ETH_P_ARP = 0x0806
_BROADCAST = b"\xff" * 6
_NOBODY = ipaddress.IPv4Address("0.0.0.0")
_PROBES = 3
_BETWEEN_S = 0.2
_LAST_WAIT_S = 0.4


def holder_of(interface: str, hardware: bytes, address: ipaddress.IPv4Address) -> str | None:
    """Return the hardware address of who has `address` on the network of `interface`, None for nobody.

    Takes a second. `hardware`: the interface's own.
    """
    with _opened(interface) as asking:
        for number in range(_PROBES):
            asking.send(_frame(hardware, _NOBODY, address))
            end = time.monotonic() + (_LAST_WAIT_S if number == _PROBES - 1 else _BETWEEN_S)
            while (left := end - time.monotonic()) > 0:
                if not select.select([asking], [], [], left)[0]:
                    break
                found = _sender(asking.recv(2048), address)
                if found is not None and found != hardware:
                    return found.hex(":")
    return None


def announce(interface: str, hardware: bytes, address: ipaddress.IPv4Address) -> None:
    """Have neighbours that knew another hardware address of `address` learn this one."""
    with _opened(interface) as telling:
        telling.send(_frame(hardware, address, address))


def _opened(interface: str) -> socket.socket:
    opened = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(_ETH_P_ARP))
    opened.bind((interface, _ETH_P_ARP))
    return opened


def _frame(hardware: bytes, sender: ipaddress.IPv4Address, target: ipaddress.IPv4Address) -> bytes:
    ethernet = _BROADCAST + hardware + struct.pack("!H", _ETH_P_ARP)
    request = struct.pack("!HHBBH", 1, 0x0800, 6, 4, 1)
    return ethernet + request + hardware + sender.packed + bytes(6) + target.packed


def _sender(frame: bytes, address: ipaddress.IPv4Address) -> bytes | None:
    """Return the hardware address of who says that `address` is his, or probes for it too."""
    if len(frame) < 42:
        return None
    sender_hardware, sender, target = frame[22:28], frame[28:32], frame[38:42]
    claims = sender == address.packed
    probes = sender == _NOBODY.packed and target == address.packed
    return sender_hardware if claims or probes else None
