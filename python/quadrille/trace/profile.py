# SPDX-License-Identifier: BSD-3-Clause
"""Where a program's time in collectives goes: by call site, function, size and communicator."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from quadrille.trace.joint_calls import JointCall
from quadrille.trace.reading import Trace


@dataclass(frozen=True)
class Row:
    """Calls of one function with about the same size, from one place, on communicators of one size.

    Times are the mean rank's, in seconds: `waiting_s` for late ranks, `moving_s` the rest of the time in the
    calls. `algorithm` is what executed most of them. `library_s` and `own_s` are the medians of the calls'
    moving times where both took turns in a trial; `saved_s` is what Quadrille's calls saved by these medians
    (the slowest rank's time), 0 where the library kept them, None where nothing was tried.
    """

    function: str
    site: str
    bytes: int
    ranks: int
    calls: int
    waiting_s: float
    moving_s: float
    algorithm: str
    library_s: float | None
    own_s: float | None
    saved_s: float | None

    @property
    def time_s(self) -> float:
        """Return the mean rank's time in these calls."""
        return self.waiting_s + self.moving_s


@dataclass(frozen=True)
class Profile:
    """All rows, most time first, and the time from the first call's start to the last one's end."""

    rows: list[Row]
    run_s: float


def profile(trace: Trace, joint: Sequence[JointCall]) -> Profile:
    """Return where the time of `joint`, the calls of `trace`, goes."""
    groups: dict[tuple[str, str, int, int], list[JointCall]] = defaultdict(list)
    for one in joint:
        call = one.first
        groups[call.function, call.site, _size_class(_bytes_of(one)), len(one.calls)].append(one)
    rows = [_row(calls, trace.ranks) for calls in groups.values()]
    rows.sort(key=lambda row: row.time_s, reverse=True)
    starts = [call.start_ns for one in joint for call in one.calls]
    ends = [call.end_ns for one in joint for call in one.calls]
    return Profile(rows, (max(ends) - min(starts)) / 1e9 if joint else 0.0)


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
