# SPDX-License-Identifier: BSD-3-Clause
"""Hosts that stop: frozen (processes stopped, cables pulled), killed (processes gone, cables pulled), thawed.

A frozen machine acknowledges nothing, but here all hosts share one kernel, which would go on answering TCP in
the name of stopped processes; therefore the cables go down too, unless only the processes are meant.
"""

from __future__ import annotations

import os
import signal
import socket
import time
from pathlib import Path

from pyroute2 import IPRoute

from quadrille.errors import QuadrilleError, UsageError
from quadrille.lab import namespaces as ns
from quadrille.lab.ending import processes_inside
from quadrille.lab.state import LabState

ACTIONS = ("freeze", "kill", "thaw")
_PATIENCE_S = 3.0


def act(state: LabState, action: str, host: str, cables: bool = True) -> int:
    """Freeze, kill or thaw `host`; return how many processes it met.

    `cables`: pull them (freeze, kill) too; thaw always plugs them in. Raises UsageError for an unknown host
    or action, QuadrilleError when a process will not stop.
    """
    state.host(host)
    if action == "thaw":
        _set_cables(state, host, "up")
        return _signal_all(state, host, signal.SIGCONT)
    if action not in ACTIONS:
        raise UsageError(f"{action}: choose one of {', '.join(ACTIONS)}")
    if cables:
        _set_cables(state, host, "down")
    return _signal_until_done(state, host, signal.SIGSTOP if action == "freeze" else signal.SIGKILL)


def _set_cables(state: LabState, host: str, to: str) -> None:
    ports = [host, *([f"adm.{host}"] if state.host(host).admin_address else [])]
    ns.call_inside(state.inside(state.switch_namespace), _set_links, ports, to)


def _set_links(names: list[str], to: str) -> None:
    with IPRoute() as ipr:
        for name in names:
            ipr.link("set", index=socket.if_nametoindex(name), state=to)


def _signal_all(state: LabState, host: str, number: signal.Signals) -> int:
    pids = processes_inside(state, [host])
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            continue
    return len(pids)


def _signal_until_done(state: LabState, host: str, number: signal.Signals) -> int:
    """Repeat until no process of the host runs: a process may fork between the look and the signal."""
    met: set[int] = set()
    done = "TtZX" if number == signal.SIGSTOP else "ZX"
    deadline = time.monotonic() + _PATIENCE_S
    while True:
        running = {pid for pid in processes_inside(state, [host]) if _state_of(pid) not in done}
        met |= running
        if not running:
            return len(met)
        if time.monotonic() > deadline:
            raise QuadrilleError(f"host {host}: processes {sorted(running)} do not answer {number.name}")
        for pid in running:
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                continue
        time.sleep(0.005)


def _state_of(pid: int) -> str:
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return "X"
    return text.rpartition(")")[2].split()[0]
