# SPDX-License-Identifier: BSD-3-Clause
"""Small transfers between the hosts of a lab, for its tests: each end is a Python process on its host."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import pytest

from quadrille.errors import QuadrilleError
from quadrille.lab import namespaces as ns
from quadrille.lab.lab import Lab
from quadrille.lab.topology import Topology, parse_topology

PYTHON = "/usr/bin/python3"
_PATIENCE_S = 30

needs_namespaces = pytest.mark.skipif(
    not (ns.may_unshare(ns.NEWNET) or ns.may_unshare(ns.NEWUSER | ns.NEWNET)),
    reason="no privilege: neither root nor user namespaces may make network namespaces here",
)

_RECEIVE_TCP = """
import socket, time, json
listener = socket.create_server(("", 7001)); print("ready", flush=True)
peer, _ = listener.accept(); got = len(peer.recv(65536)); start = time.monotonic(); first = got
while data := peer.recv(65536): got += len(data)
print(json.dumps([(got - first) * 8, start, time.monotonic()]))
"""
_SEND_TCP = """
import socket, sys
out = socket.create_connection((sys.argv[1], 7001)); out.sendall(bytes(int(sys.argv[2])))
"""
_RECEIVE_UDP = """
import select, socket, sys, json
group, idle = sys.argv[1], float(sys.argv[2])
sink = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
sink.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20); sink.bind(("", 7002))
if group: sink.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP,
    socket.inet_aton(group) + socket.inet_aton("0.0.0.0"))
print("ready", flush=True); numbers = []; senders_ended = False
while True:
    ready = select.select([sink] if senders_ended else [sink, 0], [], [], idle if senders_ended else None)[0]
    if sink in ready: numbers.append(int.from_bytes(sink.recv(65536)[:4], "big"))
    elif ready: senders_ended = True  # standard input is closed
    else: break
print(json.dumps(numbers))
"""
_SEND_UDP = """
import socket, sys, time
target, count, size, gap = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
out.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
for number in range(count):
    out.sendto(number.to_bytes(4, "big").ljust(size, b"."), (target, 7002)); time.sleep(gap) if gap else None
"""
_RECEIVE_FRAMES = """
import json, socket
ANY_KIND = 3; sink = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ANY_KIND))
sink.bind(("eth0", ANY_KIND)); print("ready", flush=True); seen = []
while (frame := sink.recv(2048).hex())[24:28] != "88b5": seen.append(frame)
print(json.dumps(seen))
"""
_SEND_FRAMES = """
import socket, sys
out = socket.socket(socket.AF_PACKET, socket.SOCK_RAW); out.bind(("eth0", 0))
for frame in sys.argv[1:]: out.send(bytes.fromhex(frame))
"""
_SEND_AND_LOOK = """
import fcntl, socket, struct, sys, time
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
out.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
for number in range(int(sys.argv[2])): out.sendto(bytes(1400), (sys.argv[1], 7003))
time.sleep(float(sys.argv[3])); SIOCOUTQ = 0x5411
print(struct.unpack("i", fcntl.ioctl(out, SIOCOUTQ, bytes(4)))[0])
"""


def topology(**tables: Any) -> Topology:
    """Return a checked topology out of lab-file tables."""
    return parse_topology({"name": "test", **tables}, "test")


def tcp_rates_bit_s(lab: Lab, pairs: Sequence[tuple[str, str]], payload_bytes: int) -> list[float]:
    """Transfer `payload_bytes` over each (from, to) pair at once; return each receiver's payload rate."""
    return [bits / (end - start) for bits, start, end in _transfers(lab, pairs, payload_bytes)]


def tcp_total_bit_s(lab: Lab, pairs: Sequence[tuple[str, str]], payload_bytes: int) -> float:
    """Transfer over each pair at once; return all payload over the time from the first to the last byte."""
    found = _transfers(lab, pairs, payload_bytes)
    return sum(bits for bits, _, _ in found) / (
        max(end for _, _, end in found) - min(at for _, at, _ in found)
    )


