# SPDX-License-Identifier: BSD-3-Clause
"""The ReFrame check that administrators run after an upgrade, by ReFrame itself."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from quadrille.installation import native_directory, quadrille_program

pytestmark = [pytest.mark.mpi, pytest.mark.slow, pytest.mark.timeout(240)]

CHECK = Path(__file__).parents[2] / "packaging" / "reframe" / "quadrille_check.py"
SITE = """
here = {"name": "local", "scheduler": "local", "launcher": "mpirun", "environs": ["builtin"]}
site_configuration = {"systems": [{"name": "here", "hostnames": [".*"], "partitions": [here]}]}
"""


@pytest.fixture(scope="module")
def reframe(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("reframe")
    subprocess.run([sys.executable, "-m", "venv", home], check=True)
    install = [home / "bin" / "python", "-m", "pip", "install", "-q", "reframe-hpc==4.10.4"]
    done = subprocess.run(install, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"ReFrame cannot be installed here: {done.stderr}")
    return home / "bin" / "reframe"


def run(reframe: Path, folder: Path, *variables: str) -> subprocess.CompletedProcess[str]:
    site = folder / "site.py"
    site.write_text(SITE, encoding="utf-8")
    (folder / "mpirun").symlink_to("/usr/bin/mpirun.openmpi")
    environment = {
        **os.environ,
        "PATH": f"{folder}:{Path(quadrille_program()).parent}:{os.environ['PATH']}",
        "HOME": str(folder),
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
    }
    words = [word for variable in ("seconds=2", *variables) for word in ("-S", variable)]
    return subprocess.run(
        [reframe, "-C", site, "-c", CHECK, "--prefix", folder / "runs", "--nocolor", "-r", *words],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_an_installation_passes(reframe: Path, tmp_path: Path) -> None:
    if not (native_directory() / "libquadrille-fi.so").exists():
        pytest.skip("the provider is not built: libfabric's headers are not installed")
    done = run(reframe, tmp_path, "hosts=1", "wire=none")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Ran 2/2 test case(s) from 2 check(s) (0 failure(s)" in done.stdout
    assert len(re.findall(r"P: calls_a_second: [1-9]", done.stdout)) == 2, done.stdout


def test_a_cluster_that_is_not_carried_as_before_fails(reframe: Path, tmp_path: Path) -> None:
    done = run(reframe, tmp_path, "wire=udp")
    assert done.returncode != 0
    assert "2 failure(s)" in done.stdout, done.stdout + done.stderr
