# SPDX-License-Identifier: BSD-3-Clause
"""What a rank was held up by inside one call: pieces of its time, one behind the other.

A call's phases overlap, as sends and receives do. Until the first of those under way is complete, that is
what the rank is waiting for; then until the next. Where it waits for a rank that comes late, a piece is cut,
so that pieces lie inside or outside of the waiting.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from quadrille.trace.reading import Call, Phase

_WORDS = {
    "send": "sends to rank {}",
    "receive": "receives from rank {}",
    "copy": "copies",
    "reduce": "combines",
    "group_bcast": "gets rank {}'s broadcast",
    "group_reduce": "combines with others for rank {}",
}


@dataclass(frozen=True)
class Slice:
    """From `start_ns` to `end_ns` the rank got on with `phases`, all of which were complete at the end."""

    start_ns: int
    end_ns: int
    phases: tuple[Phase, ...]

    @property
    def carrier(self) -> str:
        """Return who moved the data: own memory, MPI library, or wire; of several the slowest kind."""
        return max((phase.carrier for phase in self.phases), key=("own memory", "MPI library", "wire").index)

    @property
    def bytes(self) -> int:
        """Return how many bytes its phases moved in all of their time."""
        return sum(phase.bytes for phase in self.phases)


def phase_text(phase: Phase, members: list[int]) -> str:
    """Return a phase in words; `members`: ranks of the job by rank of the communicator."""
    peer = members[phase.peer] if 0 <= phase.peer < len(members) else phase.peer
    return _WORDS[phase.kind].format(peer)


def slice_text(one: Slice, members: list[int]) -> str:
    """Return in words what the rank got on with."""
    texts = list(dict.fromkeys(phase_text(phase, members) for phase in one.phases))
    return texts[0] if len(texts) == 1 else f"{texts[0]} and {len(texts) - 1} more"


def slices_of(call: Call, waiting_ns: int) -> Iterator[Slice]:
    """Yield the slices of a call that Quadrille executed, none of another's."""
    if not call.phases:
        return
    cut = call.start_ns + waiting_ns
    begin = min(phase.start_ns for phase in call.phases)
    for end, found in groupby(sorted(call.phases, key=lambda one: one.end_ns), key=lambda one: one.end_ns):
        phases = tuple(found)
        if end <= begin:
            continue
        for start, until in ((begin, min(end, cut)), (max(begin, cut), end)):
            if until > start:
                yield Slice(start, until, phases)
        begin = end
