# SPDX-License-Identifier: BSD-3-Clause
"""Starts one of the native MPI programs with the user's launcher: which of them, found how, ended how.

Each program is built once for each MPI ABI. Its rank 0 writes JSON objects, one a line, to its standard
output, which every launcher carries home from wherever that rank runs.
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import signal
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from quadrille import termination
from quadrille.bench.emulation import Emulation, emulation_of
from quadrille.errors import QuadrilleError, UsageError
from quadrille.installation import mpi_prefix, native_program
from quadrille.launchers import Launcher, detect_launcher

_SYSTEM_LIBRARIES = ("/lib", "/usr/lib", "/lib64", "/usr/lib64")
_END_PATIENCE_S = 10.0
_OWN_END_PATIENCE_S = 6.0
"""Open MPI's mpirun gives up its orderly end, and leaves its folder, at a second signal within 5 s."""
_ABI = {"ompi": "ompi", "mpich": "mpich", "impi": "mpich"}
"""For which a program is built, by the launcher's MPI."""


@dataclass(frozen=True)
class NativeJob:
    """A native program to start: its name without the ABI, the launcher line, its arguments.

    `variables` go into every rank; `mpi` names the launcher's MPI where it cannot be told.
    """

    program: str
    launcher_line: list[str]
    arguments: list[str]
    mpi: str | None = None
    variables: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Start:
    """A line that is ready to be started, its environment, and the lab it runs in, if any."""

    line: list[str]
    environment: dict[str, str]
    emulation: Emulation | None


def prepare(job: NativeJob) -> Start:
    """Return how to start `job`.

    Raises UsageError when the launcher's MPI is unknown, QuadrilleError when the program is not built for it.
    """
    launcher = detect_launcher(job.launcher_line)
    mpi = job.mpi or launcher.mpi
    if mpi not in _ABI:
        raise UsageError(
            f"cannot tell the MPI of launcher {shlex.join(job.launcher_line)}; "
            f"name it with --mpi {'|'.join(_ABI)}"
            if job.mpi is None
            else f"--mpi {mpi}: choose one of {', '.join(_ABI)}"
        )
    program = native_program(f"{job.program}-{_ABI[mpi]}")
    variables = dict(job.variables)
    emulation = emulation_of(job.launcher_line)
    library_directory = _library_directory(launcher, emulation)
    if library_directory is not None:
        inherited = os.environ.get("LD_LIBRARY_PATH", "")
        variables["LD_LIBRARY_PATH"] = ":".join(part for part in (str(library_directory), inherited) if part)
    if emulation is not None:
        variables["QUADRILLE_LAB_INFO"] = str(emulation.network_file)
    line = [*launcher.with_environment(variables), str(program), *job.arguments]
    return Start(line, {**os.environ, **launcher.launcher_environment(variables)}, emulation)


def started(start: Start, **options: Any) -> subprocess.Popen[str]:
    """Start the line with subprocess.Popen's `options`, without standard input, its output piped as text.

    Programs write UTF-8; what launchers write beside it may be anything.

    Raises QuadrilleError when it cannot be started.
    """
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE}
    try:
        return subprocess.Popen(
            start.line, env=start.environment, encoding="utf-8", errors="replace", **{**pipes, **options}
        )
    except OSError as error:
        raise QuadrilleError(f"{start.line[0]} cannot be started: {error.strerror}") from error


@contextlib.contextmanager
def ended_with_us(process: subprocess.Popen[Any], *, own_group: bool = False) -> Iterator[None]:
    """End the launcher when the block is left early, also by a signal to us: it then ends its ranks.

    `own_group`: the launcher leads a process group of its own, all of which is ended.
    """
    with termination.as_interrupt():
        try:
            yield
        except termination.TerminalInterrupt:
            if not own_group:
                _let_end(process)
            raise
        finally:
            if process.poll() is None:
                _end(process, own_group)


def run_to_end(start: Start, what: str, timeout_s: float, stderr: int) -> subprocess.CompletedProcess[str]:
    """Run a line, and return how it ended. `stderr`: as subprocess.Popen's; `what` it is, for people.

    Raises QuadrilleError when it cannot be started, or takes longer.
    """
    process = started(start, stderr=stderr)
    with ended_with_us(process):
        try:
            output, errors = process.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            raise QuadrilleError(f"{what} took over {timeout_s:g} s") from None
    return subprocess.CompletedProcess(start.line, process.returncode, output, errors)


def lines_of_types(output: str) -> list[dict[str, Any]]:
    """Return what `line_of_type` finds in each line of the launcher's output."""
    return [data for text in output.splitlines() if (data := line_of_type(text)) is not None]


def line_of_type(text: str) -> dict[str, Any] | None:
    """Return the JSON object with a `type` in a line of the launcher's output, None where there is none.

    Launchers may put the rank in front of what it writes.
    """
    start = text.find("{")
    if start < 0:
        return None
    try:
        data, _ = json.JSONDecoder().raw_decode(text, start)
    except ValueError:
        return None
    return data if isinstance(data, dict) and isinstance(data.get("type"), str) else None


def _library_directory(launcher: Launcher, emulation: Emulation | None) -> Path | None:
    """Return where the launcher's libmpi is, unless the dynamic linker finds it anyway."""
    if emulation is not None:
        prefix = mpi_prefix(emulation.mpi)
        return prefix / "lib" if prefix is not None else None
    found = launcher.library_directory
    return None if found is None or str(found).startswith(_SYSTEM_LIBRARIES) else found


def _let_end(process: subprocess.Popen[Any]) -> None:
    """Wait for a launcher that a terminal's Ctrl-C has reached, too: another signal would be a second one."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=_OWN_END_PATIENCE_S)


def _end(process: subprocess.Popen[Any], own_group: bool) -> None:
    _signal(process, signal.SIGTERM, own_group)
    try:
        process.wait(timeout=_END_PATIENCE_S)
    except subprocess.TimeoutExpired:
        _signal(process, signal.SIGKILL, own_group)
        process.wait()


def _signal(process: subprocess.Popen[Any], number: signal.Signals, own_group: bool) -> None:
    with contextlib.suppress(ProcessLookupError):
        if own_group:
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)
