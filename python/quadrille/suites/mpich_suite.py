# SPDX-License-Identifier: BSD-3-Clause
"""Runs MPICH's test suite: what one job can hold at once by one job, the rest, and what failed there, alone.

Without Quadrille first. What fails there is run unforced with Quadrille only; what passes there runs under
every setting. A failure is repeated once alone before it counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from quadrille.suites.compiling import SuiteCompiler
from quadrille.suites.forced import NATIVE
from quadrille.suites.lab_job import Ended, SuiteLab, patience_after
from quadrille.suites.records import Outcome, Records, Verdict
from quadrille.suites.testlist import MOST_RANKS, SuiteTest, passes, read_tests

SUITE = "mpich"
_BATCHED = re.compile(r"^((?:coll|attr)/\S+): (\d+|not found)$", re.MULTILINE)
_START_S = 60


@dataclass
class MpichSuite:
    """The suite under one MPI."""

    mpi: str
    compiler: SuiteCompiler
    lab: SuiteLab
    records: Records
    patience_s: float
    tell: Callable[[str], None]
    most_ranks: int = MOST_RANKS

    def run(self, settings: Mapping[str, Mapping[str, str]], pattern: str) -> None:
        """Run all tests whose names match `pattern` without Quadrille, then under each of the settings."""
        listed = read_tests(self.compiler.sources, self.most_ranks)
        tests = [test for test in listed if re.search(pattern, test.name)]
        self._under(tests, NATIVE, None)
        for name, variables in settings.items():
            self._under([test for test in tests if self._worth(test, name)], name, variables)

    def _worth(self, test: SuiteTest, setting: str) -> bool:
        native = self.records.find(SUITE, self.mpi, test.name, NATIVE)
        if native is None or native.verdict == "not built":
            return False
        return native.verdict != "failed" or setting == "unforced"

    def _under(self, tests: list[SuiteTest], setting: str, variables: Mapping[str, str] | None) -> None:
        open_tests = [t for t in tests if self.records.find(SUITE, self.mpi, t.name, setting) is None]
        self._in_batches([test for test in open_tests if _batchable(test)], setting, variables)
        for test in open_tests:
            if self.records.find(SUITE, self.mpi, test.name, setting) is None:
                self._alone(test, setting, variables)

    def _in_batches(self, tests: list[SuiteTest], setting: str, variables: Mapping[str, str] | None) -> None:
        """Record those that pass in jobs of many; the others stay open."""
        program = self.compiler.all_in_one() if tests else None
        if program is None:
            return
        for ranks in sorted({test.ranks for test in tests}):
            left = [test for test in tests if test.ranks == ranks]
            while left:
                ended = self._batch(program, left, variables)
                results = _BATCHED.findall(ended.output)
                for test, (name, errors) in zip(left, results, strict=False):
                    if name == f"{test.folder}/{test.program}" and errors == "0":
                        self._record(test, setting, "passed", ended.seconds / max(len(results), 1))
                # The one in which the job ended is run alone, and the job goes on after it.
                left = left[len(results) + 1 :]

    def _batch(self, program: Path, tests: list[SuiteTest], variables: Mapping[str, str] | None) -> Ended:
        lines: list[str] = []
        for test in tests:
            lines.append(f"TIMEOUT {int(self.patience_s)}")
            lines.append(" ".join([f"{test.folder}/{test.program}", *test.arguments]))
        # Not by the launcher: that of Open MPI 5 does not pass the end of its input on.
        listed = program.with_suffix(".tests")
        listed.write_text("\n".join(lines) + "\n", encoding="utf-8")
        limit_s = _START_S + self.patience_s * len(tests)
        folder = self.compiler.sources / "coll"
        return self.lab.run(
            self.mpi,
            tests[0].ranks,
            ["sh", "-c", 'exec "$0" <"$1"', str(program), str(listed)],
            variables,
            limit_s,
            folder=folder,
        )

    def _alone(self, test: SuiteTest, setting: str, variables: Mapping[str, str] | None) -> None:
        program = self.compiler.program(test.folder, test.program)
        if program is None:
            self._record(test, setting, "not built", 0)
            return
        first = self._once(program, test, variables)
        if passes(test, _code(first), first.output):
            self._record(test, setting, "passed", first.seconds)
            return
        native = self.records.find(SUITE, self.mpi, test.name, NATIVE)
        if native is not None and native.verdict == "failed":
            self._record(test, setting, "failed", first.seconds, first.tail)  # as without Quadrille
            return
        again = self._once(program, test, variables, patience_after(first))
        verdict: Verdict = "unsteady" if passes(test, _code(again), again.output) else "failed"
        self._record(test, setting, verdict, again.seconds, first.tail)

    def _once(
        self, program: Path, test: SuiteTest, variables: Mapping[str, str] | None, times: int = 1
    ) -> Ended:
        limit_s = max(self.patience_s, test.time_limit_s or 0) * times
        mpich = self.mpi in ("mpich", "impi")
        return self.lab.run(
            self.mpi,
            test.ranks,
            [str(program), *test.arguments],
            variables,
            limit_s,
            dict(test.environment),
            self.compiler.sources / test.folder,
            launcher_arguments=test.launcher_arguments if mpich else (),
        )

    def _record(
        self, test: SuiteTest, setting: str, verdict: Verdict, seconds: float, tail: str = ""
    ) -> None:
        self.records.add(Outcome(SUITE, self.mpi, test.name, setting, verdict, round(seconds, 2), tail))
        if verdict != "passed":
            self.tell(f"{self.mpi} {setting}: {test.name}: {verdict}")


def _batchable(test: SuiteTest) -> bool:
    plain = not (test.environment or test.rule or test.launcher_arguments or test.time_limit_s)
    return plain and test.folder in ("coll", "attr")


def _code(ended: Ended) -> int:
    """Return the exit code; a job that was late has passed by no rule."""
    return ended.exit_code if ended.exit_code is not None else 0
