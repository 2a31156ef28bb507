# SPDX-License-Identifier: BSD-3-Clause
"""How much another job slows one, from results."""

from __future__ import annotations

from pathlib import Path

from quadrille.bench.jobs import beside_lines
from quadrille.bench.results_file import Run, read_results

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
