# SPDX-License-Identifier: BSD-3-Clause
"""Runs one experiment from start to page, and keeps what there is when it is interrupted or fails."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from quadrille.atomic_write import write_whole
from quadrille.bench.launch import git_commit
from quadrille.reproduce.experiment import Effect, Experiment
from quadrille.reproduce.page import render_page
from quadrille.reproduce.recording import Record, Recording, data_of, read_record
from quadrille.reproduce.workbench import Workbench


@dataclass(frozen=True)
class Plan:
    """How to run: where results go, whether a short form will do, the launcher of a real cluster, if any.

    `duration_s`: for experiments that take a duration. `probed`: see `Workbench`.
    """

    folder: Path
    quick: bool
    launcher: list[str] | None
    command: list[str]
    duration_s: float | None = None
    probed: dict[str, dict[str, Any]] = field(default_factory=dict)


def reproduce(experiment: Experiment, plan: Plan) -> list[Effect]:
    """Measure, write `ID.json` and `ID.html`, and return which published effects were seen.

    Whatever ends the measurement, both files hold what was measured until then. Raises what `measure` raises.
    """
    record = Record(
        experiment=experiment.id,
        command=plan.command,
        quick=plan.quick,
        launcher=plan.launcher,
        git_commit=git_commit(),
    )
    recording = Recording(plan.folder / f"{experiment.id}.json", record)
    began = time.monotonic()

    def save() -> None:
        record.seconds = round(time.monotonic() - began, 1)
        recording.save()

    bench = Workbench(
        plan.quick, plan.launcher, plan.folder, save, duration_s=plan.duration_s, probed=plan.probed
    )
    try:
        experiment.measure(bench, record.data)
        record.state = "complete"
    except BaseException as error:
        failed = isinstance(error, Exception)
        record.state = "failed" if failed else "interrupted"
        record.error = str(error) or type(error).__name__
        raise
    finally:
        record.warnings = bench.cpu_warnings
        save()
        write_page(experiment, record, recording.place)
    return experiment.effects(record.data, quick=record.quick)


def write_page(experiment: Experiment, record: Record, results: Path) -> Path:
    """Write the page of `record` beside its file; return its path. Raises QuadrilleError."""
    page = results.with_suffix(".html")
    again = f"make it again from {results} with `quadrille reproduce {experiment.id} --pages -o DIR`"
    write_whole(page, render_page(experiment, record), f"page {page}", again)
    return page


def page_again(experiment: Experiment, folder: Path) -> list[Effect]:
    """Make the page out of the results file alone; return the effects. Raises UsageError for a wrong file."""
    path = folder / f"{experiment.id}.json"
    record = read_record(path)
    with data_of(path):
        write_page(experiment, record, path)
        return experiment.effects(record.data, quick=record.quick)
