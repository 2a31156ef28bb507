# SPDX-License-Identifier: BSD-3-Clause
"""Topologies with leave to reorder on ECO's three segments, hosts interleaved: 0 3 6 / 1 4 7 / 2 5."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from lab_traffic import needs_namespaces, quadrille
from probe_trial import lab_name
from steal_time import Timing

from quadrille.errors import QuadrilleError
from quadrille.installation import mpi_prefix, native_directory
from quadrille.lab.lab import Lab
from quadrille.lab.ready_made import resolve

pytestmark = [pytest.mark.lab, pytest.mark.mpi, needs_namespaces, pytest.mark.timeout(180)]

ABI = {"ompi4": "ompi", "ompi5": "ompi", "mpich": "mpich"}


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    with Lab.up(resolve("eco_three_buses"), lab_name("t-topology")) as found:
        yield found


@pytest.fixture
def model(lab: Lab, tmp_path: Path) -> Path:
    """The lab's own truth as a model file."""
    return model_of(lab, tmp_path)


def model_of(lab: Lab, folder: Path) -> Path:
    truth = lab.truth()
    with_hosts = {segment["name"] for segment in truth["segments"]}
    keys = ("name", "hosts", "kind", "bus_rate_bit_s")
    document = {
        "segments": [{key: segment[key] for key in keys} for segment in truth["segments"]],
        "junctions": [bridge["name"] for bridge in truth["bridges"] if bridge["name"] not in with_hosts],
        "trunks": [{key: trunk[key] for key in ("name", "between")} for trunk in truth["trunks"]],
    }
    path = folder / "model.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def program(name: str, mpi: str = "ompi4") -> str:
    if mpi != "ompi4" and mpi_prefix(mpi) is None:
        pytest.skip(f"{mpi} is not installed here")
    try:
        path = native_directory() / "tests" / f"{name}-{ABI[mpi]}"
    except QuadrilleError as missing:
        pytest.skip(str(missing))
    if not path.exists():
        pytest.skip(f"{path.name} is not built")
    return str(path)


def libraries(mpi: str) -> dict[str, str]:
    prefix = mpi_prefix(mpi)
    return {} if prefix is None else {"LD_LIBRARY_PATH": str(prefix / "lib")}


def crossings(lab: Lab, hosts: list[str]) -> int:
    """Return how often a ring over `hosts` changes the segment."""
    segment = {host: each["name"] for each in lab.truth()["segments"] for host in each["hosts"]}
    return sum(
        segment[one] != segment[other] for one, other in zip(hosts, hosts[1:] + hosts[:1], strict=True)
    )


def ring_hosts(lab: Lab, output: str) -> list[str]:
    """Return the host at each place of the ring that the program prints."""
    found = re.search(r"ring: ([\d,]+)", output)
    assert found is not None, output
    names = list(lab.state.parsed_topology().host_names())
    return [names[int(rank)] for rank in found[1].split(",")]


@pytest.mark.parametrize("mpi", ["ompi4", "ompi5", "mpich"])
def test_a_ring_crosses_segments_three_times_and_every_topology_is_right(
    lab: Lab, model: Path, mpi: str
) -> None:
    environment = {"QUADRILLE_MODEL": str(model), "QUADRILLE_LOG": "plan", "QUADRILLE_REORDER": "all"}
    environment |= libraries(mpi)
    # MPICH 5.0.2 between hosts does not return from MPI_Dist_graph_create, with or without Quadrille.
    command = [program("topology", mpi), *(["adjacent"] if mpi == "mpich" else [])]
    result = lab.run(command, mpi=mpi, environment=environment, quadrille=True, timeout_s=100)
    assert result.exit_code == 0, result.output
    counts = {name: int(value) for name, value in re.findall(r"(\w+)=(\d+)", result.output)}
    assert counts["failures"] == 0, result.output
    assert counts["reordered"] >= 4, "constructors on the world"
    hosts = ring_hosts(lab, result.output)
    assert sorted(hosts) == sorted(lab.state.parsed_topology().host_names())
    assert crossings(lab, hosts) == 3
    line = re.search(r"event=mapping operation=MPI_Cart_create .*", result.output)
    assert line is not None, result.output
    assert "ranks=8 reordered=yes segment_crossings=8->3 host_crossings=8->8" in line[0]


