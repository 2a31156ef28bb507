# SPDX-License-Identifier: BSD-3-Clause
"""Neighbourhood collectives between emulated hosts: results as the MPI library's own, and trials."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from lab_jobs import counts, libraries, program, wire_counts
from lab_traffic import needs_namespaces, topology

from quadrille.lab.lab import Lab

pytestmark = [pytest.mark.lab, pytest.mark.mpi, needs_namespaces, pytest.mark.timeout(180)]


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    tables = {
        "switch": [{"name": "s0", "rate_mbit": 400, "buffer_kib": 64}],
        "hosts": [{"names": ["h0", "h1"], "on": "s0", "ranks": 2}, {"names": ["h2", "h3"], "on": "s0"}],
    }
    with Lab.up(topology(**tables), "t-neighbors") as found:
        yield found


@pytest.mark.parametrize("mpi", ["ompi4", "ompi5", "mpich", "impi"])
def test_results_are_those_of_the_library(lab: Lab, mpi: str) -> None:
    settings = {"QUADRILLE_ALGORITHM": "neighbor_alltoallv:granted", "QUADRILLE_LOG": "wire"}
    # The library's own calls go by their PMPI_ names.
    environment = {**settings, "QUADRILLE_PMPI": "off", **libraries(mpi)}
    command = [program("neighbors", mpi)]
    result = lab.run(command, mpi=mpi, ranks=6, environment=environment, quadrille=True, timeout_s=150)
    found = counts(result)
    assert found["failures"] == 0, result.output
    # MPICH takes a communicator of some of the ranks for one of all, so that it is left to it.
    assert found["replaced"] > 0.45 * found["checks"], result.output
    assert wire_counts(result)["bytes_received"] > 1_000_000


def test_what_is_left_to_the_library_is_right_too(lab: Lab) -> None:
    environment = {"QUADRILLE_TRIALS": "0", "QUADRILLE_PMPI": "off"}
    result = lab.run(
        [program("neighbors", "ompi4")], ranks=6, environment=environment, quadrille=True, timeout_s=60
    )
    found = counts(result)
    assert found["failures"] == 0 and found["replaced"] == 0, result.output
