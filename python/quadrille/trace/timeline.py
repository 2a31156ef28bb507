# SPDX-License-Identifier: BSD-3-Clause
"""A trace for Perfetto (ui.perfetto.dev) and chrome://tracing: a host is a process, a rank a thread.

Format: "Trace Event Format", https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from quadrille.chrome_trace import named_process, named_thread
from quadrille.trace.joint_calls import JointCall, first_start_ns
from quadrille.trace.reading import Call, Trace
from quadrille.trace.slices import phase_text, slice_text, slices_of


def timeline_of(trace: Trace, joint: Sequence[JointCall]) -> dict[str, Any]:
    """Return the trace; times count from the first call, in microseconds."""
    hosts = list(dict.fromkeys(of_rank.host for _, of_rank in sorted(trace.by_rank.items())))
    pid_of = {rank: hosts.index(of_rank.host) + 1 for rank, of_rank in trace.by_rank.items()}
    events = [named_process(number + 1, host) for number, host in enumerate(hosts)]
    events += [named_thread(pid, rank, f"rank {rank}") for rank, pid in sorted(pid_of.items())]
    begin_ns = first_start_ns(joint) if joint else 0
    for one in joint:
        members = [call.rank for call in one.calls]
        for call, waiting_ns in zip(one.calls, one.waiting_ns, strict=True):
            events += _events(call, waiting_ns, pid_of[call.rank], begin_ns)
            events += _inside(call, waiting_ns, pid_of[call.rank], begin_ns, members)
    other = {"clock_uncertainty_ns": trace.uncertainty_ns, "missing_ranks": trace.missing}
    return {"displayTimeUnit": "ns", "otherData": other, "traceEvents": events}


def _events(call: Call, waiting_ns: int, pid: int, begin_ns: int) -> Iterator[dict[str, Any]]:
    common = {"ph": "X", "pid": pid, "tid": call.rank, "ts": (call.start_ns - begin_ns) / 1000}
    arguments = {
        "bytes": call.bytes,
        "algorithm": call.algorithm,
        "site": call.site,
        "communicator": call.communicator,
        "call": call.number,
        "trial": call.in_trial,
    }
    if call.root >= 0:
        arguments["root"] = call.root
    if call.by_wire:
        arguments |= {
            "credit_wait_us": call.credit_wait_ns / 1000,
            "resent": call.resent,
            "stalls": call.stalls,
        }
    duration = (call.end_ns - call.start_ns) / 1000
    yield {**common, "name": call.function, "cat": "collective", "dur": duration, "args": arguments}
    if waiting_ns > 0:
        yield {**common, "name": "waits for late ranks", "cat": "waiting", "dur": waiting_ns / 1000}


def _inside(
    call: Call, waiting_ns: int, pid: int, begin_ns: int, members: list[int]
) -> Iterator[dict[str, Any]]:
    for one in slices_of(call, waiting_ns):
        yield {
            "ph": "X",
            "pid": pid,
            "tid": call.rank,
            "ts": (one.start_ns - begin_ns) / 1000,
            "dur": (one.end_ns - one.start_ns) / 1000,
            "name": slice_text(one, members),
            "cat": one.carrier,
            "args": {
                "by": one.carrier,
                "bytes": one.bytes,
                "steps": sum(phase.steps for phase in one.phases),
                "under way since, us": {
                    phase_text(phase, members): (phase.start_ns - begin_ns) / 1000 for phase in one.phases
                },
            },
        }
