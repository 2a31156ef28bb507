# SPDX-License-Identifier: BSD-3-Clause
"""The Debian package that `make deb` leaves in dist, in a Debian 12 that has nothing of this machine."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from debian import Debian

from quadrille.installation import native_directory

pytestmark = [pytest.mark.timeout(1200)]

ROOT = Path(__file__).resolve().parents[2]
NATIVE = "/usr/lib/quadrille/native"


@pytest.fixture(scope="module")
def package() -> Path:
    found = sorted((ROOT / "dist").glob("quadrille_*_amd64.deb"))
    if not found:
        pytest.skip("no Debian package in dist; `make deb` builds it")
    return found[-1]


@pytest.fixture(scope="module")
def before(package: Path, debian: Debian) -> set[str]:
    return debian.files()


@pytest.fixture(scope="module")
def installed(package: Path, debian: Debian, before: set[str]) -> Debian:
    copy = debian.folder / "root" / package.name
    shutil.copy(package, copy)
    debian.install(f"/root/{package.name}")
    copy.unlink()
    return debian


def test_the_command_runs_as_any_user(installed: Debian) -> None:
    assert installed.as_user("quadrille", "--version").startswith("quadrille ")
    # What it finds wrong with this machine is not the package's.
    found = installed.as_user("sh", "-c", "quadrille doctor --here || [ $? -eq 1 ]")
    assert "Open MPI 4.1.4 is here" in found, found
    # Whatever the shell has activated.
    assert installed.as_user("quadrille", "--version", PYTHONPATH="/nowhere", PYTHONHOME="/nowhere")


def test_what_is_preloaded_is_the_packages(installed: Debian) -> None:
    assert f"LD_PRELOAD={NATIVE}/libquadrille.so\n" in installed.as_user("quadrille", "env")


def test_it_comes_with_pages_completion_and_the_link_helper(installed: Debian) -> None:
    assert "quadrille-run" in installed.run("man", "quadrille-run")
    names = installed.run("dpkg", "-L", "quadrille").splitlines()
    assert {
        "/usr/share/bash-completion/completions/quadrille",
        "/usr/share/fish/vendor_completions.d/quadrille.fish",
        "/usr/share/zsh/vendor-completions/_quadrille",
        "/lib/systemd/system/quadrille-link-helper.service",
        "/usr/share/quadrille/link-helper.toml",
        "/usr/share/doc/quadrille/copyright",
    } <= set(names)
    line = "source /usr/share/bash-completion/completions/quadrille; COMP_WORDS=(quadrille pro) COMP_CWORD=1"
    assert "probe" in installed.as_user(
        "bash", "-c", f"{line}; _quadrille_completion quadrille; echo ${{COMPREPLY[@]}}"
    )
    # Its rules are not written yet.
    assert not list(installed.folder.glob("etc/systemd/system/*/quadrille-link-helper.service"))


@pytest.mark.mpi
def test_programs_run_under_it(installed: Debian) -> None:
    program = native_directory() / "tests" / "exchange_times-ompi"
    if not program.exists():
        pytest.skip("the test program is not built here; `make native-tests` does it")
    shutil.copy(program, installed.folder / "opt")
    line = ["mpirun", "--oversubscribe", "-np", "4", "/opt/exchange_times-ompi", "10000", "20"]
    forced = {"QUADRILLE_LOG": "start,plan", "QUADRILLE_ALGORITHM": "alltoall:pairwise"}
    output = installed.as_user("quadrille", "run", "--", *line, **forced)
    (installed.folder / "opt" / "exchange_times-ompi").unlink()
    assert " wrong=0" in output, output
    assert "event=start" in output and "chosen=alltoall_pairwise" in output, output


def test_users_and_root_write_nothing_into_it(installed: Debian) -> None:
    before = installed.files()
    installed.run("quadrille", "plan", "--help")
    installed.run("quadrille", "--version")
    assert installed.files() == before


def test_removal_leaves_nothing_behind(installed: Debian, before: set[str]) -> None:
    installed.run("dpkg", "--purge", "quadrille")
    assert installed.files() == before
