# SPDX-License-Identifier: BSD-3-Clause
"""A host's address is taken away while a job runs, comes back, or is replaced by another."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from lab_jobs import GRANTED, counts, program, run_over_link, run_over_provider, start_over_provider
from lab_traffic import needs_namespaces, topology

from quadrille.lab.lab import Lab, RunResult

pytestmark = [pytest.mark.lab, pytest.mark.mpi, needs_namespaces, pytest.mark.timeout(150)]
RANKS = 3
# All calls of the program: who waits in a call of the MPI library's own does not look for the address.
BY_WIRE = GRANTED + ",barrier:multicast,allreduce:multicast"
OWN = "own=$(ip -o -4 addr show dev eth0 | awk '{print $4}')"
AWAY = f"set -e; {OWN}; ip addr del $own dev eth0; sleep 3; ip addr add $own dev eth0"
REPLACED = f"set -e; {OWN}; ip addr del $own dev eth0; ip addr add 198.18.7.7/16 dev eth0"
GONE = "quadrille: host h2 no longer has the address 198.18.0.3"
AGAIN = "quadrille: host h2 has the address 198.18.0.3 again"
LOST = "host h2 has lost the address 198.18.0.3"


@pytest.fixture
def lab() -> Iterator[Lab]:
    tables = {
        "admin_network": True,  # by which launchers go on speaking
        "switch": [{"name": "s0", "rate_mbit": 80, "buffer_kib": 32}],
        "hosts": [{"names": ["h0..h2"], "on": "s0"}],
    }
    with Lab.up(topology(**tables), "t-address") as found:
        yield found


@contextmanager
def change_at_work(lab: Lab, change: str) -> Iterator[list[tuple[float, int]]]:
    """Have h2 make a change as soon as its rank exchanges messages.

    Gives what was seen, seconds and its frames, last of all after the change.
    """
    began = time.monotonic()
    before = lab.counters().ports["h2"].out_frames
    seen: list[tuple[float, int]] = []

    def act() -> None:
        while not seen or (seen[-1][0] < 60 and seen[-1][1] < 1500):
            time.sleep(0.1)
            frames = lab.counters().ports["h2"].out_frames - before
            seen.append((time.monotonic() - began, frames))
        lab.on_host("h2", ["sh", "-c", change])
        seen.append((time.monotonic() - began, lab.counters().ports["h2"].out_frames - before))

    with ThreadPoolExecutor(1) as pool:
        acting = pool.submit(act)
        yield seen
        acting.result()


def exchange(lab: Lab, calls: int) -> RunResult:
    """Exchange by the wire alone: the MPI library's own connections would wait for the address for ever."""
    command = [program("exchange_times", "ompi4"), "20000", str(calls)]
    return run_over_link(lab, "udp", RANKS, command, "ompi4", {"QUADRILLE_ALGORITHM": BY_WIRE})


def test_an_address_that_goes_and_comes_back_only_delays_collectives(lab: Lab) -> None:
    with change_at_work(lab, AWAY) as seen:
        result = exchange(lab, 2000)
    assert counts(result)["wrong"] == 0
    assert result.output.count(GONE) == result.output.count(AGAIN) == 1, (seen[-4:], result)


@pytest.mark.alone
@pytest.mark.slow
@pytest.mark.usefixtures("provider")
def test_an_address_that_goes_and_comes_back_only_delays_messages(lab: Lab) -> None:
    with change_at_work(lab, AWAY):
        command = [program("point_to_point", "ompi4"), "4000000"]
        output = run_over_provider(lab, "ompi4", RANKS, command, {}, "--collectives", "off")
    assert output.count(GONE) == output.count(AGAIN) == 1, output


@pytest.mark.alone
@pytest.mark.slow
def test_collectives_of_a_host_with_another_address_end_the_job_and_say_why(lab: Lab) -> None:
    with change_at_work(lab, REPLACED):
        result = exchange(lab, 1_000_000)
    assert result.exit_code != 0
    assert GONE in result.output and LOST in result.output, result.output


@pytest.mark.alone
@pytest.mark.slow
@pytest.mark.usefixtures("provider")
def test_messages_of_a_host_with_another_address_end_the_job_and_say_why(lab: Lab) -> None:
    line = [*lab.launcher("ompi4", RANKS), program("exchange_times", "ompi4"), "20000", "1000000"]
    with change_at_work(lab, REPLACED):
        done = start_over_provider(line, "--collectives", "off", timeout_s=100)
    assert done.returncode != 0
    assert GONE in done.stderr and LOST in done.stderr, done.stderr
