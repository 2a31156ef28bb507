# SPDX-License-Identifier: BSD-3-Clause
"""What callers are answered where the kernel says no.

Answers that hold sockets: tests/lab/test_lab_passed_sockets.py.
"""

from __future__ import annotations

import os
import socket
import threading
from pathlib import Path
from typing import Any, cast

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
        asking.settimeout(5)
        asking.connect(str(path))
        asking.send(b"quadrille-link 1 127.0.0.1")
        return asking.recv(1024).decode()


def test_an_interface_that_goes_while_it_is_looked_at_is_refused_and_the_helper_serves_on(
    tmp_path: Path,
) -> None:
    path = tmp_path / "helper.sock"
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(str(path))
        listener.listen()
        service = Service(listener, RULES, [cast(Confinement, cast(Any, Vanishing()))])
        serving = threading.Thread(target=service.serve)
        serving.start()
        try:
            for _ in range(2):
                assert ask(path).startswith("refused interfaces of this host cannot be looked at now")
        finally:
            service.stop()
            serving.join()
