# SPDX-License-Identifier: BSD-3-Clause
"""A plan's time line as a trace for Perfetto (ui.perfetto.dev) and chrome://tracing.

Format: "Trace Event Format", https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU.
A host is a process, a rank a thread. Events of one thread may nest but not overlap, so a rank's steps that
run at the same time are spread over further threads beside its own.
"""

from __future__ import annotations

from typing import Any

from quadrille.chrome_trace import named_process, named_thread
from quadrille.plan.contract import Plan, StepEvent

_NETWORK = "repeating lost packets"

_End = tuple[int, int | None, str, int]
"""One end of a message: rank, peer, kind of step, and the time at which it is sent or has come, in ns."""


def trace_of(plan: Plan) -> dict[str, Any]:
    """Return the trace. REQUIRES: the plan has a time line."""
    assert plan.timeline is not None
    hosts = list(dict.fromkeys(seat.host for seat in plan.placement))
    pid_of = {host: index + 1 for index, host in enumerate(hosts)}
    pids = [pid_of[seat.host] for seat in plan.placement]
    events = [named_process(pid, host) for host, pid in pid_of.items()]
    threads: dict[_End, int] = {}
    for rank, pid in enumerate(pids):
        steps = sorted(
            (event for event in plan.timeline if event.rank == rank),
            key=lambda event: (event.start_ns, -event.end_ns),
        )
        lanes = _lanes(steps)
        for lane in range(max(lanes, default=0) + 1):
            beside = f", {lane + 1}" if lane else ""
            events.append(named_thread(pid, rank + lane * plan.call.ranks, f"rank {rank}{beside}"))
        for event, lane in zip(steps, lanes, strict=True):
            tid = rank + lane * plan.call.ranks
            events.append(_step(event, pid, tid))
            sends = event.kind == "send" or (event.kind == "group_bcast" and event.peer == rank)
            threads[rank, event.peer, event.kind, event.start_ns if sends else event.end_ns] = tid
    events += _arrows(plan, pids, threads)
    events += _repeats(plan, len(hosts) + 1)
    other = {"plan": plan.plan.name, "collective": plan.call.collective, "bytes": plan.call.bytes}
    return {"displayTimeUnit": "ns", "otherData": other, "traceEvents": events}


def _lanes(steps: list[StepEvent]) -> list[int]:
    """Return for each step the first lane that is free when it begins. `steps` are in order of beginning."""
    free_ns: list[int] = []
    lanes = []
    for step in steps:
        lane = next((lane for lane, free in enumerate(free_ns) if free <= step.start_ns), len(free_ns))
        if lane == len(free_ns):
            free_ns.append(0)
        free_ns[lane] = step.end_ns
        lanes.append(lane)
    return lanes


def _step(event: StepEvent, pid: int, tid: int) -> dict[str, Any]:
    towards = {"send": f" to {event.peer}", "receive": f" from {event.peer}"}.get(event.kind, "")
    return {
        "ph": "X",
        "name": event.kind + towards,
        "cat": event.kind,
        "pid": pid,
        "tid": tid,
        "ts": event.start_ns / 1000,
        "dur": (event.end_ns - event.start_ns) / 1000,
        "args": {"rank": event.rank, "step": event.step, "peer": event.peer, "bytes": event.bytes},
    }


def _arrows(plan: Plan, pids: list[int], threads: dict[_End, int]) -> list[dict[str, Any]]:
    """Return each message as an arrow from the step that sends it to the one that receives it."""
    arrows = []
    for number, message in enumerate(plan.messages or []):
        one, other = message.sender, message.receiver
        begin, end = message.start_ns, message.end_ns
        sent = threads.get((one, other, "send", begin), threads.get((one, one, "group_bcast", begin)))
        came = threads.get((other, one, "receive", end), threads.get((other, one, "group_bcast", end)))
        if sent is None or came is None:
            continue  # inside a step of the MPI library's own
        for ph, rank, tid, at_ns in (("s", one, sent, begin), ("f", other, came, end)):
            arrow = {"ph": ph, "name": "message", "cat": "message", "id": number, "bp": "e"}
            arrows.append(arrow | {"pid": pids[rank], "tid": tid, "ts": at_ns / 1000})
    return arrows


def _repeats(plan: Plan, pid: int) -> list[dict[str, Any]]:
    lost_ns = plan.plan.retransmissions_ns
    if lost_ns == 0:
        return []
    event = {"ph": "X", "name": _NETWORK, "cat": "network", "pid": pid, "tid": 0, "args": {}}
    times = {"ts": (plan.plan.time_ns - lost_ns) / 1000, "dur": lost_ns / 1000}
    return [named_process(pid, "network"), event | times]
