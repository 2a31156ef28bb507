# SPDX-License-Identifier: BSD-3-Clause
"""Fortran programs: mpif.h, `use mpi`, mpi_f08 with addresses (Open MPI) and with array descriptors (MPICH).

The MPI wheels have no Fortran part. Debian's Open MPI 4.1 has one, and MPICH 4.0 where installed; programs
built with the former run on Open MPI 5's libmpi.so.40 as well, with 4.1's Fortran libraries on top.
"""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from mpi_jobs import ALGORITHM_ROUNDS, Mpi, mpi_named

pytestmark = [pytest.mark.mpi, pytest.mark.timeout(120)]

INTERFACES = ["fortran_mpif", "fortran_use_mpi", "fortran_f08"]
MPICH4_ROOT = Path(os.environ.get("QUADRILLE_MPICH4_ROOT", "/"))


def mpich4() -> Mpi:
    """Debian's MPICH under the launcher of the MPICH wheel, whose process management it speaks."""
    launcher = mpi_named("mpich").launcher
    libraries = next(MPICH4_ROOT.glob("usr/lib/*/libmpichfort.so.12"), None)
    if libraries is None:
        pytest.skip("Debian's libmpich12 is not installed")
    return Mpi("mpich4", launcher, "mpich4", str(libraries.parent))


def expect_replaced(mpi: Mpi, program: str, ranks: int, algorithms: str) -> None:
    outcome = mpi.run(ranks, [mpi.program(program)], {"QUADRILLE_ALGORITHM": algorithms})
    assert outcome.code == 0, outcome.errors + outcome.output
    assert outcome.counts["failures"] == 0, outcome.output
    assert outcome.counts["replaced"] > 0.7 * outcome.counts["checks"] > 100, outcome.output


@pytest.mark.parametrize("program", INTERFACES)
@pytest.mark.parametrize(("ranks", "algorithms"), [(2, ALGORITHM_ROUNDS[0]), (5, ALGORITHM_ROUNDS[1])])
def test_every_interface_of_open_mpi_is_replaced_and_right(
    ompi4: Mpi, program: str, ranks: int, algorithms: str
) -> None:
    expect_replaced(ompi4, program, ranks, algorithms)


@pytest.mark.parametrize("program", INTERFACES)
def test_a_fortran_program_of_open_mpi_4_runs_on_open_mpi_5(program: str, tmp_path: Path) -> None:
    mpi = mpi_named("ompi5")
    # 4.1's libmpi_mpifh.so names 4.1's libopen-pal; the few symbols it takes from there are in 5's too.
    (tmp_path / "libopen-pal.so.40").symlink_to(Path(mpi.library_path) / "libopen-pal.so.80")
    path = f"{tmp_path}:{mpi.library_path}"
    expect_replaced(replace(mpi, library_path=path), program, 4, ALGORITHM_ROUNDS[0])


# Four ranks make no communicator of a single one: such calls go to MPICH, which fails at sections.
@pytest.mark.parametrize("program", INTERFACES)
def test_every_interface_of_mpich_is_replaced_and_right(program: str) -> None:
    expect_replaced(mpich4(), program, 4, ALGORITHM_ROUNDS[0])


# MPICH 4.0 without Quadrille overruns its buffers in exchanges of sections.
@pytest.mark.parametrize(
    ("program", "name"),
    [("fortran_mpif", "ompi4"), ("fortran_f08", "ompi4"), ("fortran_mpif", "mpich4")],
)
def test_forwarded_calls_are_right(program: str, name: str) -> None:
    mpi = mpich4() if name == "mpich4" else mpi_named(name)
    outcome = mpi.run(3, [mpi.program(program)])
    assert outcome.code == 0, outcome.errors + outcome.output
    assert outcome.counts["failures"] == 0, outcome.output
    assert outcome.counts["replaced"] == 0


def test_the_programs_check_what_the_mpi_library_does_alone(ompi4: Mpi) -> None:
    outcome = ompi4.run(3, [ompi4.program("fortran_f08")], quadrille=False)
    assert (outcome.code, outcome.counts["failures"]) == (0, 0), outcome.output


def test_a_fortran_module_loaded_out_of_sight_is_left_to_the_mpi_library(ompi4: Mpi) -> None:
    module = ompi4.program("libfortran_module")
    load = "import ctypes, sys; ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_LOCAL).sum_of_ranks_()"
    outcome = ompi4.run(3, [sys.executable, "-c", load, module], {"QUADRILLE_ALGORITHM": "allreduce:ring"})
    assert (outcome.code, outcome.counts) == (0, {"sum": 6}), outcome.errors + outcome.output


def test_the_libraries_export_every_fortran_name() -> None:
    library = mpi_named("ompi4").settings(True, {})["LD_PRELOAD"]
    listing = subprocess.run(["nm", "-D", library], capture_output=True, text=True, check=True).stdout
    exported = {line.split()[-1] for line in listing.splitlines()}
    for name in ["bcast", "ialltoall", "alltoall_init", "startall", "cart_create"]:
        manglings = [f"mpi_{name}", f"mpi_{name}_", f"mpi_{name}__", f"MPI_{name.upper()}"]
        assert exported.issuperset([*manglings, f"mpi_{name}_f08_", f"mpi_{name}_f08ts_"])
