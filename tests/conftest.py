# SPDX-License-Identifier: BSD-3-Clause
"""Fixtures of the tests of whole programs; which tests run alone; how many may say nothing."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from unjudged import Unjudged

unjudged = Unjudged()

# Whoever starts the tests in the background of a script has SIGINT ignored, and so would all that they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


# What one test's job has found is not for another's.
os.environ.setdefault("QUADRILLE_LEARN", "off")


def pytest_configure(config: pytest.Config) -> None:
    """Give launchers of this process a folder of their own for sessions.

    Open MPI's take the common one away at their end, and another that is about to use it fails.
    """
    sessions = tempfile.mkdtemp(prefix="quadrille-")
    for name in ("OMPI_MCA_orte_tmpdir_base", "PRTE_MCA_prte_tmpdir_base"):
        os.environ[name] = sessions
    # What somebody has written down for his own jobs is not for these.
    os.environ["XDG_CONFIG_HOME"] = sessions
    config.add_cleanup(lambda: shutil.rmtree(sessions, ignore_errors=True))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what judges times as alone, before marks are selected by."""
    for item in items:
        if "timing" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.alone)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Count what was skipped because the machine was busy."""
    unjudged.add(report.nodeid, report.skipped, report.longrepr)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a run that leaves too much unlooked at."""
    if unjudged.too_many:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many."""
    if line := unjudged.summary():
        terminalreporter.write_line(line)


@pytest.fixture(autouse=True)
def waiting_ranks_give_way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have ranks of MPICH sleep while they wait, as Open MPI's give way, but where times are judged."""
    if request.node.get_closest_marker("alone") is None:
        monkeypatch.setenv("MPIR_CVAR_CH4_PROGRESS_THROTTLE", "1")


@pytest.fixture(scope="session")
def python_with_mpi4py(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a Python of its own environment with mpi4py from the package index."""
    home = tmp_path_factory.mktemp("mpi4py")
    subprocess.run([sys.executable, "-m", "venv", home], check=True)
    python = home / "bin" / "python"
    installed = subprocess.run(
        [python, "-m", "pip", "install", "-q", "mpi4py"], capture_output=True, text=True, check=False
    )
    if installed.returncode != 0:
        pytest.skip(f"mpi4py cannot be installed here: {installed.stderr}")
    return python
