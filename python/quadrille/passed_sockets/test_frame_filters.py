# SPDX-License-Identifier: BSD-3-Clause
"""What the filters let pass, as the kernel itself decides: each program is put on a socket.

Tags of virtual LANs are no part of a frame's bytes by then; tests/lab/test_lab_passed_sockets.py sends them.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quadrille.passed_sockets.frame_filters import Condition, Holder, assemble, for_tc, of_one_port
from quadrille.passed_sockets.rules import Ports
from quadrille.passed_sockets.sockets import attach_filter

OWN = bytes.fromhex("020000000001")
OTHER = bytes.fromhex("020000000002")
ADDRESS = ipaddress.IPv4Address("198.18.200.1")
PEER = ipaddress.IPv4Address("198.18.0.7")
HOLDER = Holder(OWN, ADDRESS, Ports(first=47000, last=47099))
BROADCAST = b"\xff" * 6


def passes(conditions: Sequence[Condition], frame: bytes) -> bool:
    sender, receiver = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    with sender, receiver:
        attach_filter(receiver, assemble(conditions))
        receiver.setblocking(False)
        sender.send(frame)
        try:
            return receiver.recv(len(frame) + 1) == frame
        except BlockingIOError:
            return False


def ip(source: ipaddress.IPv4Address, to: ipaddress.IPv4Address, protocol: int, rest: bytes) -> bytes:
    length = (20 + len(rest)).to_bytes(2)
    return (
        b"\x45\0"
        + length
        + b"\0\1\x40\0\x40"
        + bytes([protocol])
        + b"\0\0"
        + source.packed
        + to.packed
        + rest
    )


def udp(source: int, to: int, payload: bytes = b"x") -> bytes:
    return source.to_bytes(2) + to.to_bytes(2) + (8 + len(payload)).to_bytes(2) + b"\0\0" + payload


def ethernet(kind: int, rest: bytes, to: bytes = OTHER, source: bytes = OWN) -> bytes:
    return to + source + kind.to_bytes(2) + rest


SENT = ethernet(0x0800, ip(ADDRESS, PEER, 17, udp(47010, 9000)))
RECEIVED = ethernet(0x0800, ip(PEER, ADDRESS, 17, udp(9000, 47010)), to=OWN, source=OTHER)
REFUSAL_SENT = ethernet(
    0x0800, ip(ADDRESS, PEER, 1, b"\3\3\0\0\0\0\0\0" + ip(PEER, ADDRESS, 17, udp(9000, 47010)))
)
REFUSAL_RECEIVED = ethernet(
    0x0800,
    ip(PEER, ADDRESS, 1, b"\3\3\0\0\0\0\0\0" + ip(ADDRESS, PEER, 17, udp(47010, 9000))),
    to=OWN,
    source=OTHER,
)
QUESTION = ethernet(
    0x0806, bytes.fromhex("0001080006040001") + OWN + ADDRESS.packed + bytes(6) + PEER.packed, to=BROADCAST
)

Part = Callable[[], list[Condition]]
CASES: list[tuple[Part, bytes, list[range]]] = [
    # What lets pass, what it lets pass, and the bytes of this of which not one may be another.
    (
        HOLDER.datagrams_sent,
        SENT,
        [range(6, 15), range(20, 22), range(23, 24), range(26, 30), range(34, 35)],
    ),
    (
        HOLDER.datagrams_received,
        RECEIVED,
        [range(12, 15), range(20, 22), range(23, 24), range(30, 34), range(36, 37)],
    ),
    (
        HOLDER.refusals_sent,
        REFUSAL_SENT,
        [
            *(range(6, 15), range(20, 22), range(23, 24), range(26, 30), range(34, 35)),
            *(range(42, 43), range(48, 50), range(51, 52), range(58, 62), range(64, 65)),
        ],
    ),
    (
        HOLDER.refusals_received,
        REFUSAL_RECEIVED,
        [
            *(range(12, 15), range(20, 22), range(23, 24), range(30, 35)),
            *(range(42, 43), range(48, 50), range(51, 52), range(54, 58), range(62, 63)),
        ],
    ),
    (HOLDER.resolving, QUESTION, [range(6, 20), range(22, 32)]),
]
NAMES = [part.__name__ for part, _, _ in CASES]
DO_NOT_FRAGMENT = 0x40
"""Of a fragment's first byte, the one bit that may be either."""


@pytest.mark.parametrize(("part", "frame", "fixed"), CASES, ids=NAMES)
def test_a_frame_passes_and_none_that_differs_in_what_counts(
    part: Part, frame: bytes, fixed: list[range]
) -> None:
    assert passes(part(), frame)
    for place in [place for some in fixed for place in some]:
        for bit in range(8):
            changed = bytearray(frame)
            changed[place] ^= 1 << bit
            is_harmless = 1 << bit == DO_NOT_FRAGMENT and place in (20, 48) and part != HOLDER.resolving
            assert passes(part(), bytes(changed)) == is_harmless, (place, bit)


@pytest.mark.parametrize(("part", "frame", "fixed"), CASES, ids=NAMES)
def test_a_frame_that_ends_before_what_counts_does_not_pass(
    part: Part, frame: bytes, fixed: list[range]
) -> None:
    for length in range(1, max(some.stop for some in fixed)):
        assert not passes(part(), frame[:length])


@given(st.integers(0, 65535))
def test_ports_pass_from_the_first_to_the_last(port: int) -> None:
    is_own = 47000 <= port <= 47099
    sent = ethernet(0x0800, ip(ADDRESS, PEER, 17, udp(port, 9000)))
    received = ethernet(0x0800, ip(PEER, ADDRESS, 17, udp(9000, port)))
    assert passes(HOLDER.datagrams_sent(), sent) == is_own
    assert passes(HOLDER.datagrams_received(), received) == is_own


@pytest.mark.parametrize("port", [46999, 47000, 47099, 47100])
def test_the_ends_of_the_ports_belong_to_them(port: int) -> None:
    sent = ethernet(0x0800, ip(ADDRESS, PEER, 17, udp(port, 9000)))
    assert passes(HOLDER.datagrams_sent(), sent) == (47000 <= port <= 47099)


@given(st.binary(max_size=80))
def test_what_is_none_of_ours_does_not_pass(frame: bytes) -> None:
    for part, _, _ in CASES:
        assert not passes(part(), frame or b"\0")


def test_a_socket_sees_only_its_own_port_of_those_of_its_rule() -> None:
    own = of_one_port(HOLDER, 47010)
    assert passes(own, RECEIVED)
    assert not passes(own, ethernet(0x0800, ip(PEER, ADDRESS, 17, udp(9000, 47011))))
    assert not passes(own, SENT)


def test_programs_are_told_to_tc_with_their_length() -> None:
    text = for_tc(assemble([Condition(12, 2, 0x0800, 0x0800)]))
    assert text == "4,40 0 0 12,21 0 1 2048,6 0 0 4294967295,6 0 0 0"
