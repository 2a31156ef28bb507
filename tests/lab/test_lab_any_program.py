# SPDX-License-Identifier: BSD-3-Clause
"""Between hosts, over the wire: operations pending around every collective, and what any program may do."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from lab_jobs import counts, libraries, program
from lab_traffic import needs_namespaces, topology

from quadrille.lab.lab import Lab

pytestmark = [pytest.mark.lab, pytest.mark.mpi, needs_namespaces, pytest.mark.timeout(180)]

ALGORITHMS = {
    "multicast": "bcast:multicast,allgather:multicast,allgatherv:multicast,allreduce:multicast,"
    "barrier:multicast,alltoall:granted,alltoallv:granted,gatherv:granted",
    "gathered": "alltoall:gathered,alltoallv:gathered,bcast:circulant,allreduce:in_order,reduce:in_order",
    "hierarchical": "bcast:hierarchical,reduce:hierarchical,allreduce:hierarchical,allgather:hierarchical,"
    "gather:hierarchical,scatter:hierarchical,barrier:hierarchical,reduce_scatter_block:hierarchical,"
    "alltoall:hierarchical",
    "tree": "bcast:tree,reduce:tree,allreduce:tree,allgather:tree,gather:binomial,scatter:binomial",
}
"""Those that need hosts; the others are held by tests/mpi."""


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    tables = {
        "switch": [{"name": "s0", "rate_mbit": 200, "buffer_kib": 64}],
        "hosts": [{"names": ["h0..h3"], "on": "s0"}],
    }
    with Lab.up(topology(**tables), "t-any") as found:
        yield found


def checked(lab: Lab, mpi: str, command: list[str], algorithms: str, ranks: int, per_host: int) -> None:
    environment = {
        "QUADRILLE_ALGORITHM": algorithms,
        "QUADRILLE_CHECK_DECISIONS": "on",
        "QUADRILLE_LOG": "start",
        **libraries(mpi),
    }
    words = [program(command[0], mpi), *command[1:]]
    result = lab.run(
        words, mpi=mpi, ranks=ranks, per_host=per_host, environment=environment, quadrille=True, timeout_s=120
    )
    assert counts(result)["failures"] == 0, result.output
    assert "wire=udp" in result.output, result.output


def each(mpis: list[str], marks: tuple[pytest.MarkDecorator, ...] = ()) -> list[object]:
    return [
        pytest.param(mpi, algorithms, *layout, marks=marks, id=f"{mpi}-{algorithms}-{layout[1]}")
        for mpi in mpis
        for algorithms in ALGORITHMS
        for layout in ((4, 1), (5, 2))
    ]


# Of 100 000 bytes a rank: whatever is sent in segments has a next one waiting when one has been taken.
@pytest.mark.parametrize(
    ("mpi", "algorithms", "ranks", "per_host"),
    [
        ("ompi5", "multicast", 5, 2),
        ("mpich", "multicast", 5, 2),
        *each(["ompi4"]),
        *each(["ompi5", "mpich"], (pytest.mark.slow,)),
    ],
)
def test_a_message_pending_around_every_collective_ends(
    lab: Lab, mpi: str, algorithms: str, ranks: int, per_host: int
) -> None:
    checked(lab, mpi, ["pending", "isend", "25000", "2", "600000"], ALGORITHMS[algorithms], ranks, per_host)


# Open MPI 4 has no windows between hosts that are connected by TCP alone.
@pytest.mark.parametrize(("mpi", "operation"), [("ompi4", "issend"), ("ompi4", "bsend"), ("mpich", "rma")])
def test_other_operations_pending_around_every_collective_end(lab: Lab, mpi: str, operation: str) -> None:
    checked(lab, mpi, ["pending", operation, "25000", "2", "600000"], ALGORITHMS["multicast"], 5, 2)


@pytest.mark.parametrize("command", [["no_bytes"], ["left_by_jump", "handler"], ["left_by_exception"]])
@pytest.mark.parametrize("algorithms", ["multicast", "hierarchical"])
def test_what_any_program_may_do(lab: Lab, command: list[str], algorithms: str) -> None:
    checked(lab, "ompi4", command, ALGORITHMS[algorithms], 4, 1)


@pytest.mark.parametrize("count", ["20", "6000"])
@pytest.mark.parametrize(
    ("algorithms", "collectives"),
    [
        ("multicast", ["bcast", "allreduce", "allgather", "alltoall"]),
        ("gathered", ["bcast", "alltoall"]),
        ("tree", ["bcast", "allgather"]),
    ],
)
def test_ranks_that_name_unlike_lengths_are_told(
    lab: Lab, algorithms: str, collectives: list[str], count: str
) -> None:
    """And no rank waits for what others do not send: they tell it that they have given up."""
    for factor in ("2", "3"):
        words = ["unlike_lengths", count, factor, *collectives]
        checked(lab, "ompi4", words, ALGORITHMS[algorithms], 4, 1)


def test_ranks_that_call_by_pmpi_names_meet_the_others_without_being_forced(lab: Lab) -> None:
    environment = {"QUADRILLE_CHECK_DECISIONS": "on"}
    words = [program("mixed_names", "ompi4"), "80000"]
    result = lab.run(words, ranks=4, environment=environment, quadrille=True, timeout_s=120)
    assert counts(result)["failures"] == 0, result.output
