# SPDX-License-Identifier: BSD-3-Clause
"""What frames may pass, as programs for the kernel's classic machine (Linux, networking/filter).

A program is a row of conditions, all of which must hold. What can be read of a frame more than one way is not
let pass: tags of virtual LANs, IP options, fragments. Reading past a frame's end refuses it.

Offsets are of untagged Ethernet frames. Numbers are in the host's byte order.
"""

from __future__ import annotations

import ipaddress
import struct
from collections.abc import Sequence
from dataclasses import dataclass

from quadrille.passed_sockets.rules import Ports

ACCEPT, REFUSE = 0xFFFFFFFF, 0
_LOAD = {1: 0x30, 2: 0x28, 4: 0x20}
"""BPF_LD | BPF_ABS by width in bytes."""
_RETURN, _AND = 0x06, 0x54
_IF_EQUAL, _IF_LEAST, _IF_MORE = 0x15, 0x35, 0x25
_ANCILLARY = 0xFFFFF000
_PACKET_TYPE, _VLAN_TAG_PRESENT = _ANCILLARY + 4, _ANCILLARY + 48

_TO_HARDWARE, _FROM_HARDWARE, _KIND = 0, 6, 12
_ARP, _IPV4, _UDP, _ICMP = 0x0806, 0x0800, 17, 1
_ARP_FORMAT, _ARP_LENGTHS, _ARP_SENDER_HARDWARE, _ARP_SENDER = 14, 18, 22, 28
_IP_AT = 14
_VERSION, _FRAGMENT, _PROTOCOL, _FROM, _TO = 0, 6, 9, 12, 16
"""Offsets in IP's header."""
_PLAIN_HEADER = 0x45
_FRAGMENT_BITS = 0xBFFF
_PORT_FROM, _PORT_TO = 0, 2
_PAYLOAD_AT = _IP_AT + 20
_UNREACHABLE = 3
_QUOTED_AT = _PAYLOAD_AT + 8
"""The packet that an ICMP message is about."""


@dataclass(frozen=True)
class Condition:
    """A field of `width` bytes at `offset`, after `mask`, is between `least` and `most`."""

    offset: int
    width: int
    least: int
    most: int
    mask: int | None = None


def _equals(offset: int, width: int, value: int, mask: int | None = None) -> Condition:
    return Condition(offset, width, value, value, mask)


def _hardware(offset: int, address: bytes) -> list[Condition]:
    high, low = struct.unpack("!IH", address)
    return [_equals(offset, 4, high), _equals(offset + 4, 2, low)]


def _udp_header(at: int) -> list[Condition]:
    """IPv4 without options, not a fragment, of UDP, at `at`."""
    return [
        _equals(at + _VERSION, 1, _PLAIN_HEADER),
        _equals(at + _FRAGMENT, 2, 0, _FRAGMENT_BITS),
        _equals(at + _PROTOCOL, 1, _UDP),
    ]


def _unreachable() -> list[Condition]:
    """An ICMP message that a UDP datagram cannot be delivered."""
    return [
        _equals(_KIND, 2, _IPV4),
        _equals(_IP_AT + _VERSION, 1, _PLAIN_HEADER),
        _equals(_IP_AT + _FRAGMENT, 2, 0, _FRAGMENT_BITS),
        _equals(_IP_AT + _PROTOCOL, 1, _ICMP),
        _equals(_PAYLOAD_AT, 1, _UNREACHABLE),
        *_udp_header(_QUOTED_AT),
    ]


_UNTAGGED = _equals(_VLAN_TAG_PRESENT, 4, 0)


