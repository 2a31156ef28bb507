# SPDX-License-Identifier: BSD-3-Clause
"""Starts programs of suites on a lab, as `quadrille run` does where a setting asks for it.

What is left of a job that was ended may hold the hosts' ports or memory: the lab is built anew after it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from quadrille import settings
from quadrille.errors import QuadrilleError
from quadrille.installation import mpi_prefix
from quadrille.lab.lab import Lab
from quadrille.lab.ready_made import resolve
from quadrille.launchers import Launcher, detect_launcher

_TAIL_LINES = 25
_GRACE_S = 5.0
_DOWN_TRIES = 5
_MORE_PATIENCE = 3


@dataclass(frozen=True)
class Ended:
    """How a job ended: its exit code, None where it was late; what it said, stdout and stderr together."""

    exit_code: int | None
    output: str
    seconds: float

    @property
    def tail(self) -> str:
        """Return the end of what it said, and why it ended."""
        why = "did not end in time" if self.exit_code is None else f"exit code {self.exit_code}"
        said = [line[:300] for line in self.output.splitlines()[-_TAIL_LINES:]]
        return "\n".join([*said, f"({why} after {self.seconds:.0f} s)"])


def patience_after(first: Ended) -> int:
    """Return how many times as long a repetition may take: a busy machine is late, a hang still is then."""
    return _MORE_PATIENCE if first.exit_code is None else 1


class SuiteLab:
    """A lab of `hosts` hosts under `name`; ranks are spread over them, the first hosts take one more."""

    def __init__(self, name: str, topology: str) -> None:
        """Build the lab."""
        self._name, self._topology = name, resolve(topology)
        self._lab = Lab.up(self._topology, name)
        self._launchers: dict[str, Launcher] = {}

    def close(self) -> None:
        """Take the lab down."""
        self._lab.down()

    def run(
        self,
        mpi: str,
        ranks: int,
        command: Sequence[str],
        quadrille: Mapping[str, str] | None,
        timeout_s: float,
        environment: Mapping[str, str] | None = None,
        folder: Path | None = None,
        launcher_arguments: Sequence[str] = (),
        preload: str = "",
    ) -> Ended:
        """Run `command`; `quadrille` holds settings of Quadrille, None runs without it.

        `preload`: libraries that ranks with Quadrille load before it.
        """
        line, outer = self._line(mpi, ranks, quadrille, {**libraries(mpi), **(environment or {})}, preload)
        line = [line[0], *launcher_arguments, *line[1:], *command]
        began = time.monotonic()
        child = subprocess.Popen(
            line,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env={**os.environ, **outer},
            cwd=folder,
            start_new_session=True,
        )
        try:
            output, _ = child.communicate(timeout=timeout_s)
            return Ended(child.returncode, output, time.monotonic() - began)
        except subprocess.TimeoutExpired:
            return Ended(None, self._end(child), time.monotonic() - began)

    def _line(
        self,
        mpi: str,
        ranks: int,
        quadrille: Mapping[str, str] | None,
        environment: Mapping[str, str],
        preload: str,
    ) -> tuple[list[str], dict[str, str]]:
        per_host = -(-ranks // len(self._topology.host_names()))
        line = self._lab.launcher(mpi, ranks, per_host, environment)
        if quadrille is None:
            return line, {}
        if mpi not in self._launchers:
            self._launchers[mpi] = detect_launcher(line)
        launcher = replace(self._launchers[mpi], argv=tuple(line))
        variables = settings.job_environment(quadrille)
        if preload:
            variables["LD_PRELOAD"] = f"{preload}:{variables['LD_PRELOAD']}"
        return launcher.with_environment(variables), launcher.launcher_environment(variables)

    def _end(self, child: subprocess.Popen[str]) -> str:
        for kind in (signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, kind)
            try:
                output, _ = child.communicate(timeout=_GRACE_S)
                break
            except subprocess.TimeoutExpired as late:
                output = (late.output or b"").decode(errors="replace") if late.output else ""
        for left in reversed(range(_DOWN_TRIES)):
            try:
                self._lab.down()
                break
            except QuadrilleError:  # a busy machine takes its time to end processes
                if left == 0:
                    raise
        self._lab = Lab.up(self._topology, self._name)
        return output


_WAITING = {"mpich": {"MPIR_CVAR_ENABLE_HEAVY_YIELD": "1"}, "impi": {"I_MPI_THREAD_YIELD": "3"}}


def libraries(mpi: str) -> dict[str, str]:
    """Return what ranks of this MPI need to start, and to give cores away to each other."""
    prefix = mpi_prefix(mpi)
    waiting = _WAITING.get(mpi, {})
    return waiting if prefix is None else {**waiting, "LD_LIBRARY_PATH": str(prefix / "lib")}
