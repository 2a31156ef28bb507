# SPDX-License-Identifier: BSD-3-Clause
"""Events of Chrome's trace format that name what others refer to by number."""

from __future__ import annotations

from typing import Any


def named_process(pid: int, name: str) -> dict[str, Any]:
    """Return the event that names a process."""
    return _named("process_name", pid, 0, name)


def named_thread(pid: int, tid: int, name: str) -> dict[str, Any]:
    """Return the event that names a thread of a process."""
    return _named("thread_name", pid, tid, name)


def _named(kind: str, pid: int, tid: int, name: str) -> dict[str, Any]:
    return {"ph": "M", "name": kind, "pid": pid, "tid": tid, "args": {"name": name}}
