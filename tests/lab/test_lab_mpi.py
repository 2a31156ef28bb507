# SPDX-License-Identifier: BSD-3-Clause
"""Real MPI jobs across the hosts of a lab, by each MPI that is installed here."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from lab_traffic import needs_namespaces, quadrille, topology

from quadrille.errors import QuadrilleError, UsageError
from quadrille.installation import mpi_prefix
from quadrille.lab.ending import processes_inside
from quadrille.lab.lab import Lab
from quadrille.lab.ready_made import ready_made

pytestmark = [pytest.mark.lab, pytest.mark.mpi, needs_namespaces, pytest.mark.timeout(120)]

HELLO = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv) {
  int rank, size, length, neighbours, sum = 0;
  char host[64], node[MPI_MAX_PROCESSOR_NAME];
  MPI_Comm shared;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Get_processor_name(node, &length);
  gethostname(host, sizeof host);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &shared);
  MPI_Comm_size(shared, &neighbours);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  int bytes = argc > 2 ? atoi(argv[2]) : 0;
  char *from = calloc(size, bytes + 1), *to = calloc(size, bytes + 1);
  for (int again = 0; bytes && again < 10; ++again)
    MPI_Alltoall(from, bytes, MPI_BYTE, to, bytes, MPI_BYTE, MPI_COMM_WORLD);
  const char *told = getenv("TOLD") ? getenv("TOLD") : "nothing";
  printf("rank=%d size=%d host=%s node=%s shared=%d sum=%d told=%s\n",
         rank, size, host, node, neighbours, sum, told);
  fflush(stdout);
  while (argc > 1 && strcmp(argv[1], "forever") == 0) usleep(1000);
  int code = argc > 1 ? atoi(argv[1]) : 0;
  MPI_Finalize();
  return code;
}
"""
LINE = re.compile(r"rank=(\d+) size=(\d+) host=(\S+) node=(\S+) shared=(\d+) sum=(\d+) told=(\S+)")


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    tables = {
        "switch": [{"name": "s0", "rate_mbit": 50}],
        "hosts": [{"names": ["h0"], "on": "s0", "ranks": 3}, {"names": ["h1..h4"], "on": "s0"}],
    }
    with Lab.up(topology(**tables), "t-mpi") as found:
        yield found


