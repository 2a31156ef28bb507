# SPDX-License-Identifier: BSD-3-Clause
"""An unmodified mpi4py, which loads the MPI library out of everybody's sight (RTLD_LOCAL)."""

from __future__ import annotations

from pathlib import Path

import pytest
from mpi_jobs import ALGORITHM_ROUNDS, Mpi

pytestmark = [pytest.mark.mpi, pytest.mark.timeout(240)]

FORWARDED = ",".join(
    f"{name}:mpi"
    for name in [
        "allreduce",
        "bcast",
        "alltoall",
        "allgather",
        "barrier",
        "alltoallv",
        "gatherv",
        "reduce_scatter",
    ]
)
SCRIPT = Path(__file__).parent / "programs" / "with_mpi4py.py"


def test_an_mpi4py_script_is_replaced_and_right(mpi: Mpi, python_with_mpi4py: Path) -> None:
    command = [python_with_mpi4py, SCRIPT]
    outcome = mpi.run(3, command, {"QUADRILLE_ALGORITHM": ALGORITHM_ROUNDS[0]})
    assert outcome.code == 0, outcome.errors + outcome.output
    assert outcome.counts == {"checks": 72, "failures": 0, "replaced": 72}, outcome.output


def test_calls_that_mpi4py_finds_only_because_of_the_library_go_on_to_the_mpi_library(
    mpi: Mpi, python_with_mpi4py: Path
) -> None:
    """It calls MPI_Allreduce_c where that is there, as it is in the shim, but not in Open MPI 4 and 5."""
    outcome = mpi.run(3, [python_with_mpi4py, SCRIPT], {"QUADRILLE_ALGORITHM": FORWARDED})
    assert outcome.code == 0, outcome.errors + outcome.output
    assert outcome.counts == {"checks": 72, "failures": 0, "replaced": 0}, outcome.output
