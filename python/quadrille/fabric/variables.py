# SPDX-License-Identifier: BSD-3-Clause
"""What each MPI library needs so that its own traffic goes over Quadrille's libfabric provider.

The provider is `libquadrille-fi.so` beside the other native parts. libfabric loads it out of FI_PROVIDER_PATH
and takes no other where FI_PROVIDER names it: a rank that cannot have it ends with the MPI library's error.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

from quadrille.errors import QuadrilleError
from quadrille.installation import native_directory
from quadrille.launchers import Launcher

_PROVIDER = "libquadrille-fi.so"
_LIBFABRIC = {"FI_PROVIDER": "quadrille"}
_OPEN_MPI = {"OMPI_MCA_pml": "cm", "OMPI_MCA_mtl": "ofi"}
_MPICH = {"MPIR_CVAR_CH4_NETMOD": "ofi"}
_INTEL_MPI = {"I_MPI_OFI_PROVIDER": "quadrille", "I_MPI_FABRICS": "shm:ofi"}
_OF_MPI = {
    "ompi": _OPEN_MPI,
    "mpich": {**_MPICH, **_INTEL_MPI},
    "abi": {**_MPICH, **_INTEL_MPI},
    "impi": _INTEL_MPI,
}
# Where system packages keep MPI libraries that are not beside their launchers.
_SYSTEM_LIBRARIES = {
    "ompi": ("openmpi/lib/openmpi*/mca_mtl_ofi.so", "openmpi/lib/libmpi.so.40"),
    "mpich": ("libmpich.so.12",),
}
# What stands in their files only if they speak to libfabric; MPICH's texts about it stand there in any case.
_SIGN_OF_LIBFABRIC = {"ompi": b"fi_getinfo", "mpich": b"MPIDI_OFI_init"}
_LOSSLESS_BURST_BYTES = 256 * 1024


def fabric_variables(job: Mapping[str, str], mpi: str | None) -> dict[str, str]:
    """Return what `job`, the variables of a job, lacks for its MPI's traffic to go over the provider.

    `mpi` is `ompi`, `mpich`, `abi` or `impi`; any other: the variables of all of them. Nothing where the job
    does not ask for the provider.

    Raises QuadrilleError where the provider is not built.
    """
    if job.get("QUADRILLE_FABRIC") != "on":
        return {}
    directory = native_directory()
    if not (directory / _PROVIDER).exists():
        raise QuadrilleError(
            f"--fabric on: {directory / _PROVIDER} is missing; install libfabric-dev and run `make build`"
        )
    wanted = {"FI_PROVIDER_PATH": str(directory), **_LIBFABRIC}
    for name, variables in _OF_MPI.items():
        if mpi == name or mpi not in _OF_MPI:
            wanted.update(variables)
    burst = _burst_of_model(job.get("QUADRILLE_MODEL"))
    if burst is not None and "QUADRILLE_FABRIC_BURST" not in job:
        wanted["QUADRILLE_FABRIC_BURST"] = str(burst)
    return wanted


def check_mpi(launcher: Launcher) -> None:
    """Raise QuadrilleError if the launcher's MPI library cannot load a libfabric provider at all."""
    sign = _SIGN_OF_LIBFABRIC.get(launcher.mpi)
    files = _libraries(launcher) if sign else []
    if sign and files and not any(sign in file.read_bytes() for file in files):
        raise QuadrilleError(
            f"--fabric on: {files[0]} was built without libfabric; take an MPI library that has it, or leave"
            " the option out"
        )


def what_is_missing(launcher: Launcher) -> str | None:
    """Return what programs of this MPI library cannot do over the provider, for people; None: nothing."""
    major = re.match(r"v?(\d+)", launcher.version)  # built from a clone it may begin with anything
    if launcher.mpi == "ompi" and major is not None and int(major[1]) >= 5:
        return (
            f"--fabric on: Open MPI {launcher.version} has no one-sided operations (MPI_Win_create, MPI_Put)"
            " over libfabric messages; programs that use them end with its error"
        )
    if launcher.mpi == "impi":
        return (
            "--fabric on: Intel MPI's one-sided operations between hosts (MPI_Put) need more of libfabric"
            " than messages; programs that use them end with its error"
        )
    return None


def _libraries(launcher: Launcher) -> list[Path]:
    if launcher.library_directory is not None:
        patterns = ("openmpi/mca_mtl_ofi.so", "openmpi/libfabric.so.1", "libmpi.so.*")
        return [file for pattern in patterns for file in sorted(launcher.library_directory.glob(pattern))]
    if launcher.path is None or launcher.path.parent != Path("/usr/bin"):
        return []  # a script in front of a launcher somewhere else
    root = Path("/usr/lib")
    installed = _SYSTEM_LIBRARIES.get(launcher.mpi, ())
    return [file for pattern in installed for file in sorted(root.glob(f"*-linux-gnu/{pattern}"))]


def _burst_of_model(model: str | None) -> int | None:
    """Return the least that a port of any segment holds, in bytes; None where the model does not say."""
    if not model:  # set to nothing, too
        return None
    segments = json.loads(Path(model).read_text(encoding="utf-8")).get("segments", [])
    bursts = [_burst_of_segment(segment) for segment in segments]
    known = [burst for burst in bursts if burst is not None]
    return min(known) if known and len(known) == len(bursts) else None


def _burst_of_segment(segment: Mapping[str, object]) -> int | None:
    for field in ("safe_burst_all_ports_bytes", "safe_burst_bytes"):
        measured = segment.get(field)
        if isinstance(measured, Mapping) and isinstance(measured.get("value"), int | float):
            return int(measured["value"])
    return _LOSSLESS_BURST_BYTES if segment.get("lossless") is True else None
