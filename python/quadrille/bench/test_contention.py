# SPDX-License-Identifier: BSD-3-Clause
"""A sort's memory before it runs, and its table of times."""

from __future__ import annotations

from pathlib import Path

import pytest

from quadrille.bench.contention import SortRequest, predict, prediction_lines, ranks_of, sort_lines
from quadrille.bench.results_file import read_results
from quadrille.errors import UsageError

EXAMPLES = Path(__file__).resolve().parents[3] / "schemas" / "examples"
PAPER = SortRequest((1, 3, 9, 18, 36), 8, 1_492_992, 512, "constant-global", "24G")


def test_constant_local_memory_grows_with_the_nodes_and_global_does_not() -> None:
    fixed = predict(PAPER)
    grown = predict(SortRequest(PAPER.nodes, 8, PAPER.vectors, 512, "constant-local", "24G"))
    assert [row.processes for row in fixed] == [8, 24, 72, 144, 288]
    assert {row.global_bytes for row in fixed} == {PAPER.vectors * 512 * 8}
    assert {row.local_bytes for row in grown} == {729 << 20}
    assert [row.node_bytes * row.nodes for row in grown] == [2 * row.global_bytes for row in grown]


@pytest.mark.parametrize(("doubles", "fits"), [(512, True), (800, True), (810, True), (1024, False)])
def test_what_swapped_in_table_4_5_is_refused(doubles: int, fits: bool) -> None:
    rows = predict(SortRequest(PAPER.nodes, 8, PAPER.vectors, doubles, "constant-local", "24G"))
    assert {row.fits for row in rows} == {fits}
    assert any("refused" in line for line in prediction_lines(rows)) != fits


def test_what_cannot_be_divided_is_refused_with_the_nearest_number() -> None:
    with pytest.raises(UsageError, match="nearest such n is 1493100"):
        predict(SortRequest((5,), 3, PAPER.vectors, 1))


def test_vectors_without_a_double_or_a_vector_are_refused() -> None:
    with pytest.raises(UsageError, match="m = 0: vectors need at least one double"):
        predict(SortRequest((4,), 2, 64, 0))
    with pytest.raises(UsageError, match="n = 0 vectors on p = 8 processes"):
        predict(SortRequest((4,), 2, 0, 1))


def test_nodes_are_turned_into_ranks() -> None:
    assert ranks_of([1, 3], 8) == [8, 24]
    with pytest.raises(UsageError, match="--per-node"):
        ranks_of([1], None)
    with pytest.raises(UsageError, match="start at 1"):
        ranks_of([0, 2], 8)


def test_a_run_that_swapped_is_marked() -> None:
    points = read_results([EXAMPLES / "results_sort.jsonl"]).points()
    (line,) = sort_lines(points)[1:]
    assert "sort_alltoallv_double" in line and "SWAPPED" not in line
    sort = points[0].sort
    assert sort is not None
    swapped = points[0].model_copy(update={"sort": sort.model_copy(update={"swapped": True})})
    assert "SWAPPED" in sort_lines([swapped])[1]


def test_other_points_have_no_table() -> None:
    assert sort_lines(read_results([EXAMPLES / "results_bench.jsonl"]).points()) == []
