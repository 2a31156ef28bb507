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


def test_what_stood_there_stays_until_there_is_something_else(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_bytes(BENCH.read_bytes())
    writer = ResultsWriter(path)
    assert path.read_bytes() == BENCH.read_bytes()
    writer.write(read_results([BENCH]).runs[0].facts)
    writer.close()
    assert path.read_text().count("\n") == 1


def test_two_runs_at_a_time_do_not_share_a_file(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    first = ResultsWriter(path)
    with pytest.raises(UsageError, match="being written by another run"):
        ResultsWriter(path, append=True)
    first.close()
    ResultsWriter(path).close()


@pytest.mark.parametrize("cut", [1, 100])  # a line without its end, and one without its newline alone
def test_what_is_added_does_not_join_an_unfinished_line(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "cut.jsonl"
    path.write_bytes(BENCH.read_bytes()[:-cut])
    before = read_results([path])
    writer = ResultsWriter(path, append=True)
    writer.write(before.runs[0].facts)
    for line in before.points():
        writer.write(line)
    writer.close()
    after = read_results([path])
    assert len(after.runs) == 2 and len(after.points()) == 2 * len(before.points())
    assert after.runs[0].end == before.runs[0].end


def test_a_separator_of_unicode_in_a_name_ends_no_line(tmp_path: Path) -> None:
    run = read_results([BENCH]).runs[0]
    writer = ResultsWriter(tmp_path / "results.jsonl")
    writer.write(run.facts.model_copy(update={"command": ["quadrille", "bench", "a\u2028b\x85"]}))
    writer.write(run.points[0])
    writer.close()
    assert len(read_results([tmp_path / "results.jsonl"]).points()) == 1


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
