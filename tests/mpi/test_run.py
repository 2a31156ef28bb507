# SPDX-License-Identifier: BSD-3-Clause
"""`quadrille run` in front of real launchers: what reaches the ranks, and what comes back."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from quadrille.errors import QuadrilleError
from quadrille.installation import mpi_prefix, native_directory
from quadrille.lab.lab import Lab
from quadrille.lab.ready_made import ready_made

pytestmark = pytest.mark.mpi
QUADRILLE = str(Path(sys.executable).parent / "quadrille")
MPIS = ["ompi4", "ompi5", "mpich", "impi"]
TELL = 'echo "rank preload=$LD_PRELOAD secret=$QUADRILLE_JOB_SECRET log=$QUADRILLE_LOG"'


def environment(**more: str) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if key not in ("LD_PRELOAD", "QUADRILLE_LOG")}
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    prrte = {"PRTE_ALLOW_RUN_AS_ROOT": "1", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return {**kept, **root, **prrte, **more}


def launcher(mpi: str) -> list[str]:
    """Return the start of a line that runs ranks on this machine, more than there are cores."""
    if mpi == "ompi4":
        return ["/usr/bin/mpirun.openmpi", "--oversubscribe"]
    prefix = mpi_prefix(mpi)
    if prefix is None:
        pytest.skip(f"{mpi} is not installed")
    if mpi == "ompi5":
        return [str(prefix / "bin/mpirun"), "--map-by", ":OVERSUBSCRIBE"]
    if mpi == "impi":
        path = f"PATH={prefix}/bin:{os.environ['PATH']}"
        return ["env", f"I_MPI_ROOT={prefix}", f"LD_LIBRARY_PATH={prefix}/lib", path, "mpiexec.hydra"]
    return [str(prefix / "bin/mpiexec")]


def run(line: list[str], **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [QUADRILLE, "run", "--", *line],
        env=environment(**more),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("mpi", MPIS)
def test_every_rank_of_every_program_gets_library_settings_and_one_secret(mpi: str) -> None:
    two_programs = ["-n", "2", "sh", "-c", TELL, ":", "-n", "1", "sh", "-c", TELL]
    done = run([*launcher(mpi), *two_programs], LD_PRELOAD="libdl.so.2", QUADRILLE_LOG="start")
    told = re.findall(r"rank preload=(\S*) secret=(\S*) log=(\S*)", done.stdout)
    assert len(told) == 3, done.stdout + done.stderr
    assert {row[0] for row in told} == {f"libdl.so.2:{native_directory()}/libquadrille.so"}
    assert len({row[1] for row in told}) == 1
    assert re.fullmatch("[0-9a-f]{32}", told[0][1])
    assert {row[2] for row in told} == {"start"}


@pytest.mark.parametrize("mpi", MPIS)
def test_a_dry_run_tells_what_ranks_would_get_and_starts_nothing(mpi: str, tmp_path: Path) -> None:
    line = [*launcher(mpi), "-n", "1", "sh", "-c", f"env | tee {tmp_path}/started"]
    options = ["--fabric", "on", "--collectives", "off"]
    told = subprocess.run(
        [QUADRILLE, "run", *options, "--dry-run", "--", *line],
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert not (tmp_path / "started").exists()
    assert f"({'ompi' if mpi.startswith('ompi') else mpi} " in told
    secret = "QUADRILLE_JOB_SECRET=(another for each job)"
    lines = set(re.findall(r"^set: (.*)", told, re.MULTILINE))
    assert {secret, "QUADRILLE_COLLECTIVES=off", "QUADRILLE_FABRIC=on"} <= lines
    started = subprocess.run(
        [QUADRILLE, "run", *options, "--", *line],
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert lines - {secret} <= set(started.stdout.splitlines())


@pytest.mark.parametrize("mpi", MPIS)
def test_the_launcher_itself_does_not_load_the_library(mpi: str) -> None:
    look = "tr '\\0' '\\n' </proc/$PPID/environ | grep -c ^LD_PRELOAD= ; true"
    done = run([*launcher(mpi), "-n", "1", "sh", "-c", look])
    assert done.stdout.strip() == "0", done.stdout + done.stderr


@pytest.mark.parametrize("mpi", MPIS)
def test_the_exit_code_is_the_launchers(mpi: str) -> None:
    assert run([*launcher(mpi), "-n", "2", "sh", "-c", "exit 7"]).returncode == 7


@pytest.mark.parametrize("mpi", MPIS)
def test_a_signal_reaches_the_launcher_which_ends_its_ranks(mpi: str, tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    line = [*launcher(mpi), "-n", "1", "sh", "-c", f"echo $$ > {pid_file}; exec sleep 60"]
    job = subprocess.Popen([QUADRILLE, "run", "--", *line], env=environment(), stdin=subprocess.DEVNULL)
    try:
        _wait_for(lambda: pid_file.exists() and pid_file.read_text().strip() != "")
        job.send_signal(signal.SIGTERM)
        assert job.wait(20) != 0
        _wait_for(lambda: not Path(f"/proc/{pid_file.read_text().strip()}").exists())
    finally:
        job.kill()
        job.wait()


@pytest.mark.parametrize("mpi", ["ompi4", "ompi5", "mpich"])
def test_ranks_on_other_hosts_get_everything_too(mpi: str, lab: Lab) -> None:
    try:
        line = lab.launcher(mpi)
    except QuadrilleError as error:
        pytest.skip(str(error))
    done = run([*line, "sh", "-c", f"hostname; {TELL}"], QUADRILLE_LOG="start")
    told = re.findall(r"rank preload=(\S*) secret=(\S*) log=(\S*)", done.stdout)
    assert len(told) == 2, done.stdout + done.stderr
    assert told[0] == told[1]
    assert told[0][0].endswith("/libquadrille.so")
    assert told[0][2] == "start"


@pytest.fixture(scope="module")
def lab() -> object:
    try:
        with Lab.up(ready_made("one_switch", hosts=2), f"test-run-{os.getpid()}") as found:
            yield found
    except QuadrilleError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["run"], "no command"),
        (["run", "--", "no-such-mpirun", "-np", "2"], "no-such-mpirun"),
        (["run", "--model", "/nowhere.json", "--", "mpirun"], "/nowhere.json"),
        (["run", "--collectives", "perhaps", "--", "mpirun"], "perhaps"),
        (["run", "--wire", "pigeon", "--", "mpirun"], "xdp"),
        (["env", "--mpi", "lam"], "lam"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_code_2_before_anything_starts(
    arguments: list[str], says: str
) -> None:
    done = subprocess.run(
        [QUADRILLE, *arguments], env=environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert says in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


def test_env_prints_what_run_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("QUADRILLE_LEARN", raising=False)  # of all tests
    done = subprocess.run(
        [QUADRILLE, "env", "--mpi", "mpich", "--collectives", "off"],
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    lines = dict(line.split("=", 1) for line in done.stdout.splitlines())
    assert lines.pop("LD_PRELOAD").endswith("/libquadrille.so")
    assert len(lines.pop("QUADRILLE_JOB_SECRET")) == 32
    assert lines == {"QUADRILLE_ABI": "mpich", "QUADRILLE_COLLECTIVES": "off"}


def _wait_for(condition: object, seconds: float = 20) -> None:
    assert callable(condition)
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)


BEHIND_A_COMMAND = """
import subprocess, sys
from quadrille.native_job import ended_with_us
launcher = subprocess.Popen(sys.argv[1:])
with ended_with_us(launcher):
    launcher.wait()
"""


def take_terminal() -> None:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def test_a_terminals_interrupt_leaves_the_launcher_its_orderly_end(tmp_path: Path) -> None:
    ours, terminal = pty.openpty()
    started = tmp_path / "started"
    line = [*launcher("ompi4"), "-np", "1", "sh", "-c", f"touch {started}; exec sleep 60"]
    with subprocess.Popen(
        [sys.executable, "-c", BEHIND_A_COMMAND, *line],
        env=environment(OMPI_MCA_orte_tmpdir_base=str(tmp_path)),
        stdin=terminal,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        preexec_fn=take_terminal,
    ) as command:
        os.close(terminal)
        for _ in range(1000):
            if started.exists() or command.poll() is not None:
                break
            time.sleep(0.01)
        assert list(tmp_path.glob("ompi.*/pid.*")), "the folder that mpirun takes away at its end"
        os.write(ours, b"\x03")
        command.wait(timeout=30)
    os.close(ours)
    assert list(tmp_path.glob("ompi.*/pid.*")) == []
