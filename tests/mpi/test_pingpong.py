# SPDX-License-Identifier: BSD-3-Clause
"""`quadrille bench pingpong` with real launchers on one machine: every way measured, or why it is missing."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from quadrille.bench.pingpong import NAMES, Line, Measured
from quadrille.installation import mpi_prefix, native_directory

QUADRILLE = [sys.executable, "-c", "from quadrille.cli import main; main()"]

WAYS = [way for way in NAMES if "xdp" not in way]
"""AF_XDP is for one rank of a host: tests/lab/test_lab_xdp.py."""

pytestmark = [pytest.mark.mpi, pytest.mark.timeout(120)]


def line_of(mpi: str) -> list[str]:
    if mpi == "ompi":
        launcher = shutil.which("mpirun.openmpi") or shutil.which("mpirun")
        assert launcher is not None, "no mpirun in PATH; run `make build`"
        return [launcher, "--allow-run-as-root", "--oversubscribe", "-np", "2"]
    prefix = mpi_prefix(mpi)
    if prefix is None:
        pytest.skip(f"{mpi} is not installed; run `make build`")
    return [str(prefix / "bin" / "mpiexec"), "-n", "2"]


def start(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [*QUADRILLE, "bench", "pingpong", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)


@pytest.mark.parametrize("mpi", ["ompi", "mpich"])
def test_every_way_is_measured_at_every_size_that_it_carries(tmp_path: Path, mpi: str) -> None:
    if not (native_directory() / "libquadrille-fi.so").exists():
        pytest.skip("the provider is not built: libfabric's headers are not installed")
    output = tmp_path / "r.jsonl"
    wanted = ["--ways", ",".join(WAYS), "--bytes", "0,64,20K", "--seconds", "0.01"]
    done = start("-o", str(output), *wanted, "--", *line_of(mpi))
    assert done.returncode == 0, done.stdout + done.stderr
    lines = [Line.model_validate(json.loads(text)) for text in output.read_text().splitlines()]
    points = Measured(lines, {}).points()
    shapes = {(point.way, point.pattern, point.bytes) for point in points}
    for way in WAYS:
        name = NAMES[way]
        if f"{name}: not measured" in done.stdout:
            continue
        datagrams = way in ("udp", "packet")
        for size in (0, 64) if datagrams else (64, 20 * 1024) if way == "tcp" else (0, 64, 20 * 1024):
            for pattern in ("pingpong",) if datagrams else ("pingpong", "unidirectional", "bidirectional"):
                assert (way, pattern, size) in shapes, (way, pattern, size)
        assert name in done.stdout
    assert "not measured" not in done.stdout or "socket" in done.stdout
    assert all(line.correct and line.messages >= 10 and line.median_ns > 1 for line in lines)
    assert all(point.least_ns <= point.median_ns <= point.most_ns for point in points)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--", "true"], "cannot tell the MPI"),
        ([], "no launcher line"),
        (["--ways", "pigeon", "--", "mpirun", "-np", "2"], "choose of tcp"),
    ],
)
def test_what_cannot_be_measured_is_refused(arguments: list[str], said: str) -> None:
    done = start(*arguments)
    assert done.returncode != 0
    assert said in done.stderr + done.stdout


def test_one_rank_is_too_few() -> None:
    done = start("--ways", "mpi", "--", *line_of("ompi")[:-1], "1")
    assert done.returncode != 0
    assert "needs two ranks" in done.stderr
