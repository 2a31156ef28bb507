# SPDX-License-Identifier: BSD-3-Clause
"""Bursts of other people's traffic on an emulated cluster: silence, then many full frames at once.

Steady ambient traffic delays every message a little; bursts delay few of them very much, which is what makes
means of round trips misleading.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from quadrille.lab.lab import Lab

_PYTHON = "/usr/bin/python3"
_PATIENCE_S = 5
_SINK = """
import socket
sink = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); sink.bind(("", 7010))
while True: sink.recv(2048)
"""
_SOURCE = """
import random, socket, sys, time
target, frames, pause_s, seed = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), sys.argv[4]
chance, out = random.Random(seed), socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
while True:
    time.sleep(chance.expovariate(1 / pause_s))
    for _ in range(frames): out.sendto(bytes(1472), (target, 7010))
"""


@dataclass(frozen=True)
class Burst:
    """`frames` full frames back to back from one host to another, after pauses of `pause_s` on average."""

    source: str
    target: str
    frames: int
    pause_s: float


@contextmanager
def bursts(lab: Lab, wanted: Sequence[Burst]) -> Iterator[None]:
    """Send `wanted` while the block runs. The pauses are random, the same in each run."""
    running: list[subprocess.Popen[bytes]] = []
    try:
        for number, burst in enumerate(wanted):
            address = lab.state.hosts[burst.target].address
            source = [_SOURCE, address, str(burst.frames), str(burst.pause_s), str(number)]
            for host, code in ((burst.target, [_SINK]), (burst.source, source)):
                running.append(subprocess.Popen(lab.enter(host, [_PYTHON, "-c", *code])))
        yield
    finally:
        for process in running:
            process.terminate()
        for process in running:
            try:
                process.wait(_PATIENCE_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
