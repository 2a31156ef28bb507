# SPDX-License-Identifier: BSD-3-Clause
"""Small collectives between hosts of several ranks, which meet in their hosts' memory."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from lab_jobs import IN_HOST_MEMORY, counts, libraries, program
from lab_traffic import needs_namespaces, topology

from quadrille.lab.lab import Lab

pytestmark = [pytest.mark.lab, pytest.mark.mpi, needs_namespaces, pytest.mark.timeout(180)]


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    tables = {
        "switch": [{"name": "s0", "rate_mbit": 200}],
        "hosts": [{"names": ["h0"], "on": "s0", "ranks": 3}, {"names": ["h1..h2"], "on": "s0", "ranks": 2}],
    }
    with Lab.up(topology(**tables), "t-host-memory") as found:
        yield found


@pytest.mark.parametrize("mpi", ["ompi4", "ompi5", "mpich", "impi"])
def test_results_are_right_and_sums_keep_their_bits(lab: Lab, mpi: str) -> None:
    environment = {"QUADRILLE_ALGORITHM": IN_HOST_MEMORY, **libraries(mpi)}
    result = lab.run(
        [program("small_calls", mpi), "40"], mpi=mpi, ranks=7, environment=environment, quadrille=True
    )
    found = counts(result)
    assert found["failures"] == 0 and found["changed"] == 0, result.output
    assert found["by_all"] > 0 and found["by_some"] > 0, result.output


@pytest.mark.parametrize("mpi", ["ompi4", "mpich"])
def test_without_a_word_sums_are_rehearsed_before_the_first_and_keep_their_bits(lab: Lab, mpi: str) -> None:
    environment = {"QUADRILLE_LOG": "plan", "QUADRILLE_LEARN": "off", **libraries(mpi)}
    result = lab.run(
        [program("small_calls", mpi), "100"], mpi=mpi, ranks=7, environment=environment, quadrille=True
    )
    found = counts(result)
    assert found["failures"] == 0 and found["changed"] == 0, result.output
    assert re.search(r'collective=allreduce ranks=7 bytes=8 chosen=\w+ reason="rehearsed"', result.output)
    # Who wins is the machine's affair; those of fewer ranks follow.
    inherited = re.search(r'collective=allreduce ranks=[34] .*reason="rehearsed by all ranks"', result.output)
    assert inherited, result.output


def test_a_sum_of_another_job_is_not_rehearsed_again(lab: Lab, tmp_path: object) -> None:
    environment = {"QUADRILLE_LOG": "plan", "QUADRILLE_LEARN": "on", "QUADRILLE_CACHE": str(tmp_path)}
    command = [program("small_calls", "ompi4"), "40"]
    first = lab.run(command, ranks=7, environment=environment, quadrille=True)
    second = lab.run(command, ranks=7, environment=environment, quadrille=True)
    assert counts(first)["failures"] == 0 and counts(second)["failures"] == 0
    assert "collective=allreduce ranks=7 bytes=8 chosen=" in second.output
    assert '="tried by an earlier job"' in second.output
    assert '="rehearsed"' in first.output and '="rehearsed"' not in second.output, second.output


def test_more_communicators_than_have_cells_are_right(lab: Lab) -> None:
    environment = {"QUADRILLE_ALGORITHM": IN_HOST_MEMORY}
    command = [program("small_calls", "ompi4"), "8", "150"]
    found = counts(lab.run(command, ranks=7, environment=environment, quadrille=True, timeout_s=120))
    assert found["failures"] == 0 and found["changed"] == 0


def test_where_processes_of_a_host_are_hidden_from_each_other_the_library_does_it(lab: Lab) -> None:
    # Open MPI's own shared memory takes one process for another there.
    environment = {"QUADRILLE_ALGORITHM": IN_HOST_MEMORY, "OMPI_MCA_btl": "tcp,self"}
    hidden = ["unshare", "--pid", "--fork", program("small_calls", "ompi4"), "8"]
    result = lab.run(hidden, ranks=7, environment=environment, quadrille=True)
    found = counts(result)
    assert found["failures"] == 0 and found["changed"] == 0
    assert found["by_all"] == 0 and found["by_some"] == 0
