# SPDX-License-Identifier: BSD-3-Clause
"""What a run consists of, from times that ranks have summed up."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from typer.testing import CliRunner

from quadrille.cli import build_app
from quadrille.trace.clock import Clock, Estimate
from quadrille.trace.page import trace_page
from quadrille.trace.parts import InCollectives, mean_run_s, parts_of
from quadrille.trace.profile import profile
from quadrille.trace.reading import CallTimes, RankTrace, Trace
from quadrille.trace.test_trace import write_rank

S = 10**9
SEND = CallTimes("point-to-point", "MPI_Send", "mpi", "app+0x1", 10, 3 * S, 10_000)
WAIT = CallTimes("nonblocking collectives", "MPI_Wait", "alltoall_granted", "app+0x2", 10, S, 0)
REDUCE = CallTimes("collectives", "MPI_Allreduce", "mpi", "app+0x3", 100, 2 * S, 0)
READ = CallTimes("MPI-IO", "MPI_File_read", "mpi", "app+0x4", 1, S // 1000, 100)


def two_ranks(*times: CallTimes, hosts: tuple[str, str] = ("h0", "h1"), fabric: str = "off") -> Trace:
    clock = Clock([Estimate(0, 0, 100)])
    return Trace(
        {
            rank: RankTrace(rank, 2, host, clock, [], list(times), 10 * S, fabric)
            for rank, host in enumerate(hosts)
        },
        {},
    )


def verdicts(trace: Trace, inside: InCollectives | None = None) -> dict[str, str]:
    found = parts_of(trace, 10.0, inside or InCollectives(0, 0))
    return {part.name: part.verdict for part in found}


def test_the_parts_and_what_is_left_are_the_run() -> None:
    trace = two_ranks(SEND, WAIT, REDUCE, READ)
    parts = parts_of(trace, 10.0, InCollectives(0, 0))
    assert [part.name for part in parts] == [
        "point-to-point", "collectives", "nonblocking collectives", "MPI-IO", "the program itself"
    ]  # fmt: skip
    assert sum(part.time_s for part in parts) == 10
    assert [part.own_s for part in parts] == [0, 0, 1, 0, 0]
    assert [part.calls for part in parts] == [10, 100, 10, 1, 0]


def test_the_verdict_says_what_is_taken_and_what_would_be() -> None:
    told = verdicts(two_ranks(SEND, WAIT, REDUCE, READ), InCollectives(waiting_s=0.5, small_s=1.5))
    assert "--fabric on takes" in told["point-to-point"]
    assert told["nonblocking collectives"] == "Quadrille executes 100 % of it"
    assert "0 % of it" in told["collectives"]
    assert "75 % are calls too small" in told["collectives"] and "25 % is waiting" in told["collectives"]
    assert told["MPI-IO"] == "little to gain"


def test_the_fabric_is_advised_only_where_it_is_not_used_and_could_be() -> None:
    assert "go over Quadrille's wire" in verdicts(two_ranks(SEND, fabric="on"))["point-to-point"]
    assert "no way into" in verdicts(two_ranks(SEND, fabric="unused"))["point-to-point"]
    assert "share a host" in verdicts(two_ranks(SEND, hosts=("h0", "h0")))["point-to-point"]


def test_without_all_ranks_run_times_there_are_no_parts() -> None:
    trace = two_ranks(SEND)
    assert mean_run_s(trace) == 10
    trace.by_rank[1] = replace(trace.by_rank[1], run_ns=None)
    assert mean_run_s(trace) is None
    told = profile(trace, [])
    assert told.parts == []


def test_rows_of_other_calls_have_no_ranks_and_name_what_they_complete() -> None:
    told = profile(two_ranks(SEND, WAIT, REDUCE), [])
    assert [(row.function, row.ranks, row.calls, row.call_s) for row in told.rows] == [
        ("MPI_Send", None, 10, 0.3),
        ("MPI_Allreduce", None, 100, 0.02),
        ("MPI_Wait (nonblocking collectives)", None, 10, 0.1),
    ]
    assert told.run_s == 10


def test_a_program_without_collectives_has_a_profile(tmp_path: Path) -> None:
    for rank in range(2):
        write_rank(tmp_path, rank, 2, [])
        with (tmp_path / f"rank-{rank:05}.jsonl").open("a") as lines:
            lines.write('{"type": "run", "ns": 1000000000, "fabric": "off"}\n')
            lines.write(
                '{"type": "times", "part": "point-to-point", "function": "MPI_Recv", "executed_by": "mpi",'
                ' "site": 0, "calls": 4, "ns": 250000000, "bytes": 4096}\n'
            )
    done = CliRunner().invoke(build_app(), ["profile", "--trace", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert "point-to-point" in done.output and "25 %" in done.output and "app+0x10 (step)" in done.output


def test_the_page_shows_the_parts(tmp_path: Path) -> None:
    from quadrille.trace.joint_calls import joint_calls
    from quadrille.trace.reading import read_trace
    from quadrille.trace.test_trace import some_calls

    some_calls(tmp_path)
    trace = read_trace(tmp_path)
    for rank in trace.by_rank:
        trace.by_rank[rank] = replace(trace.by_rank[rank], times=[SEND], run_ns=10 * S)
    assert "--fabric on takes" in trace_page(trace, joint_calls(trace), None)
