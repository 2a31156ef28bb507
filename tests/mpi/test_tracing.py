# SPDX-License-Identifier: BSD-3-Clause
"""Traces that real jobs write: the same calls on all ranks, right on each MPI, and little time lost."""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from mpi_jobs import Mpi

from quadrille.trace.joint_calls import joint_calls
from quadrille.trace.reading import read_trace

pytestmark = [pytest.mark.mpi, pytest.mark.timeout(120)]


def test_all_ranks_tell_of_the_same_calls(mpi: Mpi, tmp_path: Path) -> None:
    folder = tmp_path / "trace"
    command: list[str | Path] = [mpi.program("collectives"), "stress", "4", "600"]
    settings = {"QUADRILLE_TRACE": str(folder), "QUADRILLE_ALGORITHM": "bcast:chain,alltoall:ordered"}
    outcome = mpi.run(4, command, settings)
    assert outcome.code == 0, outcome.errors + outcome.output
    assert outcome.counts["failures"] == 0, outcome.output
    trace = read_trace(folder)
    assert trace.missing == trace.cut == []
    joint = joint_calls(trace)
    # Of each call all its ranks, and of each rank all its calls.
    assert sum(len(one.calls) for one in joint) == sum(len(rank.calls) for rank in trace.by_rank.values())
    assert len(joint) > 600
    for one in joint:
        assert len({(call.function, call.algorithm, call.root) for call in one.calls}) == 1
        assert all(call.start_ns < call.end_ns for call in one.calls)
        # What depends on all ends no sooner than the last has come, but for what clocks are apart.
        if one.first.function == "MPI_Barrier" or (one.first.function == "MPI_Alltoall" and one.first.bytes):
            latest = max(call.start_ns for call in one.calls)
            assert min(call.end_ns for call in one.calls) > latest - 2 * trace.uncertainty_ns
        for call in one.calls:
            assert bool(call.phases) == call.replaced or not call.bytes
            for phase in call.phases:
                assert call.start_ns <= phase.start_ns <= phase.end_ns <= call.end_ns
                assert phase.carrier == ("MPI library" if phase.peer >= 0 else "own memory")
    # Along the chain each rank but the last sends what the root has.
    chains = [one for one in joint if one.first.algorithm.startswith("bcast_chain") and one.first.bytes]
    for one in chains:
        sent = [sum(phase.bytes for phase in call.phases if phase.kind == "send") for call in one.calls]
        assert sorted(sent) == [0, *[one.first.bytes] * (len(sent) - 1)]
    executed = Counter(one.first.algorithm.partition(":")[0] for one in joint)
    assert executed["bcast_chain"] > 0 and executed["mpi"] > 0
    assert all("collectives" in one.first.site for one in joint), "the program called, not a library"


def test_a_full_disk_ends_the_trace_and_not_the_program(ompi4: Mpi, tmp_path: Path) -> None:
    full = tmp_path / "rank-00001.calls"
    full.symlink_to("/dev/full")
    command: list[str | Path] = [ompi4.program("collectives"), "stress", "4", "2000"]
    outcome = ompi4.run(3, command, {"QUADRILLE_TRACE": str(tmp_path)})
    assert outcome.code == 0 and outcome.counts["failures"] == 0, outcome.errors + outcome.output
    assert "rank 1" in outcome.errors and f"the trace ends early: {full}: No space left" in outcome.errors
    full.unlink()  # what is read of it never ends
    full.touch()
    by_rank = read_trace(tmp_path).by_rank
    assert [len(by_rank[rank].calls) > 0 for rank in range(3)] == [True, False, True]


@pytest.mark.skipif(os.geteuid() != 0, reason="a small disk needs the privilege to mount")
def test_what_a_small_disk_holds_of_a_trace_can_be_read(ompi4: Mpi, tmp_path: Path) -> None:
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(tmp_path)]
    if subprocess.run(mount, check=False, capture_output=True).returncode != 0:
        pytest.skip("mounting is not allowed here")
    try:
        command: list[str | Path] = [ompi4.program("collectives"), "stress", "4", "4000"]
        outcome = ompi4.run(3, command, {"QUADRILLE_TRACE": str(tmp_path)})
        assert outcome.code == 0 and outcome.counts["failures"] == 0, outcome.errors + outcome.output
        assert "the trace ends early: " + str(tmp_path) in outcome.errors
        trace = read_trace(tmp_path)
        assert trace.missing == [] and trace.cut
        assert len(joint_calls(trace)) > 500
    finally:
        subprocess.run(["umount", "-l", str(tmp_path)], check=True)


def test_a_folder_that_cannot_be_written_is_told_and_the_job_runs_on(ompi4: Mpi) -> None:
    command: list[str | Path] = [ompi4.program("collectives"), "stress", "4", "200"]
    outcome = ompi4.run(3, command, {"QUADRILLE_TRACE": "/proc/nowhere"})
    assert outcome.code == 0 and outcome.counts["failures"] == 0
    assert "the job runs on without a trace" in outcome.errors
