# SPDX-License-Identifier: BSD-3-Clause
"""Faults of MPI libraries that programs meet with or without Quadrille, told by the launcher's version.

Only what was seen under that very version is listed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from quadrille.doctor.finding import Finding

_NAMES = {"ompi": "Open MPI", "mpich": "MPICH", "impi": "Intel MPI"}


@dataclass(frozen=True)
class Fault:
    """What a library does wrong in `versions`, when it happens, and what a program can do instead."""

    mpi: str
    versions: tuple[str, ...]
    what: str
    when: str
    instead: str


FAULTS = (
    Fault(
        "mpich",
        ("5.0.2",),
        "MPI_Comm_group gives the parent's group for a Cartesian or graph communicator "
        "that is smaller than its parent",
        "MPI_Cart_create of 3 of 4 processes: MPI_Comm_size says 3, MPI_Group_size of its group 4; "
        "also of its copies",
        "take the number of processes from MPI_Comm_size, or make the smaller communicator by "
        "MPI_Comm_split first",
    ),
    Fault(
        "mpich",
        ("5.0.2",),
        "MPI_Reduce_scatter_block and MPI_Reduce_scatter write outside of their memory",
        "the operation does not commute, the ranks are 4 or another power of two, and elements of the "
        "datatype stand further apart than their data reach: the data's extent is taken for the type's",
        "use a datatype without a gap at its end, or MPI_Reduce and MPI_Scatter",
    ),
    Fault(
        "mpich",
        ("5.0.2",),
        "MPI_Gather of pair types such as MPI_DOUBLE_INT ends with an error of the datatype's signature",
        "4 ranks or more, 682 elements (8 KiB) a rank; 500 elements pass",
        "gather as MPI_BYTE; its other algorithms (MPIR_CVAR_GATHER_INTRA_ALGORITHM) give wrong values",
    ),
    Fault(
        "ompi",
        ("4.1.4",),
        "a MPI_Comm_dup that fails goes on writing four bytes into memory that was freed, up to "
        "MPI_Finalize, which may end by SIGSEGV",
        "65 530 communicators at once and an error handler that returns",
        "free communicators before there are so many",
    ),
)
"""All faults that are known, seen by programs of a few lines without Quadrille."""


def library_faults(mpi: str, version: str) -> Iterator[Finding]:
    """Find the faults known of this version of the launcher's MPI library."""
    for fault in FAULTS:
        if fault.mpi == mpi and version in fault.versions:
            yield Finding(
                "library_fault",
                "note",
                f"{_NAMES[mpi]} {version}, with or without Quadrille: {fault.what}",
                fault.when,
                f"{fault.instead}; or another version of the library",
            )
