# SPDX-License-Identifier: BSD-3-Clause
"""What is compared: patterns, calls, network, and what the paper says of them."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from quadrille.reproduce.experiment import Data
from quadrille.reproduce.patterns.pattern import MPI_LIBRARY, PLANNED, Pattern


@dataclass(frozen=True)
class Calls:
    """`times` calls of a collective in one step of the program; `size`: as `quadrille bench --bytes`."""

    collective: str
    size: int
    times: float = 1


@dataclass(frozen=True)
class PaperTime:
    """A pattern's time in the paper: a mean or the one value given, and a median where it gives one."""

    pattern: str
    mean: float
    median: float | None = None

    @property
    def value(self) -> float:
        """The figure that ratios are made of."""
        return self.mean if self.median is None else self.median


@dataclass(frozen=True)
class Order:
    """The paper found `faster` to take less time than `slower`."""

    faster: str
    slower: str


@dataclass(frozen=True)
class Comparison:
    """One table of the paper, `where`, whose times are in `unit`.

    `kernel`: one of the benchmark's own that makes the calls of a program's step in a row, timed as one.
    """

    where: str
    unit: str
    topology: str
    patterns: tuple[Pattern, ...]
    step: tuple[Calls, ...]
    paper: tuple[PaperTime, ...]
    orders: tuple[Order, ...]
    kernel: Calls | None = None

    def measured(self) -> tuple[Calls, ...]:
        """Return all that is measured: the calls of a step one by one, then the kernel."""
        return self.step if self.kernel is None else (*self.step, self.kernel)

    def measured_in_short(self) -> tuple[Calls, ...]:
        """Return what the short form measures: the kernel, or a step of one call."""
        return self.step if self.kernel is None else (self.kernel,)

    def judged(self) -> tuple[Pattern, ...]:
        """Return the patterns of the paper's orders, and what Quadrille chooses."""
        ordered = {name for order in self.orders for name in (order.faster, order.slower)}
        return tuple(
            pattern for pattern in self.patterns if pattern.name in ordered or not pattern.algorithms
        )

    def paper_time(self, pattern: str) -> PaperTime | None:
        """Return the paper's time of a pattern, None where it has none."""
        return next((time for time in self.paper if time.pattern == pattern), None)

    def names(self) -> list[str]:
        """Return all patterns' names, the MPI library's last."""
        return [*(pattern.name for pattern in self.patterns), MPI_LIBRARY]


@dataclass(frozen=True)
class Figures:
    """Of the samples of one kind of call, in ns."""

    mean: float
    sd: float
    median: float
    minimum: float


def samples_of(data: Data, pattern: str, collective: str) -> list[int]:
    """Return all samples in ns; none where a call was not carried out by the pattern.

    What is left to the MPI library counts as `PLANNED`'s, for that is what a program gets.
    """
    points: Iterable[dict[str, Any]] = data.get("points", [])
    found: list[int] = []
    for point in points:
        if point["collective"] != collective:
            continue
        if pattern == MPI_LIBRARY:
            found += point["mpi_samples_ns"]
        elif point["pattern"] == pattern and (point["executor"] == "quadrille" or pattern == PLANNED.name):
            found += point["samples_ns"]
    return found


def choices_of(data: Data, collective: str) -> dict[str, int]:
    """Return what Quadrille chose for a collective, and in how many rounds."""
    chosen = Counter(
        point["algorithm"] or point["executor"]
        for point in data.get("points", [])
        if point["pattern"] == PLANNED.name and point["collective"] == collective
    )
    return dict(chosen.most_common())


def figures_of(samples_ns: list[int]) -> Figures | None:
    """Return the figures of samples, None where there are none."""
    if not samples_ns:
        return None
    sd = statistics.stdev(samples_ns) if len(samples_ns) > 1 else 0.0
    return Figures(statistics.fmean(samples_ns), sd, statistics.median(samples_ns), min(samples_ns))


def kernel_ns(comparison: Comparison, data: Data, pattern: str) -> float | None:
    """Return the median of the step as one kernel, None where the pattern did not carry out all its calls."""
    if comparison.kernel is None:
        return None
    figures = figures_of(samples_of(data, pattern, comparison.kernel.collective))
    return figures.median if figures is not None else None


def step_ns(comparison: Comparison, data: Data, pattern: str) -> float | None:
    """Return a step's time by the medians of its calls, None where one of them was not measured."""
    total = 0.0
    for calls in comparison.step:
        figures = figures_of(samples_of(data, pattern, calls.collective))
        if figures is None:
            return None
        total += calls.times * figures.median
    return total


def pattern_ns(comparison: Comparison, data: Data, pattern: str) -> float | None:
    """Return a step's time by which patterns are judged: its calls', or the kernel's where only that ran."""
    time = step_ns(comparison, data, pattern)
    return kernel_ns(comparison, data, pattern) if time is None else time
