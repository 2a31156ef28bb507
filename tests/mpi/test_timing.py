# SPDX-License-Identifier: BSD-3-Clause
"""Times of MPI calls of all kinds in traced jobs: each call of the program counts once, as what it is."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from mpi_jobs import ALGORITHM_ROUNDS, Mpi, Outcome, mpi_named
from test_fortran import INTERFACES, mpich4

from quadrille.fabric.program_messages import ProgramMessages
from quadrille.installation import native_directory
from quadrille.trace.reading import Trace, read_trace

pytestmark = [pytest.mark.mpi, pytest.mark.timeout(120)]

# Of each rank, by the program's source.
ALL_KINDS = {
    ("collectives", "MPI_Allreduce"): 50,
    ("collectives", "MPI_Reduce"): 1,
    ("nonblocking collectives", "MPI_Iallreduce"): 50,
    ("nonblocking collectives", "MPI_Ibarrier"): 1,
    ("point-to-point", "MPI_Sendrecv"): 50,
    ("point-to-point", "MPI_Irecv"): 51,
    ("point-to-point", "MPI_Isend"): 51,
    ("point-to-point", "MPI_Waitall"): 50,
    ("of several kinds", "MPI_Waitall"): 1,
    ("one-sided", "MPI_Win_create"): 1,
    ("one-sided", "MPI_Win_fence"): 2,
    ("one-sided", "MPI_Put"): 1,
    ("one-sided", "MPI_Win_free"): 1,
    ("MPI-IO", "MPI_File_open"): 1,
    ("MPI-IO", "MPI_File_write_at"): 1,
    ("MPI-IO", "MPI_File_iread_at"): 1,
    ("MPI-IO", "MPI_Wait"): 1,
    ("MPI-IO", "MPI_File_close"): 1,
}


def timed(mpi: Mpi, ranks: int, command: list[str | Path], folder: Path, **settings: str) -> Outcome:
    return preloaded(mpi, ranks, command, {"QUADRILLE_TRACE": str(folder), **settings})


def preloaded(mpi: Mpi, ranks: int, command: list[str | Path], settings: dict[str, str]) -> Outcome:
    preload = ":".join(str(native_directory() / f"libquadrille{part}.so") for part in ("-timing", ""))
    outcome = mpi.run(ranks, command, {"LD_PRELOAD": preload, **settings})
    assert outcome.code == 0, outcome.errors + outcome.output
    return outcome


def counted(trace: Trace, rank: int) -> Counter[tuple[str, str]]:
    calls: Counter[tuple[str, str]] = Counter()
    for times in trace.by_rank[rank].times:
        calls[times.part, times.function] += times.calls
    return calls


def test_calls_of_every_kind_count_as_what_they_are(mpi: Mpi, tmp_path: Path) -> None:
    folder, data = tmp_path / "trace", tmp_path / "data"
    data.write_bytes(bytes(16_000))  # Open MPI 5 by itself can take a minute to write more than there is
    outcome = timed(mpi, 4, [mpi.program("all_kinds"), data], folder)
    assert outcome.counts["failures"] == 0, outcome.errors
    trace = read_trace(folder)
    for rank in range(4):
        calls = counted(trace, rank)
        assert calls.pop(("nonblocking collectives", "MPI_Test")) >= 50
        assert calls == ALL_KINDS
        of_rank = trace.by_rank[rank]
        assert all("all_kinds" in times.site for times in of_rank.times)
        (sent,) = (one.bytes for one in of_rank.times if one.function == "MPI_Sendrecv")
        assert sent == 50 * 1000 * 8
        inside_ns = sum(times.ns for times in of_rank.times)
        assert of_rank.run_ns is not None
        # It computes for 2 ms fifty times.
        assert 0 < inside_ns < of_rank.run_ns - 50 * 2_000_000
        assert all("all_kinds" in call.site for call in of_rank.calls)


# A library's Fortran entry calls a C one, and is one call all the same.
@pytest.mark.parametrize("program", INTERFACES)
@pytest.mark.parametrize("name", ["ompi4", "mpich4"])
def test_fortran_calls_count_once(name: str, program: str, tmp_path: Path) -> None:
    mpi = mpich4() if name == "mpich4" else mpi_named(name)
    outcome = timed(mpi, 4, [mpi.program(program)], tmp_path, QUADRILLE_ALGORITHM=ALGORITHM_ROUNDS[0])
    assert outcome.counts["failures"] == 0, outcome.errors + outcome.output
    trace = read_trace(tmp_path)
    for rank, of_rank in trace.by_rank.items():
        recorded = Counter(call.function for call in of_rank.calls)
        calls = counted(trace, rank)
        timed_calls = {name: calls["collectives", name] for name in recorded if "eighbor" not in name}
        assert timed_calls.keys() and timed_calls == {name: recorded[name] for name in timed_calls}


def test_a_library_loaded_out_of_sight_is_found(mpi: Mpi, python_with_mpi4py: Path, tmp_path: Path) -> None:
    program = Path(__file__).parent / "programs" / "with_mpi4py.py"
    timed(mpi, 3, [python_with_mpi4py, program], tmp_path)
    calls = counted(read_trace(tmp_path), 0)
    assert sum(count for (part, _), count in calls.items() if part == "collectives") >= 30


def test_a_job_tells_what_messages_it_has_sent_to_whom(mpi: Mpi, tmp_path: Path) -> None:
    file = tmp_path / "new folder" / "sent.json"
    outcome = preloaded(mpi, 4, [mpi.program("sends_known")], {"QUADRILLE_MESSAGES": str(file)})
    assert outcome.counts["failures"] == 0, outcome.errors
    told = ProgramMessages.model_validate_json(file.read_bytes())
    assert {one.bytes: one.messages for one in told.sent} == {1: 2, 16: 20, 1000: 40, 65536: 12}
    assert told.partners == [[3, 2, 1], [0, 3, 2], [1, 0, 3], [2, 1, 0]]
    # What is sent by MPI_Ssend and the exchange behind it are one.
    assert told.groups == 4 * (10 + 5 + 3)
    assert (told.one_sided, told.synchronous_sends, told.matched_receives) == (0, 2, 2)
    assert 0 < told.point_to_point_s < told.run_s


def test_what_cannot_be_written_of_messages_costs_the_job_nothing(mpi: Mpi, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    settings = {"QUADRILLE_MESSAGES": str(tmp_path / "file" / "sent.json")}
    assert preloaded(mpi, 4, [mpi.program("sends_known")], settings).counts["failures"] == 0