@pytest.mark.parametrize("name", ["fortran_topology", "fortran_topology_f08"])
def test_fortran_programs_are_reordered_like_those_in_c(lab: Lab, model: Path, name: str) -> None:
    environment = {"QUADRILLE_MODEL": str(model), "QUADRILLE_LOG": "plan", "QUADRILLE_REORDER": "all"}
    result = lab.run([program(name, "ompi4")], environment=environment, quadrille=True, timeout_s=100)
    assert result.exit_code == 0, result.output
    counts = {key: int(value) for key, value in re.findall(r"(\w+)=(\d+)", result.output)}
    assert counts["failures"] == 0, result.output
    assert counts["reordered"] > 0
    assert "operation=MPI_Cart_create ranks=8 reordered=yes segment_crossings=8->3" in result.output


def test_reordering_may_be_switched_off(lab: Lab, model: Path) -> None:
    environment = {"QUADRILLE_MODEL": str(model), "QUADRILLE_LOG": "plan", "QUADRILLE_REORDER": "off"}
    command = [program("ring_balance"), "topology", "1", "1000"]
    result = lab.run(command, environment=environment, quadrille=True, timeout_s=100)
    assert result.exit_code == 0, result.output
    assert "event=mapping" not in result.output


def test_without_a_model_ranks_of_one_host_become_neighbours(lab: Lab) -> None:
    # Ranks fill hosts in order: the split reverses them, and 5 hosts of 2 ranks are left as they are.
    environment = {"QUADRILLE_LOG": "plan", "QUADRILLE_REORDER": "all"}
    result = lab.run(
        [program("topology")], ranks=10, per_host=2, environment=environment, quadrille=True, timeout_s=120
    )
    assert result.exit_code == 0, result.output
    assert re.search(r"failures=0\b", result.output), result.output
    assert "operation=MPI_Cart_create ranks=10 reordered=no segment_crossings=0->0" in result.output


def step_us(lab: Lab, model: Path, order: str, payload_bytes: int) -> int:
    """Return the time of a step of load balancing around a ring in `order`, in microseconds.

    Of 40 steps, so that one TCP retransmission timeout (200 ms) adds 5 ms to a step, not 20.
    """
    command = [program("ring_balance"), order, "40", str(payload_bytes)]
    environment = {"QUADRILLE_MODEL": str(model)}
    result = lab.run(command, environment=environment, quadrille=True, timeout_s=100)
    assert result.exit_code == 0, result.output
    found = re.search(r"step_us=(\d+)", result.output)
    assert found is not None, result.output
    return int(found[1])


def test_a_ring_over_buses_gains_what_the_buses_carry_less(lab: Lab, model: Path, timing: Timing) -> None:
    # Three hosts on a bus: four exchanges instead of six. Measured 0.67 alone, 0.81 beside compilers.
    mapped, world = (step_us(lab, model, order, 20_000) for order in ("topology", "world"))
    with timing.judged():
        assert mapped < 0.9 * world


def test_a_ring_over_a_trunk_takes_less_than_half_as_long(tmp_path: Path, timing: Timing) -> None:
    with Lab.up(
        resolve("two_switches_one_trunk:hosts=8,rate_mbit=20,trunk_mbit=20"), lab_name("t-ring")
    ) as lab:
        model = model_of(lab, tmp_path)
        mapped, world = (step_us(lab, model, order, 50_000) for order in ("topology", "world"))
        # Measured 0.36: two exchanges over the trunk instead of eight, then the hosts' own cables.
        with timing.judged():
            assert mapped < 0.5 * world


def test_a_rank_file_starts_each_rank_where_it_says(lab: Lab, model: Path, tmp_path: Path) -> None:
    rank_file = tmp_path / "ordered"
    hosts = ",".join(f"h{number}" for number in range(8))
    words = ["--ranks", "8", "--ring", "--model", str(model), "--hosts", hosts, "-o", str(rank_file)]
    done = quadrille("order", *words)
    assert done.returncode == 0, done.stderr
    assert "8 -> 3" in done.stdout
    ordered = rank_file.read_text().split()
    assert crossings(lab, ordered) == 3
    line = lab.launcher("ompi4")
    at = line.index("--host")
    line[at : at + 2] = ["--hostfile", str(rank_file)]
    line[line.index("--map-by") + 1] = "seq"
    started = subprocess.run(
        [*line, "--tag-output", "hostname"], capture_output=True, text=True, timeout=60, check=False
    )
    assert started.returncode == 0, started.stderr
    found = dict(re.findall(r"\[\d+,(\d+)\]<stdout>:\s*(\w+)", started.stdout))
    assert [found[str(rank)] for rank in range(8)] == ordered
