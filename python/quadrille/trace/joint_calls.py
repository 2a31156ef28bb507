# SPDX-License-Identifier: BSD-3-Clause
"""The same call on all its ranks: who came when, who waited for whom, how long moving the data took.

A rank waits for late ranks until the last of those that its result depends on has come; the rest of its time
in the call is moving data. What depends on what follows from the operation, not from the algorithm.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from quadrille.trace.reading import Call, Trace

_FROM_ROOT = frozenset({"MPI_Bcast", "MPI_Scatter", "MPI_Scatterv"})
_TO_ROOT = frozenset({"MPI_Reduce", "MPI_Gather", "MPI_Gatherv"})
_FROM_LOWER = frozenset({"MPI_Scan", "MPI_Exscan"})


@dataclass(frozen=True)
class JointCall:
    """`calls` and `waiting_ns` by rank of the communicator."""

    calls: list[Call]
    waiting_ns: list[int]

    @property
    def first(self) -> Call:
        """Return rank 0's, for what all have in common."""
        return self.calls[0]

    @property
    def moving_ns(self) -> int:
        """Return the time from when all that was needed had come until the last rank was through."""
        longest = max(
            call.end_ns - call.start_ns - waiting
            for call, waiting in zip(self.calls, self.waiting_ns, strict=True)
        )
        return max(0, longest)


def joint_calls(trace: Trace) -> list[JointCall]:
    """Return the calls that all their ranks have written, by the time at which the first rank came."""
    found: dict[tuple[int, int], dict[int, Call]] = defaultdict(dict)
    for of_rank in trace.by_rank.values():
        for call in of_rank.calls:
            found[call.communicator, call.number][call.rank] = call
    joint = []
    for (communicator, _), by_rank in found.items():
        members = trace.members.get(communicator)
        if members is None or len(by_rank) != len(members):
            continue
        calls = [by_rank[rank] for rank in members]
        joint.append(joined(calls))
    return sorted(joint, key=lambda one: min(call.start_ns for call in one.calls))


def joined(calls: list[Call]) -> JointCall:
    """Return the call that `calls`, by rank of the communicator, are."""
    return JointCall(calls, _waiting(calls))


def _waiting(calls: list[Call]) -> list[int]:
    starts = [call.start_ns for call in calls]
    latest = [_latest_needed(calls[rank], rank, starts) for rank in range(len(calls))]
    return [
        max(0, min(needed, call.end_ns) - call.start_ns) for call, needed in zip(calls, latest, strict=True)
    ]


def _latest_needed(call: Call, rank: int, starts: list[int]) -> int:
    """Return when the last of those came that `rank` cannot be through without."""
    if call.function in _FROM_ROOT:
        return starts[call.root]
    if call.function in _TO_ROOT:
        return max(starts) if rank == call.root else starts[rank]
    if call.function in _FROM_LOWER:
        return max(starts[: rank + 1])
    return max(starts)


def first_start_ns(joint: Sequence[JointCall]) -> int:
    """Return when the first call began. REQUIRES: at least one call."""
    return min(call.start_ns for one in joint for call in one.calls)


def within(joint: Sequence[JointCall], begin_s: float | None, end_s: float | None) -> list[JointCall]:
    """Return those that lie at least in part between two times after the first call's start."""
    zero = first_start_ns(joint)
    begin_ns = zero + round((begin_s or 0) * 1e9)
    end_ns = None if end_s is None else zero + round(end_s * 1e9)
    return [
        one
        for one in joint
        if max(call.end_ns for call in one.calls) >= begin_ns
        and (end_ns is None or min(call.start_ns for call in one.calls) <= end_ns)
    ]
