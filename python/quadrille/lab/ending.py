# SPDX-License-Identifier: BSD-3-Clause
"""Ending labs: only processes that are really inside the lab's own namespaces, then its keeper.

A process is found by the inode of its network namespace and believed only when that namespace has the cookie
the lab wrote down: the kernel reuses inodes, cookies never, so a stale record cannot name somebody else's
process.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import time
from pathlib import Path

from quadrille.errors import QuadrilleError
from quadrille.lab import namespaces as ns
from quadrille.lab.session_directory import remove_session_directory
from quadrille.lab.state import LabState, boot_id, is_alive, keeper_pid, lab_directory, read_state

_PATIENCE_S = 5.0


def end_lab(lab_id: str, only_dead: bool = False) -> bool:
    """End lab `lab_id` and remove its run directory; return whether there was anything.

    With `only_dead` a living lab is left alone. REQUIRES: the caller holds `labs_locked`. Raises
    QuadrilleError when processes of the lab cannot be ended.
    """
    directory = lab_directory(lab_id)
    if not directory.is_dir() or (only_dead and is_alive(directory)):
        return False
    state = read_state(directory)
    if state is not None and state.boot_id == boot_id():
        _end_processes(state)
    _end_keeper(directory)
    remove_session_directory(directory)
    shutil.rmtree(directory, ignore_errors=True)
    return True


def processes_inside(state: LabState, hosts: list[str] | None = None) -> dict[int, str]:
    """Return the pids inside the lab's hosts (or only `hosts`) with the host each is on."""
    wanted = {
        host.network_inode: host for host in state.hosts.values() if hosts is None or host.name in hosts
    }
    verified: set[int] = set()
    found: dict[int, str] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            inode = (entry / "ns/net").stat().st_ino
        except OSError:
            continue
        host = wanted.get(inode)
        if host is None:
            continue
        if inode not in verified:
            if _cookie_of(state, entry) != host.network_cookie:
                continue
            verified.add(inode)
        found[int(entry.name)] = host.name
    return found


def _cookie_of(state: LabState, process: Path) -> int | None:
    # A process that stands in a lab's user namespace is that namespace's own way in, also after the keeper.
    paths = [f"{process}/ns/user"] if state.user_namespace else []
    try:
        return int(ns.call_inside([*paths, f"{process}/ns/net"], ns.network_cookie))
    except QuadrilleError:
        return None


def _end_processes(state: LabState) -> None:
    deadline = time.monotonic() + _PATIENCE_S
    while True:
        pids = processes_inside(state)
        if not pids:
            return
        if time.monotonic() > deadline:
            raise QuadrilleError(f"lab {state.lab_id}: processes {sorted(pids)} do not end; see `ps`")
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        time.sleep(0.01)


def _end_keeper(directory: Path) -> None:
    deadline = time.monotonic() + _PATIENCE_S
    while is_alive(directory):
        pid = keeper_pid(directory)
        if pid is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if time.monotonic() > deadline:
            raise QuadrilleError(f"lab {directory.name}: its keeper does not end; see {directory}/keeper.log")
        time.sleep(0.01)
