# SPDX-License-Identifier: BSD-3-Clause
"""A run in which too many tests of times judged nothing fails, also one of several processes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from unjudged import STEAL_TIME

HERE = Path(__file__).parent
SKIPPED = f"""
import pytest
@pytest.fixture
def timing(): return None
@pytest.mark.parametrize("number", range(3))
def test_of_times(number, timing): pytest.skip("{STEAL_TIME} for 30 % of a second; then: assert 2 < 1")
def test_of_something_else(): pytest.skip("not installed here")
"""


def run(folder: Path, most: int, *options: str) -> subprocess.CompletedProcess[str]:
    for name in ("conftest.py", "unjudged.py"):
        shutil.copy(HERE / name, folder)
    (folder / "test_times.py").write_text(SKIPPED, encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\nmarkers = alone\n", encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", *options]
    environment = {**os.environ, "QUADRILLE_UNJUDGED": str(most)}
    return subprocess.run(
        command,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )


@pytest.mark.parametrize("processes", [[], ["-n", "2"]], ids=["one", "two"])
def test_too_many_fail_the_run(tmp_path: Path, processes: list[str]) -> None:
    failed = run(tmp_path, 2, *processes)
    assert failed.returncode == 1, failed.stdout
    assert "3 tests of times judged nothing" in failed.stdout
    assert "where nothing else runs" in failed.stdout


def test_few_are_said_and_tolerated(tmp_path: Path) -> None:
    passed = run(tmp_path, 3)
    assert passed.returncode == 0, passed.stdout
    assert "3 tests of times judged nothing" in passed.stdout


def test_what_judges_times_is_marked_to_run_alone(tmp_path: Path) -> None:
    beside = run(tmp_path, 0, "-m", "not alone")
    assert beside.returncode == 0, beside.stdout
    assert "3 deselected" in beside.stdout
