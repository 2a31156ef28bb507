# SPDX-License-Identifier: BSD-3-Clause
"""What a signal that ends us raises where there is no terminal."""

from __future__ import annotations

import os
import subprocess
import sys

_INTERRUPTED = """
import os, signal
from quadrille.termination import TerminalInterrupt, as_interrupt
signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    with as_interrupt():
        os.kill(os.getpid(), signal.SIGINT)
except KeyboardInterrupt as interrupt:
    print(isinstance(interrupt, TerminalInterrupt))
"""


def test_an_interrupt_is_one_where_standard_input_is_closed() -> None:
    line = [sys.executable, "-c", _INTERRUPTED]
    done = subprocess.run(
        line, preexec_fn=lambda: os.close(0), capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout) == (0, "False\n"), done.stderr
