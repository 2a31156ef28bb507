# SPDX-License-Identifier: BSD-3-Clause
"""How much another job slows one, from results."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from quadrille.bench import jobs
from quadrille.bench.jobs import beside_lines, run_beside
from quadrille.bench.launch import Job
from quadrille.bench.results_file import KeepingWriter, ResultsWriter, Run, read_results

EXAMPLE = Path(__file__).resolve().parents[3] / "schemas" / "examples" / "results_sort.jsonl"


def test_each_side_is_compared_with_itself_alone() -> None:
    (alone,) = read_results([EXAMPLE]).runs
    point = alone.points[0]
    native = point.blocks.native.model_copy(update={"median_ns": 3 * point.blocks.native.median_ns})
    blocks = point.blocks.model_copy(update={"native": native})
    beside = Run(
        alone.facts.model_copy(update={"beside": "native"}), [point.model_copy(update={"blocks": blocks})]
    )
    lines = beside_lines([alone, beside])
    assert "x" not in lines[1]
    assert "3.00x" in lines[2] and "1.00x" in lines[2] and "beside native" in lines[2]


def test_a_point_that_was_not_measured_alone_has_no_ratio() -> None:
    (alone,) = read_results([EXAMPLE]).runs
    beside = Run(alone.facts.model_copy(update={"beside": "quadrille"}), alone.points)
    assert "x" not in beside_lines([beside])[1].replace("beside", "")


@pytest.mark.parametrize(
    ("with_library", "loads"), [(True, [None, "native", "quadrille"]), (False, [None, "native"])]
)
def test_without_the_library_no_job_beside_makes_its_calls(
    with_library: bool, loads: list[str | None], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    measured, started = [], []

    def other(job: Job, load: str) -> Any:
        started.append((job.launcher_line, load))
        return nullcontext()

    monkeypatch.setattr(jobs, "run_job", lambda job, _writer: measured.append(job.beside))
    monkeypatch.setattr(jobs, "other_job", other)
    writer = KeepingWriter(ResultsWriter(tmp_path / "r.jsonl"))
    run_beside(Job([], ["mpirun"], with_library=with_library), ["mpirun", "-np", "2"], writer)
    assert measured == loads
    assert started == [(["mpirun", "-np", "2"], load) for load in loads[1:]]
