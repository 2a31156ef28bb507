# SPDX-License-Identifier: BSD-3-Clause
"""Traces as ranks write them, made by hand: clocks, waiting, profiles, time lines, and what is missing."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from quadrille.cli import build_app
from quadrille.errors import QuadrilleError, UsageError
from quadrille.trace.clock import Clock, Estimate
from quadrille.trace.joint_calls import joint_calls, within
from quadrille.trace.page import trace_page
from quadrille.trace.profile import profile
from quadrille.trace.reading import read_trace
from quadrille.trace.table import notes_on
from quadrille.trace.timeline import timeline_of

S = 10**9
FUNCTIONS = ("MPI_Allreduce", "MPI_Bcast", "MPI_Reduce", "MPI_Scan")
ALGORITHMS = ("mpi", "bcast_chain:segment=8192", "bcast_binomial")
REPLACED, IN_TRIAL = 1, 4


def record(number: int, function: str, start: int, end: int, **more: Any) -> bytes:
    algorithm = more.get("algorithm", 0)
    flags = (REPLACED if algorithm else 0) | (IN_TRIAL if more.get("trial") else 0)
    return struct.pack(
        "<QIHHqqQiHHQII",
        more.get("communicator", 5), number, FUNCTIONS.index(function), flags, start, end,
        more.get("bytes", 1000), more.get("root", -1), algorithm, 0, 0, 0, 0,
    )  # fmt: skip


def write_rank(folder: Path, rank: int, ranks: int, records: Sequence[bytes], **more: Any) -> None:
    folder.mkdir(exist_ok=True)
    clocks = more.get("clocks", [(0, 0, 100), (100 * S, 0, 100)])
    lines: list[dict[str, Any]] = [
        {"type": "rank", "version": 1, "rank": rank, "ranks": ranks, "host": f"h{rank}"},
        *(
            {"type": "clock", "at_ns": at, "offset_ns": offset, "uncertainty_ns": doubt}
            for at, offset, doubt in clocks
        ),
        *({"type": "function", "number": at, "name": name} for at, name in enumerate(FUNCTIONS)),
        *({"type": "algorithm", "number": at, "name": name} for at, name in enumerate(ALGORITHMS)),
        {"type": "site", "number": 0, "name": more.get("site", "/opt/app+0x10 step")},
    ]
    if rank == 0:
        lines.append({"type": "communicator", "number": 5, "ranks": list(range(ranks))})
    stem = folder / f"rank-{rank:05}"
    stem.with_suffix(".jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    stem.with_suffix(".calls").write_bytes(b"".join(records))


def waits(folder: Path, function: str, times: Sequence[tuple[int, int]], root: int = -1) -> list[int]:
    for rank, (start, end) in enumerate(times):
        write_rank(folder, rank, len(times), [record(0, function, start, end, root=root)])
    (one,) = joint_calls(read_trace(folder))
    return one.waiting_ns


def test_times_are_those_of_rank_0s_clock(tmp_path: Path) -> None:
    write_rank(tmp_path, 0, 2, [record(0, "MPI_Allreduce", 50 * S, 51 * S)])
    # 7 s ahead at the start, and 10 us a second faster.
    clocks = [(7 * S, 7 * S, 100), (107 * S, 7 * S + 1_000_000, 100)]
    write_rank(tmp_path, 1, 2, [record(0, "MPI_Allreduce", 57 * S, 58 * S)], clocks=clocks)
    (one,) = joint_calls(read_trace(tmp_path))
    assert [call.start_ns for call in one.calls] == [50 * S, 50 * S - 500_000]


def test_a_drift_that_the_uncertainty_could_feign_is_none() -> None:
    clock = Clock([Estimate(0, 0, 1000), Estimate(S, 1500, 1000)])
    assert clock.drift_ppm == 0
    assert clock.uncertainty_ns == 2500, "what is not taken for a drift may be one"
    assert Clock([Estimate(0, 0, 100), Estimate(S, 1500, 100)]).drift_ppm == pytest.approx(1.5)


@pytest.mark.parametrize(
    ("function", "root", "expected"),
    [
        ("MPI_Allreduce", -1, [30, 20, 0]),
        ("MPI_Bcast", 1, [10, 0, 0]),
        ("MPI_Reduce", 0, [30, 0, 0]),
        ("MPI_Scan", -1, [0, 0, 0]),
    ],
)
def test_a_rank_waits_for_those_that_its_result_depends_on(
    tmp_path: Path, function: str, root: int, expected: list[int]
) -> None:
    assert waits(tmp_path, function, [(0, 100), (10, 100), (30, 100)], root) == expected


def test_who_is_through_before_others_come_has_not_waited_longer(tmp_path: Path) -> None:
    assert waits(tmp_path, "MPI_Allreduce", [(0, 5), (10, 20)]) == [5, 0]


def test_the_profile_tells_waiting_from_moving_and_what_was_saved(tmp_path: Path) -> None:
    common: dict[str, Any] = {"root": 0, "bytes": 20_000}
    calls: list[tuple[int, int, dict[str, Any]]] = [
        (0, 40, {"trial": True}),
        (100, 120, {"trial": True, "algorithm": 1}),
        (200, 220, {"algorithm": 1}),
    ]
    for rank in range(2):
        records = [
            record(number, "MPI_Bcast", (start - 10 * rank) * S, end * S, **common, **more)
            for number, (start, end, more) in enumerate(calls)
        ]
        write_rank(tmp_path, rank, 2, records)
    trace = read_trace(tmp_path)
    told = profile(trace, joint_calls(trace))
    (row,) = told.rows
    assert (row.function, row.bytes, row.ranks, row.calls) == ("MPI_Bcast", 20_000, 2, 3)
    assert row.site == "/opt/app+0x10 step"
    assert row.algorithm == "bcast_chain:segment=8192"
    assert row.waiting_s == pytest.approx(
        15
    )  # rank 1 came 10 s before the root, three times; mean of two ranks
    assert row.moving_s == pytest.approx(80)
    assert (row.library_s, row.own_s, row.saved_s) == (40, 20, 20)
    assert told.run_s == pytest.approx(230)


def test_what_a_call_of_many_sizes_takes_is_told_apart(tmp_path: Path) -> None:
    sizes = [1000, 1000, 1100, 64, 1_000_000]
    for rank in range(2):
        records = [
            record(at, "MPI_Allreduce", at * S, at * S + 100, bytes=size) for at, size in enumerate(sizes)
        ]
        write_rank(tmp_path, rank, 2, records)
    trace = read_trace(tmp_path)
    rows = profile(trace, joint_calls(trace)).rows
    assert sorted((row.bytes, row.calls) for row in rows) == [(64, 1), (1000, 2), (1100, 1), (1_000_000, 1)]


def test_a_missing_rank_is_told_and_its_calls_are_left_out(tmp_path: Path) -> None:
    write_rank(tmp_path, 0, 3, [record(0, "MPI_Allreduce", 0, 10)])
    write_rank(tmp_path, 2, 3, [record(0, "MPI_Allreduce", 0, 10)])
    trace = read_trace(tmp_path)
    assert trace.missing == [1]
    assert joint_calls(trace) == []
    notes = list(notes_on(trace, profile(trace, []), 0, 5))
    assert any("no trace of 1 of 3 ranks (1)" in note for note in notes)


@pytest.mark.parametrize("missing", [0, 1])
def test_where_a_rank_is_missing_in_all_calls_the_error_names_it(tmp_path: Path, missing: int) -> None:
    for rank in {0, 1, 2} - {missing}:
        write_rank(tmp_path, rank, 3, [record(0, "MPI_Allreduce", 0, 10)])
    for verb in (["profile", "--trace", str(tmp_path)], ["trace", str(tmp_path), "-o", "x.json"]):
        error = CliRunner().invoke(build_app(), verb).exception
        assert isinstance(error, QuadrilleError)
        assert f"no trace of 1 of 3 ranks ({missing})" in str(error)


def test_a_job_that_was_killed_is_read_as_far_as_it_went(tmp_path: Path) -> None:
    for rank in range(2):
        whole = [record(0, "MPI_Allreduce", 0, 10), record(1, "MPI_Allreduce", 20, 30)[: 64 if rank else 30]]
        write_rank(tmp_path, rank, 2, whole, clocks=[(0, 0, 100)])
    with (tmp_path / "rank-00001.jsonl").open("ab") as lines:
        lines.write('{"type": "site", "name": "ä'.encode()[:-1])
    trace = read_trace(tmp_path)
    assert trace.cut == [0, 1]
    assert len(joint_calls(trace)) == 1


def test_traces_of_other_jobs_or_versions_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has no trace"):
        read_trace(tmp_path)
    write_rank(tmp_path, 0, 2, [])
    write_rank(tmp_path, 1, 3, [])
    with pytest.raises(QuadrilleError, match="2 and 3 ranks"):
        read_trace(tmp_path)
    lines = tmp_path / "rank-00001.jsonl"
    lines.write_text(lines.read_text().replace('"version": 1', '"version": 9'))
    with pytest.raises(QuadrilleError, match="version 9"):
        read_trace(tmp_path)


def some_calls(folder: Path, count: int = 4) -> None:
    for rank in range(2):
        records = [record(at, "MPI_Bcast", at * S + 10 * rank, at * S + 100, root=1) for at in range(count)]
        write_rank(folder, rank, 2, records)


def test_the_time_line_has_each_call_and_what_it_waited(tmp_path: Path) -> None:
    some_calls(tmp_path, 1)
    trace = read_trace(tmp_path)
    events = timeline_of(trace, joint_calls(trace))["traceEvents"]
    calls = [event for event in events if event.get("cat") == "collective"]
    waiting = [event for event in events if event.get("cat") == "waiting"]
    assert [(event["tid"], event["ts"], event["dur"]) for event in calls] == [(0, 0, 0.1), (1, 0.01, 0.09)]
    assert [(event["tid"], event["dur"]) for event in waiting] == [(0, 0.01)]
    assert calls[0]["args"]["root"] == 1


def test_a_part_of_the_run_is_chosen_by_seconds_from_the_first_call(tmp_path: Path) -> None:
    some_calls(tmp_path)
    joint = joint_calls(read_trace(tmp_path))
    assert [one.first.number for one in within(joint, 0.5, 2.5)] == [1, 2]
    assert len(within(joint, None, None)) == 4


def test_the_page_needs_nothing_from_elsewhere(tmp_path: Path) -> None:
    some_calls(tmp_path)
    trace = read_trace(tmp_path)
    page = trace_page(trace, joint_calls(trace), None)
    assert "MPI_Bcast" in page and "app+0x10 (step)" in page
    assert '"x":[1e-07' in page.replace(" ", "")


def test_brackets_in_the_name_of_a_place_are_printed(tmp_path: Path) -> None:
    for rank in range(2):
        calls = [record(0, "MPI_Allreduce", 0, 10)]
        write_rank(tmp_path, rank, 2, calls, site="/opt/app+0x10 total[abi:cxx11](int)")
    done = CliRunner().invoke(build_app(), ["profile", "--trace", str(tmp_path)])
    assert "total[abi:cxx11]" in done.output


def test_the_verbs_write_and_print(tmp_path: Path) -> None:
    folder = tmp_path / "trace"
    some_calls(folder)
    run = CliRunner().invoke
    done = run(build_app(), ["profile", "--trace", str(folder)])
    assert done.exit_code == 0, done.output
    assert "Bcast" in done.output and "4 collective calls" in done.output
    page, line = tmp_path / "p.html", tmp_path / "t.json"
    done = run(build_app(), ["trace", str(folder), "-o", str(line), "--page", str(page), "--from", "1"])
    assert done.exit_code == 0, done.output
    assert len(json.loads(line.read_text())["traceEvents"]) == 4 + 3 * 3
    assert page.stat().st_size > 1000
    for wrong in (["trace", str(folder)], ["profile"], ["trace", str(folder), "-o", "x", "--from", "9"]):
        assert isinstance(run(build_app(), wrong).exception, UsageError)
