# SPDX-License-Identifier: BSD-3-Clause
"""How the tests start programs of tests/mpi/programs under each MPI library, with and without Quadrille."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

import pytest

from quadrille.errors import QuadrilleError
from quadrille.installation import mpi_prefix, native_directory
from quadrille.suites.forced import SETTINGS

ALGORITHM_ROUNDS = [
    "alltoall:ordered,bcast:binomial,allreduce:ring,allgather:ring,barrier:dissemination,reduce:binomial,"
    "gather:binomial,scatter:binomial,reduce_scatter_block:pairwise,scan:recursive_doubling,exscan:chain,"
    "allgatherv:ring,gatherv:linear,scatterv:linear,alltoallv:ordered,reduce_scatter:recursive_halving",
    "alltoall:pairwise,bcast:chain:segment=1024,allreduce:recursive_doubling,allgather:bruck,"
    "barrier:binomial,reduce:chain:segment=1024,gather:linear:window=2:piece_bytes=1024,scatter:linear,"
    "reduce_scatter_block:recursive_halving,scan:chain:segment=1024,exscan:recursive_doubling,"
    "allgatherv:ring,gatherv:linear:window=2:piece_bytes=1024,scatterv:linear,"
    "alltoallv:ordered:partners=2:window=2:piece_bytes=1024,reduce_scatter:pairwise",
    "alltoall:bruck,bcast:scatter_allgather,allreduce:rabenseifner,allgather:recursive_doubling,"
    "barrier:dissemination,reduce:binomial,gather:linear,scatter:binomial,"
    "reduce_scatter_block:recursive_halving,scan:recursive_doubling,exscan:chain:segment=1024,"
    "allgatherv:ring,gatherv:linear:window=1,scatterv:linear,alltoallv:ordered:partners=1:window=3,"
    "reduce_scatter:recursive_halving",
    SETTINGS["two_level"]["QUADRILLE_ALGORITHM"],
]
"""Together every algorithm, each forced for all shapes that it supports; the last in host memory."""

BY_THE_LIBRARY = (
    "bcast:hierarchical:host=library:segment=1024,reduce:hierarchical:host=library:segment=0,"
    "allreduce:hierarchical:host=library:segment=1024:leaders=0"
)
"""Schedules whose steps are collectives of the MPI library."""

_OPEN_MPI_OPTIONS = ["--allow-run-as-root", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1"]


@dataclass(frozen=True)
class Outcome:
    """How a started job ended; `counts` are the numbers of its line `checks=... failures=...`."""

    code: int
    output: str
    errors: str
    counts: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Mpi:
    """One MPI library: its launcher, and the ABI in its test programs' names."""

    name: str
    launcher: Path
    abi: str
    library_path: str = ""

    @property
    def open_mpi(self) -> bool:
        """Whether the launcher takes Open MPI's options."""
        return self.name.startswith("ompi")

    def program(self, name: str, abi: str | None = None) -> Path:
        """Return the path of test program `name`; skips the test where it is not built."""
        path = native_directory() / "tests" / f"{name}-{abi or self.abi}"
        if not path.exists():
            pytest.skip(f"{path.name} is not built: what it is compiled with is not installed")
        return path

    def line(self, ranks: int, command: list[str], settings: Mapping[str, str]) -> list[str]:
        """Return the part of a launcher's line that starts `ranks` of `command`."""
        if self.open_mpi:
            options = [word for name, value in settings.items() for word in ("-x", f"{name}={value}")]
            return ["-np", str(ranks), *options, *command]
        options = [word for name, value in settings.items() for word in ("-env", name, value)]
        return ["-n", str(ranks), *options, *command]

    def settings(self, quadrille: bool, extra: Mapping[str, str]) -> dict[str, str]:
        """Return the ranks' environment."""
        settings = {"LD_LIBRARY_PATH": self.library_path} if self.library_path else {}
        if quadrille:
            settings["LD_PRELOAD"] = str(native_directory() / "libquadrille.so")
            # Ranks that decide differently end the job instead of waiting for each other.
            settings["QUADRILLE_CHECK_DECISIONS"] = "on"
        return {**settings, **extra}

    def run(
        self,
        ranks: int,
        command: Sequence[str | Path],
        settings: Mapping[str, str] = MappingProxyType({}),
        *,
        quadrille: bool = True,
        timeout_s: float = 120,
    ) -> Outcome:
        """Run `command` on `ranks` ranks; `settings` are environment variables of the ranks."""
        words = [str(word) for word in command]
        return self.start(self.line(ranks, words, self.settings(quadrille, settings)), timeout_s)

    def start(self, line: list[str], timeout_s: float = 120) -> Outcome:
        """Run the launcher with `line`; a job that does not end in time is killed and fails the test."""
        options = _OPEN_MPI_OPTIONS if self.open_mpi else []
        environment = dict(os.environ)
        environment.pop("LD_PRELOAD", None)
        job = subprocess.Popen(
            [str(self.launcher), *options, *line],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment,
            start_new_session=True,
        )
        try:
            output, errors = job.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            os.killpg(job.pid, signal.SIGKILL)
            output, errors = job.communicate()
            pytest.fail(f"{self.name} did not end within {timeout_s} s: {' '.join(line)}\n{output}\n{errors}")
        counts = {name: int(value) for name, value in re.findall(r"(\w+)=(\d+)", output)}
        return Outcome(job.returncode, output, errors, counts)


def _installed(name: str) -> Mpi | None:
    if name == "ompi4":
        launcher = shutil.which("mpirun.openmpi")
        return Mpi(name, Path(launcher), "ompi") if launcher else None
    prefix = mpi_prefix({"mpich_abi": "mpich"}.get(name, name))
    if prefix is None:
        return None
    library_path = str(prefix / "lib")
    if name == "ompi5":
        return Mpi(name, prefix / "bin" / "mpirun", "ompi", library_path)
    return Mpi(name, prefix / "bin" / "mpiexec", "abi" if name == "mpich_abi" else "mpich", library_path)


def mpi_named(name: str) -> Mpi:
    """Return MPI library `name`; skips the test where it is not installed."""
    try:
        native_directory()
    except QuadrilleError as error:
        pytest.skip(str(error))
    found = _installed(name)
    if found is None:
        pytest.skip(f"{name} is not installed; run `make build`")
    return found
