# SPDX-License-Identifier: BSD-3-Clause
"""What an experiment measures with: emulated clusters, progress, and where results go."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console

from quadrille.lab.cpu import CpuWatch
from quadrille.lab.lab import Lab
from quadrille.lab.topology import Topology


@dataclass
class Workbench:
    """Handed to `Experiment.measure`.

    `launcher`: of a real cluster; None: the experiment emulates one. `duration_s`: how long to measure, of
    experiments that take a duration; None: their own choice. `probed`: models of emulated networks by
    topology, which short forms of one command share.
    """

    quick: bool
    launcher: list[str] | None
    folder: Path
    save: Callable[[], None]
    cpu_warnings: list[str] = field(default_factory=list)
    duration_s: float | None = None
    probed: dict[str, dict[str, Any]] = field(default_factory=dict)
    _console: Console = field(default_factory=lambda: Console(stderr=True, highlight=False, soft_wrap=True))
    _began: float = field(default_factory=time.monotonic)

    def announce(self, what: str) -> None:
        """Say on stderr what is done next, and how many seconds after the experiment's start."""
        self._console.print(f"{time.monotonic() - self._began:6.0f} s  {what}", markup=False)

    @contextmanager
    def lab(self, topology: Topology, name: str) -> Iterator[Lab]:
        """Build an emulated cluster for the block; it is taken down whatever happens.

        Its name carries our process id, so that two runs at a time do not meet.
        """
        with Lab.up(topology, f"{name}-{os.getpid()}") as lab, CpuWatch() as watch:
            yield lab
            watch.look()
        if warning := watch.report.warning():
            self.cpu_warnings.append(f"{name}: {warning}")
