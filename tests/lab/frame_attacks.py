# SPDX-License-Identifier: BSD-3-Clause
"""What somebody tries who has passed sockets and ill will; standard library only, as it runs as a stranger.

    frame_attacks.py SOCKET HOST_ADDRESS send TARGET HARDWARE...   frames to these hardware addresses
    frame_attacks.py SOCKET HOST_ADDRESS change TARGET             everything that might widen what he may do
    frame_attacks.py SOCKET HOST_ADDRESS listen                    what he sees until standard input ends

Prints one JSON object.
"""

from __future__ import annotations

import ctypes
import fcntl
import json
import os
import select
import socket
import struct
import sys
from collections.abc import Callable

SOL_PACKET, ADD_MEMBERSHIP, VNET_HDR, QDISC_BYPASS = 263, 1, 15, 20
ATTACH_FILTER, DETACH_FILTER, MARK, LOCK_FILTER = 26, 27, 36, 44
PROMISCUOUS, ALL_KINDS = 1, 3
SIOCSIFFLAGS, SIOCSIFHWADDR, SIOCGIFHWADDR, SIOCGIFINDEX, SIOCETHTOOL = 0x8914, 0x8924, 0x8927, 0x8933, 0x8946
RTM_NEWLINK, RTM_NEWADDR, RTM_NEWROUTE, RTM_NEWNEIGH, RTM_DELQDISC, RTM_NEWNSID = 16, 20, 24, 28, 37, 88
NEEDS_CHECKSUM = 1


