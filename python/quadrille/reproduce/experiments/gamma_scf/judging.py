# SPDX-License-Identifier: BSD-3-Clause
"""Table 1's columns of our runs, and which of the paper's statements they show."""

from __future__ import annotations

import statistics
from dataclasses import dataclass

from quadrille.reproduce.experiment import Data, Effect
from quadrille.reproduce.experiments.gamma_scf.measuring import (
    FLOW_OFF,
    FLOW_ON,
    SLEEP,
    SPIN,
    TCP,
    WAITING,
    WAYS,
)

PUBLISHED = {TCP: (93, 67, 26, 1.39), FLOW_ON: (66, 66, 0.1, 1.00), FLOW_OFF: (115, 98, 17, 1.17)}
"""Table 1: wall, CPU, difference in s, ratio."""
ENERGY_TOLERANCE_RY = 1e-6
"""All runs do the same sums in the same order; a wrong byte would change more."""
_NOT_MEASURED = "not measured in this run"


@dataclass(frozen=True)
class Row:
    """A row of the table: seconds, median over turns of the mean over ranks."""

    wall_s: float
    cpu_s: float
    mpi_s: float
    resent_share: float | None

    @property
    def difference_s(self) -> float:
        """Return what a process did not use its processor for."""
        return self.wall_s - self.cpu_s

    @property
    def ratio(self) -> float:
        """Return wall over CPU time."""
        return self.wall_s / self.cpu_s


def row(data: Data, way: str, waiting: str) -> Row | None:
    """Return the figures of `way`; None where it was not measured."""
    runs = [run for run in data.get("runs", []) if (run["way"], run["waiting"]) == (way, waiting)]
    if not runs:
        return None
    wall, cpu, mpi = (
        statistics.median(statistics.mean(run[name]) for run in runs) for name in ("wall_s", "cpu_s", "mpi_s")
    )
    sent = sum(run["sent"] for run in runs)
    return Row(wall, cpu, mpi, sum(run["resent"] for run in runs) / sent if sent else None)


def judge(data: Data) -> list[Effect]:
    """Return the effects of Table 1, for ranks that spin and ranks that sleep.

    Those that must appear are of ranks that sleep: which of spinning ranks gets a core that emulated hosts
    share is chance.
    """
    effects = [judged(data, waiting) for waiting in WAITING for judged in (_faster, _controlled, _worst)]
    return [*effects, _hidden(data), _energies(data)]


def _compared(data: Data, name: str, pair: tuple[str, str], waiting: str, required: bool) -> Effect:
    """Judge whether the first of `pair` takes less time than the second."""
    less, more = (row(data, way, waiting) for way in pair)
    if less is None or more is None:
        return Effect(name, None, _NOT_MEASURED)
    paper = PUBLISHED[pair[0]][0] / PUBLISHED[pair[1]][0]
    why = (
        f"{less.wall_s:.2f} against {more.wall_s:.2f} s ({less.wall_s / more.wall_s:.2f}; paper {paper:.2f})"
    )
    return Effect(name, less.wall_s < more.wall_s, why, must_appear=required)


def _faster(data: Data, waiting: str) -> Effect:
    name = f"ranks {waiting}: with flow control it takes less time than by TCP"
    return _compared(data, name, (FLOW_ON, TCP), waiting, waiting == SLEEP)


def _controlled(data: Data, waiting: str) -> Effect:
    name = f"ranks {waiting}: with flow control it takes less time than without"
    return _compared(data, name, (FLOW_ON, FLOW_OFF), waiting, waiting == SLEEP)


def _worst(data: Data, waiting: str) -> Effect:
    name = f"ranks {waiting}: without flow control it takes more time than by TCP"
    return _compared(data, name, (TCP, FLOW_OFF), waiting, False)


def _hidden(data: Data) -> Effect:
    name = "ranks that spin show less wait (wall less CPU time) than ranks that sleep"
    pairs = [(row(data, way, SPIN), row(data, way, SLEEP)) for way in WAYS]
    known = [(spin, sleep) for spin, sleep in pairs if spin is not None and sleep is not None]
    if not known:
        return Effect(name, None, _NOT_MEASURED)
    words = ", ".join(f"{spin.difference_s:.1f} and {sleep.difference_s:.1f} s" for spin, sleep in known)
    seen = all(spin.difference_s < sleep.difference_s for spin, sleep in known)
    return Effect(name, seen, words, must_appear=False)


def _energies(data: Data) -> Effect:
    name = "the total energy is the same in all runs"
    energies = [run["energy_ry"] for run in data.get("runs", [])]
    if not energies:
        return Effect(name, None, _NOT_MEASURED)
    apart = max(energies) - min(energies)
    why = f"{energies[0]:.8f} Ry; apart by {apart:.1e} Ry at most in {len(energies)} runs"
    return Effect(name, apart <= ENERGY_TOLERANCE_RY, why, exact=True)
