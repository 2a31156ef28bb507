# SPDX-License-Identifier: BSD-3-Clause
"""The processes a lab needs while it is up: forwarders of delayed trunks and senders of ambient traffic.

Each is a child of the keeper that the kernel kills with it. They ask for a real-time priority, so that
spinning ranks do not hold frames up, and go on without one where it is not given.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import traceback
from collections.abc import Callable, Sequence
from typing import NoReturn

from quadrille.installation import native_program
from quadrille.lab.namespaces import parent_death_signal

_PRIORITY = 10


def start_service(run: Callable[[], None]) -> int:
    """Run `run` in a child that ends with this process; return its pid."""
    arrange = parent_death_signal(signal.SIGKILL)
    pid = os.fork()
    if pid:
        return pid
    try:
        arrange()
        _ask_for_priority()
        run()
    except BaseException:
        traceback.print_exc(file=sys.stderr)
    finally:
        os._exit(1)


def become_traffic_program(task: str, sockets: Sequence[socket.socket], arguments: Sequence[str]) -> NoReturn:
    """Replace this process by `quadrille-lab-traffic TASK`, which is given `sockets`.

    Raises QuadrilleError when it is not built.
    """
    program = str(native_program("quadrille-lab-traffic"))
    for one in sockets:
        os.set_inheritable(one.fileno(), True)
    os.execv(program, [program, task, *arguments])


def _ask_for_priority() -> None:
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(_PRIORITY))
    except PermissionError:
        return
