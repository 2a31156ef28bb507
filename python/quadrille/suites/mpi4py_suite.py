# SPDX-License-Identifier: BSD-3-Clause
"""Runs mpi4py's own suite, module by module on five ranks, with the Python of DIR/mpi4py/venv.

What fails in a module without Quadrille is recorded under its own name and left out from then on, so that the
rest of the module is still compared.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from quadrille.suites.forced import NATIVE
from quadrille.suites.lab_job import Ended, SuiteLab, patience_after
from quadrille.suites.records import Outcome, Records, Verdict

SUITE = "mpi4py"
RANKS = 5
_FAILED = re.compile(r"^(?:FAIL|ERROR): (\w+) \(([\w.]+)\)", re.MULTILINE)
_PATIENCE = 3
"""A module is many tests."""


def failed_tests(output: str) -> list[str]:
    """Return the names `module.Class.test` of the tests that failed on some rank."""
    found = set()
    for method, place in _FAILED.findall(output):
        found.add(place if place.endswith(f".{method}") else f"{place}.{method}")
    return sorted(found)


def module_passes(ended: Ended) -> bool:
    """Return whether all tests of a module passed on all ranks; the exit code alone does not tell."""
    return ended.exit_code == 0 and "FAILED (" not in ended.output and not failed_tests(ended.output)


@dataclass
class Mpi4pySuite:
    """The suite of `sources` under one MPI."""

    mpi: str
    sources: Path
    lab: SuiteLab
    records: Records
    patience_s: float
    tell: Callable[[str], None]

    def run(self, settings: Mapping[str, Mapping[str, str]], pattern: str) -> None:
        """Run all modules whose names match `pattern` without Quadrille, then under each of the settings."""
        found = sorted(path.stem for path in (self.sources / "test").glob("test_*.py"))
        modules = [name for name in found if re.search(pattern, name)]
        for module in modules:
            self._native(module)
        for setting, variables in settings.items():
            for module in modules:
                native = self.records.find(SUITE, self.mpi, module, NATIVE)
                known = self.records.find(SUITE, self.mpi, module, setting)
                if known is None and native is not None and native.verdict != "failed":
                    self._compared(module, setting, variables)

    def _native(self, module: str) -> None:
        if self.records.find(SUITE, self.mpi, module, NATIVE) is not None:
            return
        first = self._once(module, None)
        if module_passes(first):
            self._record(module, NATIVE, "passed", first.seconds)
            return
        for one in failed_tests(first.output):
            self._record(one, NATIVE, "failed", 0)
        self._compared(module, NATIVE, None)

    def _compared(self, module: str, setting: str, variables: Mapping[str, str] | None) -> None:
        first = self._once(module, variables)
        verdict: Verdict = "passed"
        if not module_passes(first):
            again = self._once(module, variables, patience_after(first))
            verdict = "unsteady" if module_passes(again) else "failed"
        self._record(module, setting, verdict, first.seconds, "" if verdict == "passed" else first.tail)

    def _once(self, module: str, variables: Mapping[str, str] | None, times: int = 1) -> Ended:
        natively = [
            one.test
            for one in self.records
            if (one.suite, one.mpi, one.setting, one.verdict) == (SUITE, self.mpi, NATIVE, "failed")
            and one.test.startswith(f"{module}.")
        ]
        left_out = [word for name in natively for word in ("-x", name)]
        python = str(self.sources / "venv" / "bin" / "python")
        command = [python, "test/main.py", "--no-builddir", "-q", "-i", rf"^{module}\.py$", *left_out]
        limit_s = self.patience_s * _PATIENCE * times
        return self.lab.run(self.mpi, RANKS, command, variables, limit_s, folder=self.sources)

    def _record(self, test: str, setting: str, verdict: Verdict, seconds: float, tail: str = "") -> None:
        self.records.add(Outcome(SUITE, self.mpi, test, setting, verdict, round(seconds, 2), tail))
        if verdict != "passed":
            self.tell(f"{self.mpi} {setting}: {test}: {verdict}")
