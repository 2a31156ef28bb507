# SPDX-License-Identifier: BSD-3-Clause
"""Every intercepted collective against the MPI library's own answer in the same process."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from mpi_jobs import ALGORITHM_ROUNDS, BY_THE_LIBRARY, Mpi, Outcome, mpi_named

pytestmark = [pytest.mark.mpi, pytest.mark.timeout(240)]


def right(outcome: Outcome, least_replaced: float) -> None:
    assert outcome.code == 0, outcome.errors + outcome.output
    assert outcome.counts["failures"] == 0, outcome.output
    assert outcome.counts["checks"] > 1000, outcome.output
    assert outcome.counts["replaced"] > least_replaced * outcome.counts["checks"], outcome.output


@pytest.mark.parametrize("algorithms", ALGORITHM_ROUNDS, ids=["first", "second", "third", "host_memory"])
def test_all_results_equal_the_mpi_librarys(mpi: Mpi, algorithms: str) -> None:
    # MPICH's own collectives take tens of times longer than Open MPI's when ranks outnumber cores.
    ranks, mode = (9, "matrix") if mpi.open_mpi else (4 if algorithms == ALGORITHM_ROUNDS[0] else 3, "brief")
    settings = {"QUADRILLE_ALGORITHM": algorithms}
    outcome = mpi.run(ranks, [mpi.program("collectives"), mode], settings, timeout_s=200)
    right(outcome, 0.7 if algorithms != ALGORITHM_ROUNDS[3] else 0.1)


def test_all_results_are_right_on_sixteen_ranks(ompi4: Mpi) -> None:
    command: list[str | Path] = [ompi4.program("collectives"), "brief"]
    right(ompi4.run(16, command, {"QUADRILLE_ALGORITHM": ALGORITHM_ROUNDS[2]}), 0.7)


@pytest.mark.parametrize("name", ["mpich_abi", "impi"])
def test_all_results_are_right_on_other_mpis(name: str) -> None:
    other = mpi_named(name)
    command: list[str | Path] = [other.program("collectives"), "brief"]
    right(other.run(3, command, {"QUADRILLE_ALGORITHM": ALGORITHM_ROUNDS[0]}), 0.5)


@pytest.mark.parametrize("seed", ["1", "2", "3"])
def test_random_calls_on_random_communicators_are_right(mpi: Mpi, seed: str) -> None:
    ranks, calls = (7, "3000") if mpi.open_mpi else (4, "1000")
    algorithms = ALGORITHM_ROUNDS[int(seed)]
    command: list[str | Path] = [mpi.program("collectives"), "stress", seed, calls]
    right(mpi.run(ranks, command, {"QUADRILLE_ALGORITHM": algorithms}), 0.5 if seed != "3" else 0.05)


@pytest.mark.parametrize(
    ("ranks", "mode"), [(3, ["brief"]), (4, ["stress", "3", "1000"])], ids=["brief", "stress"]
)
def test_the_librarys_own_collectives_as_steps_are_right(mpi: Mpi, ranks: int, mode: list[str]) -> None:
    command: list[str | Path] = [mpi.program("collectives"), *mode]
    right(mpi.run(ranks, command, {"QUADRILLE_ALGORITHM": BY_THE_LIBRARY}), 0.05)


def test_nothing_is_replaced_on_one_host_unless_forced(ompi4: Mpi) -> None:
    outcome = ompi4.run(3, [ompi4.program("collectives"), "brief"])
    assert outcome.code == 0, outcome.errors
    assert outcome.counts["failures"] == 0
    assert outcome.counts["replaced"] == 0


@pytest.mark.parametrize(
    "algorithms", ["", "bcast:binomial,allreduce:recursive_doubling"], ids=["left", "ours"]
)
def test_handles_that_come_again_for_something_else_are_not_mistaken(mpi: Mpi, algorithms: str) -> None:
    outcome = mpi.run(3, [mpi.program("handles"), "60"], {"QUADRILLE_ALGORITHM": algorithms})
    assert outcome.code == 0, outcome.errors
    assert "wrong=0" in outcome.output, outcome.output


@pytest.mark.parametrize(("name", "rest"), [("ompi4", []), ("mpich", []), ("ompi4", ["apart"])])
def test_an_element_of_more_bytes_than_an_int_counts_arrives(name: str, rest: list[str]) -> None:
    available = re.search(r"MemAvailable: *(\d+) kB", Path("/proc/meminfo").read_text())
    if available is None or int(available[1]) < 5 * 2**20:
        pytest.skip("each of two ranks needs 2 GiB for a while")
    mpi = mpi_named(name)
    settings = {"QUADRILLE_ALGORITHM": "bcast:binomial"}
    outcome = mpi.run(2, [mpi.program("large_element"), *rest], settings, timeout_s=60)
    assert (outcome.code, outcome.counts) == (0, {"failures": 0}), outcome.errors + outcome.output


def test_no_elements_of_four_gib_each_are_combined(ompi4: Mpi) -> None:
    settings = {"QUADRILLE_ALGORITHM": "reduce:chain"}
    outcome = ompi4.run(2, [ompi4.program("large_element"), "none"], settings, timeout_s=30)
    assert (outcome.code, outcome.counts) == (0, {"failures": 0}), outcome.errors + outcome.output
