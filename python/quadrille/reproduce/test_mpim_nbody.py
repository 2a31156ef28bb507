# SPDX-License-Identifier: BSD-3-Clause
"""What steps of N-body integrations show, and their page, from made data."""

from __future__ import annotations

from typing import Any

import pytest

from quadrille.reproduce.catalogue import find_experiment
from quadrille.reproduce.experiments.mpim_nbody.judging import speedups
from quadrille.reproduce.experiments.mpim_nbody.measuring import _FULL, _QUICK, CONVENTIONAL, MULTICAST

EXPERIMENT = find_experiment("mpim-nbody")


def step(bodies: int, nodes: int, way: str, ms: float, forces: str = "direct sum") -> dict[str, Any]:
    return {
        "forces": forces,
        "bodies": bodies,
        "nodes": nodes,
        "way": way,
        "samples_ns": [ms * 1e6] * 5,
        "median_ns": ms * 1e6,
    }


def as_published(forces: str = "direct sum") -> dict[str, Any]:
    """Return a run in which everything is as on the page, 14 bodies a node on 8 nodes, then many."""
    times = {
        (112, CONVENTIONAL): (1.0, 0.8, 1.4),
        (112, MULTICAST): (1.0, 0.7, 0.6),
        (8000, CONVENTIONAL): (1000, 270, 160),
        (8000, MULTICAST): (1000, 260, 140),
    }
    points = [
        step(bodies, nodes, way, ms, forces)
        for (bodies, way), found in times.items()
        for nodes, ms in zip((1, 4, 8), found, strict=True)
    ]
    return {"truth": None, "points": points}


def seen(data: dict[str, Any]) -> list[bool | None]:
    return [effect.seen for effect in EXPERIMENT.judge(data)]


def test_what_is_as_published_is_seen_for_each_kind_of_forces() -> None:
    assert seen(as_published()) == [True] * 5
    both = {"points": as_published()["points"] + as_published("tree")["points"]}
    assert seen(both) == [True] * 10


@pytest.mark.parametrize(
    ("bodies", "way", "factor", "unseen"),
    [
        (112, CONVENTIONAL, 0.5, {0, 1, 2}),
        (112, MULTICAST, 1.5, {1, 2}),
        (8000, MULTICAST, 1.2, {3}),
        (8000, CONVENTIONAL, 2, {4}),
    ],
)
def test_one_that_differs_on_most_nodes_is_not(
    bodies: int, way: str, factor: float, unseen: set[int]
) -> None:
    data = as_published()
    for made in data["points"]:
        if (made["bodies"], made["way"], made["nodes"]) == (bodies, way, 8):
            made["median_ns"] *= factor
    assert {place for place, found in enumerate(seen(data)) if found is False} == unseen


def test_twice_as_fast_is_told_and_need_not_be() -> None:
    data = as_published()
    for made in data["points"]:
        if made["way"] == MULTICAST:
            made["median_ns"] *= 3
    failed = [effect.failed for effect in EXPERIMENT.judge(data)]
    assert failed[1:3] == [False, False] and seen(data)[1:3] == [False, False]


def test_a_speedup_is_over_one_node_and_unknown_without_it() -> None:
    data = as_published()
    assert speedups(data, "direct sum", 112, MULTICAST)[4] == pytest.approx(1 / 0.7)
    data["points"] = [made for made in data["points"] if made["nodes"] != 1]
    assert speedups(data, "direct sum", 112, MULTICAST) == {}
    assert seen(data) == [None, None, True, None, None]
    assert "Speedup" not in EXPERIMENT.show(data)


def test_nothing_measured_shows_nothing() -> None:
    assert seen({}) == [None] * 5
    assert EXPERIMENT.show({}) == ""


def test_the_page_has_a_row_for_each_number_of_nodes() -> None:
    page = EXPERIMENT.show(as_published())
    assert page.count("<tr>") == 1 + 6
    assert "<td>112</td>" in page and "0.43" in page  # of 1.4 ms, 0.6


@pytest.mark.parametrize("form", [_QUICK, _FULL], ids=["quick", "full"])
def test_bodies_are_shared_out_evenly_from_fourteen_a_node_on(form: Any) -> None:
    for bodies in form.bodies.values():
        assert bodies[0] == 14 * max(form.nodes)
        assert all(count % nodes == 0 for count in bodies for nodes in form.nodes)