@pytest.fixture(scope="module")
def hello(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The program above, built for each MPI that is installed."""
    folder = tmp_path_factory.mktemp("hello")
    source = folder / "hello.c"
    source.write_text(HELLO, encoding="ascii")
    compilers: dict[str, list[str]] = {"ompi4": ["mpicc.openmpi"]}
    for mpi in ("ompi5", "mpich"):
        prefix = mpi_prefix(mpi)
        if prefix is not None:
            compilers[mpi] = [str(prefix / "bin" / "mpicc")]
    mpich, intel = mpi_prefix("mpich"), mpi_prefix("impi")
    if mpich is not None and intel is not None:
        # Intel's wheel brings no headers; its ABI is MPICH's.
        compilers["impi"] = ["gcc", f"-I{mpich}/include", f"-L{intel}/lib", "-lmpi"]
    for mpi, compiler in compilers.items():
        command = [compiler[0], "-o", str(folder / mpi), str(source), *compiler[1:]]
        subprocess.run(command, check=True, timeout=60)
    return {mpi: folder / mpi for mpi in compilers}


def ranks_of(output: str) -> list[tuple[int, str, int]]:
    found = [LINE.search(line) for line in output.splitlines()]
    return sorted((int(line[1]), line[3], int(line[5])) for line in found if line)


@pytest.mark.parametrize("mpi", ["ompi4", "ompi5", "mpich", "impi"])
def test_every_rank_runs_on_its_own_host(lab: Lab, hello: dict[str, Path], mpi: str) -> None:
    if mpi not in hello:
        pytest.skip(f"{mpi} is not installed here")
    result = lab.run([str(hello[mpi])], mpi=mpi, per_host=1, environment={"TOLD": "a-b"}, timeout_s=60)
    assert result.exit_code == 0, result.output
    assert ranks_of(result.output) == [(rank, f"h{rank}", 1) for rank in range(5)]
    assert (
        result.output.count("size=5") == result.output.count("sum=10") == result.output.count("told=a-b") == 5
    )
    assert all(f"host=h{rank} node=h{rank} " in result.output for rank in range(5))


@pytest.mark.parametrize("mpi", ["ompi4", "ompi5", "mpich", "impi"])
def test_uneven_ranks_fill_the_hosts_in_order(lab: Lab, hello: dict[str, Path], mpi: str) -> None:
    if mpi not in hello:
        pytest.skip(f"{mpi} is not installed here")
    result = lab.run([str(hello[mpi])], mpi=mpi, ranks=6, timeout_s=60)
    expected = [(0, "h0", 3), (1, "h0", 3), (2, "h0", 3), (3, "h1", 1), (4, "h2", 1), (5, "h3", 1)]
    assert ranks_of(result.output) == expected, result.output


@pytest.mark.parametrize("mpi", ["ompi4", "ompi5", "mpich", "impi"])
def test_messages_take_the_emulated_network_and_start_up_the_other(hello: dict[str, Path], mpi: str) -> None:
    if mpi not in hello:
        pytest.skip(f"{mpi} is not installed here")
    with Lab.up(ready_made("gamma_dual", hosts=3), "t-two-nets") as lab:
        result = lab.run([str(hello[mpi]), "0", "20000"], mpi=mpi, timeout_s=60)
        ports = lab.counters().ports
    assert result.exit_code == 0, result.output
    for number in range(3):
        # Ten blocks of 20 000 bytes to each of two others, all of them on the emulated network.
        assert 400_000 < ports[f"h{number}"].out_bytes < 800_000
        assert 0 < ports[f"adm.h{number}"].out_bytes < 200_000


def test_the_programs_exit_code_is_the_runs(lab: Lab, hello: dict[str, Path]) -> None:
    assert lab.run([str(hello["ompi4"]), "7"], timeout_s=60).exit_code == 7
    result = quadrille("lab", "run", "--lab", "t-mpi", "-n", "2", "--", str(hello["ompi4"]), "3")
    assert result.returncode == 3, result.stderr


def test_the_printed_launcher_line_starts_the_same_job(lab: Lab, hello: dict[str, Path]) -> None:
    printed = quadrille("lab", "launcher", "--lab", "t-mpi", "-n", "4", "--per-host", "1").stdout
    line = shlex.split(printed)
    assert Path(line[0]).name == "mpirun"
    job = subprocess.run([*line, str(hello["ompi4"])], capture_output=True, text=True, timeout=60, check=True)
    assert ranks_of(job.stdout) == [(rank, f"h{rank}", 1) for rank in range(4)]


def test_a_killed_launcher_leaves_the_lab_usable(lab: Lab, hello: dict[str, Path]) -> None:
    code = "from quadrille.cli import main; main()"
    command = [
        sys.executable,
        "-c",
        code,
        "lab",
        "run",
        "--lab",
        "t-mpi",
        "--",
        str(hello["ompi4"]),
        "forever",
    ]
    job = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert job.stdout is not None
    assert "rank=" in job.stdout.readline()
    job.send_signal(signal.SIGKILL)
    job.wait()
    deadline = time.monotonic() + 15
    while processes_inside(lab.state):
        assert time.monotonic() < deadline, "the job outlived its launcher"
        time.sleep(0.05)
    job.stdout.close()
    assert lab.run([str(hello["ompi4"])], timeout_s=60).exit_code == 0


def test_a_job_over_time_is_ended_and_reported(lab: Lab, hello: dict[str, Path]) -> None:
    with pytest.raises(QuadrilleError, match=r"still running after 3 s, ended it; output: .*rank="):
        lab.run([str(hello["ompi4"]), "forever"], ranks=2, timeout_s=3)


def test_a_run_is_written_down_with_its_cpu(lab: Lab, hello: dict[str, Path]) -> None:
    lab.run([str(hello["ompi4"])], ranks=2, timeout_s=60)
    record = json.loads((lab.directory / "last_run.json").read_text(encoding="utf-8"))
    assert record["command"][-1] == str(hello["ompi4"])
    assert record["cpu"]["wall_s"] > 0
    assert record["warning"] is None or record["cpu"]["bound_by_cpu"]


def test_the_agent_passes_no_environment_on(lab: Lab) -> None:
    done = subprocess.run(
        [str(lab.directory / "agent"), "-x", "h3", "env; hostname; echo 'a  b'"],
        env={**os.environ, "SECRET": "1"},
        capture_output=True,
        text=True,
        timeout=20,
        check=True,
    )
    assert "SECRET" not in done.stdout
    assert done.stdout.endswith("h3\na  b\n")


def test_a_wrong_job_is_refused_with_the_next_step(
    lab: Lab, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=r"takes 7 ranks; raise --per-host"):
        lab.launcher(ranks=8)
    with pytest.raises(UsageError, match="choose one of ompi4"):
        lab.launcher(mpi="lam")
    monkeypatch.setenv("QUADRILLE_MPI_DIR", str(tmp_path))
    with pytest.raises(QuadrilleError, match="ompi5 is not installed; run `make build`"):
        lab.launcher(mpi="ompi5")
    missing = quadrille("lab", "run", "--lab", "t-mpi")
    assert (missing.returncode, "no program given" in missing.stderr) == (2, True)
