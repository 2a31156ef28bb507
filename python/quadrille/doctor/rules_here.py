# SPDX-License-Identifier: BSD-3-Clause
"""What one host says without a launcher and without MPI: what a job on it could use."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from quadrille import preload_path
from quadrille.doctor.finding import Finding
from quadrille.errors import QuadrilleError
from quadrille.installation import native_program
from quadrille.launchers import detect_launcher
from quadrille.probe.lines import PROBER_LINE, HostLine

_LAUNCHERS = ("mpirun", "mpiexec", "mpirun.openmpi", "mpirun.mpich", "mpiexec.hydra", "prterun", "srun")
_NAMES = {"ompi": "Open MPI", "mpich": "MPICH", "impi": "Intel MPI", "srun": "Slurm"}
_LITTLE_SHARED_MEMORY_BYTES = 64 * 1024 * 1024
_MARKS_OF_CONTAINERS = ("/.dockerenv", "/run/.containerenv", "/.singularity.d")


@dataclass(frozen=True)
class FoundMpi:
    """A launcher on the search path: its file, MPI (`ompi`, ...) and version."""

    path: Path
    mpi: str
    version: str


@dataclass(frozen=True)
class Surroundings:
    """What processes of this user find here, apart from the network's settings."""

    mpis: tuple[FoundMpi, ...]
    not_preloaded: str | None = None
    """What the dynamic linker says of the library; None where it loads it."""
    shared_memory_bytes: int | None = None
    """Free in /dev/shm; None where it cannot be written."""
    reads_other_processes: bool = True
    container: str | None = None
    """What tells that this is one."""


def host_line() -> HostLine:
    """Return the settings of this host, as a prober on it would tell them.

    Raises QuadrilleError when `quadrille-host` is missing or fails.
    """
    done = subprocess.run(
        [str(native_program("quadrille-host"))], capture_output=True, text=True, timeout=20, check=False
    )
    if done.returncode != 0:
        raise QuadrilleError(f"quadrille-host failed: {done.stderr.strip() or done.returncode}")
    line = PROBER_LINE.validate_json(done.stdout)
    assert isinstance(line, HostLine)
    return line


def surroundings() -> Surroundings:
    """Look around. Starts the launchers that are found for their versions, and nothing else for long."""
    return Surroundings(
        tuple(_mpis()),
        _what_keeps_from_preloading(preload_path()),
        _free_shared_memory(Path("/dev/shm")),
        _reads_own_memory(),
        next((mark for mark in _MARKS_OF_CONTAINERS if Path(mark).exists()), None),
    )


def findings_here(found: Surroundings) -> Iterator[Finding]:
    """Yield what somebody should know who starts jobs on this host."""
    if found.not_preloaded is not None:
        yield Finding(
            "not_preloaded",
            "error",
            "processes here do not load what LD_PRELOAD names, so that Quadrille takes part in nothing",
            found.not_preloaded,
            "install the wheel of this machine's architecture, or build where the C library is no newer",
        )
    if not found.mpis:
        yield Finding(
            "no_mpi",
            "warning",
            "no launcher of an MPI library is on the search path",
            f"none of {', '.join(_LAUNCHERS)} in PATH",
            "load its module, or install one; programs that bring their own launcher need nothing",
        )
    for mpi in found.mpis:
        name = f"{_NAMES.get(mpi.mpi, 'a launcher that is not known')} {mpi.version}".strip()
        yield Finding(
            "mpi_found",
            "note",
            f"{name} is here",
            str(mpi.path),
            f"nothing has to be done: quadrille run -- {mpi.path.name} ...",
        )
    if found.shared_memory_bytes is None or found.shared_memory_bytes < _LITTLE_SHARED_MEMORY_BYTES:
        free = found.shared_memory_bytes
        yield Finding(
            "small_shared_memory",
            "warning",
            "MPI libraries exchange messages inside a host through files in /dev/shm",
            "it cannot be written" if free is None else f"{free // 1024} KiB are free",
            "a larger tmpfs there (docker run --shm-size=1g); Quadrille itself needs none",
        )
    if not found.reads_other_processes:
        yield Finding(
            "no_process_reads",
            "note",
            "processes may not read each other's memory (process_vm_readv): ranks of a host copy twice",
            "a call on this process itself was refused, as seccomp profiles of containers do",
            "allow process_vm_readv and process_vm_writev in the profile",
        )
    if found.container is not None:
        yield Finding(
            "container",
            "note",
            "this is a container: what is told of the network is told of its own interfaces",
            f"{found.container} exists",
            "nothing has to be done; docs/clusters.md says how ranks in containers find the library",
        )


def _mpis() -> Iterator[FoundMpi]:
    seen = set()
    for name in _LAUNCHERS:
        at = shutil.which(name)
        if at is None or Path(at).resolve() in seen:
            continue
        seen.add(Path(at).resolve())
        launcher = detect_launcher([at])
        yield FoundMpi(Path(at), launcher.mpi, launcher.version)


def _what_keeps_from_preloading(library: str) -> str | None:
    look = f"import sys; sys.exit({library!r} not in open('/proc/self/maps').read())"
    done = subprocess.run(
        [sys.executable, "-S", "-c", look],
        env={**os.environ, "LD_PRELOAD": library},
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    return None if done.returncode == 0 else done.stderr.strip() or f"{library} is not in the process"


def _free_shared_memory(folder: Path) -> int | None:
    if not os.access(folder, os.W_OK):
        return None
    state = os.statvfs(folder)
    return None if state.f_flag & os.ST_RDONLY else state.f_bavail * state.f_frsize


def _reads_own_memory() -> bool:
    class Piece(ctypes.Structure):
        _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))

    read = getattr(ctypes.CDLL(None), "process_vm_readv", None)
    if read is None:
        return False
    source, target = ctypes.create_string_buffer(b"x", 1), ctypes.create_string_buffer(1)
    pieces = [Piece(ctypes.addressof(buffer), 1) for buffer in (target, source)]
    local, remote = (ctypes.byref(piece) for piece in pieces)
    return bool(read(os.getpid(), local, 1, remote, 1, 0) == 1)
