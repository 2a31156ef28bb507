# SPDX-License-Identifier: BSD-3-Clause
"""What a program's run consists of: MPI calls of each kind, and the rest; what Quadrille can do for each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from quadrille.report.formatting import percent_text
from quadrille.trace.reading import CallTimes, Trace

COLLECTIVES = "collectives"
_WITH_SCHEDULES = (COLLECTIVES, "nonblocking collectives", "neighbourhood collectives")
_ITSELF = "the program itself"
# Less than this of the run is not worth advice.
_LITTLE = 0.01


@dataclass(frozen=True)
class Part:
    """One kind of calls; `calls` and times are the mean rank's, `own_s` those that Quadrille executes."""

    name: str
    calls: float
    time_s: float
    own_s: float
    verdict: str


def mean_run_s(trace: Trace) -> float | None:
    """Return the mean rank's time from MPI_Init to MPI_Finalize; None where a rank has not told its own."""
    runs = [of_rank.run_ns for of_rank in trace.by_rank.values() if of_rank.times]
    known = [run for run in runs if run is not None]
    return sum(known) / len(known) / 1e9 if known and len(known) == len(trace.by_rank) else None


@dataclass(frozen=True)
class InCollectives:
    """Of blocking collectives, the mean rank's time waiting for late ranks, and in calls too small to try."""

    waiting_s: float
    small_s: float


def parts_of(trace: Trace, run_s: float, inside: InCollectives) -> list[Part]:
    """Return the parts of a run of `run_s`, most time first, the program's own time last."""
    by_part: dict[str, list[CallTimes]] = defaultdict(list)
    for of_rank in trace.by_rank.values():
        for times in of_rank.times:
            by_part[times.part].append(times)
    parts = [_part(name, times, trace, run_s, inside) for name, times in by_part.items()]
    parts.sort(key=lambda part: part.time_s, reverse=True)
    rest = max(0.0, run_s - sum(part.time_s for part in parts))
    return [*parts, Part(_ITSELF, 0, rest, 0, "no network makes it faster")]


def _part(name: str, times: Sequence[CallTimes], trace: Trace, run_s: float, inside: InCollectives) -> Part:
    ranks = len(trace.by_rank)
    time_s = sum(one.ns for one in times) / ranks / 1e9
    own_s = sum(one.ns for one in times if one.executed_by != "mpi") / ranks / 1e9
    if time_s < _LITTLE * run_s:
        verdict = "little to gain"
    elif name in _WITH_SCHEDULES:
        verdict = _of_collectives(time_s, own_s, inside if name == COLLECTIVES else None)
    else:
        verdict = _of_messages(name, trace)
    return Part(name, sum(one.calls for one in times) / ranks, time_s, own_s, verdict)


def _of_collectives(time_s: float, own_s: float, inside: InCollectives | None) -> str:
    words = [f"Quadrille executes {percent_text(100 * own_s / time_s)} of it"]
    if inside is not None and inside.small_s >= _LITTLE * time_s:
        share = percent_text(100 * inside.small_s / time_s)
        words.append(f"{share} are calls too small to try, the MPI library's")
    if inside is not None and inside.waiting_s >= _LITTLE * time_s:
        share = percent_text(100 * inside.waiting_s / time_s)
        words.append(f"{share} is waiting for ranks that come late, which no network mends")
    return "; ".join(words)


def _of_messages(name: str, trace: Trace) -> str:
    if name == "communicators":
        return "nothing to gain: the MPI library's own"
    hosts = {of_rank.host for of_rank in trace.by_rank.values()}
    fabric = next(iter(trace.by_rank.values())).fabric
    if len(hosts) == 1:
        carried = "all ranks share a host, and the MPI library its memory"
    elif fabric == "on":
        carried = "the MPI library's messages go over Quadrille's wire"
    elif fabric == "unused":
        carried = "--fabric on found no way into this MPI library: see the line at the job's start"
    else:
        carried = "left alone; --fabric on takes the MPI library's messages over Quadrille's wire: try it"
    return f"the file system's time, and messages: {carried}" if name == "MPI-IO" else carried
