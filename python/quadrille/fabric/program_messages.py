# SPDX-License-Identifier: BSD-3-Clause
"""What messages a program sends, as one of its jobs has left it, and how long such ones take on either way.

A job that QUADRILLE_MESSAGES tells to leaves the numbers and sizes of its messages. The native program
`quadrille-messages` then has all ranks send messages of these sizes to the same partners, in the same order
and as many at once, through the MPI library as it is and over the provider.
"""

from __future__ import annotations

import statistics
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from quadrille.errors import QuadrilleError
from quadrille.native_job import NativeJob, lines_of_types, prepare, run_to_end

_MESSAGE_COST_BYTES = 4096  # a message costs about as much as so many bytes more
_MOST_SIZES = 6
_TURNS = 2
_SECONDS_OF_SIZE = 0.25
_PATIENCE_S = 120.0


class SizeClass(BaseModel):
    """Messages of about one size: the mean of their bytes, and how many all ranks have sent."""

    bytes: NonNegativeInt
    messages: PositiveInt


class ProgramMessages(BaseModel):
    """What one job of a program has sent. Times are of the mean rank.

    `partners`: whom each rank has sent to, in its order; 64 at most. `groups`: of messages, between which the
    ranks have waited.
    """

    run_s: PositiveFloat
    point_to_point_s: NonNegativeFloat
    partners: list[list[NonNegativeInt]]
    groups: NonNegativeInt
    one_sided: NonNegativeInt
    synchronous_sends: NonNegativeInt
    matched_receives: NonNegativeInt
    sent: list[SizeClass]

    @property
    def share(self) -> float:
        """Return which part of its run the program spends in messages, 0 to 1."""
        return min(1.0, self.point_to_point_s / self.run_s)

    @property
    def at_once(self) -> int:
        """Return how many messages a rank sends before it waits, 1 to 64."""
        messages = sum(size.messages for size in self.sent)
        return max(1, min(round(messages / max(1, self.groups)), 64))

    def costliest(self) -> list[SizeClass]:
        """Return the sizes that cost most, six at most, the least first."""
        by_cost = sorted(self.sent, key=lambda one: -one.messages * (one.bytes + _MESSAGE_COST_BYTES))
        return sorted(by_cost[:_MOST_SIZES], key=lambda one: one.bytes)


class Size(BaseModel):
    """One exchange of messages of one size among all ranks: its mean time each way, in nanoseconds."""

    bytes: NonNegativeInt
    messages: PositiveInt
    library_ns: PositiveFloat
    provider_ns: PositiveFloat


class BothWays(BaseModel):
    """How long messages like a program's take through the MPI library as it is and over the provider."""

    sizes: list[Size]

    @property
    def ratio(self) -> float:
        """Return the provider's time of all the program's messages, of the library's."""
        provider = sum(size.messages * size.provider_ns for size in self.sizes)
        return provider / sum(size.messages * size.library_ns for size in self.sizes)


@dataclass(frozen=True)
class Trial:
    """An exchange of messages like a program's.

    `launcher_line`: the launcher's own words, without a program; `mpi`: its MPI library; `like`: the file
    that a job of the program has left, and what it holds; `over_provider`: the variables that put messages
    on the provider.
    """

    launcher_line: Sequence[str]
    mpi: str | None
    like: Path
    sent: ProgramMessages
    over_provider: Mapping[str, str]

    def both_ways(self) -> BothWays:
        """Exchange messages both ways in turn, and again; a few seconds.

        Raises QuadrilleError where a job cannot be started, fails, or does not end in time.
        """
        sizes = self.sent.costliest()
        library: list[list[float]] = []
        provider: list[list[float]] = []
        for _ in range(_TURNS):
            library.append(self._times({}))
            provider.append(self._times(self.over_provider))
        times = zip(sizes, zip(*library, strict=True), zip(*provider, strict=True), strict=True)
        return BothWays(
            sizes=[
                Size(
                    bytes=size.bytes,
                    messages=size.messages,
                    library_ns=statistics.mean(one),
                    provider_ns=statistics.mean(other),
                )
                for size, one, other in times
            ]
        )

    def _times(self, variables: Mapping[str, str]) -> list[float]:
        """Return the mean time of an exchange of each size, in nanoseconds."""
        sizes = [str(size.bytes) for size in self.sent.costliest()]
        arguments = ["--bytes", ",".join(sizes), "--like", str(self.like)]
        arguments += ["--at-once", str(self.sent.at_once), "--seconds", str(_SECONDS_OF_SIZE)]
        line = list(self.launcher_line)
        start = prepare(NativeJob("quadrille-messages", line, arguments, self.mpi, variables))
        done = run_to_end(start, "its job", _PATIENCE_S, subprocess.PIPE)
        lines = lines_of_types(done.stdout)
        if done.returncode != 0 or len(lines) != len(sizes):
            told = [text.strip() for text in done.stderr.splitlines() if text.strip()]
            raise QuadrilleError(
                f"its job ended with exit code {done.returncode}: {told[-1] if told else 'without a word'}"
            )
        return [float(data["mean_ns"]) for data in lines]
