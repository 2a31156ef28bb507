# SPDX-License-Identifier: BSD-3-Clause
"""The wire between emulated hosts under threads, losses, hosts that die or stop, and for long."""

from __future__ import annotations

import os
import statistics
import threading
import time

import pytest
from lab_jobs import (
    GRANTED,
    block_datagrams_to,
    connections_of,
    counts,
    cut_connections,
    libraries,
    lose_datagrams,
    once_exchanging,
    program,
    wire_counts,
)
from lab_traffic import needs_namespaces, tcp_rates_bit_s, topology
from steal_time import Timing

from quadrille.lab.lab import Lab

SOAK_CALLS = int(os.environ.get("QUADRILLE_SOAK_CALLS", "2000"))
"""For a soak of hours."""

pytestmark = [
    pytest.mark.lab,
    pytest.mark.mpi,
    needs_namespaces,
    pytest.mark.timeout(180 + SOAK_CALLS / 20),
]

FORCED = GRANTED + ",bcast:multicast"
# Every collective is executed, each by an algorithm that makes much of the wire's credits.
ALL_FORCED = (
    "barrier:multicast,bcast:multicast,reduce:tree,allreduce:multicast,allgather:multicast,"
    "allgatherv:multicast,alltoall:gathered,alltoallv:gathered,gather:hierarchical,gatherv:granted,"
    "scatter:hierarchical,scatterv:linear,reduce_scatter_block:hierarchical,reduce_scatter:pairwise,"
    "scan:recursive_doubling,exscan:recursive_doubling"
)


def cluster(name: str, hosts: int = 4, rate_mbit: int = 80) -> Lab:
    """Build a lab of so many hosts on one switch with small buffers."""
    tables = {
        "switch": [{"name": "s0", "rate_mbit": rate_mbit, "buffer_kib": 32}],
        "hosts": [{"names": [f"h0..h{hosts - 1}"], "on": "s0"}],
    }
    return Lab.up(topology(**tables), name)


@pytest.mark.parametrize("mpi", ["ompi4", "mpich"])
def test_threads_exchange_over_the_wire_at_the_same_time(mpi: str) -> None:
    with cluster("t-threads") as lab:
        environment = {"QUADRILLE_ALGORITHM": FORCED, "QUADRILLE_LOG": "wire", **libraries(mpi)}
        command = [program("threads", mpi), "3", "10"]
        result = lab.run(command, mpi=mpi, ranks=4, environment=environment, quadrille=True, timeout_s=150)
        assert counts(result)["failures"] == 0
        assert wire_counts(result)["data_received"] > 0


def test_a_soak_of_random_calls_with_a_message_pending_leaves_no_memory_behind() -> None:
    with cluster("t-soak") as lab:
        lose_datagrams(lab, 0.01)
        environment = {"QUADRILLE_ALGORITHM": ALL_FORCED, "QUADRILLE_LOG": "wire"}
        command = [program("collectives", "ompi4"), "soak", "17", str(SOAK_CALLS)]
        limit_s = 120 + SOAK_CALLS / 20
        result = lab.run(
            command, ranks=12, per_host=3, environment=environment, quadrille=True, timeout_s=limit_s
        )
        found = counts(result)
        assert found["failures"] == 0
        assert wire_counts(result)["losses"] > 0
        assert found["late_kib"] < 1.1 * found["early_kib"] + 4096, found


def test_a_host_that_dies_in_an_exchange_ends_the_job() -> None:
    with cluster("t-dies") as lab:
        killed: list[float] = []

        def kill() -> None:
            lab.kill("h2")
            killed.append(time.monotonic())

        command = [program("exchange_times", "ompi4"), "65536", "2000"]
        with once_exchanging(kill) as begun:
            environment = {"QUADRILLE_ALGORITHM": FORCED, **begun}
            result = lab.run(command, ranks=4, environment=environment, quadrille=True, timeout_s=60)
        assert result.exit_code != 0, result.output
        assert time.monotonic() - killed[0] < 20
        assert "median_us" not in result.output


