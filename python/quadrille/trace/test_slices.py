# SPDX-License-Identifier: BSD-3-Clause
"""What a rank got on with inside a call: pieces that neither overlap nor leave the call."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from quadrille.trace.joint_calls import joint_calls
from quadrille.trace.page import trace_page
from quadrille.trace.reading import Call, Phase, read_trace
from quadrille.trace.slices import slice_text, slices_of
from quadrille.trace.test_trace import record, write_rank
from quadrille.trace.timeline import timeline_of


def phase(start: int, end: int, **more: Any) -> Phase:
    given = {"kind": "send", "carrier": "wire", "peer": 1, "steps": 1, "bytes": 10, **more}
    return Phase(start_ns=start, end_ns=end, **given)


def call(*phases: Phase) -> Call:
    return Call(
        rank=0, communicator=5, number=0, function="MPI_Bcast", algorithm="bcast_chain", site="", bytes=10,
        root=0, start_ns=0, end_ns=100, replaced=True, by_wire=True, in_trial=False, credit_wait_ns=0,
        resent=0, stalls=0, phases=phases,
    )  # fmt: skip


def test_a_rank_waits_for_what_is_complete_next() -> None:
    phases = (phase(10, 60, kind="receive", peer=2), phase(10, 30), phase(60, 70, kind="copy", peer=-1))
    found = list(slices_of(call(*phases), 0))
    assert [(one.start_ns, one.end_ns) for one in found] == [(10, 30), (30, 60), (60, 70)]
    assert [slice_text(one, [7, 8, 9]) for one in found] == [
        "sends to rank 8", "receives from rank 9", "copies",
    ]  # fmt: skip


def test_what_is_complete_at_once_is_one_piece_cut_where_the_waiting_ends() -> None:
    phases = (phase(10, 60), phase(20, 60, peer=0, carrier="MPI library"))
    found = list(slices_of(call(*phases), 40))
    assert [(one.start_ns, one.end_ns, one.carrier, one.bytes) for one in found] == [
        (10, 40, "wire", 20), (40, 60, "wire", 20),
    ]  # fmt: skip
    assert slice_text(found[0], [0, 1]) == "sends to rank 1 and 1 more"


times = st.tuples(st.integers(0, 99), st.integers(0, 99)).map(sorted)


@given(st.lists(times, max_size=8), st.integers(0, 100))
def test_pieces_nest(spans: list[list[int]], waiting: int) -> None:
    found = list(slices_of(call(*(phase(start, end) for start, end in spans)), waiting))
    edges = [edge for one in found for edge in (one.start_ns, one.end_ns)]
    assert edges == sorted(edges)
    for one in found:
        assert 0 <= one.start_ns < one.end_ns <= 100
        assert one.end_ns <= waiting or one.start_ns >= waiting


def phase_record(number: int, kind: int, carrier: int, start: int, end: int, peer: int) -> bytes:
    return struct.pack("<QIBBHqqQiI", 5, number, kind, carrier, 1, start, end, 64, peer, 0)


def write_phases(folder: Path) -> None:
    for rank in range(2):
        write_rank(folder, rank, 2, [record(3, "MPI_Bcast", 1000, 2000, root=1, algorithm=2)])
        records = phase_record(3, 1 - rank, 2, 1100, 1900, 1 - rank)
        (folder / f"rank-{rank:05}.phases").write_bytes(records)


def test_phases_become_slices_inside_their_call(tmp_path: Path) -> None:
    write_phases(tmp_path)
    trace = read_trace(tmp_path)
    events = timeline_of(trace, joint_calls(trace))["traceEvents"]
    inside = [event for event in events if event.get("cat") == "wire"]
    assert [(event["tid"], event["ts"], event["dur"], event["name"]) for event in inside] == [
        (0, 0.1, 0.8, "receives from rank 1"),
        (1, 0.1, 0.8, "sends to rank 0"),
    ]
    page = trace_page(trace, joint_calls(trace), None)
    assert "inside: wire" in page and "receives from rank 1, 64 B" in page


def test_half_a_phase_says_that_the_trace_is_cut(tmp_path: Path) -> None:
    write_phases(tmp_path)
    path = tmp_path / "rank-00001.phases"
    path.write_bytes(path.read_bytes()[:-1])
    trace = read_trace(tmp_path)
    assert trace.cut == [1]
    assert [len(of_rank.calls[0].phases) for of_rank in trace.by_rank.values()] == [1, 0]
