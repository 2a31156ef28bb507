# SPDX-License-Identifier: BSD-3-Clause
"""Which launcher a line holds, and what each kind of launcher needs to hand a variable to every rank."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from quadrille.errors import UsageError
from quadrille.installation import mpi_prefix
from quadrille.launchers import Launcher, Mpi, detect_launcher

VARIABLES = {"LD_PRELOAD": "/opt/libquadrille.so", "QUADRILLE_JOB_SECRET": "00ff"}


def line(mpi: Mpi, text: str, position: int = 0, keeps_environment: bool = True) -> Launcher:
    return Launcher(tuple(text.split()), position, mpi, "", None, keeps_environment)


def installed_launcher(mpi: str, name: str) -> str:
    prefix = mpi_prefix(mpi)
    if prefix is None:
        pytest.skip(f"{mpi} is not installed")
    return str(prefix / "bin" / name)


@pytest.mark.parametrize(
    "wrapper",
    [
        "",
        "timeout 60",
        "timeout -k 5 --signal=TERM 60",
        "env -u HOME A=B",
        "nice -n 5 taskset -c 0,1",
        "ip netns exec blue",
        "nsenter -t 17 --net",
        "sudo -u nobody A=B nohup",
    ],
)
def test_the_launcher_is_found_behind_wrappers(
    wrapper: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    sudo = tmp_path / "sudo"  # a first word has to exist, and sudo need not be installed
    sudo.write_text("#!/bin/sh\n")
    sudo.chmod(0o755)
    monkeypatch.setenv("PATH", f"{os.environ['PATH']}:{tmp_path}")
    words = wrapper.split()
    found = detect_launcher([*words, "mpirun", "-np", "4", "./app"])
    assert (found.mpi, found.position) == ("ompi", len(words))


def test_debian_open_mpi_is_named_with_its_version_and_needs_no_library_directory() -> None:
    found = detect_launcher(["mpirun", "-np", "2", "./app"])
    assert found.mpi == "ompi"
    assert found.version.startswith("4.1")
    assert found.library_directory is None


@pytest.mark.parametrize(
    ("prefix", "name", "mpi", "version"),
    [
        ("ompi5", "mpirun", "ompi", "5.0"),
        ("ompi5", "mpiexec", "ompi", "5.0"),
        ("mpich", "mpiexec", "mpich", "5."),
        ("mpich", "mpirun", "mpich", "5."),
        ("impi", "mpirun", "impi", "2021"),
    ],
)
def test_the_other_mpis_are_told_apart(prefix: str, name: str, mpi: str, version: str) -> None:
    path = installed_launcher(prefix, name)
    found = detect_launcher([path, "-n", "2", "./app"])
    assert found.mpi == mpi
    assert found.version.startswith(version)
    assert found.library_directory == Path(path).resolve().parent.parent / "lib"


def test_a_path_set_by_env_decides_which_mpirun_is_meant() -> None:
    directory = Path(installed_launcher("mpich", "mpirun")).parent
    assert detect_launcher(["env", f"PATH={directory}", "mpirun", "-n", "1", "./app"]).mpi == "mpich"


def test_a_program_that_is_no_launcher_gets_a_plain_environment() -> None:
    found = detect_launcher(["timeout", "5", "sh", "-c", "mpirun ./app"])
    assert found.mpi == "unknown"
    assert found.with_environment(VARIABLES) == ["timeout", "5", "sh", "-c", "mpirun ./app"]
    assert found.launcher_environment(VARIABLES) == VARIABLES


def test_a_program_that_only_bears_the_name_is_unknown(tmp_path: Path) -> None:
    impostor = tmp_path / "mpirun"
    impostor.write_text("#!/bin/sh\necho mpirun of my own\n")
    impostor.chmod(0o755)
    assert detect_launcher([str(impostor), "-np", "2"]).mpi == "unknown"


@pytest.mark.parametrize("words", [[], ["no-such-launcher"], ["timeout", "5", "/nowhere/mpirun"]])
def test_a_missing_launcher_is_wrong_usage(words: list[str]) -> None:
    with pytest.raises(UsageError):
        detect_launcher(words)


def test_secrets_stay_off_the_command_line_and_the_preload_out_of_the_launcher() -> None:
    for mpi in ("ompi", "mpich", "impi", "srun"):
        launcher = line(mpi, "launcher ./app")
        assert "00ff" not in " ".join(launcher.with_environment(VARIABLES))
        assert launcher.launcher_environment(VARIABLES) == {"QUADRILLE_JOB_SECRET": "00ff"}


def test_open_mpi_exports_in_every_application_context() -> None:
    exports = "-x LD_PRELOAD=/opt/libquadrille.so -x QUADRILLE_JOB_SECRET"
    got = line("ompi", "mpirun -np 1 ./one : -np 3 ./two").with_environment(VARIABLES)
    assert " ".join(got) == f"mpirun {exports} -np 1 ./one : {exports} -np 3 ./two"


def test_open_mpi_appends_to_a_preload_of_the_line_and_keeps_its_other_exports() -> None:
    got = line("ompi", "mpirun -x LD_PRELOAD=tool.so -x QUADRILLE_JOB_SECRET=a ./app").with_environment(
        VARIABLES
    )
    assert (
        " ".join(got) == "mpirun -x LD_PRELOAD=tool.so:/opt/libquadrille.so -x QUADRILLE_JOB_SECRET=a ./app"
    )


def test_open_mpi_exports_on_every_line_of_an_application_file(tmp_path: Path) -> None:
    appfile = tmp_path / "jobs"
    appfile.write_text("# two programs\n-np 1 ./one 'a b'\n\n-np 2 ./two\n")
    got = line("ompi", f"mpirun --app {appfile}").with_environment(VARIABLES)
    copy = Path(got[-1]).read_text().splitlines()
    assert [text.count("-x LD_PRELOAD=/opt/libquadrille.so") for text in copy] == [0, 1, 0, 1]
    assert copy[1].endswith("-np 1 ./one 'a b'")


def test_hydra_takes_the_preload_for_all_programs_and_widens_its_lists() -> None:
    line_in = "mpiexec -genvlist HOME,PATH -genv LD_PRELOAD tool.so -n 1 -envnone ./one"
    got = line("mpich", line_in).with_environment(VARIABLES)
    assert " ".join(got) == (
        "mpiexec -genv LD_PRELOAD /opt/libquadrille.so -genvlist HOME,PATH,QUADRILLE_JOB_SECRET "
        "-genv LD_PRELOAD tool.so:/opt/libquadrille.so -n 1 -envlist QUADRILLE_JOB_SECRET ./one"
    )


def test_what_looks_like_an_export_among_the_programs_words_is_left_alone() -> None:
    exports = "-x LD_PRELOAD=/opt/libquadrille.so -x QUADRILLE_JOB_SECRET"
    program = "./solver --app heat -x LD_PRELOAD=theirs.so --export=csv"
    assert line("ompi", f"mpirun -np 2 {program}").with_environment(VARIABLES) == (
        f"mpirun {exports} -np 2 {program}".split()
    )
    got = line("srun", f"srun -n 2 {program}").with_environment(VARIABLES)
    assert " ".join(got).endswith(f"-n 2 {program}") and got[1].startswith("--export=ALL,")


def test_srun_exports_in_every_component_of_a_step() -> None:
    got = line("srun", "srun -n 1 ./one : --export=HOME -n 3 ./two").with_environment(VARIABLES)
    ours = "LD_PRELOAD=/opt/libquadrille.so,QUADRILLE_JOB_SECRET"
    assert " ".join(got) == f"srun --export=ALL,{ours} -n 1 ./one : --export=HOME,{ours} -n 3 ./two"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("--export NONE", "--export=LD_PRELOAD=/opt/libquadrille.so,QUADRILLE_JOB_SECRET"),
        ("", "--export=ALL,LD_PRELOAD=/opt/libquadrille.so,QUADRILLE_JOB_SECRET"),
        ("--export=NONE", "--export=LD_PRELOAD=/opt/libquadrille.so,QUADRILLE_JOB_SECRET"),
        ("--export=HOME,A=1", "--export=HOME,A=1,LD_PRELOAD=/opt/libquadrille.so,QUADRILLE_JOB_SECRET"),
    ],
)
def test_srun_exports_besides_what_the_line_lists(given: str, expected: str) -> None:
    assert line("srun", f"srun {given} ./app").with_environment(VARIABLES) == ["srun", expected, "./app"]


def test_a_wrapper_that_empties_the_environment_is_followed_by_an_assignment() -> None:
    found = detect_launcher(["env", "-i", str(shutil.which("mpirun")), "./app"])
    got = found.with_environment(VARIABLES)
    assert got[:4] == ["env", "-i", "env", "QUADRILLE_JOB_SECRET=00ff"]