def asked(path: str, host: str) -> list[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as asking:
        asking.connect(path)
        asking.send(f"quadrille-link 1 {host}".encode())
        text, descriptors, _, _ = socket.recv_fds(asking, 1024, 3)
    if not descriptors:
        sys.exit(text.decode())
    return [socket.socket(fileno=one) for one in descriptors]


def ip(source: str, to: str, rest: bytes, protocol: int = 17, words: int = 5, fragment: int = 0) -> bytes:
    length = 4 * words + len(rest)
    head = struct.pack("!BBHHHBB", 0x40 | words, 0, length, 1, fragment, 64, protocol)
    addresses = socket.inet_aton(source) + socket.inet_aton(to) + bytes(4 * (words - 5))
    # A wrong one would be dropped by others than those that are tested.
    total = sum(struct.unpack(f"!{2 * words - 1}H", head + addresses))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return head + struct.pack("!H", 0xFFFF - total) + addresses + rest


def udp(port: int, name: str) -> bytes:
    return struct.pack("!HHHH", port, 7000, 8 + len(name), 0) + name.encode()


def frames(own: str, port: int, hardware: bytes, target: str, to: bytes) -> dict[str, bytes]:
    """Return frames by names; the good ones begin with `good`."""

    def frame(kind: int, rest: bytes, source: bytes = hardware, tag: str = "") -> bytes:
        return to + source + bytes.fromhex(tag) + kind.to_bytes(2, "big") + rest

    def arp(operation: int, sender: str, sizes: int = 0x0604, pad: bytes = b"") -> bytes:
        head = struct.pack("!HHHH", 1, 0x0800, sizes, operation)
        return head + hardware + pad + socket.inet_aton(sender) + to + socket.inet_aton(target)

    stranger = "198.18.0.99"
    about_me = (
        b"\3\3" + bytes(6) + ip(target, own, udp(port, ""))[:20] + struct.pack("!HHHH", 7000, port, 8, 0)
    )
    about_others = b"\3\3" + bytes(6) + ip(target, stranger, udp(port, ""))
    return {
        "good": frame(0x0800, ip(own, target, udp(port, "good"))),
        "good refusal": frame(0x0800, ip(own, target, about_me, protocol=1)),
        "good arp": frame(0x0806, arp(2, own)),
        "hardware": frame(0x0800, ip(own, target, udp(port, "hardware")), source=b"\x02\0\0\0\0\x63"),
        "address": frame(0x0800, ip(stranger, target, udp(port, "address"))),
        "port": frame(0x0800, ip(own, target, udp(50000, "port"))),
        "port of others": frame(0x0800, ip(own, target, udp(48000, "port of others"))),
        "tcp": frame(0x0800, ip(own, target, udp(port, "tcp"), protocol=6)),
        "echo": frame(0x0800, ip(own, target, b"\x08\0" + bytes(6), protocol=1)),
        "refusal for others": frame(0x0800, ip(own, target, about_others, protocol=1)),
        "tunnel": frame(0x0800, ip(stranger, target, ip(own, target, udp(port, "tunnel")), protocol=4)),
        "options": frame(0x0800, ip(own, target, udp(port, "options"), words=6)),
        "fragment": frame(0x0800, ip(own, target, udp(port, "fragment"), fragment=0x2000)),
        "later fragment": frame(0x0800, ip(own, target, udp(port, "later"), fragment=3)),
        "tag": frame(0x0800, ip(own, target, udp(port, "tag")), tag="81000005"),
        "tag of priority": frame(0x0800, ip(own, target, udp(port, "priority")), tag="81000000"),
        "two tags": frame(0x0800, ip(own, target, udp(port, "tags")), tag="88a8000581000006"),
        "ipv6": frame(0x86DD, b"\x60" + bytes(59)),
        "arp of others": frame(0x0806, arp(2, stranger)),
        "arp of others by sizes": frame(0x0806, arp(2, stranger, 0x0804, socket.inet_aton(own)[:2])),
        "bridges": frame(0x0042, bytes(40)),
        "short": frame(0x0800, b"\x45"),
    }


def send(udp_socket: socket.socket, packet: socket.socket, target: str, to: list[str]) -> dict[str, object]:
    own, port = udp_socket.getsockname()
    hardware = fcntl.ioctl(udp_socket, SIOCGIFHWADDR, struct.pack("16s16x", b"eth0"))[18:24]
    packet.bind(("eth0", 0x0800))
    refused: list[str] = []
    for address in to:
        made = frames(own, port, hardware, target, bytes.fromhex(address.replace(":", "")))
        for bypass in (0, 1):
            packet.setsockopt(SOL_PACKET, QDISC_BYPASS, bypass)
            packet.setsockopt(SOL_PACKET, VNET_HDR, 0)
            for frame in made.values():
                packet.send(frame)
            # A check sum that somebody is to write later: over the address, over the port.
            packet.setsockopt(SOL_PACKET, VNET_HDR, 1)
            for start, offset in ((0, 6), (14, 12), (20, 6), (26, 0), (34, 0)):
                later = struct.pack("=BBHHHH", NEEDS_CHECKSUM, 0, 0, 0, start, offset)
                try:
                    packet.send(later + made["good"])
                except OSError:
                    refused.append(f"{start}+{offset}")
    return {"own": own, "port": port, "hardware": hardware.hex(":"), "refused": refused}


def change(
    udp_socket: socket.socket, packet: socket.socket, routes: socket.socket, target: str
) -> dict[str, str]:
    own, port = udp_socket.getsockname()
    index = struct.unpack("i", fcntl.ioctl(udp_socket, SIOCGIFINDEX, struct.pack("16s16x", b"eth0"))[16:20])[
        0
    ]
    everything = ctypes.create_string_buffer(struct.pack("=HBBI", 6, 0, 0, 0xFFFFFFFF))
    program = struct.pack("=HxxxxxxQ", 1, ctypes.addressof(everything))
    setting = ctypes.create_string_buffer(struct.pack("=II", 0x17, 1))
    address = socket.inet_aton("198.18.0.98")

    def ask(kind: int, body: bytes) -> None:
        request = struct.pack("=IHHII", 16 + len(body), kind, 0x605, 1, 0)
        routes.send(request + body)
        answer = routes.recv(65536)
        number = struct.unpack_from("=i", answer, 16)[0]
        if struct.unpack_from("=H", answer, 4)[0] == 2 and number < 0:
            raise OSError(-number, os.strerror(-number))

    def disconnected() -> None:
        udp_socket.connect((target, 7000))
        ctypes.CDLL(None).connect(udp_socket.fileno(), bytes(16), 16)
        udp_socket.bind((own, port + 1))

    attempts: dict[str, Callable[[], object]] = {
        "detach": lambda: packet.setsockopt(socket.SOL_SOCKET, DETACH_FILTER, 0),
        "attach": lambda: packet.setsockopt(socket.SOL_SOCKET, ATTACH_FILTER, program),
        "unlock": lambda: packet.setsockopt(socket.SOL_SOCKET, LOCK_FILTER, 0),
        "mark": lambda: udp_socket.setsockopt(socket.SOL_SOCKET, MARK, 1),
        "raw headers": lambda: udp_socket.setsockopt(socket.IPPROTO_IP, 19, 1),
        "another port": disconnected,
        "down": lambda: fcntl.ioctl(udp_socket, SIOCSIFFLAGS, struct.pack("16sH14x", b"eth0", 0)),
        "hardware": lambda: fcntl.ioctl(
            udp_socket, SIOCSIFHWADDR, struct.pack("16sH6s8x", b"eth0", 1, b"\x02\0\0\0\0\x63")
        ),
        "offloads": lambda: fcntl.ioctl(
            udp_socket, SIOCETHTOOL, struct.pack("16sQ8x", b"eth0", ctypes.addressof(setting))
        ),
        "link": lambda: ask(RTM_NEWLINK, struct.pack("=BxHiII", 0, 0, index, 0, 1)),
        "address": lambda: ask(
            RTM_NEWADDR,
            struct.pack("=BBBBIHH4sHH4s", 2, 16, 0, 0, index, 8, 2, address, 8, 1, address),
        ),
        "route": lambda: ask(
            RTM_NEWROUTE, struct.pack("=BBBBBBBBIHHi", 2, 0, 0, 0, 254, 4, 0, 1, 0, 8, 4, index)
        ),
        "neighbour": lambda: ask(
            RTM_NEWNEIGH,
            struct.pack("=BxHiHBBHH4sHH6sxx", 2, 0, index, 128, 0, 0, 8, 1, address, 10, 2, b"\x02" * 6),
        ),
        "queue": lambda: ask(RTM_DELQDISC, struct.pack("=BxxxiIII", 0, index, 0, 0xFFFFFFFF, 0)),
        "namespace": lambda: ask(RTM_NEWNSID, struct.pack("=BxxxHHIHHi", 0, 8, 2, os.getpid(), 8, 1, 1)),
    }
    found = {}
    for name, attempt in attempts.items():
        try:
            attempt()
            found[name] = "done"
        except OSError as error:
            found[name] = os.strerror(error.errno or 0)
    return found


def listen(udp_socket: socket.socket, packet: socket.socket) -> dict[str, object]:
    index = struct.unpack("i", fcntl.ioctl(udp_socket, SIOCGIFINDEX, struct.pack("16s16x", b"eth0"))[16:20])[
        0
    ]
    packet.bind(("eth0", ALL_KINDS))
    packet.setsockopt(SOL_PACKET, ADD_MEMBERSHIP, struct.pack("=iHH8s", index, PROMISCUOUS, 0, b""))
    print(json.dumps({"port": udp_socket.getsockname()[1]}), flush=True)
    seen = []
    while True:
        ready = select.select([packet, 0], [], [])[0]
        if packet in ready:
            seen.append(packet.recv(2048)[34:].hex())
        elif 0 in ready and not os.read(0, 100):
            return {"seen": seen}


def main() -> None:
    path, host, what, *rest = sys.argv[1:]
    udp_socket, packet, routes = asked(path, host)
    if what == "send":
        print(json.dumps(send(udp_socket, packet, rest[0], rest[1:])))
    elif what == "change":
        print(json.dumps(change(udp_socket, packet, routes, rest[0])))
    else:
        print(json.dumps(listen(udp_socket, packet)))


main()
