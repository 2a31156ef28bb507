# SPDX-License-Identifier: BSD-3-Clause
"""Nonblocking collectives between emulated hosts: results, requests, trials, overlap, hosts that die."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from lab_jobs import counts, libraries, program, wire_counts
from lab_traffic import needs_namespaces, topology

from quadrille.installation import native_directory
from quadrille.lab.lab import Lab
from quadrille.trace.joint_calls import joint_calls
from quadrille.trace.profile import profile
from quadrille.trace.reading import read_trace

pytestmark = [pytest.mark.lab, pytest.mark.mpi, needs_namespaces, pytest.mark.timeout(180)]

FORCED = (
    "alltoall:granted,alltoallv:granted,bcast:binomial,allgather:ring,allgatherv:ring,gather:binomial,"
    "gatherv:linear,scatter:binomial,scatterv:linear,barrier:dissemination,allreduce:ring,reduce:binomial,"
    "scan:recursive_doubling,exscan:chain,reduce_scatter_block:pairwise,reduce_scatter:recursive_halving,"
    "neighbor_alltoallv:granted"
)
OTHERS = (
    "alltoall:bruck,alltoallv:ordered,bcast:multicast,allgather:multicast,allgatherv:ring,gather:linear,"
    "gatherv:granted,scatter:linear,scatterv:linear,barrier:multicast,allreduce:recursive_doubling,"
    "reduce:chain:segment=1024,scan:chain:segment=1024,exscan:recursive_doubling,"
    "reduce_scatter_block:recursive_halving,reduce_scatter:pairwise"
)


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    tables = {
        "switch": [{"name": "s0", "rate_mbit": 400, "buffer_kib": 64}],
        "hosts": [{"names": ["h0"], "on": "s0", "ranks": 2}, {"names": ["h1..h3"], "on": "s0"}],
    }
    with Lab.up(topology(**tables), "t-nonblocking") as found:
        yield found


@pytest.mark.parametrize("mpi", ["ompi4", "ompi5", "mpich", "impi"])
@pytest.mark.parametrize("forced", [FORCED, OTHERS], ids=["messages", "others"])
def test_results_and_requests_are_right(lab: Lab, mpi: str, forced: str) -> None:
    # Requests of ours are complete by way of us, however they are waited for.
    profiling = "off" if forced is OTHERS else "on"
    settings = {"QUADRILLE_ALGORITHM": forced, "QUADRILLE_PMPI": profiling, "QUADRILLE_LOG": "wire"}
    environment = {**settings, **libraries(mpi)}
    command = [program("nonblocking", mpi)]
    result = lab.run(command, mpi=mpi, ranks=5, environment=environment, quadrille=True, timeout_s=150)
    found = counts(result)
    assert found["failures"] == 0, result.output
    assert found["replaced"] > 10_000, "the starts were taken over"
    assert wire_counts(result)["bytes_received"] > 1_000_000


def test_what_nobody_completes_holds_up_no_job(lab: Lab) -> None:
    environment = {"QUADRILLE_ALGORITHM": FORCED}
    command = [program("nonblocking", "ompi4"), "pending"]
    result = lab.run(command, ranks=5, environment=environment, quadrille=True, timeout_s=60)
    assert counts(result)["failures"] == 0, result.output


def test_left_to_the_library_requests_are_right_too(lab: Lab) -> None:
    command = [program("nonblocking", "ompi4")]
    result = lab.run(command, ranks=5, environment={"QUADRILLE_TRIALS": "0"}, quadrille=True, timeout_s=60)
    found = counts(result)
    assert found["failures"] == 0 and found["replaced"] == 0, result.output


@pytest.mark.parametrize("name", ["fortran_nonblocking", "fortran_nonblocking_f08"])
def test_fortran_programs_are_right(lab: Lab, name: str) -> None:
    """Persistent calls among them, in `use mpi`."""
    path = native_directory() / "tests" / f"{name}-ompi"
    if not path.exists():
        pytest.skip("Open MPI's Fortran modules are not installed")
    environment = {"QUADRILLE_ALGORITHM": FORCED}
    result = lab.run([str(path)], ranks=5, environment=environment, quadrille=True, timeout_s=60)
    found = counts(result)
    assert found["failures"] == 0, result.output
    assert found["replaced"] > 0.9 * found["checks"] > 100, result.output


def test_a_job_tries_them_and_the_next_one_knows(lab: Lab, tmp_path: Path) -> None:
    environment = {"QUADRILLE_LOG": "plan", "QUADRILLE_LEARN": "on", "QUADRILLE_CACHE": str(tmp_path)}
    command = [program("overlap", "ompi4"), "20000", "80"]
    first = lab.run(command, ranks=4, environment=environment, quadrille=True, timeout_s=100)
    assert first.exit_code == 0, first.output
    assert "event=trial collective=ialltoall " in first.output, first.output
    plan = re.search(r"event=plan .*ialltoall .*chosen=(\S+) reason=\"tried\" after_calls=\d+", first.output)
    assert plan is not None, first.output
    assert "event=calls collective=ialltoall " in first.output
    second = lab.run(command, ranks=4, environment=environment, quadrille=True, timeout_s=100)
    known = rf'event=plan collective=ialltoall .*chosen={re.escape(plan[1])} reason="tried by an earlier job"'
    assert re.search(known, second.output), second.output
    assert "event=trial" not in second.output


def test_a_trace_tells_who_executes_them_and_what_waits_for_them(
    lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUADRILLE_TRACE", str(tmp_path))
    command = [program("overlap", "ompi4"), "20000", "5"]
    environment = {"QUADRILLE_ALGORITHM": "alltoall:granted"}
    result = lab.run(command, ranks=4, environment=environment, quadrille=True, timeout_s=60)
    assert result.exit_code == 0, result.output
    trace = read_trace(tmp_path)
    for of_rank in trace.by_rank.values():
        ours = [times for times in of_rank.times if times.part == "nonblocking collectives"]
        assert {times.executed_by for times in ours} == {"alltoall_granted"}
        assert {times.function for times in ours} == {"MPI_Ialltoall", "MPI_Wait"}
        assert {times.bytes // times.calls for times in ours} == {20_000, 0}
        waits = sum(times.ns for times in ours if times.function == "MPI_Wait")
        assert 0 < waits < sum(times.ns for times in of_rank.times)
    part = next(part for part in profile(trace, joint_calls(trace)).parts if part.name.startswith("nonbl"))
    assert part.own_s == part.time_s > 0


@pytest.mark.alone
def test_a_collective_goes_on_while_the_program_computes(lab: Lab) -> None:
    # By datagrams alone: what is measured to choose between them and TCP changes the time of a call.
    environment = {"QUADRILLE_ALGORITHM": "alltoall:granted", "QUADRILLE_BULK": "udp"}
    command = [program("overlap", "ompi4"), "400000", "31"]
    result = lab.run(command, ranks=3, environment=environment, quadrille=True, timeout_s=100)
    assert result.exit_code == 0, result.output
    hidden = re.search(r"hidden_percent=(-?\d+)", result.output)
    # 77 to 96 in sixteen runs; without a thread that sends, nothing.
    assert hidden is not None and int(hidden[1]) > 70, result.output


def test_a_peer_that_dies_ends_the_job(lab: Lab) -> None:
    environment = {"QUADRILLE_ALGORITHM": FORCED}
    command = [program("overlap", "ompi4"), "400000", "9", "dies"]
    result = lab.run(command, ranks=4, environment=environment, quadrille=True, timeout_s=60)
    assert result.exit_code != 0
