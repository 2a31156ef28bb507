# SPDX-License-Identifier: BSD-3-Clause
"""Notices when a launcher line starts on an emulated cluster; asks it for its rates and watches its CPU."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from threading import Event, Thread
from typing import Any

from quadrille.lab.cpu import CpuWatch, report_json
from quadrille.lab.lab import Lab
from quadrille.lab.launch import MPIS
from quadrille.lab.state import labs_directory

_LOOK_EVERY_S = 1.0


class Emulation:
    """The lab a launcher line starts on; `mpi` as the lab names it."""

    def __init__(self, lab: Lab, mpi: str) -> None:
        """Take hold of `lab` and write its rates where the kernel can read them."""
        self.mpi = mpi
        self.warning: str | None = None
        self.network_file = lab.directory / "bench_network.json"
        self.network_file.write_text(json.dumps(lab.truth()), encoding="utf-8")
        self._watch = CpuWatch()
        self._stop = Event()
        self._thread = Thread(target=self._look, daemon=True)

    def watch(self) -> None:
        """Start watching the machine's cores."""
        self._watch.__enter__()
        self._thread.start()

    def judge(self) -> dict[str, Any]:
        """Stop watching; return what the cores did, as plain data. Sets `warning` where they set the pace."""
        self._stop.set()
        self._thread.join()
        self._watch.__exit__(None, None, None)
        self.warning = self._watch.report.warning()
        return {**report_json(self._watch.report), "warning": self.warning}

    def _look(self) -> None:
        while not self._stop.wait(_LOOK_EVERY_S):
            self._watch.look()


def emulation_of(launcher_line: Sequence[str]) -> Emulation | None:
    """Return the lab whose launcher is in `launcher_line`, None for any other line."""
    labs = labs_directory()
    for word in launcher_line:
        path = Path(word)
        if path.is_absolute() and path.is_relative_to(labs) and path.parent.name in MPIS:
            return Emulation(Lab.find(path.relative_to(labs).parts[0]), path.parent.name)
    return None
