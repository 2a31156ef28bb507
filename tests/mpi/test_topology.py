# SPDX-License-Identifier: BSD-3-Clause
"""Topologies with leave to reorder, on one host: nothing to gain, and the MPI library's own answer."""

from __future__ import annotations

import pytest
from mpi_jobs import Mpi

pytestmark = [pytest.mark.mpi, pytest.mark.timeout(120)]


@pytest.mark.parametrize("ranks", [1, 3, 6])
def test_ranks_of_one_host_are_left_in_their_order(mpi: Mpi, ranks: int) -> None:
    outcome = mpi.run(ranks, [mpi.program("topology")], {"QUADRILLE_LOG": "plan"})
    assert outcome.code == 0, outcome.errors + outcome.output
    assert (outcome.counts["failures"], outcome.counts["reordered"]) == (0, 0), outcome.output
    assert "event=mapping" not in outcome.errors


def test_the_program_checks_what_the_mpi_library_does_alone(mpi: Mpi) -> None:
    outcome = mpi.run(5, [mpi.program("topology")], quadrille=False)
    assert (outcome.code, outcome.counts["failures"]) == (0, 0), outcome.errors + outcome.output
