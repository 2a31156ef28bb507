# SPDX-License-Identifier: BSD-3-Clause
"""Persistent collectives between emulated hosts: results, orders of starts, trials when they are made."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from lab_jobs import counts, libraries, program, wire_counts
from lab_traffic import needs_namespaces, topology

from quadrille.lab.lab import Lab

pytestmark = [pytest.mark.lab, pytest.mark.mpi, needs_namespaces, pytest.mark.timeout(180)]

FORCED = (
    "alltoall:granted,alltoallv:granted,bcast:binomial,allgather:ring,gather:binomial,barrier:dissemination,"
    "allreduce:ring,neighbor_alltoallv:granted"
)


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    tables = {
        "switch": [{"name": "s0", "rate_mbit": 400, "buffer_kib": 64}],
        "hosts": [{"names": ["h0"], "on": "s0", "ranks": 2}, {"names": ["h1..h3"], "on": "s0"}],
    }
    with Lab.up(topology(**tables), "t-persistent") as found:
        yield found


@pytest.mark.parametrize("mpi", ["ompi4", "mpich", "impi"])
def test_results_are_right_whatever_the_order_of_starts(lab: Lab, mpi: str) -> None:
    settings = {"QUADRILLE_ALGORITHM": FORCED, "QUADRILLE_LOG": "wire"}
    command = [program("persistent", mpi)]
    environment = {**settings, **libraries(mpi)}
    result = lab.run(command, mpi=mpi, ranks=5, environment=environment, quadrille=True, timeout_s=150)
    found = counts(result)
    assert found["failures"] == 0, result.output
    assert found["replaced"] == 5 * 311, result.output
    assert wire_counts(result)["bytes_received"] > 1_000_000


@pytest.mark.parametrize("trials", ["0", "8"], ids=["off", "on"])
def test_what_is_left_to_the_library_is_right_too(lab: Lab, trials: str) -> None:
    environment = {"QUADRILLE_TRIALS": trials}
    command = [program("persistent", "ompi4")]
    result = lab.run(command, ranks=5, environment=environment, quadrille=True, timeout_s=150)
    assert counts(result)["failures"] == 0, result.output


def test_what_is_not_known_is_tried_when_it_is_made(lab: Lab, tmp_path: Path) -> None:
    environment = {"QUADRILLE_LOG": "plan", "QUADRILLE_LEARN": "on", "QUADRILLE_CACHE": str(tmp_path)}
    command = [program("persistent", "ompi4"), "loop", "20000", "3"]
    first = lab.run(command, ranks=4, environment=environment, quadrille=True, timeout_s=100)
    assert "event=trial collective=ialltoall " in first.output, first.output
    # No sample is of a call that was not waited for: 20 kB to three others take a millisecond here.
    times = re.findall(r"event=trial collective=ialltoall .*mpi_us=([\d,]+)", first.output)
    assert all(int(time) > 500 for row in times for time in row.split(",")), first.output
    plan = re.search(r"event=plan .*ialltoall .*chosen=(\S+) reason=\"tried\" after_calls=\d+", first.output)
    assert plan is not None, first.output
    assert "event=calls collective=alltoall_init calls=1 " in first.output
    assert "event=calls collective=ialltoall " not in first.output, "what tries it is no call"
    second = lab.run(command, ranks=4, environment=environment, quadrille=True, timeout_s=100)
    known = rf'event=plan collective=ialltoall .*chosen={re.escape(plan[1])} reason="tried by an earlier job"'
    assert re.search(known, second.output), second.output
    assert "event=trial collective=ialltoall" not in second.output
