# SPDX-License-Identifier: BSD-3-Clause
"""Which way long messages go between hosts whose interfaces cut what TCP sends and not what UDP does."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from lab_jobs import (
    GRANTED,
    busy_connections_of,
    counts,
    cut_connections,
    lose_datagrams,
    once_exchanging,
    program,
    provider_counts,
    wire_counts,
)
from lab_traffic import needs_namespaces

from quadrille.lab.lab import Lab
from quadrille.lab.ready_made import resolve

pytestmark = [pytest.mark.lab, pytest.mark.mpi, needs_namespaces, pytest.mark.timeout(180)]

CUTS_TCP_ALONE = "unlimited:hosts=3,udp_segmentation=false"


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    with Lab.up(resolve(CUTS_TCP_ALONE), "t-bulk") as up:
        yield up


def over_provider(lab: Lab, mpi: str, bulk: str) -> dict[str, int]:
    return provider_counts(lab, mpi, 3, "point_to_point", "3000000", QUADRILLE_BULK=bulk)


@pytest.mark.usefixtures("provider")
@pytest.mark.parametrize("mpi", ["ompi4", pytest.param("mpich", marks=pytest.mark.slow)])
def test_long_messages_of_the_provider_go_by_tcp(lab: Lab, mpi: str) -> None:
    found = over_provider(lab, mpi, "tcp")
    assert found["stream_sent"] > found["data_sent"] / 3, found
    assert over_provider(lab, mpi, "udp")["stream_sent"] == 0


def exchange(lab: Lab, bulk: str, calls: int, **environment: str) -> dict[str, int]:
    environment |= {"QUADRILLE_ALGORITHM": GRANTED, "QUADRILLE_LOG": "wire", "QUADRILLE_BULK": bulk}
    command = [program("exchange_times", "ompi4"), "1000000", str(calls)]
    result = lab.run(command, ranks=3, environment=environment, quadrille=True, timeout_s=160)
    assert counts(result)["wrong"] == 0
    return wire_counts(result) | counts(result)


def test_the_way_that_costs_the_system_less_is_found(lab: Lab) -> None:
    assert exchange(lab, "udp", 50)["stream_sent"] == 0
    found = exchange(lab, "auto", 200)
    assert found["stream_sent"] > found["data_sent"] / 3, found


def test_datagrams_stay_where_their_interfaces_cut_them_too() -> None:
    with Lab.up(resolve("unlimited:hosts=3"), "t-bulk-uso") as lab:
        found = exchange(lab, "auto", 300)
    assert found["stream_sent"] < found["data_sent"] / 3, found


def test_a_job_goes_on_where_its_connections_die_without_a_word() -> None:
    with Lab.up(resolve(CUTS_TCP_ALONE), "t-bulk-cut") as lab:
        lose_datagrams(lab, 0)  # sets up the table
        cut: list[int] = []

        def cut_all() -> None:
            connections: set[tuple[str, str]] = set()
            end = time.monotonic() + 20
            while not connections and time.monotonic() < end:
                time.sleep(0.1)
                connections = busy_connections_of(lab, "h1", 10_000_000)
            cut_connections(lab, "h1", connections)
            cut.append(len(connections))

        with once_exchanging(cut_all) as begun:
            found = exchange(lab, "tcp", 700, **begun)
        assert cut[0] > 0
        assert found["longest_round_us"] > 5_000_000, "until the system gives the connections up"
