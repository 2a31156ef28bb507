# SPDX-License-Identifier: BSD-3-Clause
"""The Debian that packages are installed in."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from debian import Debian

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def debian(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Debian]:
    """Make a Debian 12 with Python, Open MPI and man, by the mirror that apt uses here."""
    if not [*(ROOT / "dist").glob("*.deb"), *(ROOT / "dist").glob("*.rpm")]:
        pytest.skip("no package in dist; `make deb` and `make rpm` build them")
    if os.geteuid() != 0 or shutil.which("debootstrap") is None:
        pytest.skip("only root can make a Debian in a folder, by debootstrap")
    asked = ["apt-get", "indextargets", "--format", "$(SITE)", "Created-By: Packages", "Codename: bookworm"]
    mirrors = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.split()
    if not mirrors:
        pytest.skip("apt knows no mirror of Debian 12 here")
    made = Debian(tmp_path_factory.mktemp("debian"))
    made.folder.chmod(0o755)
    subprocess.run(
        ["debootstrap", "--variant=minbase", "bookworm", str(made.folder), mirrors[0]],
        stdout=subprocess.DEVNULL,
        check=True,
        timeout=600,
    )
    made.install("openmpi-bin", "man-db", "python3")
    yield made
    shutil.rmtree(made.folder)
