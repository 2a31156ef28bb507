# SPDX-License-Identifier: BSD-3-Clause
"""The RPM package that `make rpm` leaves in dist: what it says of itself, and its files at work."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from debian import Debian
from outside_clone import run_outside_clone

from quadrille.installation import native_directory

pytestmark = [pytest.mark.timeout(1200)]

ROOT = Path(__file__).resolve().parents[2]
HOME = Path("usr/lib/quadrille")


@pytest.fixture(scope="module")
def package() -> Path:
    found = sorted((ROOT / "dist").glob("quadrille-*.x86_64.rpm"))
    if not found or shutil.which("rpm") is None:
        pytest.skip("no RPM package in dist, or no rpm; `make rpm` brings both")
    return found[-1]


def rpm(*arguments: str | Path) -> str:
    # Debian's rpm asks whether it is meant.
    done = subprocess.run(
        ["rpm", "--force-debian", *arguments], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_it_needs_a_python_and_an_old_c_library_alone(package: Path) -> None:
    needed = [
        line for line in rpm("-qp", "--requires", package).splitlines() if not line.startswith("rpmlib(")
    ]
    python, *others = sorted(set(needed))
    assert python.startswith("((python3 >= 3.11 with python3 < 3.15) or python3.11 or "), needed
    assert others == ["/bin/sh", "libc.so.6(GLIBC_2.28)(64bit)"]
    assert rpm("-qp", "--provides", package).split()[0] == "quadrille"


def test_all_of_it_is_its_own(package: Path) -> None:
    names = set(rpm("-qp", "--list", package).splitlines())
    assert {
        "/usr/bin/quadrille",
        "/usr/lib/quadrille/native/libquadrille.so",
        "/usr/lib/systemd/system/quadrille-link-helper.service",
        "/usr/share/bash-completion/completions/quadrille",
        "/usr/share/fish/vendor_completions.d/quadrille.fish",
        "/usr/share/man/man1/quadrille-run.1.gz",
        "/usr/share/zsh/site-functions/_quadrille",
    } <= names
    assert all(
        "quadrille" in name or name.startswith(("/usr/share/fish", "/usr/share/zsh")) for name in names
    )
    licences = rpm("-qp", "--licensefiles", package)
    assert "LICENSE.libsodium" in licences and "pydantic_core" in licences


@pytest.fixture(scope="module")
def extracted(package: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rpm")
    line = f"rpm2cpio {package} | cpio --extract --make-directories --quiet"
    subprocess.run(["bash", "-o", "pipefail", "-c", line], cwd=folder, check=True, timeout=120)
    return folder


def quadrille(extracted: Path, *arguments: str, **environment: str) -> str:
    """Run the command out of a folder, which is none that /usr/bin/quadrille would look in."""
    pythons = sorted(python for python in (extracted / HOME / "venv/bin").iterdir() if python.exists())
    if not pythons:
        pytest.skip("no Python from 3.11 to 3.14 in /usr/bin")
    line = [str(pythons[0]), "-B", "-m", "quadrille", *arguments]
    return run_outside_clone(extracted, *line, environment=environment)


def test_extracted_files_run(extracted: Path) -> None:
    assert quadrille(extracted, "--version").startswith("quadrille ")
    assert f"LD_PRELOAD={extracted / HOME}/native/libquadrille.so\n" in quadrille(extracted, "env")
    model = str(ROOT / "schemas" / "examples" / "network_model_tree.json")
    assert "alltoall_" in quadrille(extracted, "plan", "alltoall", "--bytes", "64K", "--model", model)


@pytest.mark.mpi
def test_programs_run_under_extracted_files(extracted: Path) -> None:
    program = native_directory() / "tests" / "exchange_times-ompi"
    if not program.exists():
        pytest.skip("the test program is not built here; `make native-tests` does it")
    line = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-np", "4", str(program), "10000", "20"]
    forced = {"QUADRILLE_LOG": "start,plan", "QUADRILLE_ALGORITHM": "alltoall:pairwise"}
    output = quadrille(extracted, "run", "--", *line, **forced)
    assert " wrong=0" in output and "chosen=alltoall_pairwise" in output, output


def test_it_is_installed_and_removed_without_a_trace(package: Path, debian: Debian) -> None:
    at = ["--root", debian.folder, "--dbpath", "/var/lib/rpm"]
    before = debian.files()
    # What it needs is there, but as packages of Debian's.
    rpm(*at, "--nodeps", "--install", package)
    assert debian.as_user("quadrille", "--version").startswith("quadrille ")
    assert list((debian.folder / HOME).rglob("cli.cpython-311.pyc"))
    rpm(*at, "--nodeps", "--upgrade", "--replacepkgs", package)
    assert list((debian.folder / HOME).rglob("cli.cpython-311.pyc"))
    rpm(*at, "--erase", "quadrille")
    assert debian.files() == before
