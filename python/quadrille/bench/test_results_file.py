# SPDX-License-Identifier: BSD-3-Clause
"""Reading results files: good ones, interrupted ones, and files that are something else."""

from __future__ import annotations

from pathlib import Path

import pytest

from quadrille.bench.results_file import ResultsWriter, read_results
from quadrille.errors import QuadrilleError, UsageError

EXAMPLES = Path(__file__).resolve().parents[3] / "schemas" / "examples"
BENCH = EXAMPLES / "results_bench.jsonl"


def test_reads_runs_points_and_programs_of_several_files() -> None:
    results = read_results([BENCH, EXAMPLES / "results_program.jsonl"])
    assert len(results.runs) == 1
    assert len(results.points()) == 4
    assert {line.variant for line in results.programs} == {"native", "quadrille"}
    assert results.runs[0].end is not None and results.runs[0].end.status == "complete"


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    results = read_results([BENCH])
    writer = ResultsWriter(tmp_path / "copy.jsonl")
    writer.write(results.runs[0].facts)
    for line in results.points():
        writer.write(line)
    writer.close()
    assert read_results([tmp_path / "copy.jsonl"]).points() == results.points()


def test_an_unfinished_last_line_is_left_out(tmp_path: Path) -> None:
    lines = BENCH.read_text().splitlines(keepends=True)
    path = tmp_path / "cut.jsonl"
    path.write_text("".join(lines[:2]) + lines[2][:500])
    results = read_results([path])
    assert len(results.points()) == 1
    assert results.runs[0].end is None


@pytest.mark.parametrize(
    ("text", "error", "complaint"),
    [
        ("", QuadrilleError, "is empty"),
        ("\n\n", QuadrilleError, "is empty"),
        (BENCH.read_text().splitlines(keepends=True)[0], QuadrilleError, "no measured point"),
        ("step,ms\n1,2\n", UsageError, ":1: no JSON"),
        ('{"benchmark": "other"}\n', UsageError, ":1: no results line"),
        ("[1, 2]\n", UsageError, ":1: no results line"),
        (BENCH.read_text().replace('"schema":1', '"schema":99'), UsageError, "schema 99"),
        ("".join(BENCH.read_text().splitlines(keepends=True)[1:]), UsageError, "before any run line"),
        (BENCH.read_text().replace('"verified_calls"', '"checked"'), UsageError, "verified_calls"),
    ],
)
def test_foreign_or_empty_files_are_refused_with_a_reason(
    tmp_path: Path, text: str, error: type[QuadrilleError], complaint: str
) -> None:
    path = tmp_path / "other.jsonl"
    path.write_text(text)
    with pytest.raises(error, match=complaint) as caught:
        read_results([path])
    assert type(caught.value) is error
    assert str(path) in str(caught.value)


def test_missing_and_binary_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        read_results([tmp_path / "none.jsonl"])
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00\x80")
    with pytest.raises(UsageError, match="not text"):
        read_results([tmp_path / "binary"])


def test_a_place_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be written"):
        ResultsWriter(tmp_path / "none" / "results.jsonl")