def test_a_host_that_stands_still_for_seconds_is_waited_for() -> None:
    with cluster("t-still") as lab:

        def stop() -> None:
            lab.freeze("h1")
            time.sleep(4)
            lab.thaw("h1")

        command = [program("exchange_times", "ompi4"), "65536", "150"]
        with once_exchanging(stop) as begun:
            environment = {"QUADRILLE_ALGORITHM": FORCED, **begun}
            result = lab.run(command, ranks=4, environment=environment, quadrille=True, timeout_s=100)
        found = counts(result)
        assert found["wrong"] == 0
        assert found["longest_round_us"] > 3_000_000


def test_a_tcp_fallback_whose_connection_dies_without_a_word_is_replaced() -> None:
    """Datagrams to a host stop; when the others have connected to it instead, these connections go dead."""
    with cluster("t-silent") as lab:
        others = len(lab.state.hosts) - 1
        cut: list[int] = []

        def cut_fallbacks() -> None:
            before = connections_of(lab, "h2")
            block_datagrams_to(lab, "h2")
            fallbacks: set[tuple[str, str]] = set()
            end = time.monotonic() + 20
            while len(fallbacks) < others and time.monotonic() < end:
                time.sleep(0.1)
                fallbacks = connections_of(lab, "h2") - before
            cut_connections(lab, "h2", fallbacks)
            cut.append(len(fallbacks))

        command = [program("exchange_times", "ompi4"), "65536", "280"]
        with once_exchanging(cut_fallbacks) as begun:
            environment = {"QUADRILLE_ALGORITHM": GRANTED, **begun}
            result = lab.run(command, ranks=4, environment=environment, quadrille=True, timeout_s=160)
        found = counts(result)
        assert cut == [others]
        assert found["wrong"] == 0
        assert found["longest_round_us"] > 5_000_000, "until the system gives the connection up"


def test_losses_of_one_datagram_in_a_hundred_cost_less_than_a_third(timing: Timing) -> None:
    medians = []
    environment = {"QUADRILLE_ALGORITHM": FORCED}
    command = [program("exchange_times", "ompi4"), "32768", "40"]
    for loss in (0.0, 0.01):
        with cluster("t-lossy", hosts=8, rate_mbit=25) as lab:
            if loss > 0:
                lose_datagrams(lab, loss)
            result = lab.run(command, ranks=8, environment=environment, quadrille=True, timeout_s=100)
            found = counts(result)
            assert found["wrong"] == 0
            medians.append(found["median_us"])
    with timing.judged():
        assert medians[1] < 1.3 * medians[0], medians


def test_an_exchange_and_the_programs_own_transfers_share_a_port(timing: Timing) -> None:
    """Two TCP transfers into ports that also take part in all-to-alls: neither starves."""
    command = [program("exchange_times", "ompi4"), "32768", "40"]
    environment = {"QUADRILLE_ALGORITHM": FORCED}
    with cluster("t-shared", hosts=6, rate_mbit=50) as lab:
        alone = counts(lab.run(command, ranks=6, environment=environment, quadrille=True, timeout_s=100))
        rates: list[float] = []
        pairs = [("h0", "h1"), ("h3", "h2")]
        # About as long as the job, whose ports are theirs alone before and after.
        transfers = threading.Thread(target=lambda: rates.extend(tcp_rates_bit_s(lab, pairs, 24_000_000)))
        transfers.start()
        time.sleep(1)
        beside = counts(lab.run(command, ranks=6, environment=environment, quadrille=True, timeout_s=100))
        transfers.join()
    assert alone["wrong"] == beside["wrong"] == 0
    with timing.judged():
        # A fair share of the port is half of it for each.
        assert statistics.fmean(rates) > 0.25 * 50e6, rates
        assert beside["mean_us"] < 4 * alone["mean_us"], (alone, beside)
