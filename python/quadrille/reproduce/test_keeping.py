# SPDX-License-Identifier: BSD-3-Clause
"""A results folder summed up, and kept without its samples."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from quadrille.cli import build_app
from quadrille.errors import UsageError
from quadrille.reproduce.as_markdown import as_markdown
from quadrille.reproduce.catalogue import experiment_ids, find_experiment
from quadrille.reproduce.keeping import keep
from quadrille.reproduce.overview import outcomes_in, provenances, summary_sentences, write_overview
from quadrille.reproduce.recording import Record, Recording, read_record
from quadrille.reproduce.without_samples import without_samples


def write_record(folder: Path, name: str, **more: object) -> None:
    facts = {"command": ["quadrille", "reproduce", name], "quick": True, "state": "complete", "seconds": 60}
    record = Record.model_validate(facts | {"experiment": name, "machine": "a machine"} | more)
    Recording(folder / f"{name}.json", record)


def test_the_summary_names_what_was_seen_what_not_and_what_is_missing(tmp_path: Path) -> None:
    write_record(tmp_path, "eco-table1", git_commit="abc", data={"networks": 7, "solutions": []})
    write_record(tmp_path, "umbc-memory", git_commit="def+", state="interrupted", error="KeyboardInterrupt")
    outcomes = outcomes_in(tmp_path)
    first, failed, unfinished, missing = summary_sentences(outcomes)
    assert first.startswith("2 experiments: 0 of ") and "1 not seen" in first and "2 minutes" in first
    assert failed.startswith("Must appear and did not: eco-table1 (")
    assert "umbc-memory" in unfinished and "eco-table7" in missing
    assert [text.rsplit(", commit ")[1] for text in provenances(outcomes)] == [
        "abc: eco-table1",
        "def+: umbc-memory",
    ]
    page = write_overview(tmp_path)
    assert page == tmp_path / "index.html"
    text = page.read_text(encoding="utf-8")
    assert '<a href="eco-table1.html">' in text and "none of 7 networks does" in text
    assert "short form, interrupted" in text and "commit abc" in text


def test_an_empty_folder_has_no_summary(tmp_path: Path) -> None:
    assert write_overview(tmp_path) is None
    with pytest.raises(UsageError, match="holds no results of experiments; run `quadrille reproduce all`"):
        keep(tmp_path, tmp_path / "kept")


def test_every_experiment_can_be_kept_small(tmp_path: Path) -> None:
    samples = {"anything": [{"samples_ns": list(range(1000))}] * 1000}
    for name in experiment_ids():
        write_record(tmp_path, name, warnings=["slow | here"])
    path = tmp_path / "umbc-memory.json"
    record = read_record(path)
    record.data = samples
    kept = keep_with_data(tmp_path, record)
    assert sum(file.stat().st_size for file in kept) < 1_000_000
    assert {file.name for file in kept} >= {f"{name}.md" for name in experiment_ids()}
    summary = (tmp_path / "kept" / "README.md").read_text(encoding="utf-8")
    assert all(
        f"[{name}]({name}.md)" in summary for name in experiment_ids() if find_experiment(name).judge({})
    )
    page = (tmp_path / "kept" / "eco-table1.md").read_text(encoding="utf-8")
    assert "quadrille reproduce eco-table1" in page and "| Table 1 |" in page and "<" not in page[110:]


def keep_with_data(folder: Path, record: Record) -> list[Path]:
    Recording(folder / "umbc-memory.json", record)
    return keep(folder, folder / "kept")


def test_samples_become_what_they_amount_to() -> None:
    assert without_samples({"few": [1, 2, 3], "many": list(range(101))}) == {
        "few": [1, 2, 3],
        "many": {"count": 101, "min": 0, "median": 50, "max": 100},
    }
    cut = without_samples([{"name": f"call {at}"} for at in range(5000)], 1000)
    assert cut[-1]["left_out"] == 5000 - (len(cut) - 1)
    assert len(json.dumps(cut)) <= 1100


def test_a_page_becomes_markdown() -> None:
    html = (
        "<h2>Ti&amp;mes</h2><p>a <b>b</b></p><svg><text>no</text></svg><script>no</script>"
        "<table><thead><tr><th>x</th><th>y<br>z</th></tr></thead><tbody><tr><td>1<small>2</small></td><td>a|b</td></tr></tbody></table>"
    )
    assert as_markdown(html) == "### Ti&mes\n\na b\n\n| x | y z |\n| --- | --- |\n| 1 2 | a\\|b |\n"


def test_the_command_keeps_and_tells_the_size(tmp_path: Path) -> None:
    write_record(tmp_path, "eco-table1")
    command = ["reproduce", "--keep", str(tmp_path / "kept"), "-o", str(tmp_path)]
    run = CliRunner().invoke(build_app(), command, catch_exceptions=False)
    assert run.exit_code == 0 and "2 files more" in run.output and "KiB in all" in run.output
    (tmp_path / "eco-table1.json").write_text("{", encoding="utf-8")
    assert isinstance(CliRunner().invoke(build_app(), command).exception, UsageError)
