# SPDX-License-Identifier: BSD-3-Clause
"""What callers are answered where the kernel says no.

Answers that hold sockets: tests/lab/test_lab_passed_sockets.py.
"""

from __future__ import annotations

import contextlib
import os
import socket
import struct
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from pyroute2 import IPRoute

from quadrille.passed_sockets.confinement import Confinement
from quadrille.passed_sockets.rules import parse_rules
from quadrille.passed_sockets.service import Service

RULES = parse_rules(
    {
        "network": [
            {
                "interface": "lo",
                "address": "198.18.200.1/16",
                "rule": [{"users": [str(os.getuid())], "ports": "47000-47099"}],
            }
        ]
    },
    "rules",
)


class Vanishing:
    """A confinement whose interface goes while it is looked at."""

    def is_whole(self) -> bool:
        with IPRoute() as ipr:
            return bool(ipr.get_links(2**31 - 1))  # of no interface: the kernel's own refusal


def ask(path: Path) -> str:
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as asking:
        # Not settimeout(): such a socket does not wait for room in the queue, but is refused.
        for direction in (socket.SO_SNDTIMEO, socket.SO_RCVTIMEO):
            asking.setsockopt(socket.SOL_SOCKET, direction, struct.pack("ll", 5, 0))
        asking.connect(str(path))
        asking.send(b"quadrille-link 1 127.0.0.1")
        return asking.recv(1024).decode()


@contextlib.contextmanager
def listening(path: Path) -> Iterator[Service]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(str(path))
        path.chmod(0o666)
        listener.listen()
        yield Service(listener, RULES, [cast(Confinement, cast(Any, Vanishing()))])


@contextlib.contextmanager
def running(service: Service) -> Iterator[None]:
    serving = threading.Thread(target=service.serve)
    serving.start()
    try:
        yield
    finally:
        service.stop()
        serving.join()


@contextlib.contextmanager
def serving(path: Path) -> Iterator[None]:
    with listening(path) as service, running(service):
        yield


SILENT = """
import os, socket, sys
os.setuid(int(sys.argv[2]))
kept = []
for _ in range(int(sys.argv[3])):
    kept.append(socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET))
    kept[-1].connect(sys.argv[1])
if len(sys.argv) > 4:
    kept[-1].recv(1)  # the last is turned away: all before have been taken
print("held", flush=True)
if sys.stdin.readline():
    kept[0].send(b"quadrille-link 1 127.0.0.1")
    print("spoken", flush=True)
sys.stdin.read()
"""


@contextlib.contextmanager
def silent(path: Path, user: int, connections: int, *more: str) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-c", SILENT, str(path), str(user), str(connections), *more]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holds:
        assert holds.stdout is not None and holds.stdin is not None
        try:
            assert holds.stdout.readline() == b"held\n"
            yield holds
        finally:
            holds.stdin.close()


@pytest.mark.skipif(os.getuid() != 0, reason="needs other users")
@pytest.mark.parametrize("users", [1, 6])
def test_users_who_connect_often_and_say_nothing_keep_nobody_else_out(users: int) -> None:
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.chmod(0o755)
        path = folder / "helper.sock"
        stack.enter_context(serving(path))
        for user in range(users):
            stack.enter_context(silent(path, 60_000 + user, 700 // users))
        assert ask(path).startswith("refused interfaces of this host cannot be looked at now")


@pytest.mark.skipif(os.getuid() != 0, reason="needs other users")
def test_who_speaks_in_the_moment_in_which_he_makes_room_for_another_ends_nothing() -> None:
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.chmod(0o755)
        path = folder / "helper.sock"
        service = stack.enter_context(listening(path))
        with running(service):
            first = stack.enter_context(silent(path, 60_000, 257, "until turned away"))
            stack.enter_context(silent(path, 60_001, 257, "until turned away"))
        assert first.stdout is not None and first.stdin is not None
        # Both are there when it looks next: a third user, and a word of the one who has waited longest.
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as third:
            third.settimeout(5)
            third.connect(str(path))
            third.send(b"quadrille-link 1 127.0.0.1")
            first.stdin.write(b"speak\n")
            first.stdin.flush()
            assert first.stdout.readline() == b"spoken\n"
            with running(service):
                assert third.recv(1024).decode().startswith("refused interfaces of this host")


def test_an_interface_that_goes_while_it_is_looked_at_is_refused_and_the_helper_serves_on(
    tmp_path: Path,
) -> None:
    path = tmp_path / "helper.sock"
    with serving(path):
        for _ in range(2):
            assert ask(path).startswith("refused interfaces of this host cannot be looked at now")
