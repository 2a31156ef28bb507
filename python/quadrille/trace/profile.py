# SPDX-License-Identifier: BSD-3-Clause
"""Where a program's time in MPI goes: by call site, function, size and communicator."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from quadrille.settings import all_settings
from quadrille.trace.joint_calls import JointCall
from quadrille.trace.parts import InCollectives, Part, mean_run_s, parts_of
from quadrille.trace.reading import CallTimes, Trace


@dataclass(frozen=True)
class Row:
    """Calls of one function with about the same size, from one place, on communicators of one size.

    Times are the mean rank's, in seconds: `waiting_s` for late ranks, `moving_s` the rest of the time in the
    calls; `call_s` is that rest of one call. `algorithm` is what executed most of them. `library_s` and
    `own_s` are the medians of the calls' moving times where both took turns in a trial; `saved_s` is what
    Quadrille's calls saved by these medians (the slowest rank's time), 0 where the library kept them, None
    where nothing was tried.

    Of calls that are no blocking collectives `ranks` is None, `calls` the mean rank's, and the time for late
    ranks is not known: it counts as moving.
    """

    function: str
    site: str
    bytes: int
    ranks: int | None
    calls: int
    waiting_s: float
    moving_s: float
    call_s: float
    algorithm: str
    library_s: float | None = None
    own_s: float | None = None
    saved_s: float | None = None

    @property
    def time_s(self) -> float:
        """Return the mean rank's time in these calls."""
        return self.waiting_s + self.moving_s


@dataclass(frozen=True)
class Profile:
    """All rows, most time first, the run's time, and the parts that it consists of.

    `run_s` is the mean rank's time from MPI_Init to MPI_Finalize. Where that is not known, there are no
    parts, no rows but those of collectives, and `run_s` is that from the first call's start to the last end.
    """

    rows: list[Row]
    run_s: float
    parts: list[Part]


def profile(trace: Trace, joint: Sequence[JointCall]) -> Profile:
    """Return where the time of `joint`, the calls of `trace`, goes."""
    groups: dict[tuple[str, str, int, int], list[JointCall]] = defaultdict(list)
    for one in joint:
        call = one.first
        groups[call.function, call.site, _size_class(_bytes_of(one)), len(one.calls)].append(one)
    rows = [_row(calls, trace.ranks) for calls in groups.values()]
    (floor,) = (int(row.default) for row in all_settings() if row.variable == "QUADRILLE_TRIAL_FLOOR")
    inside = InCollectives(
        waiting_s=sum(row.waiting_s for row in rows),
        small_s=sum(row.time_s for row in rows if row.bytes < floor and row.algorithm == "mpi"),
    )
    run_s = mean_run_s(trace)
    parts = [] if run_s is None else parts_of(trace, run_s, inside)
    rows += _other_rows(trace)
    rows.sort(key=lambda row: row.time_s, reverse=True)
    return Profile(rows, _span_s(joint) if run_s is None else run_s, parts)


def _span_s(joint: Sequence[JointCall]) -> float:
    starts = [call.start_ns for one in joint for call in one.calls]
    ends = [call.end_ns for one in joint for call in one.calls]
    return (max(ends) - min(starts)) / 1e9 if joint else 0.0


def _other_rows(trace: Trace) -> list[Row]:
    """Return the rows of all calls but the collectives that have records: on some communicators none has."""
    recorded = {call.function for of_rank in trace.by_rank.values() for call in of_rank.calls}
    groups: dict[tuple[str, ...], list[CallTimes]] = defaultdict(list)
    for of_rank in trace.by_rank.values():
        for times in of_rank.times:
            if times.function not in recorded:
                size = str(_size_class(times.bytes // times.calls))
                groups[times.function, times.site, times.executed_by, times.part, size].append(times)
    return [_other_row(times, len(trace.by_rank)) for times in groups.values()]


def _other_row(times: list[CallTimes], ranks: int) -> Row:
    first = times[0]
    calls = sum(one.calls for one in times)
    time_s = sum(one.ns for one in times) / 1e9
    completes = first.part != "point-to-point" and first.function.startswith(
        ("MPI_Wait", "MPI_Test", "MPI_Start")
    )
    return Row(
        function=f"{first.function} ({first.part})" if completes else first.function,
        site=first.site,
        bytes=sum(one.bytes for one in times) // calls,
        ranks=None,
        calls=max(1, round(calls / ranks)),
        waiting_s=0.0,
        moving_s=time_s / ranks,
        call_s=time_s / calls,
        algorithm=first.executed_by,
    )


def _bytes_of(one: JointCall) -> int:
    # Of vector collectives each rank knows its own share.
    return max(call.bytes for call in one.calls)


def _size_class(size: int) -> int:
    """Return a number that sizes within a factor of two share, as the planner's classes are."""
    return size.bit_length()


def _row(calls: list[JointCall], ranks_of_job: int) -> Row:
    first = calls[0]
    waiting = sum(sum(one.waiting_ns) for one in calls)
    inside = sum(call.end_ns - call.start_ns for one in calls for call in one.calls)
    executors = Counter(one.first.algorithm for one in calls)
    library_s, own_s = _tried(calls)
    saved_s = None
    if library_s is not None and own_s is not None:
        ours = sum(one.first.replaced for one in calls if not one.first.in_trial)
        saved_s = ours * (library_s - own_s) if ours else 0.0
    return Row(
        function=first.first.function,
        site=first.first.site,
        bytes=round(statistics.median(_bytes_of(one) for one in calls)),
        ranks=len(first.calls),
        calls=len(calls),
        waiting_s=waiting / ranks_of_job / 1e9,
        moving_s=(inside - waiting) / ranks_of_job / 1e9,
        call_s=(inside - waiting) / (len(calls) * len(first.calls)) / 1e9,
        algorithm=executors.most_common(1)[0][0],
        library_s=library_s,
        own_s=own_s,
        saved_s=saved_s,
    )


def _tried(calls: Iterable[JointCall]) -> tuple[float | None, float | None]:
    """Return the medians of the library's tried calls and of the best other's, in seconds."""
    times: dict[str, list[int]] = defaultdict(list)
    library: list[int] = []
    for one in calls:
        if one.first.in_trial:
            (times[one.first.algorithm] if one.first.replaced else library).append(one.moving_ns)
    if not library or not times:
        return None, None
    return statistics.median(library) / 1e9, min(statistics.median(own) for own in times.values()) / 1e9
