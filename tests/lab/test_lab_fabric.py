# SPDX-License-Identifier: BSD-3-Clause
"""Whole MPI libraries over the libfabric provider between emulated hosts: results, losses, full ports."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from lab_jobs import (
    GRANTED,
    OVER_PROVIDER,
    libraries,
    lose_long_datagrams,
    program,
    provider_counts,
    run_over_provider,
    start_over_provider,
)
from lab_traffic import topology

from quadrille.fabric.choice import WORTH
from quadrille.lab.lab import Lab
from quadrille.lab.ready_made import resolve

pytestmark = OVER_PROVIDER

WITH_MPI4PY = Path(__file__).parents[1] / "mpi" / "programs" / "with_mpi4py.py"


def four_hosts(name: str, **of_hosts: float) -> Lab:
    tables = {
        "switch": [{"name": "s0", "rate_mbit": 200, "buffer_kib": 32}],
        "hosts": [{"names": ["h0..h3"], "on": "s0", "ranks": 2, **of_hosts}],
    }
    return Lab.up(topology(**tables), name)


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    with four_hosts("t-fabric") as found:
        yield found


@pytest.fixture(scope="module")
def lossy_lab() -> Iterator[Lab]:
    with four_hosts("t-fabric-loss", loss_to_host_percent=1) as found:
        yield found


@pytest.mark.parametrize("mpi", ["ompi4", "ompi5", "mpich", "impi"])
def test_messages_between_hosts_are_what_the_standard_says(lab: Lab, mpi: str) -> None:
    found = provider_counts(lab, mpi, 4, "point_to_point", "1048576")
    assert found["bytes_received"] > 4_000_000
    assert found["losses"] < found["data_sent"] / 100, "what is granted fits into the ports' buffers"


@pytest.mark.parametrize("mpi", ["ompi4", "ompi5", "mpich"])
def test_messages_are_whole_where_one_datagram_in_a_hundred_is_lost(lossy_lab: Lab, mpi: str) -> None:
    found = provider_counts(lossy_lab, mpi, 4, "point_to_point", "1048576")
    assert found["losses"] > 0 and found["data_resent"] > 0


@pytest.mark.parametrize("mpi", ["ompi4", "mpich"])
def test_messages_of_twelve_ranks_are_whole_where_one_datagram_in_ten_is_lost(mpi: str) -> None:
    tables = {
        "switch": [{"name": "s0", "rate_mbit": 200, "buffer_kib": 32}],
        "hosts": [{"names": ["h0..h3"], "on": "s0", "ranks": 3, "loss_to_host_percent": 10}],
    }
    with Lab.up(topology(**tables), "t-fabric-ten") as lab:
        assert provider_counts(lab, mpi, 12, "point_to_point", "100000")["data_resent"] > 100


@pytest.mark.parametrize("mpi", ["ompi4", pytest.param("mpich", marks=pytest.mark.slow)])
def test_messages_of_64_mib_are_whole(mpi: str) -> None:
    tables = {
        "switch": [{"name": "s0", "rate_mbit": 1000, "unlimited": True}],
        "hosts": [{"names": ["h0..h1"], "on": "s0"}],
    }
    with Lab.up(topology(**tables), "t-fabric-large") as lab:
        assert provider_counts(lab, mpi, 2, "point_to_point", str(64 << 20))["bytes_received"] > 4 * (
            64 << 20
        )


@pytest.mark.parametrize("mpi", ["ompi4", pytest.param("mpich", marks=pytest.mark.slow)])
def test_a_host_whose_interface_takes_larger_packets_sends_others_what_they_take(mpi: str) -> None:
    """As where jumbo frames are turned on at one host alone: its switch port does not take them either."""
    with four_hosts("t-fabric-mtu") as lab:
        lab.on_host("h0", ["ip", "link", "set", "eth0", "mtu", "9000"])
        assert "mtu 9000" in lab.on_host("h0", ["ip", "link", "show", "eth0"])
        found = provider_counts(lab, mpi, 4, "point_to_point", "1048576")
    assert found["losses"] < found["data_sent"] / 100, "packets that nobody takes would all come again"


def test_datagrams_leave_one_by_one_where_what_is_cut_below_gets_lost() -> None:
    with Lab.up(resolve("unlimited:hosts=2"), "t-fabric-uncut") as lab:
        lose_long_datagrams(lab, 1500)
        assert provider_counts(lab, "ompi4", 2, "point_to_point", "1048576")["runs_sent"] > 0


@pytest.mark.parametrize("mpi", ["ompi4", "ompi5", "mpich"])
def test_an_mpi4py_program_between_hosts(lab: Lab, python_with_mpi4py: Path, mpi: str) -> None:
    environment = {"QUADRILLE_LOG": "fabric"}
    command = [str(python_with_mpi4py), str(WITH_MPI4PY)]
    output = run_over_provider(lab, mpi, 4, command, environment, "--collectives", "off")
    assert "checks=96 failures=0" in output, output
    sent = [int(count) for count in re.findall(r"event=fabric .* data_sent=(\d+)", output)]
    assert len(sent) == 4 and sum(sent) > 60, output


def test_collectives_are_right_with_eight_ranks_and_losses(lossy_lab: Lab) -> None:
    assert provider_counts(lossy_lab, "ompi4", 8, "collectives", "stress", "5", "100")["data_resent"] > 0


@pytest.mark.parametrize("mpi", ["ompi4", "mpich"])
def test_collectives_by_the_wire_and_messages_by_the_provider_in_one_job(lossy_lab: Lab, mpi: str) -> None:
    environment = {"QUADRILLE_LOG": "fabric,wire", "QUADRILLE_ALGORITHM": GRANTED}
    command = [program("collectives", mpi), "stress", "9", "200"]
    output = run_over_provider(lossy_lab, mpi, 6, command, environment)
    by_wire = re.search(r"event=wire data_sent=(\d+)", output)
    assert by_wire is not None and int(by_wire[1]) > 300, output
    by_provider = re.findall(r"event=fabric .* data_sent=(\d+)", output)
    assert len(by_provider) == 6 and sum(map(int, by_provider)) > 1000, output


def by_choice(lab: Lab, mpi: str, cache: Path, *options: str) -> str:
    environment = {"QUADRILLE_LOG": "start", **libraries(mpi)}
    line = [*lab.launcher(mpi, 4, None, environment), program("sends_known", mpi)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QUADRILLE_CACHE", str(cache))
        done = start_over_provider(line, *options, fabric="auto")
    assert done.returncode == 0 and (options or "failures=0" in done.stdout), done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.parametrize("mpi", ["ompi5", "mpich", "impi"])
def test_a_program_goes_over_the_provider_where_messages_like_its_own_were_faster(
    lab: Lab, mpi: str, tmp_path: Path
) -> None:
    first = by_choice(lab, mpi, tmp_path)
    assert "--fabric auto: off; this job leaves what messages sends_known" in first and "fabric=off" in first
    assert "would be tried" in by_choice(lab, mpi, tmp_path, "--dry-run")
    second = by_choice(lab, mpi, tmp_path)
    told = re.search(r"--fabric auto: (on|off); messages like those of sends_known\S* take ([\d.]+)", second)
    assert "trying messages" in second and told is not None, second
    assert f"fabric={told[1]}" in second and (told[1] == "on") == (float(told[2]) <= WORTH)
    (verdict,) = tmp_path.glob("fabric/*-both.json")
    for ratio, chosen in ((0.5, "on"), (1.5, "off")):
        size = {"bytes": 16, "messages": 1, "library_ns": 100.0, "provider_ns": 100.0 * ratio}
        verdict.write_text(json.dumps({"sizes": [size]}), encoding="utf-8")
        later = by_choice(lab, mpi, tmp_path)
        assert "trying messages" not in later and f"fabric={chosen}" in later, later


def test_matched_receives_of_synchronous_sends_keep_a_program_from_open_mpi_4s_fault(
    lab: Lab, tmp_path: Path
) -> None:
    by_choice(lab, "ompi4", tmp_path)
    assert "which Open MPI 4 never acknowledges" in by_choice(lab, "ompi4", tmp_path)
