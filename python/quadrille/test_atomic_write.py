# SPDX-License-Identifier: BSD-3-Clause
"""A disk that fills: a small tmpfs, and each command that writes what was measured."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from quadrille.atomic_write import write_whole
from quadrille.bench.results_file import ResultsWriter, read_results
from quadrille.cli import build_app
from quadrille.contracts import RESULTS_LINE
from quadrille.errors import QuadrilleError, UsageError
from quadrille.lab.running import run_job
from quadrille.lab.state import LabState
from quadrille.model.model_file import load_model
from quadrille.probe.model_output import ModelOutput
from quadrille.reproduce.experiment import Data, Experiment
from quadrille.reproduce.recording import read_record
from quadrille.reproduce.running import Plan, reproduce
from quadrille.reproduce.workbench import Workbench

EXAMPLES = Path(__file__).resolve().parents[2] / "schemas" / "examples"


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Yield a folder with room for 64 KiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(command, capture_output=True, check=False).returncode != 0:
        pytest.skip("a small disk needs the privilege to mount")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.fixture
def refuge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder for temporary files, on another disk than the small one."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


def fill(folder: Path, but: int) -> None:
    """Leave `but` bytes, a multiple of 4 KiB."""
    free = os.statvfs(folder)
    (folder / "filler").write_bytes(bytes(free.f_bavail * free.f_bsize - but))


def test_a_report_that_does_not_fit_leaves_the_old_one(small_disk: Path) -> None:
    page = small_disk / "report.html"
    page.write_text("the old report", encoding="utf-8")
    results = EXAMPLES / "results_bench.jsonl"
    outcome = CliRunner().invoke(build_app(), ["report", str(results), "-o", str(page)])
    assert isinstance(outcome.exception, QuadrilleError)
    said = str(outcome.exception)
    assert str(page) in said and "No space left on device" in said and "make room" in said
    assert [path.name for path in small_disk.iterdir()] == ["report.html"], "nothing takes room in vain"
    assert page.read_text(encoding="utf-8") == "the old report"


def test_results_go_on_elsewhere_and_both_files_can_be_read(
    small_disk: Path, refuge: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [
        RESULTS_LINE.validate_python(json.loads(text))
        for text in (EXAMPLES / "results_bench.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    run, *points = [line for line in lines if line.type in ("run", "point")]
    path = small_disk / "results.jsonl"
    writer = ResultsWriter(path)
    writer.write(run)
    for at in range(40):
        writer.write(points[at % len(points)])
    writer.close()
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and str(path) in said and "No space left" in said
    assert writer.paths[0] == path and writer.paths[1].parent == refuge
    kept = read_results([path])
    assert path.read_text(encoding="utf-8").endswith("}\n"), "no half line"
    assert 5 < len(kept.points()) < 40
    assert len(read_results(writer.paths).points()) == 40


def test_results_without_any_room_say_what_is_kept(small_disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(small_disk))
    text = (EXAMPLES / "results_bench.jsonl").read_text(encoding="utf-8").splitlines()
    run, point = (RESULTS_LINE.validate_python(json.loads(line)) for line in text[:2])
    writer = ResultsWriter(small_disk / "results.jsonl")
    writer.write(run)
    with pytest.raises(
        QuadrilleError, match=r"results.jsonl: No space left .* what was measured before is in it"
    ):
        for _ in range(100):
            writer.write(point)
    writer.close()
    assert len(read_results(writer.paths).points()) > 5


def test_an_experiment_keeps_its_data_elsewhere(
    small_disk: Path, refuge: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def measure(bench: Workbench, data: Data) -> None:
        for at in range(3):
            data[f"samples {at}"] = [at] * 9000
            bench.save()

    experiment = Experiment("filling", "Filling", "", (), "", measure, lambda _: [], lambda _: "")
    plan = Plan(small_disk, quick=True, launcher=None, command=["quadrille", "reproduce", "filling"])
    reproduce(experiment, plan)
    (kept,) = refuge.glob("*filling.json")
    assert len(read_record(kept).data) == 3 and read_record(kept).state == "complete"
    assert kept.with_suffix(".html").exists()
    assert f"it is in {kept} instead" in capsys.readouterr().err
    assert read_record(small_disk / "filling.json").state == "running", "as far as there was room"


def test_a_probed_model_is_kept_elsewhere(small_disk: Path, refuge: Path) -> None:
    model = load_model(EXAMPLES / "network_model_full.json")
    output = ModelOutput(small_disk / "model.json")
    fill(small_disk, but=0)
    place = output.write(model)
    assert place.parent == refuge and load_model(place) == model
    assert [path.name for path in small_disk.iterdir()] == ["filler"]


def test_a_job_on_a_lab_whose_folder_is_full_ends_as_it_ended(
    small_disk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    topology = {
        "name": "full",
        "switch": [{"name": "s0", "rate_mbit": 25}],
        "hosts": [{"names": ["h0..h1"], "on": "s0"}],
    }
    state = LabState("full", "", 0, None, "", 0, 0, None, [], {}, topology)
    fill(small_disk, but=0)
    assert run_job(small_disk, state, ["sh", "-c", "exit 3"]).exit_code == 3
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "last_run.json cannot be written: No space left" in said
    assert [path.name for path in small_disk.iterdir()] == ["filler"]


def test_links_and_permissions_stay(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_text("old", encoding="utf-8")
    real.chmod(0o640)
    link.symlink_to(real)
    write_whole(link, "new", "link", "give another")
    assert link.is_symlink() and real.read_text(encoding="utf-8") == "new"
    assert real.stat().st_mode & 0o777 == 0o640


def test_a_file_that_is_mounted_alone_is_written_as_containers_have_it(tmp_path: Path) -> None:
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    for path in (outside, inside):
        path.write_text("old", encoding="utf-8")
    command = ["mount", "--bind", str(outside), str(inside)]
    if os.geteuid() != 0 or subprocess.run(command, capture_output=True, check=False).returncode != 0:
        pytest.skip("a mounted file needs the privilege to mount")
    try:
        write_whole(inside, "new", "report", "give another")
    finally:
        subprocess.run(["umount", "-l", str(inside)], check=True)
    assert outside.read_text(encoding="utf-8") == "new"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["inside", "outside"]


@pytest.mark.parametrize("path", ["/nowhere/results.jsonl", "/proc/results.jsonl", "/proc"])
def test_where_results_cannot_go_is_told_before_they_are_measured(path: str) -> None:
    command = ["bench", "pingpong", "-o", path, "--", "no-such-launcher"]
    refused = CliRunner().invoke(build_app(), command).exception
    assert isinstance(refused, UsageError) and f"results file {path}" in str(refused)


@pytest.mark.parametrize("path", ["/nowhere/report.html", "/proc/report.html"])
def test_a_place_that_cannot_be_written_is_a_wrong_call(path: str) -> None:
    with pytest.raises(UsageError, match=r"report .* cannot be written .*; give another -o"):
        write_whole(Path(path), "", f"report {path}", "give another -o")
