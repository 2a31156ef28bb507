# SPDX-License-Identifier: BSD-3-Clause
"""Starts the native kernel with the user's launcher and turns its stream into results and progress.

The kernel's rank 0 writes JSON lines to its standard output, which every launcher carries home from wherever
that rank runs; nothing needs a shared file system. Results reach the file line by line, so an interrupt loses
only the point in progress.
"""

from __future__ import annotations

import contextlib
import shlex
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from quadrille import __version__, settings
from quadrille.bench.results_file import KeepingWriter, ResultsWriter
from quadrille.contracts import RESULTS_LINE, EndLine, PointLine, RunLine
from quadrille.errors import QuadrilleError
from quadrille.native_job import NativeJob, Start, ended_with_us, line_of_type, prepare, started
from quadrille.progress import Progress

Beside = Literal["native", "quadrille"]


@dataclass(frozen=True)
class Job:
    """A benchmark to start: the kernel's arguments, the launcher line, and what goes into the ranks.

    `beside`: whose calls another job makes meanwhile, for the record.
    """

    kernel_arguments: list[str]
    launcher_line: list[str]
    command: list[str] = field(default_factory=list)
    mpi: str | None = None
    with_library: bool = True
    options: dict[str, str | None] = field(default_factory=dict)
    beside: Beside | None = None


@dataclass(frozen=True)
class Outcome:
    """How a benchmark ended: points measured, results that were wrong, calls by executor of our side."""

    points: int
    wrong_results: int
    calls: dict[str, int]
    emulation_warning: str | None


def prepare_kernel(job: Job) -> Start:
    """Return how to start the kernel; raises as `native_job.prepare` does."""
    variables = settings.job_environment(job.options) if job.with_library else {}
    return prepare(NativeJob("quadrille-bench", job.launcher_line, job.kernel_arguments, job.mpi, variables))


def run_job(job: Job, writer: ResultsWriter | KeepingWriter) -> Outcome:
    """Run the benchmark and write its results; returns when the launcher has ended.

    Raises QuadrilleError when the launcher failed; KeyboardInterrupt goes through. Either way an `end` line
    says so.
    """
    start = prepare_kernel(job)
    line, emulation = shlex.join(start.line), start.emulation
    collector = _Collector(job, writer)
    if emulation is not None:
        emulation.watch()
    try:
        code = _run(start, collector)
        collector.emulation = emulation.judge() if emulation else None
        collector.finish("complete" if code == 0 else "failed", None if code == 0 else f"exit code {code}")
    except BaseException as error:
        # What ended the run is to be told, also where the disk has no room for the last line.
        with contextlib.suppress(QuadrilleError):
            collector.finish("interrupted", type(error).__name__)
        raise
    if code != 0:
        raise QuadrilleError(
            f"the benchmark ended with exit code {code} after {collector.points} points: {line}"
        )
    if collector.points == 0:
        raise QuadrilleError(f"the benchmark gave no results; try its launcher alone: {line}")
    warning = emulation.warning if emulation else None
    return Outcome(collector.points, collector.wrong_results, collector.calls, warning)


def _run(start: Start, collector: _Collector) -> int:
    process = started(start)
    with ended_with_us(process), Progress() as progress:
        assert process.stdout is not None
        for text in process.stdout:
            collector.take(text, progress)
        return process.wait()


class _Collector:
    """Takes the kernel's lines; completes the run line, keeps count, writes the end."""

    def __init__(self, job: Job, writer: ResultsWriter | KeepingWriter) -> None:
        self.points = 0
        self.wrong_results = 0
        self.calls: dict[str, int] = {}
        self.emulation: dict[str, Any] | None = None
        self._job = job
        self._writer = writer
        self._started = time.monotonic()
        self._kernel_end: EndLine | None = None
        self._announced = False

    def take(self, text: str, progress: Progress) -> None:
        data = line_of_type(text) if text.startswith('{"type":') else None
        if data is None:
            sys.stderr.write(text)  # something else wrote to the launcher's output: not ours to swallow
        elif data["type"] == "progress":
            progress.show(data["done"], data["points"], data["label"])
        else:
            self._keep(data)

    def finish(self, status: str, reason: str | None) -> None:
        if not self._announced:
            return
        if status == "complete" and self._kernel_end is None:
            status, reason = "failed", "the kernel ended early"
        end = {
            "type": "end",
            "status": status,
            "reason": reason,
            "points": self.points,
            "wrong_results": self.wrong_results,
            "seconds": time.monotonic() - self._started,
            "emulation": self.emulation,
        }
        self._writer.write(RESULTS_LINE.validate_python(end))

    def _keep(self, data: dict[str, Any]) -> None:
        if data["type"] == "run":
            data |= {
                "quadrille_version": __version__,
                "git_commit": git_commit(),
                "command": self._job.command,
                "launcher": self._job.launcher_line,
                "beside": self._job.beside,
            }
        line = RESULTS_LINE.validate_python(data)
        if isinstance(line, EndLine):
            self._kernel_end = line
            return
        if isinstance(line, RunLine):
            self._announced = True
        if isinstance(line, PointLine):
            self.points += 1
            self.wrong_results += line.wrong_results
            for _, measurement in line.measurements():
                for execution in measurement.quadrille.executions:
                    self.calls[execution.executor] = self.calls.get(execution.executor, 0) + execution.calls
        self._writer.write(line)


def git_commit() -> str | None:
    """Return the commit of the source tree this runs from, `+` after it where files were changed, or None."""
    root = Path(__file__).resolve().parents[3]
    if not (root / ".git").exists():
        return None
    commit = _git(root, "rev-parse", "HEAD")
    if commit is None:
        return None
    return commit + ("+" if _git(root, "status", "--porcelain", "--untracked-files=no") else "")


def _git(root: Path, *arguments: str) -> str | None:
    command = ["git", "-C", str(root), *arguments]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, check=True, timeout=10)
    except (OSError, subprocess.SubprocessError):
        return None
    return answer.stdout.strip()
