# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from quadrille.doctor.rules_here import (
    FoundMpi,
    Surroundings,
    _what_keeps_from_preloading,
    findings_here,
    surroundings,
)

GOOD = Surroundings((FoundMpi(Path("/usr/bin/mpirun"), "ompi", "4.1.4"),), shared_memory_bytes=2**30)


@pytest.mark.parametrize(
    ("found", "ids"),
    [
        (GOOD, ["mpi_found"]),
        (Surroundings((), shared_memory_bytes=2**30), ["no_mpi"]),
        (Surroundings(GOOD.mpis, "wrong ELF class", 2**30), ["not_preloaded", "mpi_found"]),
        (Surroundings(GOOD.mpis, None, 64 * 1024), ["mpi_found", "small_shared_memory"]),
        (Surroundings(GOOD.mpis, None, None), ["mpi_found", "small_shared_memory"]),
        (
            Surroundings(GOOD.mpis, None, 2**30, False, "/.dockerenv"),
            ["mpi_found", "no_process_reads", "container"],
        ),
    ],
)
def test_each_finding_has_its_reason(found: Surroundings, ids: list[str]) -> None:
    findings = list(findings_here(found))
    assert [finding.id for finding in findings] == ids
    assert all(finding.cause and finding.evidence and finding.remedy for finding in findings)


def test_a_library_that_cannot_be_loaded_is_told_with_the_linkers_words(tmp_path: Path) -> None:
    no_library = tmp_path / "libquadrille.so"
    no_library.write_text("no library")
    assert "libquadrille.so" in str(_what_keeps_from_preloading(str(no_library)))


def test_launchers_are_found_once_and_asked_for_their_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = tmp_path / "mpirun"
    real.write_text("#!/bin/sh\necho 'mpirun (Open MPI) 4.9.9'\n")
    real.chmod(0o755)
    (tmp_path / "mpiexec").symlink_to(real)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert surroundings().mpis == (FoundMpi(real, "ompi", "4.9.9"),)


def test_the_command_tells_of_this_host_without_a_launcher() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "quadrille", "doctor", "--here", "--json"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    ids = {finding["id"] for finding in json.loads(done.stdout)["findings"]}
    assert ids & {"mpi_found", "no_mpi"}
    assert "not_preloaded" not in ids


@pytest.mark.parametrize("more", [["--", "mpirun"], ["--model", "model.json"]])
def test_it_is_this_host_or_a_job(more: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "quadrille", "doctor", "--here", *more],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "--here" in done.stderr
