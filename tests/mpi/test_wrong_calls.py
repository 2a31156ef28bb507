# SPDX-License-Identifier: BSD-3-Clause
"""Errors of programs stay errors: what the MPI library refuses is refused under Quadrille too."""

from __future__ import annotations

import pytest
from mpi_jobs import ALGORITHM_ROUNDS, Mpi, mpi_named

from quadrille.installation import native_directory

PMPI_IS_THE_LIBRARY = {"QUADRILLE_PMPI": "off"}
pytestmark = [pytest.mark.mpi, pytest.mark.timeout(150)]


@pytest.mark.parametrize("name", ["ompi4", "ompi5", "mpich", "impi"])
@pytest.mark.parametrize(
    "algorithms", ["", *ALGORITHM_ROUNDS], ids=["left", "first", "second", "third", "host_memory"]
)
def test_every_wrong_call_is_refused_as_the_library_refuses_it(name: str, algorithms: str) -> None:
    mpi = mpi_named(name)
    settings = {"QUADRILLE_ALGORITHM": algorithms, **PMPI_IS_THE_LIBRARY}
    outcome = mpi.run(3, [mpi.program("wrong_calls")], settings)
    assert (outcome.code, outcome.counts.get("failures")) == (0, 0), outcome.output + outcome.errors
    assert outcome.counts["checks"] > 2000, outcome.output


def test_who_executed_a_call_is_known_when_its_communicator_is_gone(mpi: Mpi) -> None:
    overwrites_what_is_freed = {"MALLOC_PERTURB_": "165", "GLIBC_TUNABLES": "glibc.malloc.tcache_count=0"}
    settings = {"QUADRILLE_ALGORITHM": "bcast:binomial", **overwrites_what_is_freed}
    outcome = mpi.run(2, [mpi.program("asks_after_free")], settings, timeout_s=60)
    assert (outcome.code, outcome.counts) == (0, {"checks": 6, "failures": 0}), outcome.output


@pytest.mark.parametrize("where", ["all", "odd"])
@pytest.mark.parametrize("algorithms", ALGORITHM_ROUNDS[:2], ids=["first", "second"])
def test_buffers_in_memory_of_a_device_are_read_and_written(mpi: Mpi, algorithms: str, where: str) -> None:
    driver = native_directory() / "tests" / "driver" / "libcuda.so.1"
    settings = {"QUADRILLE_ALGORITHM": algorithms, **PMPI_IS_THE_LIBRARY}
    outcome = mpi.run(3, [mpi.program("device_memory"), driver, where], settings, timeout_s=60)
    assert (outcome.code, outcome.counts.get("failures")) == (0, 0), outcome.output + outcome.errors
    assert outcome.counts["checks"] > 1000, outcome.output