@dataclass(frozen=True)
class Holder:
    """Who holds passed sockets: the hardware address, address and ports that are his."""

    hardware: bytes
    address: ipaddress.IPv4Address
    ports: Ports

    def _from_ports(self, offset: int) -> Condition:
        return Condition(offset, 2, self.ports.first, self.ports.last)

    def datagrams_sent(self) -> list[Condition]:
        """UDP from one of the ports, to anybody."""
        return [
            _UNTAGGED,
            *_hardware(_FROM_HARDWARE, self.hardware),
            _equals(_KIND, 2, _IPV4),
            *_udp_header(_IP_AT),
            _equals(_IP_AT + _FROM, 4, int(self.address)),
            self._from_ports(_PAYLOAD_AT + _PORT_FROM),
        ]

    def refusals_sent(self) -> list[Condition]:
        """That nobody listens at one of the ports."""
        return [
            _UNTAGGED,
            *_hardware(_FROM_HARDWARE, self.hardware),
            *_unreachable(),
            _equals(_IP_AT + _FROM, 4, int(self.address)),
            _equals(_QUOTED_AT + _TO, 4, int(self.address)),
            self._from_ports(_QUOTED_AT + 20 + _PORT_TO),
        ]

    def resolving(self) -> list[Condition]:
        """ARP that says nothing but whose the own address is."""
        return [
            _UNTAGGED,
            *_hardware(_FROM_HARDWARE, self.hardware),
            _equals(_KIND, 2, _ARP),
            _equals(_ARP_FORMAT, 4, 0x00010800),
            _equals(_ARP_LENGTHS, 2, 0x0604),
            *_hardware(_ARP_SENDER_HARDWARE, self.hardware),
            _equals(_ARP_SENDER, 4, int(self.address)),
        ]

    def datagrams_received(self) -> list[Condition]:
        """UDP to one of the ports."""
        return [
            _UNTAGGED,
            _equals(_KIND, 2, _IPV4),
            *_udp_header(_IP_AT),
            _equals(_IP_AT + _TO, 4, int(self.address)),
            self._from_ports(_PAYLOAD_AT + _PORT_TO),
        ]

    def refusals_received(self) -> list[Condition]:
        """That what one of the ports has sent was not delivered."""
        return [
            _UNTAGGED,
            *_unreachable(),
            _equals(_IP_AT + _TO, 4, int(self.address)),
            _equals(_QUOTED_AT + _FROM, 4, int(self.address)),
            self._from_ports(_QUOTED_AT + 20 + _PORT_FROM),
        ]


def to_hardware(address: bytes) -> list[Condition]:
    """Frames for one interface."""
    return _hardware(_TO_HARDWARE, address)


def arp() -> list[Condition]:
    """ARP of anybody."""
    return [_UNTAGGED, _equals(_KIND, 2, _ARP)]


def of_one_port(holder: Holder, port: int) -> list[Condition]:
    """What a passed packet socket may see: datagrams to this port, whatever it is bound to."""
    own = Holder(holder.hardware, holder.address, Ports(first=port, last=port))
    return [_equals(_PACKET_TYPE, 4, 0), *own.datagrams_received()]


Instruction = tuple[int, int, int, int]
"""Operation, jump if true, jump if false (both relative), operand."""


def assemble(conditions: Sequence[Condition]) -> list[Instruction]:
    """Return the program that returns ACCEPT where all conditions hold, else REFUSE."""
    tests: list[Instruction] = []
    """Of these, jumps are to be set: to the refusal where the condition fails."""
    for condition in conditions:
        tests.append((_LOAD[condition.width], 0, 0, condition.offset))
        if condition.mask is not None:
            tests.append((_AND, 0, 0, condition.mask))
        if condition.least == condition.most:
            tests.append((_IF_EQUAL, 0, 1, condition.least))
        else:
            tests.append((_IF_LEAST, 0, 1, condition.least))
            tests.append((_IF_MORE, 1, 0, condition.most))
    refusal = len(tests) + 1
    program = [
        (operation, when_true and refusal - place - 1, when_false and refusal - place - 1, operand)
        for place, (operation, when_true, when_false, operand) in enumerate(tests)
    ]
    return [*program, (_RETURN, 0, 0, ACCEPT), (_RETURN, 0, 0, REFUSE)]


def packed(program: Sequence[Instruction]) -> bytes:
    """Return `program` as an array of the kernel's sock_filter."""
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program)


def for_tc(program: Sequence[Instruction]) -> str:
    """Return `program` in the words of tc-bpf(8)."""
    words = (f"{op} {yes} {no} {operand}" for op, yes, no, operand in program)
    return f"{len(program)}," + ",".join(words)
