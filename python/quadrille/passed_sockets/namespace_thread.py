# SPDX-License-Identifier: BSD-3-Clause
"""Threads that live in network namespaces of their own.

Nothing names such a namespace: when the process ends, however it ends, the kernel removes what is in it.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from quadrille.lab.namespaces import NEWNET, unshare

P = ParamSpec("P")
T = TypeVar("T")

CAP_NET_ADMIN, CAP_NET_RAW = 12, 13
_CAPABILITY_VERSION = 0x20080522
_libc = ctypes.CDLL(None, use_errno=True)


class NamespaceThread:
    """One thread in a new network namespace. `handle`: an open descriptor of that."""

    def __init__(self) -> None:
        """Start it. Raises OSError where a namespace may not be made."""
        self._thread = ThreadPoolExecutor(max_workers=1)
        self._thread.submit(unshare, NEWNET).result()
        self.handle = self.run(_open_own)

    def run(self, function: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
        """Call the function there; return or raise what it does."""
        return self._thread.submit(function, *arguments, **named).result()

    def close(self) -> None:
        """End the thread; its namespace lives until the last socket in it is closed."""
        os.close(self.handle)
        self._thread.shutdown()


def _open_own() -> int:
    return os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)


def keep_only(*capabilities: int) -> None:
    """Give up all other capabilities of the calling thread, for good. Raises OSError."""
    low = sum(1 << capability for capability in capabilities)
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0)
    sets = (ctypes.c_uint32 * 6)(low, low, 0, 0, 0, 0)
    if _libc.capset(header, sets) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), "capset")
