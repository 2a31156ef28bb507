# SPDX-License-Identifier: BSD-3-Clause
"""What one leaf and two show, from made data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from quadrille.errors import UsageError
from quadrille.reproduce.catalogue import find_experiment
from quadrille.reproduce.experiments.umbc_leaf.measuring import (
    BOTH,
    FULL,
    NARROW,
    ONE_LEAF,
    PLACES,
    QUICK,
    SPREAD,
    WIDE,
    Form,
)
from quadrille.reproduce.sorts.measuring import LIBRARY, OURS
from quadrille.reproduce.workbench import Workbench

EXPERIMENT = find_experiment("umbc-leaf")


def as_expected() -> dict[str, Any]:
    times = {WIDE: (77.0, 78.0, 93.0), NARROW: (77.0, 200.0, 410.0)}
    points = [
        {"way": way, "uplink": uplink, "placed": placed, "nodes": nodes, "median_ns": ms * 1e6}
        | {"stalls": 0, "limit_ns": 70e6}
        for way in (LIBRARY, OURS)
        for uplink, found in times.items()
        for placed, nodes, ms in zip(PLACES, (4, 4, 8), found, strict=True)
    ]
    return {"truth": None, "points": points}


def seen(data: dict[str, Any]) -> list[bool | None]:
    return [effect.seen for effect in EXPERIMENT.judge(data)]


def test_what_is_as_expected_is_seen() -> None:
    assert seen(as_expected()) == [True] * 5


@pytest.mark.parametrize(
    ("way", "uplink", "placed", "ms", "unseen", "failed"),
    [
        (OURS, WIDE, BOTH, 120, {0}, True),
        (LIBRARY, WIDE, BOTH, 120, {1}, False),
        (OURS, NARROW, SPREAD, 80, {2}, True),
        (LIBRARY, NARROW, SPREAD, 80, {3}, False),
        (OURS, WIDE, SPREAD, 120, {4}, False),
    ],
)
def test_one_place_that_differs_is_not(
    way: str, uplink: str, placed: str, ms: float, unseen: set[int], failed: bool
) -> None:
    data = as_expected()
    for made in data["points"]:
        if (made["way"], made["uplink"], made["placed"]) == (way, uplink, placed):
            made["median_ns"] = ms * 1e6
    effects = EXPERIMENT.judge(data)
    assert {place for place, effect in enumerate(effects) if effect.seen is False} == unseen
    assert any(effect.failed for effect in effects) == failed


def test_without_one_leaf_there_is_nothing_to_compare_with() -> None:
    data = as_expected()
    data["points"] = [made for made in data["points"] if made["placed"] != ONE_LEAF]
    assert seen(data) == [None] * 5
    assert seen({}) == [None] * 5
    assert EXPERIMENT.show({}) == ""


def test_the_page_has_each_place() -> None:
    page = EXPERIMENT.show(as_expected())
    assert page.count("<tr>") == 1 + 12
    assert "5.32" in page, "410 ms of 77"


def test_a_cluster_whose_leaves_are_not_known_is_refused() -> None:
    bench = Workbench(True, ["mpirun", "-np", "4"], Path(), lambda: None)
    with pytest.raises(UsageError, match="share a leaf"):
        EXPERIMENT.measure(bench, {})


@pytest.mark.parametrize("form", [QUICK, FULL], ids=["quick", "full"])
def test_vectors_can_be_divided_on_one_leaf_and_on_two(form: Form) -> None:
    assert form.ports % 2 == 0
    for leaves in (1, 2):
        assert form.sort.vectors % (leaves * form.ports) ** 2 == 0
