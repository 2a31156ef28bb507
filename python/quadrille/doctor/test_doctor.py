# SPDX-License-Identifier: BSD-3-Clause
"""`quadrille doctor`: findings in order, as words and as data, and programs that cannot be reached."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from quadrille.doctor.diagnosis import diagnose, is_wrong, paragraphs
from quadrille.doctor.made_case import counted, healthy, made_case, model_host, segment
from quadrille.doctor.rules_program import program
from quadrille.probe.recorded_job import RecordedJob, recorded_job, recorded_lines

MAIN = [sys.executable, "-c", "from quadrille.cli import main; main()"]
ROOT = Path(__file__).resolve().parents[3]


def quadrille(job: RecordedJob, *arguments: str, words: tuple[str, ...] = ()) -> Any:
    return subprocess.run(
        [*MAIN, "doctor", *arguments, "--", str(job.launcher), "-np", "4", *words],
        env={**os.environ, "QUADRILLE_NATIVE_DIR": str(job.native_directory)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_findings_come_worst_first_with_cause_evidence_and_remedy() -> None:
    case = made_case(counted("mpi", tcp_retransmitted_segments=80), model_host(2, to_host_bit_s=2e6))
    text = [paragraph.plain for paragraph in paragraphs(diagnose(case, []))]
    assert [line.split()[0] for line in text[:3]] == ["ERROR", "ERROR", "NOTE"]
    assert text[0].startswith("ERROR no_flow_control (h0)\n  cause: ")
    assert "\n  evidence: " in text[0] and "\n  remedy: " in text[0]
    assert text[-1] == "2 errors, 1 note"


def test_a_healthy_cluster_is_told_to_be_so() -> None:
    findings = diagnose(made_case(segment(lossless=True)), [])
    assert not is_wrong(findings)
    assert [paragraph.plain for paragraph in paragraphs(findings)][-1] == "nothing wrong was found (1 note)"


def test_faults_of_the_launchers_own_version_are_noted_and_no_others() -> None:
    case = made_case(segment(lossless=True))

    def faults(mpi: str, version: str) -> list[str]:
        return [one.cause for one in diagnose(case, [], mpi, version) if one.id == "library_fault"]

    told = faults("mpich", "5.0.2")
    assert len(told) == 3
    assert all(cause.startswith("MPICH 5.0.2, with or without Quadrille: ") for cause in told)
    assert len(faults("ompi", "4.1.4")) == 1
    assert faults("mpich", "4.3.2") == faults("ompi", "5.0.2") == faults("unknown", "") == []
    assert not is_wrong(diagnose(case, [], "mpich", "5.0.2"))


def test_every_finding_is_described() -> None:
    described = set(
        re.findall(r"^\| `(\w+)` \|", (ROOT / "docs/doctor.md").read_text(encoding="utf-8"), re.M)
    )
    sources = (path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("rules_*.py"))
    named = {name for text in sources for name in re.findall(r'(?:Finding|_unreachable)\(\s*"(\w+)"', text)}
    assert len(named) > 20
    assert named == described - {"measured_TOPIC"}


def test_the_command_fails_when_something_is_wrong_and_prints_data(tmp_path: Path) -> None:
    lines = recorded_lines()
    lines[-1]["model"]["hosts"][2]["to_host_bit_s"] = 2e6
    lines[-1]["model"]["hosts"][2].pop("intervals")
    done = quadrille(recorded_job(tmp_path, lines), "--json")
    assert done.returncode == 1, done.stderr
    data = json.loads(done.stdout)
    assert data["counts"]["error"] == 1
    assert data["findings"][0]["id"] == "one_directional_link"
    assert data["findings"][0]["hosts"] == ["h2"]


def test_notes_alone_are_no_failure(tmp_path: Path) -> None:
    done = quadrille(recorded_job(tmp_path, recorded_lines()))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "NOTE links (h0..h3)" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("nothing wrong was found")


def test_a_known_model_spares_the_measurement(tmp_path: Path) -> None:
    (tmp_path / "model.json").write_text(json.dumps(healthy()["model"]), encoding="utf-8")
    job = recorded_job(tmp_path, [line for line in recorded_lines() if line["type"] == "host"])
    done = quadrille(job, "--model", str(tmp_path / "model.json"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert job.arguments() == ["--hosts-only"]


def test_a_measurement_that_fails_is_a_finding_beside_those_of_the_hosts(tmp_path: Path) -> None:
    hosts = [line for line in recorded_lines() if line["type"] == "host"]
    error = {"type": "error", "kind": "unsupported", "text": "UDP does not get through between h0, h1"}
    done = quadrille(recorded_job(tmp_path, [error, *hosts], "exit 1"))
    assert done.returncode == 1
    assert done.stdout.startswith("ERROR udp_blocked")
    assert "NOTE links" in done.stdout


def test_a_launcher_that_fails_is_no_diagnosis(tmp_path: Path) -> None:
    done = quadrille(recorded_job(tmp_path, [], "echo 'cannot reach h3' >&2; exit 5"))
    assert done.returncode == 1
    assert "exit code 5" in done.stderr
    assert "cannot reach h3" in done.stderr
    assert done.stdout == ""


def test_the_program_of_the_line_is_looked_at_and_not_started(tmp_path: Path) -> None:
    script = tmp_path / "app"
    script.write_text(f"#!/bin/sh\ntouch {tmp_path}/was_started\n", encoding="utf-8")
    script.chmod(0o4755)
    job = recorded_job(tmp_path, recorded_lines())
    done = quadrille(job, words=(str(script), "input"))
    assert "ERROR privileged_program" in done.stdout
    assert not (tmp_path / "was_started").exists()
    assert str(script) not in job.arguments()


@pytest.mark.parametrize(
    ("options", "expected"),
    [(["-static"], ["static_program"]), ([], ["no_mpi_library"])],
    ids=["static", "dynamic without MPI"],
)
def test_what_a_compiled_program_needs_is_read_from_its_file(
    options: list[str], expected: list[str], tmp_path: Path
) -> None:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler here")
    (tmp_path / "app.c").write_text("int main(void) { return 0; }\n", encoding="utf-8")
    app = str(tmp_path / "app")
    built = subprocess.run([compiler, *options, str(tmp_path / "app.c"), "-o", app], check=False)
    if built.returncode != 0:
        pytest.skip("this compiler does not link so")
    assert [finding.id for finding in program([app, "-x"])] == expected


def test_a_program_linked_to_an_mpi_library_gives_no_finding(tmp_path: Path) -> None:
    compiler = shutil.which("mpicc")
    if compiler is None:
        pytest.skip("no mpicc here")
    (tmp_path / "app.c").write_text(
        "#include <mpi.h>\nint main(void) { return MPI_Finalize(); }\n", encoding="utf-8"
    )
    app = str(tmp_path / "app")
    subprocess.run([compiler, str(tmp_path / "app.c"), "-o", app], check=True)
    assert list(program([app])) == []


def test_damaged_and_missing_programs_do_no_harm(tmp_path: Path) -> None:
    damaged = tmp_path / "damaged"
    damaged.write_bytes(b"\x7fELF\x02\x01\x01" + b"\xff" * 80)
    damaged.chmod(0o755)
    assert list(program([str(damaged)])) == []
    assert [finding.id for finding in program(["/nowhere/app"])] == ["program_not_found"]
