# SPDX-License-Identifier: BSD-3-Clause
"""What two traced time steps show, and their page, from made data."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from quadrille.reproduce.catalogue import find_experiment
from quadrille.trace.reading import Call

EXPERIMENT = find_experiment("gromacs-timeline")


def call(rank: int, function: str, start_ms: int, end_ms: int) -> dict[str, Any]:
    made = Call(
        rank=rank,
        communicator=1,
        number=0,
        function=function,
        algorithm="mpi",
        site="libgromacs_mpi.so.7+0x10",
        bytes=1024,
        root=-1,
        start_ns=start_ms * 1_000_000,
        end_ns=end_ms * 1_000_000,
        replaced=False,
        by_wire=False,
        in_trial=False,
        credit_wait_ns=0,
        resent=0,
        stalls=0,
    )
    return asdict(made)


def run(variant: str, step_ms: float, inside_ms: int) -> dict[str, Any]:
    """Make two steps, each with an all-to-all of two ranks, and an allreduce that counts for nothing."""
    begins = (0, int(step_ms))
    calls = [[call(rank, "MPI_Alltoallv", at, at + inside_ms) for rank in (0, 1)] for at in begins]
    calls.append([call(rank, "MPI_Allreduce", 1, 90) for rank in (0, 1)])
    return {
        "variant": variant,
        "step_ms": step_ms,
        "hosts": {"0": "h0", "1": "h1"},
        "zero_ns": 0,
        "calls": calls,
    }


def seen(*runs: dict[str, Any]) -> list[bool | None]:
    return [effect.seen for effect in EXPERIMENT.judge({"runs": list(runs)})]


def test_visible_and_shorter_where_they_are() -> None:
    assert seen(run("standard", 100, 40), run("ordered", 80, 20)) == [True, True]


def test_neither_where_they_are_not() -> None:
    assert seen(run("standard", 100, 9), run("ordered", 100, 10)) == [False, False]


def test_an_interrupted_run_tells_of_what_it_has() -> None:
    assert seen(run("standard", 100, 40)) == [True, None]
    assert seen() == [None, None]


def test_the_page_draws_both_variants() -> None:
    page = EXPERIMENT.show({"runs": [run("standard", 100, 40), run("ordered", 80, 20)]})
    assert page.count("Two time steps") == 2
    assert "MPI_Alltoallv" in page
    assert "1 h1" in page