def _transfers(
    lab: Lab, pairs: Sequence[tuple[str, str]], payload_bytes: int
) -> list[tuple[float, float, float]]:
    receivers = [_start(lab, to, _RECEIVE_TCP) for _, to in pairs]
    senders = [
        _start(lab, source, _SEND_TCP, lab.state.hosts[to].address, str(payload_bytes), ready=False)
        for source, to in pairs
    ]
    found = [tuple(json.loads(_finish(receiver))) for receiver in receivers]
    for sender in senders:
        _finish(sender)
    return found


def udp_received(
    lab: Lab,
    sources: Sequence[str],
    to: str,
    count: int,
    size: int = 1400,
    gap_s: float = 0,
    group: str = "",
    idle_s: float = 0.7,
) -> list[int]:
    """Send `count` datagrams of `size` bytes from each source at once; return the numbers that arrived.

    Silence ends the receiver only once all has been sent: a sender may be held up for longer than `idle_s`.
    No source starts before it knows the receiver's hardware address: where an ARP frame is lost, the kernel
    asks again only after a second and meanwhile drops most of what is sent.
    """
    if not group:
        for source in sources:
            wait_for_answer(lab, source, to)
    receiver = _start(lab, to, _RECEIVE_UDP, group, str(idle_s))
    target = group or lab.state.hosts[to].address
    senders = [
        _start(lab, source, _SEND_UDP, target, str(count), str(size), str(gap_s), ready=False)
        for source in sources
    ]
    for sender in senders:
        _finish(sender)
    numbers: list[int] = json.loads(_finish(receiver))
    return numbers


def frames_seen(lab: Lab, source: str, to: str, frame: bytes) -> list[bytes]:
    """Send `frame` from `source`; return all frames that `to` sees until one comes that was sent after it."""
    receiver = _start(lab, to, _RECEIVE_FRAMES)
    last = b"\xff" * 6 + frame[6:12] + b"\x88\xb5" + bytes(46)  # the kind that is for local experiments
    _finish(_start(lab, source, _SEND_FRAMES, frame.hex(), last.hex(), ready=False))
    return [bytes.fromhex(one) for one in json.loads(_finish(receiver))]


def waiting_in_socket(lab: Lab, source: str, to: str, count: int, after_s: float) -> int:
    """Send `count` datagrams at once; return how many bytes count as unsent in the socket `after_s` later."""
    address = lab.state.hosts[to].address
    return int(lab.on_host(source, [PYTHON, "-c", _SEND_AND_LOOK, address, str(count), str(after_s)]))


def ping_ms(lab: Lab, source: str, to: str, count: int = 20) -> list[float]:
    """Return the round trip times of `count` pings, the first one (which resolves addresses) left out."""
    address = lab.state.hosts[to].address
    text = lab.on_host(source, ["ping", "-n", "-i", "0.02", "-c", str(count + 1), address])
    return [float(line.split("time=")[1].split()[0]) for line in text.splitlines() if "time=" in line][1:]


def reaches(lab: Lab, source: str, to: str) -> bool:
    """Return whether one of three pings within a second comes back."""
    address = lab.state.hosts[to].address
    try:
        lab.on_host(source, ["ping", "-n", "-c", "3", "-i", "0.2", "-W", "1", address])
    except QuadrilleError:
        return False
    return True


def wait_for_answer(lab: Lab, source: str, to: str) -> None:
    """Return once a ping was answered; raises QuadrilleError when none is within ten seconds."""
    lab.on_host(source, ["ping", "-n", "-c", "1", "-i", "0.2", "-w", "10", lab.state.hosts[to].address])


def quadrille(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own."""
    command = [sys.executable, "-c", "from quadrille.cli import main; main()", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, **options)


def _start(lab: Lab, host: str, code: str, *arguments: str, ready: bool = True) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        lab.enter(host, [PYTHON, "-c", code, *arguments]),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    if ready:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    return process


def _finish(process: subprocess.Popen[str]) -> str:
    output, _ = process.communicate(timeout=_PATIENCE_S)
    assert process.returncode == 0
    return output
