# SPDX-License-Identifier: BSD-3-Clause
"""Runs one program of the demonstration so that nothing of it survives an interrupt.

Each program leads a process group of its own: a Ctrl-C reaches the demonstration alone, which ends the group.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from quadrille.errors import QuadrilleError

_PATIENCE_S = 5.0


def run_with_terminal(command: Sequence[str]) -> None:
    """Run a program that writes to our own stdout and stderr. Raises QuadrilleError when it fails."""
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, process_group=0)
    with _ended_at_exit(child):
        code = child.wait()
    if code != 0:
        raise QuadrilleError(f"`{' '.join(command)}` ended with exit code {code}")


def run_logged(command: Sequence[str], folder: Path, log: Path, on_output: Callable[[bytes], None]) -> None:
    """Run a program in `folder`; its output goes to file `log` and, piece by piece, to `on_output`.

    Raises QuadrilleError with the end of the output when it fails.
    """
    environment = {**os.environ, "GMX_NO_QUOTES": "1"}
    child = subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        process_group=0,
    )
    with _ended_at_exit(child), log.open("wb") as file:
        assert child.stdout is not None
        while piece := os.read(child.stdout.fileno(), 65536):
            file.write(piece)
            file.flush()
            on_output(piece)
        code = child.wait()
    if code != 0:
        last = "\n".join(log.read_text(errors="replace").strip().splitlines()[-15:])
        raise QuadrilleError(f"`{' '.join(command)}` ended with exit code {code}; the end of {log}:\n{last}")


@contextlib.contextmanager
def _ended_at_exit(child: subprocess.Popen[bytes]) -> Iterator[None]:
    try:
        yield
    finally:
        if child.poll() is None:
            for number in (signal.SIGTERM, signal.SIGKILL):
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(child.pid, number)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    child.wait(_PATIENCE_S)
                    break
        if child.stdout is not None:
            child.stdout.close()
