# SPDX-License-Identifier: BSD-3-Clause
"""`quadrille probe` on ready-made networks: the model is compared with how the network was built.

`scripts/probe_accuracy.py` repeats this many times, with other sizes, and prints the figures.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from lab_traffic import needs_namespaces
from probe_trial import (
    NOT_PROBED,
    SMALL,
    lab_name,
    probe,
    quadrille,
    shuffled_launcher,
    skip_without_prober,
    with_ambient,
)
from steal_time import Timing

from quadrille.installation import mpi_prefix
from quadrille.lab.lab import Lab
from quadrille.lab.ready_made import READY_MADE, resolve
from quadrille.lab.topology import Topology
from quadrille.reproduce.accuracy import Accuracy

pytestmark = [pytest.mark.alone, pytest.mark.lab, pytest.mark.mpi, needs_namespaces, pytest.mark.timeout(150)]

AMBIENT_SHARE = 0.3

# What is right run after run and takes less than half a minute. scripts/probe_accuracy.py has the others.
RELIABLE = (
    "one_switch:hosts=6,rate_mbit=20",
    "two_switches_one_trunk:hosts=8,rate_mbit=20,trunk_mbit=20",
    "three_levels:hosts_per_leaf=3,rate_mbit=20,leaf_trunk_mbit=30,spine_trunk_mbit=30",
    "eco_three_buses",
    "two_sites:hosts=6,rate_mbit=20,trunk_mbit=20",
    "umbc_leaf:ports=6,rate_mbit=10,trunk_mbit=30",
)
SLOW = RELIABLE[1], RELIABLE[4]


@pytest.fixture(autouse=True)
def prober() -> None:
    skip_without_prober()


def test_every_ready_made_network_is_probed_here_or_by_the_script() -> None:
    probed = [text.partition(":")[0] for text in SMALL]
    assert sorted([*probed, *NOT_PROBED]) == sorted(READY_MADE)


def judged(topology: Topology, folder: Path, seed: int) -> Accuracy:
    with Lab.up(topology, lab_name("t-probe")) as lab:
        trial = probe(shuffled_launcher(lab, seed), folder, "--seed", str(seed))
        assert trial.exit_code == 0, trial.stderr
        return trial.accuracy(lab.truth())


@pytest.mark.parametrize(
    "text", [pytest.param(text, marks=pytest.mark.slow if text in SLOW else ()) for text in RELIABLE]
)
def test_the_model_is_how_the_network_was_built(text: str, tmp_path: Path, timing: Timing) -> None:
    found = judged(resolve(text), tmp_path, seed=1)
    assert found.structure() == []
    with timing.judged():
        assert found.complaints() == []


# Buses under a steady load of others are told from switches in the simulation, in the lab not every time yet.
@pytest.mark.parametrize("text", [pytest.param(RELIABLE[0], marks=pytest.mark.slow), RELIABLE[1]])
def test_other_traffic_does_not_change_partition_kinds_and_multicast(text: str, tmp_path: Path) -> None:
    found = judged(with_ambient(resolve(text), AMBIENT_SHARE), tmp_path, seed=2)
    assert found.structure() == []


def test_a_host_that_differs_is_seen_in_each_direction(tmp_path: Path, timing: Timing) -> None:
    topology = resolve("one_switch:hosts=4,rate_mbit=20")
    slow = topology.hosts[0].model_copy(update={"names": ("h3",), "from_host_mbit": 5.0})
    others = topology.hosts[0].model_copy(update={"names": ("h0", "h1", "h2")})
    found = judged(topology.model_copy(update={"hosts": (others, slow)}), tmp_path, seed=3)
    assert found.structure() == []
    with timing.judged():
        assert found.complaints() == []


def test_a_switch_that_forwards_no_multicast_is_seen(tmp_path: Path) -> None:
    found = judged(resolve("one_switch:hosts=4,rate_mbit=20,multicast=off"), tmp_path, seed=4)
    assert found.multicast == []


@pytest.mark.parametrize("mpi", ["ompi4", pytest.param("ompi5", marks=pytest.mark.slow), "mpich"])
def test_each_mpi_probes_several_ranks_a_host_and_writes_a_model_that_holds(
    mpi: str, tmp_path: Path, timing: Timing
) -> None:
    if mpi != "ompi4" and mpi_prefix(mpi) is None:
        pytest.skip(f"{mpi} is not installed here")
    skip_without_prober("mpich" if mpi == "mpich" else "ompi")
    with Lab.up(
        resolve("two_switches_one_trunk:hosts=4,rate_mbit=20,trunk_mbit=10"), lab_name("t-mpi")
    ) as lab:
        line = shuffled_launcher(lab, 5, mpi=mpi, per_host=2)
        trial = probe(line, tmp_path)
        assert trial.exit_code == 0, trial.stderr
        found = trial.accuracy(lab.truth())
        assert found.structure() == []
        again = quadrille("probe", "--check", str(tmp_path / "model.json"), "--", *line)
        with timing.judged():
            assert found.complaints() == []
            assert again.returncode == 0, again.stderr + again.stdout
