# SPDX-License-Identifier: BSD-3-Clause
"""Round trips between all hosts of an emulated cluster, a pair at a time, all of it repeated, as ECO does.

The probe measures all pairs with small messages only, in a row, and does not wait for what a burst holds up.
"""

from __future__ import annotations

import json
import subprocess
from typing import Any

from quadrille.errors import QuadrilleError
from quadrille.lab.lab import Lab

_PYTHON = "/usr/bin/python3"
_TIMEOUT_S = 120
_ECHO = """
import socket
end = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20); end.bind(("", 7011)); print("ready", flush=True)
while True:
    message, sender = end.recvfrom(65536); end.sendto(message, sender)
"""
_ASK = """
import json, socket, sys, time
count, size = int(sys.argv[1]), int(sys.argv[2])
end = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); end.settimeout(1)
end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20); found = []
for address in sys.argv[3:]:
    times = []
    for number in range(count + 1):
        begin = time.perf_counter_ns(); end.sendto(number.to_bytes(4, "big").ljust(size), (address, 7011))
        try:
            while int.from_bytes(end.recv(65536)[:4], "big") != number: pass
            if number: times.append(time.perf_counter_ns() - begin)
        except TimeoutError: pass
    found.append(times)
print(json.dumps(found))
"""


def round_trips(lab: Lab, message_bytes: int, count: int, passes: int = 1) -> dict[str, Any]:
    """Return `count` round trips of each pair in each pass, in the form of `quadrille probe --samples`.

    The first message of a pair, which resolves addresses, is left out; so is what was lost. Raises
    QuadrilleError when a host does not run the measurement.
    """
    hosts = list(lab.state.hosts)
    echoes = [_start_echo(lab, host) for host in hosts]
    try:
        pairs: list[dict[str, Any]] = []
        for place, host in [*enumerate(hosts[:-1])] * passes:
            others = hosts[place + 1 :]
            addresses = [lab.state.hosts[other].address for other in others]
            command = [_PYTHON, "-c", _ASK, str(count), str(message_bytes), *addresses]
            found = json.loads(lab.on_host(host, command, _TIMEOUT_S))
            size = {"there_bytes": message_bytes, "back_bytes": message_bytes}
            for other, times in zip(others, found, strict=True):
                pairs.append({"from": host, "to": other, **size, "round_trips_ns": times})
        return {"hosts": hosts, "pairs": pairs}
    finally:
        for echo in echoes:
            echo.kill()
            echo.wait()


def _start_echo(lab: Lab, host: str) -> subprocess.Popen[str]:
    echo = subprocess.Popen(lab.enter(host, [_PYTHON, "-c", _ECHO]), stdout=subprocess.PIPE, text=True)
    assert echo.stdout is not None
    if echo.stdout.readline() != "ready\n":
        raise QuadrilleError(
            f"{host}: python3 does not run there; try `quadrille lab exec {host} -- python3`"
        )
    return echo
