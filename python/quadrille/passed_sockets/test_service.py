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
def serving(path: Path) -> Iterator[None]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(str(path))
        path.chmod(0o666)
        listener.listen()
        service = Service(listener, RULES, [cast(Confinement, cast(Any, Vanishing()))])
        serving = threading.Thread(target=service.serve)
        serving.start()
        try:
            yield
        finally:
            service.stop()
            serving.join()


SILENT = """
import os, socket, sys
os.setuid(int(sys.argv[2]))
kept = []
for _ in range(int(sys.argv[3])):
    kept.append(socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET))
    kept[-1].connect(sys.argv[1])
print("held", flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(os.getuid() != 0, reason="needs other users")
@pytest.mark.parametrize("users", [1, 6])
def test_users_who_connect_often_and_say_nothing_keep_nobody_else_out(users: int) -> None:
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.chmod(0o755)
        path = folder / "helper.sock"
        stack.enter_context(serving(path))
        for user in range(users):
            command = [sys.executable, "-c", SILENT, str(path), str(60_000 + user), str(700 // users)]
            silent = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            stack.enter_context(silent)
            assert silent.stdout is not None and silent.stdin is not None
            stack.callback(silent.stdin.close)
            assert silent.stdout.readline() == b"held\n"
        assert ask(path).startswith("refused interfaces of this host cannot be looked at now")


def test_an_interface_that_goes_while_it_is_looked_at_is_refused_and_the_helper_serves_on(
    tmp_path: Path,
) -> None:
    path = tmp_path / "helper.sock"
    with serving(path):
        for _ in range(2):
            assert ask(path).startswith("refused interfaces of this host cannot be looked at now")
