# SPDX-License-Identifier: BSD-3-Clause
"""What programs may do that their authors would not call usual, and libraries that contradict themselves."""

from __future__ import annotations

import pytest
from mpi_jobs import ALGORITHM_ROUNDS, Mpi

from quadrille.installation import native_directory

pytestmark = [pytest.mark.mpi, pytest.mark.timeout(150)]

FORCED = {"QUADRILLE_ALGORITHM": ALGORITHM_ROUNDS[0]}
MIXED = {**FORCED, "QUADRILLE_PMPI": "on"}


def checked(mpi: Mpi, ranks: int, command: list[str], settings: dict[str, str] = FORCED) -> dict[str, int]:
    outcome = mpi.run(ranks, [mpi.program(command[0]), *command[1:]], settings, timeout_s=60)
    assert (outcome.code, outcome.counts.get("failures")) == (0, 0), outcome.errors + outcome.output
    return outcome.counts


@pytest.mark.parametrize("forced", ALGORITHM_ROUNDS, ids=["first", "second", "third", "host_memory"])
def test_elements_of_no_bytes_move_nothing(mpi: Mpi, forced: str) -> None:
    checked(mpi, 4, ["no_bytes"], {"QUADRILLE_ALGORITHM": forced})


@pytest.mark.parametrize("way", ["handler", "operation"])
def test_a_call_left_by_longjmp_leaves_the_next_ones_right(mpi: Mpi, way: str) -> None:
    checked(mpi, 4, ["left_by_jump", way])


def test_a_call_left_by_an_exception_leaves_the_next_ones_right(mpi: Mpi) -> None:
    checked(mpi, 4, ["left_by_exception"])


@pytest.mark.parametrize("size", ["4", "80000"])
def test_ranks_that_call_by_pmpi_names_meet_the_others(mpi: Mpi, size: str) -> None:
    counts = checked(mpi, 4, ["mixed_names", size], MIXED)
    assert counts["replaced"] == 30


def test_pmpi_names_stand_for_the_library_where_they_are_asked_to(ompi4: Mpi) -> None:
    outcome = ompi4.run(1, [ompi4.program("mixed_names")], {**FORCED, "QUADRILLE_PMPI": "off"})
    assert (outcome.code, outcome.counts["failures"]) == (0, 0), outcome.errors


@pytest.mark.parametrize("forced", ALGORITHM_ROUNDS[:2], ids=["first", "second"])
def test_received_blocks_that_overlap_end_no_job(mpi: Mpi, forced: str) -> None:
    checked(mpi, 4, ["overlapping_blocks"], {"QUADRILLE_ALGORITHM": forced})


@pytest.mark.parametrize("kind", ["cart", "graph"])
def test_a_topology_of_fewer_processes_than_its_parent(mpi: Mpi, kind: str) -> None:
    checked(mpi, 4, ["smaller_topology", kind])


@pytest.mark.parametrize("on", [{}, {"LIAR_RANK": "1"}], ids=["everywhere", "on one rank"])
@pytest.mark.parametrize("lie", ["group", "size", "rank", "translate", "twice"])
def test_a_library_that_contradicts_itself_is_left_alone(mpi: Mpi, lie: str, on: dict[str, str]) -> None:
    liar = native_directory() / "tests" / f"libliar-{mpi.abi}.so"
    preload = f"{native_directory() / 'libquadrille.so'}:{liar}"
    checked(mpi, 4, ["smaller_topology"], {**FORCED, "LD_PRELOAD": preload, "LIAR": lie, **on})


@pytest.mark.parametrize("fails_at", [0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 1000])
def test_an_allocation_that_fails_is_an_error_of_mpi(ompi4: Mpi, fails_at: int) -> None:
    outcome = ompi4.run(3, [ompi4.program("scarce_memory"), str(fails_at)], FORCED, timeout_s=60)
    went_on = outcome.code == 0 and outcome.counts == {"done": 1}
    assert went_on or outcome.code == 77, outcome.errors + outcome.output
    assert fails_at > 0 or not went_on
    assert fails_at < 1000 or went_on


IN_SEGMENTS = "bcast:chain:segment=1024,reduce:chain:segment=1024,scan:chain:segment=1024"


@pytest.mark.parametrize(
    ("algorithms", "count"),
    [
        # Few elements: Open MPI writes what is too long to be sent at once behind a buffer that is too short.
        (ALGORITHM_ROUNDS[0], "30"),
        (ALGORITHM_ROUNDS[1], "30"),
        (ALGORITHM_ROUNDS[2], "30"),
        (ALGORITHM_ROUNDS[3], "30"),
        (IN_SEGMENTS, "6000"),
        ("bcast:circulant:segment=1024,reduce:hierarchical:segment=1024", "6000"),
        ("bcast:hierarchical:segment=1024", "6000"),
    ],
    ids=["first", "second", "third", "host_memory", "segments", "circulant", "hierarchical"],
)
def test_ranks_that_name_unlike_lengths_are_told(mpi: Mpi, algorithms: str, count: str) -> None:
    """A multiple, of which pieces of one length could be taken for all of the message."""
    collectives = ["bcast", "reduce", "allreduce", "allgather", "alltoall", "gather", "scan"]
    # Who waits for more messages than others have, as who is to be asked for each, reports it and waits on.
    paced = "gather:linear:window=2"
    named = [one for one in collectives if f",{one}:" in f",{algorithms.replace(paced, '')}"]
    for factor in ("2", "3"):
        checked(mpi, 4, ["unlike_lengths", count, factor, *named], {"QUADRILLE_ALGORITHM": algorithms})


def test_ranks_that_decide_differently_end_the_job_with_what_they_decided(ompi4: Mpi) -> None:
    outcome = ompi4.run(3, [ompi4.program("unlike_calls")], FORCED, timeout_s=60)
    assert outcome.code != 0 and "went on" not in outcome.output, outcome.output
    assert "have decided differently; ending the job" in outcome.errors, outcome.errors
    assert "MPI_Allreduce -> allreduce_ring" in outcome.errors
    assert "MPI_Allreduce -> mpi" in outcome.errors
