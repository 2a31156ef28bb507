# SPDX-License-Identifier: BSD-3-Clause
"""Ends a command by a signal as Ctrl-C does, so that what it has started is ended with it.

A signal that we were started to ignore, as `nohup` has it of a closed terminal, stays ignored.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

ENDING = (signal.SIGTERM, signal.SIGHUP)


@contextmanager
def handled(
    numbers: tuple[signal.Signals, ...], handler: Callable[[int, FrameType | None], None]
) -> Iterator[None]:
    """Have `handler` called during the block for those of the signals that are not ignored.

    Does nothing outside of the main thread, the only one that may.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    heeded = [number for number in numbers if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, handler) for number in heeded}
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)


class TerminalInterrupt(KeyboardInterrupt):
    """A Ctrl-C that all of our process group has got."""


@contextmanager
def as_interrupt() -> Iterator[None]:
    """Raise KeyboardInterrupt during the block for a signal that ends us, TerminalInterrupt for Ctrl-C."""

    def interrupt(number: int, _frame: FrameType | None) -> None:
        if number == signal.SIGINT and os.isatty(0):  # which may be closed
            raise TerminalInterrupt
        raise KeyboardInterrupt

    with handled((signal.SIGINT, *ENDING), interrupt):
        yield
