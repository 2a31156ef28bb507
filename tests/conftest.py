# SPDX-License-Identifier: BSD-3-Clause
"""Fixtures of the tests of whole programs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


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
