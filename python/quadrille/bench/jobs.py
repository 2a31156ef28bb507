# SPDX-License-Identifier: BSD-3-Clause
"""Two independent jobs at once: one is measured, alone and beside another that never stops calling.

The other job makes the same calls, first those of the MPI library, then Quadrille's, until it is ended. What
is compared is each side alone and beside its own kind, and across.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from threading import Thread
from typing import IO

from quadrille.bench.launch import Beside, Job, Outcome, prepare_kernel, run_job
from quadrille.bench.results_file import KeepingWriter, Run
from quadrille.errors import QuadrilleError
from quadrille.native_job import ended_with_us, line_of_type, started
from quadrille.report.formatting import time_text

LOADS: tuple[Beside | None, ...] = (None, "native", "quadrille")
_LONGEST_S = 86400
_LAST_LINES = 5


def run_beside(job: Job, other_line: Sequence[str], writer: KeepingWriter) -> list[Outcome]:
    """Measure `job` alone, beside native calls and, with the library, beside Quadrille's, of `other_line`.

    Raises what `run_job` raises, and QuadrilleError when the other job ends first.
    """
    outcomes = []
    loads = LOADS if job.with_library else LOADS[:2]
    for load in loads:
        said = "alone" if load is None else f"beside a job of {load} calls"
        print(f"quadrille: {said}", file=sys.stderr)
        if load is None:
            outcomes.append(run_job(job, writer))
            continue
        with other_job(replace(job, launcher_line=list(other_line)), load):
            outcomes.append(run_job(replace(job, beside=load), writer))
    return outcomes


@contextmanager
def other_job(job: Job, load: Beside) -> Iterator[None]:
    """Keep a job of `load` calls going during the block, from when its calls have settled."""
    arguments = [*job.kernel_arguments, "--background", load]
    arguments += ["--seconds", str(_LONGEST_S)]
    start = prepare_kernel(replace(job, kernel_arguments=_last_of_each(arguments)))
    process = started(start, stderr=subprocess.STDOUT)
    with ended_with_us(process):
        assert process.stdout is not None
        _wait_until_ready(process.stdout)
        Thread(target=process.stdout.read, daemon=True).start()  # so that it never waits for us
        yield
        if process.poll() is not None:
            raise QuadrilleError(
                f"the job beside ended with exit code {process.returncode} before the one that was measured"
            )


def _wait_until_ready(output: IO[str]) -> None:
    said: list[str] = []
    for text in output:
        line = line_of_type(text)
        if line is not None and line["type"] == "ready":
            return
        said.append(text.rstrip())
    why = [text for text in said if text.startswith("quadrille")] or said[-_LAST_LINES:]
    raise QuadrilleError(f"the job beside ended before its calls had settled: {' / '.join(why)}")


def _last_of_each(arguments: list[str]) -> list[str]:
    """Return `arguments` with each `--option value` once, as given last: the kernel takes no option twice."""
    options: dict[str, list[str]] = {}
    for word in arguments:
        if word.startswith("--"):
            options[word] = []
            latest = options[word]
        else:
            latest.append(word)
    return [word for option, values in options.items() for word in (option, *values)]


def beside_lines(runs: Sequence[Run]) -> list[str]:
    """Return each point's medians alone and beside, and by how much the other job slows each side."""
    alone = {_shape(point): point for run in runs if run.facts.beside is None for point in run.points}
    lines = [f"{'':<32} {'MPI library':>12} {'':>7} {'Quadrille':>12}"]
    for run in runs:
        for point in run.points:
            label = f"{point.collective} {point.bytes} B"
            text = f"{label if run.facts.beside is None else '  beside ' + run.facts.beside:<32}"
            for side in ("native", "quadrille"):
                median = getattr(point.blocks, side).median_ns
                text += f" {time_text(median):>12}"
                first = alone.get(_shape(point))
                if run.facts.beside is not None and first is not None:
                    text += f" {median / getattr(first.blocks, side).median_ns:>6.2f}x"
                else:
                    text += f" {'':>7}"
            lines.append(text)
    return lines


def _shape(point: object) -> tuple[object, ...]:
    return tuple(getattr(point, key) for key in ("collective", "bytes", "ranks"))
