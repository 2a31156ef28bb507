# SPDX-License-Identifier: BSD-3-Clause
"""AF_XDP between emulated hosts: one rank of a host has it; beside ranks and hosts with other links."""

from __future__ import annotations

import json
import re
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

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

from quadrille.bench.pingpong import Line
from quadrille.installation import quadrille_program
from quadrille.lab.lab import Lab
from quadrille.lab.running import RunResult

pytestmark = [pytest.mark.lab, pytest.mark.mpi, needs_namespaces, pytest.mark.timeout(150)]
RANKS = 5
TWICE = "h0"
"""The host of two ranks."""
WITHOUT_PROGRAMS = "setpriv --bounding-set=-bpf,-sys_admin,-net_admin --inh-caps=-all"
"""What starts a program that may load no XDP program, but open a packet socket."""
WITHOUT_PRIVILEGE = "setpriv --bounding-set=-all --inh-caps=-all"


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    tables = {
        "switch": [{"name": "s0", "rate_mbit": 200, "buffer_kib": 32}],
        "hosts": [{"names": [TWICE], "on": "s0", "ranks": 2}, {"names": ["h1..h3"], "on": "s0"}],
    }
    with Lab.up(topology(**tables), "t-xdp") as found:
        if any("no XDP" in note for note in found.state.notes):
            pytest.skip("labs of a user namespace have no XDP programs")
        yield found


def run(lab: Lab, command: list[str], mpi: str = "ompi4") -> RunResult:
    return run_over_link(lab, "xdp", RANKS, command, mpi)


def programs(lab: Lab) -> set[str]:
    """Return the hosts to whose interface an XDP program is attached."""
    return {
        name for name in lab.state.hosts if "prog/xdp" in lab.on_host(name, ["ip", "link", "show", "eth0"])
    }


@pytest.mark.parametrize("mpi", ["ompi4", pytest.param("mpich", marks=pytest.mark.slow)])
def test_results_are_right_and_one_rank_of_a_host_has_frames_by_af_xdp(lab: Lab, mpi: str) -> None:
    result = run(lab, [program("collectives", mpi), "stress", "3", "300"], mpi)
    assert counts(result)["failures"] == 0
    said = re.findall(
        r"quadrille: 1 of 5 ranks use another link than QUADRILLE_WIRE=xdp \(rank [01] uses packet: "
        r"eth0 has an XDP program already, of another rank or of other software\)",
        result.output,
    )
    assert len(said) == 1, result.output
    assert_all_went_as_frames(wire_counts(result))


@pytest.mark.alone
def test_hosts_of_all_links_share_a_job_and_one_line_says_what_is_lacking(lab: Lab) -> None:
    """Rank 0 has UDP sockets, rank 3 packet sockets, the others AF_XDP."""
    start = f'case $OMPI_COMM_WORLD_RANK in 0) exec {WITHOUT_PRIVILEGE} "$@";; '
    start += f'3) exec {WITHOUT_PROGRAMS} "$@";; esac; exec "$@"'
    result = run(lab, ["sh", "-c", start, "sh", program("collectives", "ompi4"), "stress", "4", "300"])
    assert counts(result)["failures"] == 0
    said = re.findall(r"quadrille: 2 of 5 ranks use another link than QUADRILLE_WIRE=xdp .*", result.output)
    assert len(said) == 1, result.output
    assert "rank 0 uses udp: cannot make a map of AF_XDP sockets on eth0: Operation not permitted" in said[0]
    assert "cannot open a packet socket" in said[0]
    found = wire_counts(result)
    datagrams = found["data_sent"] + found["acks_sent"] + found["probes"]
    assert 0.6 * datagrams < found["frames_sent"] < 0.95 * datagrams
    assert 0.6 * datagrams < found["frames_received"] < 0.95 * datagrams


def test_a_rank_that_is_killed_leaves_no_program_and_the_next_job_has_af_xdp(lab: Lab) -> None:
    dying = ["sh", "-c", 'if [ $OMPI_COMM_WORLD_RANK = 4 ]; then (sleep 2; kill -9 $$) & fi; exec "$@"', "sh"]
    began = time.monotonic()
    seen: set[str] = set()
    ended = threading.Event()

    def look() -> None:
        while not ended.wait(0.1):
            seen.update(programs(lab))

    looking = threading.Thread(target=look)
    looking.start()
    result = run(lab, [*dying, program("exchange_times", "ompi4"), "20000", "100000"])
    ended.set()
    looking.join()
    assert result.exit_code != 0
    assert time.monotonic() - began < 60
    assert seen == set(lab.state.hosts)
    assert programs(lab) == set()
    again = run(lab, [program("exchange_times", "ompi4"), "20000", "5"])
    assert counts(again)["wrong"] == 0
    assert "1 of 5 ranks use another link" in again.output


@pytest.mark.alone
@pytest.mark.slow
@pytest.mark.parametrize(
    "change",
    [
        pytest.param("ip link set eth0 down; sleep 1; ip link set eth0 up", id="down"),
        pytest.param("ip link set eth0 address 02:00:00:00:be:ef", id="hardware_address"),
    ],
)
def test_what_happens_to_an_interface_only_delays(lab: Lab, change: str) -> None:
    lab.on_host("h2", ["sysctl", "-qw", "net.ipv4.conf.eth0.arp_notify=1"])
    result = exchange_during(lab, "xdp", RANKS, "h2", change)
    found = wire_counts(result)
    assert found["frames_received"] > 0.5 * found["data_received"]


@pytest.mark.parametrize("mpi", ["ompi4", pytest.param("mpich", marks=pytest.mark.slow)])
def test_whole_mpi_libraries_by_af_xdp(lab: Lab, mpi: str) -> None:
    environment = {"QUADRILLE_LOG": "fabric", "QUADRILLE_FABRIC_LINK": "xdp"}
    command = [program("point_to_point", mpi), "300000"]
    output = run_over_provider(lab, mpi, RANKS, command, environment, "--collectives", "off")
    of_ranks = re.findall(r"event=fabric link=(\w+) .* frames_sent=(\d+) frames_received=(\d+)", output)
    assert sorted(link for link, _, _ in of_ranks) == ["packet", *4 * ["xdp"]], output
    assert all(int(sent) > 100 and int(received) > 100 for link, sent, received in of_ranks)


@pytest.mark.parametrize("way", ["xdp", pytest.param("wire-xdp", marks=pytest.mark.slow)])
def test_ping_pongs_by_af_xdp_between_two_hosts(lab: Lab, tmp_path: Path, way: str) -> None:
    output = tmp_path / "r.jsonl"
    command = [quadrille_program(), "bench", "pingpong", "-o", str(output), "--ways", way]
    command += ["--bytes", "64", "--seconds", "0.02", "--", *lab.launcher("ompi4", 2, 1)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = [Line.model_validate(json.loads(text)) for text in output.read_text().splitlines()]
    assert lines, done.stdout
    assert all(line.way == way and line.correct for line in lines)
