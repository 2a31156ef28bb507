# SPDX-License-Identifier: BSD-3-Clause
"""The drop-in library between emulated hosts: uneven ranks a host, several MPIs, with and without a model."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from lab_jobs import counts, libraries, program
from lab_traffic import needs_namespaces, topology

from quadrille.lab.lab import Lab

pytestmark = [pytest.mark.lab, pytest.mark.mpi, needs_namespaces, pytest.mark.timeout(180)]

FORCED = (
    "alltoall:ordered,bcast:chain:segment=1000,allreduce:rabenseifner,allgather:ring,reduce:binomial,"
    "gather:binomial,scatter:binomial,reduce_scatter_block:recursive_halving,scan:recursive_doubling,"
    "exscan:chain,allgatherv:ring,gatherv:linear,scatterv:linear,alltoallv:ordered,"
    "reduce_scatter:recursive_halving"
)


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    tables = {
        "switch": [{"name": "s0", "rate_mbit": 80}],
        "hosts": [{"names": ["h0"], "on": "s0", "ranks": 2}, {"names": ["h1..h3"], "on": "s0"}],
    }
    with Lab.up(topology(**tables), "t-drop-in") as found:
        yield found


@pytest.mark.parametrize("mpi", ["ompi4", pytest.param("mpich", marks=pytest.mark.slow)])
def test_forced_algorithms_are_right_between_hosts_with_uneven_ranks(lab: Lab, mpi: str) -> None:
    command = [program("collectives", mpi), "brief"]
    environment = {"QUADRILLE_ALGORITHM": FORCED, **libraries(mpi)}
    found = counts(lab.run(command, mpi=mpi, ranks=5, environment=environment, quadrille=True, timeout_s=150))
    assert found["failures"] == 0
    assert found["replaced"] > 0.5 * found["checks"]


def test_trials_change_no_result(lab: Lab) -> None:
    command = [program("collectives", "ompi4"), "stress", "5", "3000"]
    environment = {"QUADRILLE_TRIALS": "2", "QUADRILLE_TRIAL_FLOOR": "0", "QUADRILLE_LOG": "plan"}
    result = lab.run(command, ranks=5, environment=environment, quadrille=True, timeout_s=150)
    found = counts(result)
    assert found["failures"] == 0
    assert "event=trial" in result.output, "no shape was called often enough to be tried"


@pytest.mark.parametrize("mpi", ["ompi4", "ompi5", "mpich"])
def test_blocks_that_differ_are_tried_by_a_size_that_all_ranks_agree_on(lab: Lab, mpi: str) -> None:
    command = [program("uneven_calls", mpi), "60"]
    environment = {"QUADRILLE_LOG": "plan", **libraries(mpi)}
    result = lab.run(command, mpi=mpi, ranks=5, environment=environment, quadrille=True, timeout_s=150)
    found = counts(result)
    phases = (
        "small",
        "large",
        "small_again",
        "alternating",
        "gathered",
        "at_root",
        "at_root_small",
        "from_root",
    )
    assert [found[f"{phase}_wrong"] for phase in phases] == [0] * 8
    assert found["small_executed"] == 0
    # A trial makes one call by ours at least; how many more follow, its samples decide.
    assert found["large_executed"] >= 1 and found["gathered_executed"] >= 1, result.output
    assert re.search(r"event=trial collective=alltoallv ranks=5 bytes=\d{4,5} ", result.output), result.output
    assert "event=trial collective=allgatherv" in result.output, result.output
    assert found["at_root_executed"] >= 1, "a size that the root alone knows is known to all"
    assert re.search(r"event=trial collective=gatherv .* gatherv_granted_us=", result.output), result.output
    assert found["from_root_executed"] == 0, "nothing is tried of it"


def test_a_model_is_taken_where_it_knows_the_hosts_and_refused_in_one_line_elsewhere(
    lab: Lab, tmp_path: Path
) -> None:
    command = [program("late_rank", "ompi4"), "0"]
    model = tmp_path / "model.json"
    environment = {"QUADRILLE_MODEL": str(model), "QUADRILLE_LOG": "start"}

    segments = [{key: found[key] for key in ("name", "hosts", "kind")} for found in lab.truth()["segments"]]
    model.write_text(json.dumps({"segments": segments}), encoding="utf-8")
    fits = lab.run(command, ranks=5, environment=environment, quadrille=True, timeout_s=60)
    assert fits.exit_code == 0, fits.output
    assert re.search(r"event=start .*ranks=5 hosts=4 ", fits.output), fits.output

    model.write_text('{"segments": [{"hosts": ["elsewhere"], "kind": "bus"}]}', encoding="utf-8")
    alone = lab.run(command, ranks=5, environment=environment, quadrille=True, timeout_s=60)
    assert alone.exit_code == 0, alone.output
    assert alone.output.count("the model does not know host 'h0'; probe these hosts") == 1, alone.output
