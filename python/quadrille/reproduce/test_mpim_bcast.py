# SPDX-License-Identifier: BSD-3-Clause
"""What broadcasts over the number of nodes show, and their page, from made data."""

from __future__ import annotations

import math
from typing import Any

import pytest

from quadrille.reproduce.catalogue import find_experiment
from quadrille.reproduce.experiments.mpim_bcast.judging import largest_network, medians
from quadrille.reproduce.experiments.mpim_bcast.measuring import BINOMIAL, MULTICAST, OPEN_MPI

EXPERIMENT = find_experiment("mpim-bcast")
NETWORK = "16 hosts, 25 Mbit/s"


def point(way: str, ranks: int, ms: float, size: int = 20_000, loss: float = 0) -> dict[str, Any]:
    return {
        "network": NETWORK,
        "rate_mbit": 25,
        "loss_percent": loss,
        "way": way,
        "ranks": ranks,
        "bytes": size,
        "samples_ns": [ms * 1e6] * 5,
        "median_ns": ms * 1e6,
        "limit_ns": 6.7e6 if size == 20_000 else None,
    }


def as_published() -> dict[str, Any]:
    """Return a run in which everything is as on the page, at 25 Mbit/s."""
    points = []
    for ranks in (2, 4, 16):
        points += [
            point(BINOMIAL, ranks, 6.7 * math.log2(ranks)),
            point(MULTICAST, ranks, 6.8),
            point(MULTICAST, ranks, 7.5, loss=1),
            point(OPEN_MPI, ranks, 0.3, size=8),
            point(MULTICAST, ranks, 0.2, size=8),
        ]
    simulated = [{"loss_percent": 0, "hosts": 128, "bytes": 1, "multicast_ns": 2e6, "binomial_ns": 14e6}]
    return {"truth": None, "points": points, "simulated": simulated}


def seen(data: dict[str, Any]) -> list[bool | None]:
    return [effect.seen for effect in EXPERIMENT.judge(data)]


def test_what_is_as_published_is_seen() -> None:
    assert seen(as_published()) == [True] * 6


@pytest.mark.parametrize(
    ("way", "size", "loss", "factor", "unseen"),
    [
        (MULTICAST, 20_000, 0, 1.2, {0}),
        (MULTICAST, 20_000, 0, 1.3, {0, 1}),
        (BINOMIAL, 20_000, 0, 0.5, {2}),
        (MULTICAST, 8, 0, 2, {3}),
        (MULTICAST, 8, 0, 0.5, {3}),
        (MULTICAST, 20_000, 1, 1.5, {4}),
    ],
)
def test_one_that_differs_on_most_nodes_is_not(
    way: str, size: int, loss: float, factor: float, unseen: set[int]
) -> None:
    data = as_published()
    for made in data["points"]:
        if (made["way"], made["bytes"], made["loss_percent"], made["ranks"]) == (way, size, loss, 16):
            made["samples_ns"] = [factor * sample for sample in made["samples_ns"]]
    assert {place for place, found in enumerate(seen(data)) if found is False} == unseen


def test_a_large_cluster_that_gains_less_is_not_seen() -> None:
    data = as_published()
    data["simulated"][0]["binomial_ns"] = 11e6
    assert seen(data) == [True] * 5 + [False]


def test_calls_left_to_the_library_fail_and_nothing_measured_does_not() -> None:
    effects = EXPERIMENT.judge({"points": [point(BINOMIAL, 2, 6.7)]})
    assert [effect.failed for effect in effects] == [True, True, False, False, False, False]
    assert "left the calls" in effects[0].why
    assert seen({}) == [None] * 6


def test_one_number_of_nodes_as_on_a_real_cluster_tells_nothing_of_growth() -> None:
    effects = EXPERIMENT.judge({"points": [point(OPEN_MPI, 8, 20), point(MULTICAST, 8, 6.8)]})
    assert [effect.seen for effect in effects] == [None, True, None, None, None, None]
    assert effects[0].why == "measured on 8 nodes alone"


def test_the_network_with_most_nodes_counts_and_the_samples_of_all_runs() -> None:
    other = point(MULTICAST, 4, 1) | {"network": "4 hosts, 100 Mbit/s"}
    data = {"points": [other, point(MULTICAST, 16, 9), point(MULTICAST, 16, 7)]}
    assert largest_network(data) == NETWORK
    assert medians(data, NETWORK, MULTICAST, 20_000) == {16: 8e6}


def test_the_page_has_each_point_the_pages_own_time_and_the_simulated_hosts() -> None:
    page = EXPERIMENT.show(as_published())
    assert page.count("<tr>") >= 15 + 1
    assert "the page&#x27;s 1.6 ms, at 25 Mbit/s" in page or "the page's 1.6 ms, at 25 Mbit/s" in page
    assert "<td>128</td>" in page and ">7.0<" in page
    assert EXPERIMENT.show({}) == ""
