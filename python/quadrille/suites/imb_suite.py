# SPDX-License-Identifier: BSD-3-Clause
"""Runs Intel's MPI Benchmarks with their checks of data on (compiled with -DCHECK), each as a job of its own.

Times are of no interest here: few repetitions, and lengths on both sides of where MPIs change algorithms.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from quadrille.suites.forced import NATIVE
from quadrille.suites.lab_job import Ended, SuiteLab, patience_after
from quadrille.suites.records import Outcome, Records, Verdict

SUITE = "imb"
RANKS = 4
BENCHMARKS = {
    "IMB-MPI1": "Bcast Allreduce Reduce Reduce_scatter Reduce_scatter_block Allgather Allgatherv Gather "
    "Gatherv Scatter Scatterv Alltoall Alltoallv Barrier Sendrecv Exchange",
    "IMB-NBC": "Ibcast Iallreduce Ireduce Ireduce_scatter Iallgather Iallgatherv Igather Igatherv Iscatter "
    "Iscatterv Ialltoall Ialltoallv Ibarrier",
    "IMB-RMA": "Unidir_put Bidir_put All_put_all Accumulate Get_accumulate Fetch_and_op",
}
_LENGTHS = (0, 4, 1000, 20_000, 131_072)
_OPTIONS = ("-iter", "6", "-iter_policy", "off", "-time", "20", "-npmin", str(RANKS))


def run_passes(ended: Ended) -> bool:
    """Return whether a benchmark ran to its end and found no wrong data; needs a build with -DCHECK.

    Such a build prints a last column `defects` where there are data; what was left out for want of time is no
    fault.
    """
    if ended.exit_code != 0 or "All processes entering MPI_Finalize" not in ended.output:
        return False
    checked, has_data = False, False
    for line in ended.output.splitlines():
        words = line.split()
        checked = checked or words[-1:] == ["defects"]
        has_data = has_data or words[:1] == ["#bytes"]
        if (
            checked
            and len(words) > 1
            and words[0].isdigit()
            and "time-out" not in line
            and float(words[-1]) != 0
        ):
            return False
    return checked or not has_data


@dataclass
class ImbSuite:
    """The benchmarks in `programs`, under Intel MPI."""

    mpi: str
    programs: Path
    lab: SuiteLab
    records: Records
    patience_s: float
    tell: Callable[[str], None]

    def run(self, settings: Mapping[str, Mapping[str, str]], pattern: str) -> None:
        """Run all benchmarks whose names match `pattern` without Quadrille, then under each setting."""
        for setting, variables in {NATIVE: None, **settings}.items():
            for program, benchmarks in BENCHMARKS.items():
                if (self.programs / program).exists():
                    for benchmark in benchmarks.split():
                        if re.search(pattern, f"{program} {benchmark}"):
                            self._compared(program, benchmark, setting, variables)

    def _compared(
        self, program: str, benchmark: str, setting: str, variables: Mapping[str, str] | None
    ) -> None:
        name = f"{program} {benchmark}"
        if self.records.find(SUITE, self.mpi, name, setting) is not None:
            return
        first = self._once(program, benchmark, variables)
        verdict: Verdict = "passed"
        if not run_passes(first):
            again = self._once(program, benchmark, variables, patience_after(first))
            verdict = "unsteady" if run_passes(again) else "failed"
            self.tell(f"{self.mpi} {setting}: {name}: {verdict}")
        tail = "" if verdict == "passed" else first.tail
        self.records.add(Outcome(SUITE, self.mpi, name, setting, verdict, round(first.seconds, 2), tail))

    def _once(
        self, program: str, benchmark: str, variables: Mapping[str, str] | None, times: int = 1
    ) -> Ended:
        lengths = self.programs / "lengths"
        lengths.write_text("".join(f"{one}\n" for one in _LENGTHS), encoding="utf-8")
        command = [str(self.programs / program), benchmark, *_OPTIONS, "-msglen", str(lengths)]
        return self.lab.run(self.mpi, RANKS, command, variables, self.patience_s * times)
