# SPDX-License-Identifier: BSD-3-Clause
"""Linux namespaces from Python: making them, entering them, and telling one from another.

Entering changes the calling thread for good, so everything here that enters does so in a forked child.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import socket
import struct
import sys
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NoReturn

from quadrille.errors import QuadrilleError

NEWNS, NEWUTS, NEWIPC, NEWUSER, NEWNET = 0x00020000, 0x04000000, 0x08000000, 0x10000000, 0x40000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_BIND, MS_REC, MS_PRIVATE = 1, 2, 4, 4096, 16384, 1 << 18
_PR_SET_PDEATHSIG = 1
_SO_NETNS_COOKIE = 71

_libc = ctypes.CDLL(None, use_errno=True)


def _check(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def unshare(flags: int) -> None:
    """Move the calling process into new namespaces. Raises OSError."""
    _check(_libc.unshare(flags), "unshare")


def mount(source: str, target: str, kind: str, flags: int, data: str = "") -> None:
    """Mount as mount(2). Raises OSError."""
    result = _libc.mount(
        source.encode(), target.encode(), kind.encode(), ctypes.c_ulong(flags), data.encode()
    )
    _check(result, f"mount {target}")


def parent_death_signal(number: signal.Signals) -> Callable[[], None]:
    """Return what a child calls before exec so that it gets signal `number` when this process ends."""
    parent_pid = os.getpid()

    def arrange() -> None:
        _libc.prctl(_PR_SET_PDEATHSIG, number, 0, 0, 0)
        if os.getppid() != parent_pid:
            os._exit(1)

    return arrange


def network_cookie() -> int:
    """Return the number of this process's network namespace; the kernel never gives it to another one."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        return int(struct.unpack("=Q", probe.getsockopt(socket.SOL_SOCKET, _SO_NETNS_COOKIE, 8))[0])


def same_namespace(one: str, other: str) -> bool:
    """Return whether two /proc paths name one namespace."""
    try:
        return Path(one).stat().st_ino == Path(other).stat().st_ino
    except OSError:
        return False


def enter(paths: Iterable[str]) -> None:
    """Move the calling process into the namespaces at `paths`; a user namespace must come first."""
    handles = [os.open(path, os.O_RDONLY | os.O_CLOEXEC) for path in paths]
    for handle in handles:
        _check(_libc.setns(handle, 0), "setns")
        os.close(handle)


def call_inside(paths: Iterable[str], function: Callable[..., Any], *arguments: Any) -> Any:
    """Run `function` in a forked child inside the namespaces at `paths`; return its JSON-able result.

    Raises QuadrilleError with the child's own message when it fails.
    """
    targets = list(paths)
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        _answer(writer, targets, function, arguments)
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        text = stream.read()
    os.waitpid(pid, 0)
    answer = json.loads(text) if text else {"error": "the helper process ended without an answer"}
    if "error" in answer:
        raise QuadrilleError(f"inside the lab: {answer['error']}")
    return answer["value"]


def _answer(writer: int, paths: list[str], function: Callable[..., Any], arguments: Any) -> NoReturn:
    try:
        enter(paths)
        answer = {"value": function(*arguments)}
    except Exception as error:
        if not isinstance(error, OSError | QuadrilleError):
            traceback.print_exc(file=sys.stderr)
        answer = {"error": str(error) or type(error).__name__}
    with os.fdopen(writer, "wb") as stream:
        stream.write(json.dumps(answer).encode())
    os._exit(0)


def may_unshare(flags: int) -> bool:
    """Return whether this process could create the namespaces in `flags` (tried in a child)."""
    pid = os.fork()
    if pid == 0:
        os._exit(0 if _libc.unshare(flags) == 0 else 1)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def become_root_of_new_user_namespace() -> None:
    """Enter a new user namespace in which the caller is root (and only the caller exists)."""
    uid, gid = os.getuid(), os.getgid()
    unshare(NEWUSER)
    Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
    Path("/proc/self/uid_map").write_text(f"0 {uid} 1", encoding="ascii")
    Path("/proc/self/gid_map").write_text(f"0 {gid} 1", encoding="ascii")
