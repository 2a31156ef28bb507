# SPDX-License-Identifier: BSD-3-Clause
"""`quadrille probe` writes whole models only, and ends with a reason whatever launcher and prober do."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from quadrille import __version__
from quadrille.errors import QuadrilleError, UsageError
from quadrille.model.model_file import load_model
from quadrille.probe import prober
from quadrille.probe.model_output import ModelOutput, completed
from quadrille.probe.prober import ProberJob, require_success, run_prober
from quadrille.probe.recorded_job import RecordedJob, recorded_job, recorded_lines

MAIN = [sys.executable, "-c", "from quadrille.cli import main; main()"]
MODEL = {"segments": [{"hosts": ["h0", "h1"], "kind": "switch"}]}


def quadrille(job: RecordedJob, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*MAIN, *arguments, "--", str(job.launcher), "-np", "4"],
        env={**os.environ, "QUADRILLE_NATIVE_DIR": str(job.native_directory)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def run(job: RecordedJob, monkeypatch: pytest.MonkeyPatch, silence_s: float = 60) -> Any:
    monkeypatch.setenv("QUADRILLE_NATIVE_DIR", str(job.native_directory))
    return run_prober(ProberJob([str(job.launcher)], [], silence_s=silence_s))


def test_a_recorded_run_becomes_a_model_file_and_a_summary(tmp_path: Path) -> None:
    job = recorded_job(tmp_path, recorded_lines())
    done = quadrille(job, "probe", "-o", str(tmp_path / "model.json"), "--seed", "7")
    assert done.returncode == 0, done.stderr
    model = load_model(tmp_path / "model.json")
    assert [segment.hosts for segment in model.segments] == [["h0", "h1", "h2", "h3"]]
    assert "4 hosts, 1 segment" in done.stderr
    assert job.arguments() == ["--seed", "7"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model.json", "mpirun", "native"]


def test_what_launchers_write_between_the_lines_is_no_harm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines: Iterable[str | dict[str, Any]] = [
        "Warning: Permanently added 'h1' to the list of known hosts.",
        '{"a": "log line of somebody else"}',
        '{"type": "progress"}',
        "[1,0]<stdout>:" + json.dumps({"type": "model", "model": MODEL}),
        "{ not JSON",
    ]
    report = run(recorded_job(tmp_path, lines, "echo 'and this' >&2"), monkeypatch)
    require_success(report)
    assert report.model == MODEL
    assert "and this" in report.noise


def test_an_error_of_the_prober_is_the_error_and_no_file_is_left(tmp_path: Path) -> None:
    error = {"type": "error", "kind": "peer_lost", "text": "host h2 does not answer; is it up?"}
    job = recorded_job(tmp_path, [error], "exit 1")
    done = quadrille(job, "probe", "-o", str(tmp_path / "model.json"))
    assert done.returncode == 1
    assert "quadrille: host h2 does not answer; is it up?" in done.stderr.splitlines()
    assert not list(tmp_path.glob("*model*"))


def test_a_failing_launcher_is_told_with_exit_code_phase_and_last_words(tmp_path: Path) -> None:
    lines = [{"type": "progress", "share": 0.4, "purpose": "rates of hosts"}]
    job = recorded_job(tmp_path, lines, "echo 'ORTE was unable to reach h3' >&2; exit 213")
    done = quadrille(job, "probe", "-o", str(tmp_path / "model.json"))
    assert done.returncode == 1
    assert "exit code 213 during: rates of hosts" in done.stderr
    assert "ORTE was unable to reach h3" in done.stderr


def test_ranks_that_each_run_alone_point_to_another_mpi(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = {"type": "error", "kind": "invalid_argument", "text": "one host only"}
    report = run(recorded_job(tmp_path, [error, error], "exit 1"), monkeypatch)
    with pytest.raises(QuadrilleError, match=r"2 ranks said so.*--mpi"):
        require_success(report)


@pytest.mark.parametrize("ending", ["exec sleep 600", "exec >&- 2>&-; exec sleep 600"])
def test_a_launcher_that_hangs_after_an_error_is_ended_and_the_error_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    monkeypatch.setattr(prober, "ERROR_PATIENCE_S", 1.0)
    error = {"type": "error", "kind": "peer_lost", "text": "host h2 does not answer"}
    report = run(recorded_job(tmp_path, [error], f"echo $$ > {tmp_path}/pid; {ending}"), monkeypatch)
    with pytest.raises(QuadrilleError, match="host h2 does not answer"):
        require_success(report)
    assert _has_ended(int((tmp_path / "pid").read_text()))


def test_a_prober_that_ends_well_without_a_model_has_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = run(recorded_job(tmp_path, [], "echo 'nothing to do' >&2"), monkeypatch)
    with pytest.raises(QuadrilleError, match="gave no model"):
        require_success(report)


def test_silence_ends_the_job_and_names_the_phase(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [{"type": "progress", "share": 0.4, "purpose": "multicast"}]
    ending = f"echo $$ > {tmp_path}/pid; exec sleep 600"
    with pytest.raises(QuadrilleError, match="ended during: multicast"):
        run(recorded_job(tmp_path, lines, ending), monkeypatch, silence_s=2)
    assert _has_ended(int((tmp_path / "pid").read_text()))


def test_a_launcher_that_leaves_its_output_open_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ending = f"sleep 600 & echo $! > {tmp_path}/pid"
    try:
        report = run(recorded_job(tmp_path, [{"type": "model", "model": MODEL}], ending), monkeypatch, 30)
        assert report.model == MODEL
        assert report.exit_code == 0
    finally:
        os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_the_command_ends_the_launcher(tmp_path: Path, number: signal.Signals) -> None:
    job = recorded_job(tmp_path, [], f"echo $$ > {tmp_path}/pid; exec sleep 600")
    # Who runs the tests may ignore signals itself.
    command = ["env", "--default-signal", *MAIN, "probe", "-o", str(tmp_path / "model.json")]
    command += ["--", str(job.launcher)]
    environment = {**os.environ, "QUADRILLE_NATIVE_DIR": str(job.native_directory)}
    with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) as child:
        pid = _number_in(tmp_path / "pid")
        child.send_signal(number)
        assert child.wait(timeout=30) == 130
    assert _has_ended(pid)
    assert not list(tmp_path.glob("*model*"))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["probe", "-o", "m.json", "--"], "no launcher line"),
        (["probe", "--", "mpirun"], "-o MODEL"),
        (["probe", "-o", "/nowhere/m.json", "--", "true"], "/nowhere/m.json cannot be written"),
        (["probe", "-o", "m.json", "--", "/nowhere/mpirun"], "'/nowhere/mpirun' not found"),
        (["probe", "-o", "m.json", "--", "true"], "--mpi ompi|mpich|impi"),
        (["probe", "-o", "m.json", "--mpi", "lam", "--", "true"], "--mpi lam"),
        (["probe", "--check", "/nowhere/m.json", "--", "true"], "/nowhere/m.json cannot be read"),
        (["probe", "-o", "m.json", "--", "mpirun", "-np", "1", "a", ":", "-np", "1", "b"], "several prog"),
    ],
)
def test_wrong_usage_is_refused_before_anything_starts(
    arguments: list[str], said: str, tmp_path: Path
) -> None:
    done = subprocess.run([*MAIN, *arguments], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert said in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_prober_that_is_not_built_is_named(tmp_path: Path) -> None:
    job = recorded_job(tmp_path, [])
    (job.native_directory / "quadrille-probe-ompi").unlink()
    done = quadrille(job, "probe", "-o", str(tmp_path / "model.json"))
    assert done.returncode == 1
    assert "quadrille-probe-ompi is not there" in done.stderr


DIFFERENCE = {"path": "segments", "expected": "one", "found": "two", "text": "h0 and h1 are two segments now"}


@pytest.mark.parametrize(
    ("differences", "code", "said"),
    [
        ([], 0, "still holds"),
        ([{**DIFFERENCE, "serious": False}], 0, "note: h0 and h1 are two segments now"),
        ([{**DIFFERENCE, "serious": True}], 1, "differs: h0 and h1 are two segments now"),
    ],
)
def test_a_check_tells_differences_and_fails_for_serious_ones(
    differences: list[dict[str, Any]], code: int, said: str, tmp_path: Path
) -> None:
    (tmp_path / "model.json").write_text(json.dumps(MODEL), encoding="utf-8")
    job = recorded_job(tmp_path, [{"type": "check", "differences": differences}])
    done = quadrille(job, "probe", "--check", str(tmp_path / "model.json"))
    assert done.returncode == code, done.stderr
    assert said in done.stdout + done.stderr


def test_provenance_keeps_what_the_prober_said_and_completes_the_rest() -> None:
    now = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    model = completed({**MODEL, "provenance": {"mode": "full", "created": ""}}, now)
    assert model.provenance.created == "2026-01-02T03:04:05Z"
    assert model.provenance.quadrille_version == __version__
    assert model.provenance.mode == "full"


def test_a_model_of_another_version_is_refused() -> None:
    with pytest.raises(QuadrilleError, match="one version"):
        completed({**MODEL, "colour": "red"})


def test_an_unwritten_output_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_text("old", encoding="utf-8")
    ModelOutput(path)
    assert path.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(UsageError, match="is a folder"):
        ModelOutput(tmp_path)


def test_a_pipe_and_a_link_stay_what_they_are(tmp_path: Path) -> None:
    model = completed(MODEL)
    link, real, pipe = (tmp_path / name for name in ("link.json", "real.json", "pipe"))
    link.symlink_to(real)
    ModelOutput(link).write(model)
    assert link.is_symlink() and load_model(real) == model
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE, text=True) as reader:
        ModelOutput(pipe).write(model)
        text, _ = reader.communicate(timeout=30)
    assert pipe.is_fifo() and json.loads(text)["segments"], "/dev/null was replaced by a file"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.json", "pipe", "real.json"]


def _number_in(path: Path) -> int:
    for _ in range(300):
        if path.exists() and (text := path.read_text(encoding="utf-8")).endswith("\n"):
            return int(text)
        time.sleep(0.1)  # for another process, whose time cannot be injected
    raise AssertionError(f"{path} was not written")


def _has_ended(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return True
    return state == "Z"
