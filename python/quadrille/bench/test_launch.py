# SPDX-License-Identifier: BSD-3-Clause
"""A benchmark that somebody ends, from the command line: what is kept, and that nothing goes on."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from quadrille.bench.results_file import read_results
from quadrille.bench.test_results_file import BENCH

MAIN = [sys.executable, "-c", "from quadrille.cli import main; main()"]
_LAUNCHER = """#!/bin/sh
# Answers like Open MPI's mpirun, says what a kernel would, and runs on.
[ "$1" = --version ] && { echo "mpirun (Open MPI) 4.1.4"; exit 0; }
printf 'Stra\\337e\\n'
head -n 3 RESULTS
echo $$ > PID
exec sleep 600
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_launcher_and_is_noted(tmp_path: Path, number: signal.Signals) -> None:
    # Who runs the tests may ignore signals itself.
    with _running(tmp_path, "env", "--default-signal") as (child, launcher):
        child.send_signal(number)
        assert child.wait(timeout=30) == 130
        with pytest.raises(ProcessLookupError):
            os.kill(launcher, 0)
    (run,) = read_results([tmp_path / "results.jsonl"]).runs
    assert len(run.points) == 2
    assert run.end is not None and run.end.status == "interrupted"


def test_a_signal_that_nohup_has_ignored_stays_ignored(tmp_path: Path) -> None:
    with _running(tmp_path, "nohup") as (child, launcher):
        child.send_signal(signal.SIGHUP)
        os.kill(launcher, signal.SIGTERM)
        assert child.wait(timeout=30) == 1
    (run,) = read_results([tmp_path / "results.jsonl"]).runs
    assert run.end is not None and run.end.status == "failed"


@contextmanager
def _running(folder: Path, *wrapper: str) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """Start a benchmark; yield it and its launcher's pid once both have said what they have to say."""
    launcher, results, pid = folder / "mpirun", folder / "results.jsonl", folder / "pid"
    launcher.write_text(_LAUNCHER.replace("RESULTS", str(BENCH)).replace("PID", str(pid)))
    launcher.chmod(0o755)
    for name in ("libquadrille.so", "quadrille-bench-ompi"):
        (folder / name).touch()
    command = [*wrapper, *MAIN, "bench", "bcast", "-o", str(results), "--", str(launcher), "-np", "2"]
    environment = {**os.environ, "QUADRILLE_NATIVE_DIR": str(folder)}
    with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) as child:
        try:
            _wait_for_lines(pid, 1)
            _wait_for_lines(results, 3)
            yield child, int(pid.read_text())
        finally:
            child.kill()
            with contextlib.suppress(OSError):
                os.kill(int(pid.read_text()), signal.SIGKILL)


def _wait_for_lines(path: Path, count: int) -> None:
    for _ in range(300):
        if path.exists() and path.read_text(encoding="utf-8").count("\n") >= count:
            return
        time.sleep(0.1)  # for another process, whose time cannot be injected
    raise AssertionError(f"{path} was not written")
