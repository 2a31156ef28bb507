# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

MODULE = [sys.executable, "-m", "quadrille", "module"]
MODULECMD = Path("/usr/lib/x86_64-linux-gnu/modulecmd.tcl")
LMOD = Path("/usr/share/lmod/lmod/libexec/lmod")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "quadrille").symlink_to(Path(sys.executable).parent / "quadrille")
    return folder


def printed(*options: str) -> str:
    return subprocess.run([*MODULE, *options], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize(("system", "file"), [("tcl", "0.1"), ("lmod", "0.1.lua")])
def test_who_loads_it_has_the_command_and_the_model_of_the_partition(
    folder: Path, tmp_path: Path, system: str, file: str
) -> None:
    command = {"tcl": [str(MODULECMD)], "lmod": [str(LMOD)]}[system]
    if not Path(command[0]).exists():
        pytest.skip(f"{command[0]} is not installed")
    models = tmp_path / "models"
    models.mkdir()
    (models / "fast.json").write_text("{}")
    files = tmp_path / "modulefiles" / "quadrille"
    files.mkdir(parents=True)
    (files / file).write_text(printed("--for", system, "--bin", str(folder), "--models", str(models)))
    loaded = subprocess.run(
        [*command, "bash", "load", "quadrille"],
        env={**os.environ, "MODULEPATH": str(files.parent), "SLURM_JOB_PARTITION": "fast"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    shell = f'{loaded}\ncommand -v quadrille; echo "$QUADRILLE_MODEL"; echo "preloaded: $LD_PRELOAD"'
    said = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=True).stdout
    assert said.splitlines()[-3:] == [str(folder / "quadrille"), str(models / "fast.json"), "preloaded: "]


def test_a_folder_with_a_python_is_refused(folder: Path) -> None:
    shutil.copy("/bin/true", folder / "python3")
    done = subprocess.run([*MODULE, "--bin", str(folder)], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "--bin" in done.stderr
    assert done.stdout == ""


def test_a_folder_without_the_command_is_refused(tmp_path: Path) -> None:
    done = subprocess.run([*MODULE, "--bin", str(tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "ln -s" in done.stderr
