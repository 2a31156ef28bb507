# SPDX-License-Identifier: BSD-3-Clause
"""Says whether the emulation's CPU, not the emulated network, set the pace of a run.

Every frame's way through switches is soft-interrupt work of this machine's cores. While it fits, the kernel
does it at once and ranks get the rest; when it no longer does, it is left to the `ksoftirqd` threads, which
compete with the ranks, and the emulated wire runs late. Ranks that wait spin, so idle time says nothing
here; the share of soft-interrupt and stolen time and the share of `ksoftirqd` do. docs/lab.md has the
calibration.
"""

from __future__ import annotations

import itertools
import json
import os
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType

CARRIED_FRAMES_S_PER_CORE = 20e3
"""Full frames that one core carries, summed over links: on two cores the network paced 16 hosts at 25 Mbit/s
and MTU 1500 (30 MB/s a core). A frame costs 4 to 5 us a passage whatever its length."""

SOFTIRQ_AND_STEAL_LIMIT = 0.6
"""Share of all cores above which ranks get too little. Above all seconds measured, since 0.5 alone separates
nothing: it occurred at 16 x 25 Mbit/s with reference results as well as at 16 x 100. For stolen time."""

KSOFTIRQD_LIMIT = 0.03
"""Share of all cores above which frames were put off: at most 0.019 at 16 x 25 Mbit/s, 0.03 to 0.05 at 50."""

TOLERATED_SHARE_OF_TIME = 0.2
"""A run is marked when more than this part of its time was above a limit."""

SHORTEST_JUDGED_S = 0.5
"""Stolen time is counted in ticks of 10 ms: between closer looks one tick is a large share."""


@dataclass(frozen=True)
class CpuSample:
    """Counters since boot, all cores together, in seconds; `at_s` is a monotonic clock."""

    at_s: float
    softirq_s: float
    steal_s: float
    idle_s: float
    ksoftirqd_s: float


@dataclass(frozen=True)
class CpuReport:
    """What the cores did: shares of all cores' time, 0 to 1, and the verdict.

    `worst_steal_share` is the largest between two looks that are not too close for the kernel's ticks. While
    a core is taken away, what it emulates stands still: a shaped link carries up to that share less than it
    is built with, since its token bucket holds two frames.
    """

    wall_s: float
    cores: int
    softirq_share: float
    steal_share: float
    worst_steal_share: float
    idle_share: float
    ksoftirqd_share: float
    overloaded_share_of_time: float
    bound_by_cpu: bool

    def warning(self) -> str | None:
        """Return the sentence for the user when the CPU set the pace, else None."""
        if not self.bound_by_cpu:
            return None
        return (
            "this run was bound by the emulation's CPU, not by the network, for"
            f" {self.overloaded_share_of_time:.0%} of its time (soft interrupts {self.softirq_share:.0%},"
            f" stolen {self.steal_share:.0%} of {self.cores} cores); use lower link rates or fewer hosts"
        )


def sample() -> CpuSample:
    """Read the counters of this machine now."""
    tick = os.sysconf("SC_CLK_TCK")
    fields = Path("/proc/stat").read_text(encoding="ascii").splitlines()[0].split()[1:]
    _user, _nice, _system, idle, iowait, interrupt, softirq, steal = (int(word) / tick for word in fields[:8])
    return CpuSample(time.monotonic(), softirq + interrupt, steal, idle + iowait, _ksoftirqd_s())


def _ksoftirqd_s() -> float:
    total = 0
    for core in range(os.cpu_count() or 1):
        pid = _ksoftirqd_pids().get(f"ksoftirqd/{core}")
        if pid is not None:
            total += int(Path(f"/proc/{pid}/schedstat").read_text(encoding="ascii").split()[0])
    return total / 1e9


_found_pids: dict[str, int] = {}


def _ksoftirqd_pids() -> dict[str, int]:
    if not _found_pids:
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    name = (entry / "comm").read_text(encoding="ascii", errors="replace").strip()
                except OSError:
                    continue
                if name.startswith("ksoftirqd/"):
                    _found_pids[name] = int(entry.name)
    return _found_pids


def judge(samples: Sequence[CpuSample], cores: int) -> CpuReport:
    """Return the verdict on a run from its `samples`, in order. REQUIRES: at least two, apart in time."""
    first, last = samples[0], samples[-1]
    overloaded = sum(
        later.at_s - earlier.at_s
        for earlier, later in itertools.pairwise(samples)
        if _overloaded(earlier, later, cores)
    )
    wall = last.at_s - first.at_s
    total = wall * cores
    share_of_time = overloaded / wall
    return CpuReport(
        wall_s=wall,
        cores=cores,
        softirq_share=(last.softirq_s - first.softirq_s) / total,
        steal_share=(last.steal_s - first.steal_s) / total,
        worst_steal_share=_worst_steal_s_per_s(samples) / cores,
        idle_share=(last.idle_s - first.idle_s) / total,
        ksoftirqd_share=(last.ksoftirqd_s - first.ksoftirqd_s) / total,
        overloaded_share_of_time=share_of_time,
        bound_by_cpu=share_of_time > TOLERATED_SHARE_OF_TIME,
    )


def _worst_steal_s_per_s(samples: Sequence[CpuSample]) -> float:
    pairs = itertools.pairwise(samples)
    apart = [pair for pair in pairs if pair[1].at_s - pair[0].at_s >= SHORTEST_JUDGED_S]
    return max(
        (later.steal_s - earlier.steal_s) / (later.at_s - earlier.at_s)
        for earlier, later in apart or [(samples[0], samples[-1])]
    )


def _overloaded(earlier: CpuSample, later: CpuSample, cores: int) -> bool:
    total = (later.at_s - earlier.at_s) * cores
    softirq = later.softirq_s - earlier.softirq_s + later.steal_s - earlier.steal_s
    put_off = later.ksoftirqd_s - earlier.ksoftirqd_s
    return softirq / total > SOFTIRQ_AND_STEAL_LIMIT or put_off / total > KSOFTIRQD_LIMIT


def capacity_warning(load_frames_s: float, cores: int | None = None) -> str | None:
    """Return a sentence when a lab's `load_frames_s`, full frames/s, exceed what this machine carries."""
    cores = cores or os.cpu_count() or 1
    carried = CARRIED_FRAMES_S_PER_CORE * cores
    if load_frames_s <= carried:
        return None
    return (
        f"the links add up to {load_frames_s:,.0f} full frames/s, and {cores} cores carry about "
        f"{carried:,.0f} at once; runs that load them all will be marked as bound by the CPU. "
        "A larger mtu makes fewer frames"
    )


class CpuWatch:
    """Watches the cores during a block: `with CpuWatch() as watch: ...`, then `watch.report`.

    Call `watch.look()` about once a second where a run has phases; without it the whole block is judged as
    one.
    """

    report: CpuReport

    def __enter__(self) -> CpuWatch:
        """Take the first sample."""
        self._samples = [sample()]
        return self

    def look(self) -> None:
        """Take one more sample."""
        self._samples.append(sample())

    def report_so_far(self) -> CpuReport:
        """Take one more sample and judge."""
        while time.monotonic() <= self._samples[-1].at_s:
            continue
        self.look()
        return judge(self._samples, os.cpu_count() or 1)

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take the last sample and judge."""
        self.report = self.report_so_far()


def report_json(report: CpuReport) -> dict[str, object]:
    """Return a report as plain data for results files."""
    data: dict[str, object] = json.loads(json.dumps(asdict(report)))
    return data
