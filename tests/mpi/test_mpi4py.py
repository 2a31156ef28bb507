# SPDX-License-Identifier: BSD-3-Clause
"""An unmodified mpi4py, which loads the MPI library out of everybody's sight (RTLD_LOCAL)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from mpi_jobs import ALGORITHM_ROUNDS, Mpi

pytestmark = [pytest.mark.mpi, pytest.mark.timeout(240)]

SCRIPT = Path(__file__).parent / "programs" / "with_mpi4py.py"


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


def test_an_mpi4py_script_is_replaced_and_right(mpi: Mpi, python_with_mpi4py: Path) -> None:
    command = [python_with_mpi4py, SCRIPT]
    outcome = mpi.run(3, command, {"QUADRILLE_ALGORITHM": ALGORITHM_ROUNDS[0]})
    assert outcome.code == 0, outcome.errors + outcome.output
    assert outcome.counts == {"checks": 45, "failures": 0, "replaced": 45}, outcome.output
