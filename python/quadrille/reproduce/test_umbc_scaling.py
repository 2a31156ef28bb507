# SPDX-License-Identifier: BSD-3-Clause
"""What times over nodes show, with constant memory in all and on each node, from made data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from quadrille.reproduce.catalogue import find_experiment
from quadrille.reproduce.experiments import umbc_global, umbc_local
from quadrille.reproduce.sorts import paper
from quadrille.reproduce.sorts.measuring import CONTROLLED, LIBRARY, OURS, Scaling

GLOBAL, LOCAL = find_experiment("umbc-global"), find_experiment("umbc-local")


def point(way: str, nodes: int, ms: float, limit_ms: float) -> dict[str, Any]:
    return {
        "way": way,
        "exchange": "sort_alltoallv_double",
        "nodes": nodes,
        "ranks": 2 * nodes,
        "doubles": 2,
        "bytes": 4096,
        "samples_ns": [ms * 1e6] * 4,
        "first_ns": ms * 1e6,
        "median_ns": ms * 1e6,
        "stalls": 0,
        "limit_ns": limit_ms * 1e6,
        "arrays_bytes": 1000,
        "grown_bytes": 1000,
        "swapped": False,
    }


def run(times: Mapping[str, tuple[float, ...]], limits: tuple[float, ...]) -> dict[str, Any]:
    """Return points of each way on 1, 2, 4 and 8 nodes; 0: no network."""
    points = [
        point(way, nodes, ms, limit)
        for way, found in times.items()
        for nodes, ms, limit in zip((1, 2, 4, 8), found, limits, strict=True)
    ]
    return {"truth": None, "points": points}


def falling() -> dict[str, Any]:
    times = {LIBRARY: (1, 110, 95, 60), CONTROLLED: (1, 105, 80, 50), OURS: (1, 100, 82, 55)}
    return run(times, (0, 98, 74, 43))


def growing() -> dict[str, Any]:
    times = {LIBRARY: (1, 55, 82, 96), CONTROLLED: (1, 52, 78, 91), OURS: (1, 51, 77, 90)}
    return run(times, (0, 49, 74, 86))


def seen(experiment: Any, data: dict[str, Any]) -> list[bool | None]:
    return [effect.seen for effect in experiment.judge(data)]


def changed(data: dict[str, Any], way: str, nodes: int, ms: float) -> dict[str, Any]:
    for made in data["points"]:
        if (made["way"], made["nodes"]) == (way, nodes):
            made["median_ns"] = ms * 1e6
    return data


def test_what_is_as_published_is_seen() -> None:
    assert seen(GLOBAL, falling()) == [True] * 5
    assert seen(LOCAL, growing()) == [True] * 7


def test_each_is_not_seen_where_the_other_is_the_case() -> None:
    assert seen(GLOBAL, growing())[:3] == [False] * 3
    assert seen(LOCAL, falling())[:3] == [False] * 3


@pytest.mark.parametrize(("way", "falls", "grows"), [(CONTROLLED, 0, 0), (OURS, 1, 2), (LIBRARY, 2, 1)])
def test_one_step_against_the_rest_is_enough(way: str, falls: int, grows: int) -> None:
    assert seen(GLOBAL, changed(falling(), way, 8, 99))[falls] is False
    assert seen(LOCAL, changed(growing(), way, 8, 60))[grows] is False


def test_the_library_on_small_buffers_may_collapse() -> None:
    effects = GLOBAL.judge(changed(falling(), LIBRARY, 8, 400))
    assert effects[2].seen is False and not effects[2].failed


def test_one_node_is_not_judged() -> None:
    assert seen(GLOBAL, changed(falling(), OURS, 1, 500)) == [True] * 5


def test_slower_than_the_library_or_the_wire_is_told_and_no_failure() -> None:
    effects = GLOBAL.judge(changed(falling(), OURS, 8, 80))
    assert [effect.seen for effect in effects[3:]] == [False, False]
    assert not any(effect.failed for effect in effects)


def test_the_papers_times_grow_as_what_leaves_a_node() -> None:
    published = dict(zip(paper.NODES, paper.LOCAL_S, strict=True))
    assert umbc_local.off_node_spread(published) < 0.04
    assert umbc_local.off_node_spread({2: 1, 4: 3}) == pytest.approx(1 / 3)
    shares = [paper.of_limit(nodes, 512 * nodes, time) for nodes, time in published.items() if nodes > 1]
    assert [f"{share:.0%}" for share in shares] == ["71%", "74%", "72%", "74%"]
    falls = zip(paper.NODES[1:], paper.GLOBAL_S[1:], strict=True)
    assert [f"{paper.of_limit(nodes, 512, time):.0%}" for nodes, time in falls] == [
        "68%",
        "69%",
        "61%",
        "43%",
    ]


def test_nothing_measured_shows_nothing() -> None:
    for experiment in (GLOBAL, LOCAL):
        assert set(seen(experiment, {})) == {None}
        assert experiment.show({}) == ""


def test_a_page_has_the_papers_rows_and_ours() -> None:
    data = falling()
    data["points"][0]["swapped"] = True
    page = GLOBAL.show(data)
    assert page.count("<tr>") == 2 + 5 + 12
    assert "1.14 s" in page and "(swapped)" in page


@pytest.mark.parametrize(
    "form", [umbc_global.QUICK, umbc_global.FULL, umbc_local.QUICK, umbc_local.FULL], ids=str
)
def test_vectors_can_be_divided_on_each_number_of_nodes(form: Scaling) -> None:
    assert max(form.nodes) == form.hosts
    assert all(form.sort.vectors % (nodes * form.per_node) ** 2 == 0 for nodes in form.nodes)
    assert form.hosts * form.rate_mbit <= 480, "what two cores can emulate"
