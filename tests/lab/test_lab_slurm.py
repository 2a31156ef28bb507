# SPDX-License-Identifier: BSD-3-Clause
"""Jobs of a real Slurm on a lab's hosts; docs/clusters.md describes what is done here."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from lab_jobs import GRANTED, libraries, program
from lab_traffic import needs_namespaces
from slurm_cluster import SlurmCluster

from quadrille.installation import quadrille_program
from quadrille.lab.lab import Lab
from quadrille.lab.ready_made import resolve

pytestmark = [
    pytest.mark.lab,
    pytest.mark.mpi,
    pytest.mark.slow,
    needs_namespaces,
    pytest.mark.timeout(180),
]
HOSTS = {"h0": "198.18.0.1", "h1": "198.18.0.2", "h2": "198.18.0.3"}
OURS = {"QUADRILLE_ALGORITHM": GRANTED, "QUADRILLE_LOG": "start,plan"}
RUN = [quadrille_program(), "run", "--"]
DOCTOR = [quadrille_program(), "doctor"]
# Open MPI 4.1.4 may end in MPI_Init under PMIx, by itself: docs/clusters.md.
PMI = [("ompi5", "pmix"), ("mpich", "pmi2"), ("impi", "pmi2")]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SlurmCluster]:
    folder = tmp_path_factory.mktemp("slurm")
    for parent in [folder, *folder.parents]:
        if parent.stat().st_uid != 0 or parent == Path("/tmp"):
            break
        parent.chmod(parent.stat().st_mode | 0o055)  # munged is no root
    with (
        Lab.up(resolve("one_switch:hosts=3,rate_mbit=100"), "t-slurm") as lab,
        SlurmCluster.up(lab, folder, HOSTS) as up,
    ):
        yield up


def exchange(mpi: str, calls: int = 20) -> list[str]:
    return [program("exchange_times", mpi), "10000", str(calls)]


def under_pmix() -> dict[str, str]:
    return {**OURS, **libraries("ompi5")}


def assert_taken_over(output: str, jobs: int = 1) -> None:
    assert output.count(" wrong=0") == jobs, output
    assert output.count("ranks=3 hosts=3") == jobs, output
    assert output.count("chosen=alltoall_granted") == jobs, output


@pytest.mark.parametrize(("mpi", "pmi"), PMI)
def test_srun_starts_ranks_that_have_it(cluster: SlurmCluster, mpi: str, pmi: str) -> None:
    line = [*RUN, "srun", f"--mpi={pmi}", "-N3", "-n3", *exchange(mpi)]
    assert_taken_over(cluster.run(*line, **OURS, **libraries(mpi)))


def test_each_part_of_a_heterogeneous_job_has_it(cluster: SlurmCluster) -> None:
    parts = ["--mpi=pmi2", "-N1", "-n1", *exchange("mpich"), ":", "-N2", "-n2", *exchange("mpich")]
    assert_taken_over(cluster.run(*RUN, "srun", *parts, **OURS, **libraries("mpich")))


def test_mpirun_inside_of_an_allocation(cluster: SlurmCluster) -> None:
    line = [*RUN, "mpirun.openmpi", "--allow-run-as-root", *exchange("ompi4")]
    assert_taken_over(cluster.run("salloc", "-N3", "-n3", *line, **OURS))


def test_each_task_of_an_array_of_scripts(cluster: SlurmCluster, tmp_path: Path) -> None:
    script = tmp_path / "job.sh"
    step = " ".join([*RUN, "srun", "--mpi=pmix", *exchange("ompi5")])
    script.write_text(f"#!/bin/bash\n#SBATCH --nodes=3 --ntasks=3 --array=1-2\n{step}\n")
    cluster.run("sbatch", "--wait", f"--output={tmp_path}/%a", str(script), **under_pmix())
    outputs = [(tmp_path / number).read_text() for number in ("1", "2")]
    for output in outputs:
        assert_taken_over(output)


def test_a_job_measures_the_model_of_a_partition(cluster: SlurmCluster, tmp_path: Path) -> None:
    model = tmp_path / "all.json"
    line = [quadrille_program(), "probe", "--mpi", "ompi", "-o", str(model), "--", "srun", "--mpi=pmix"]
    cluster.run(*line, "-N3", "-n3", **under_pmix())
    assert [host["name"] for host in json.loads(model.read_text())["hosts"]] == list(HOSTS)
    output = cluster.run(
        *RUN,
        "srun",
        "--mpi=pmix",
        "-N3",
        "-n3",
        *exchange("ompi5"),
        **under_pmix(),
        QUADRILLE_MODEL=str(model),
    )
    assert "model=none" not in output
    assert_taken_over(output)


def processes_with(word: str) -> list[str]:
    """Return the command lines that hold `word`, of all processes but this one's own."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:  # it has ended
            continue
        if word.encode() in words:
            found.append(" ".join(part.decode(errors="replace") for part in words))
    return found


def test_a_cancelled_job_leaves_no_process_and_the_next_one_runs(
    cluster: SlurmCluster, tmp_path: Path
) -> None:
    mark = str(10_000_000 + time.time_ns() % 1_000_000)  # calls: more than there is time for
    script = tmp_path / "job.sh"
    step = " ".join([*RUN, "srun", "--mpi=pmix", *exchange("ompi5", int(mark))])
    script.write_text(f"#!/bin/bash\n#SBATCH --nodes=3 --ntasks=3\n{step}\n")
    output = tmp_path / "output"
    job = cluster.run("sbatch", "--parsable", f"--output={output}", str(script), **under_pmix()).strip()
    end = time.monotonic() + 30
    while not output.exists() or "chosen=" not in output.read_text():
        assert time.monotonic() < end, output.read_text() if output.exists() else "no output"
        time.sleep(0.05)
    assert processes_with(mark)
    cluster.run("scancel", job)
    cluster.wait_until("", "squeue", "--noheader")
    while left := processes_with(mark):
        assert time.monotonic() < end + 30, left
        time.sleep(0.05)
    line = [*RUN, "srun", "--mpi=pmix", "-N3", "-n3", *exchange("ompi5")]
    assert_taken_over(cluster.run(*line, **under_pmix()))


def test_the_doctor_looks_at_a_partition(cluster: SlurmCluster) -> None:
    line = [*DOCTOR, "--json", "--mpi", "ompi", "--", "srun", "--mpi=pmix", "-N3", "-n3"]
    found = json.loads(
        cluster.run("sh", "-c", '"$@" 2>/dev/null; test $? -le 1', "sh", *line, **under_pmix())
    )
    assert "measured_shared_machine" in {finding["id"] for finding in found["findings"]}
