# SPDX-License-Identifier: BSD-3-Clause
"""Packet sockets between emulated hosts: beside UDP hosts, by a gateway, past what happens to interfaces."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator

import pytest
from lab_jobs import (
    assert_all_went_as_frames,
    counts,
    exchange_during,
    program,
    run_over_link,
    run_over_provider,
    wire_counts,
)
from lab_traffic import needs_namespaces, topology

from quadrille.lab.lab import Lab
from quadrille.lab.running import RunResult

pytestmark = [pytest.mark.lab, pytest.mark.mpi, needs_namespaces, pytest.mark.timeout(150)]
WITHOUT_PRIVILEGE = ["setpriv", "--bounding-set=-net_raw", "--inh-caps=-net_raw"]
"""What starts a program that may open no packet socket."""
ON_ODD_RANKS = 'if [ $((OMPI_COMM_WORLD_RANK % 2)) = 1 ]; then exec {prefix} "$@"; fi; exec "$@"'


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    tables = {
        "switch": [{"name": "s0", "rate_mbit": 200, "buffer_kib": 32}],
        "hosts": [{"names": ["h0"], "on": "s0", "ranks": 3}, {"names": ["h1..h3"], "on": "s0"}],
    }
    with Lab.up(topology(**tables), "t-packet") as found:
        yield found


def run(lab: Lab, command: list[str], mpi: str = "ompi4", ranks: int = 6, **more: str) -> RunResult:
    return run_over_link(lab, "packet", ranks, command, mpi, more)


@pytest.mark.parametrize("mpi", ["ompi4", "ompi5", "mpich"])
def test_results_are_right_and_travel_as_frames(lab: Lab, mpi: str) -> None:
    result = run(lab, [program("collectives", mpi), "stress", "3", "300"], mpi)
    assert counts(result)["failures"] == 0
    assert "wire=packet" in result.output, result.output
    assert_all_went_as_frames(wire_counts(result))


@pytest.mark.alone
def test_ranks_without_privilege_use_udp_in_the_same_job(lab: Lab) -> None:
    start = ["sh", "-c", ON_ODD_RANKS.format(prefix=" ".join(WITHOUT_PRIVILEGE)), "sh"]
    result = run(lab, [*start, program("collectives", "ompi4"), "stress", "4", "300"])
    assert counts(result)["failures"] == 0
    found = wire_counts(result)
    assert 0.2 * found["data_sent"] < found["frames_sent"] < 0.8 * found["data_sent"]
    assert 0.2 * found["data_sent"] < found["frames_received"] < 0.8 * found["data_sent"]
    said = re.findall(
        r"quadrille: 3 of 6 ranks use another link than QUADRILLE_WIRE=packet .*", result.output
    )
    assert len(said) == 1, result.output
    assert "Operation not permitted" in said[0]


def test_frames_for_a_host_behind_another_go_to_that_one(lab: Lab) -> None:
    """h1 reaches h3, and h3 reaches h1, by h2 only, which forwards."""
    address = {name: host.address for name, host in lab.state.hosts.items()}
    lab.on_host(
        "h2",
        [
            "sysctl",
            "-qw",
            "net.ipv4.ip_forward=1",
            "net.ipv4.conf.all.send_redirects=0",
            "net.ipv4.conf.eth0.send_redirects=0",
        ],
    )
    for one, other in (("h1", "h3"), ("h3", "h1")):
        lab.on_host(one, ["ip", "route", "add", f"{address[other]}/32", "via", address["h2"]])
    before = lab.counters().ports["h2"]
    result = run(lab, [program("exchange_times", "ompi4"), "20000", "20"])
    after = lab.counters().ports["h2"]
    for one, other in (("h1", "h3"), ("h3", "h1")):
        lab.on_host(one, ["ip", "route", "del", f"{address[other]}/32"])
    assert counts(result)["wrong"] == 0
    found = wire_counts(result)
    assert found["frames_sent"] > 0.9 * found["data_sent"]
    # 14 packets a block: from and to five other ranks, and two blocks a call between h1 and h3.
    assert after.out_frames - before.out_frames > 20 * 14 * (4 + 2)


@pytest.mark.alone
def test_a_neighbour_with_another_hardware_address_is_found_again(lab: Lab) -> None:
    """What goes on to the old one reaches nobody."""
    change = "ip link set eth0 address 02:00:00:00:be:ef"
    lab.on_host("h1", ["sysctl", "-qw", "net.ipv4.conf.eth0.arp_notify=1"])
    result = exchange_during(lab, "packet", 6, "h1", change)
    assert "do not reach" not in result.output
    found = wire_counts(result)
    assert found["frames_sent"] > 0.9 * found["data_sent"]
    assert found["frames_received"] > 0.9 * found["data_received"]


@pytest.mark.alone
def test_an_interface_that_goes_down_and_comes_back_only_delays(lab: Lab) -> None:
    # Taken down, an interface loses its routes beyond its own network: this lab has none.
    change = "ip link set eth0 down; sleep 1; ip link set eth0 up"
    result = exchange_during(lab, "packet", 6, "h2", change)
    assert counts(result)["longest_round_us"] > 900_000
    found = wire_counts(result)
    assert found["frames_received"] > 0.5 * found["data_received"]


def test_a_rank_that_is_killed_ends_the_job_and_the_next_one_starts(lab: Lab) -> None:
    dying = ["sh", "-c", 'if [ $OMPI_COMM_WORLD_RANK = 4 ]; then (sleep 3; kill -9 $$) & fi; exec "$@"', "sh"]
    began = time.monotonic()
    result = run(lab, [*dying, program("exchange_times", "ompi4"), "20000", "100000"])
    assert result.exit_code != 0
    assert time.monotonic() - began < 60
    again = run(lab, [program("exchange_times", "ompi4"), "20000", "5"])
    assert counts(again)["wrong"] == 0
    assert "wire=packet" in again.output


def over_provider(lab: Lab, mpi: str, start: list[str]) -> str:
    """Return the output of a test of messages, which `start` starts."""
    environment = {"QUADRILLE_LOG": "fabric", "QUADRILLE_FABRIC_LINK": "packet"}
    command = [*start, program("point_to_point", mpi), "300000"]
    return run_over_provider(lab, mpi, 5, command, environment, "--collectives", "off")


@pytest.mark.parametrize("mpi", ["ompi4", "mpich"])
def test_whole_mpi_libraries_by_frames(lab: Lab, mpi: str) -> None:
    output = over_provider(lab, mpi, [])
    of_ranks = re.findall(r"event=fabric link=(\w+) .* frames_sent=(\d+) frames_received=(\d+)", output)
    assert len(of_ranks) == 5, output
    assert all(link == "packet" for link, _, _ in of_ranks)
    assert sum(int(sent) for _, sent, _ in of_ranks) > 1000


@pytest.mark.parametrize("mpi", ["ompi4", "mpich"])
def test_a_provider_without_privilege_uses_udp_and_says_so_once(lab: Lab, mpi: str) -> None:
    output = over_provider(lab, mpi, WITHOUT_PRIVILEGE)
    assert output.count("link udp instead of QUADRILLE_FABRIC_LINK=packet") == 1, output
    assert output.count("event=fabric link=udp") == 5, output
