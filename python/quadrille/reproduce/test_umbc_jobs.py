# SPDX-License-Identifier: BSD-3-Clause
"""What two jobs at once show, from made data."""

from __future__ import annotations

from typing import Any

import pytest

from quadrille.reproduce.catalogue import find_experiment
from quadrille.reproduce.experiments.umbc_jobs.measuring import HOSTS, LINK
from quadrille.reproduce.sorts.measuring import LIBRARY, OURS

EXPERIMENT = find_experiment("umbc-jobs")
LOADS = (None, "native", "quadrille")


def sharing(shared: str = LINK) -> list[dict[str, Any]]:
    times = {LIBRARY: (90, 125, 112), OURS: (77, 105, 98)}
    return [
        {"way": way, "shared": shared, "beside": beside, "median_ns": ms * 1e6, "stalls": 0}
        | {"samples_ns": [ms * 1e6] * 6}
        for way, found in times.items()
        for beside, ms in zip(LOADS, found, strict=True)
    ]


def seen(points: list[dict[str, Any]]) -> list[bool | None]:
    return [effect.seen for effect in EXPERIMENT.judge({"points": points})]


def test_each_thing_that_is_shared_has_its_effects() -> None:
    assert seen(sharing()) == [True] * 3
    assert seen(sharing() + sharing(HOSTS)) == [True] * 6


@pytest.mark.parametrize(
    ("way", "beside", "ms", "unseen"),
    [(LIBRARY, "native", 92, {0, 1, 2}), (OURS, "quadrille", 130, {1}), (LIBRARY, "quadrille", 200, {2})],
)
def test_one_that_differs_is_not_seen(way: str, beside: str, ms: float, unseen: set[int]) -> None:
    points = sharing()
    for made in points:
        if (made["way"], made["beside"]) == (way, beside):
            made["median_ns"] = ms * 1e6
    assert {place for place, found in enumerate(seen(points)) if found is False} == unseen


def test_what_was_not_measured_is_not_shown() -> None:
    assert seen([]) == [None] * 3
    assert seen([made for made in sharing() if made["beside"] is None]) == [None] * 3
    assert EXPERIMENT.show({}) == ""


def test_the_page_has_each_job_alone_and_beside() -> None:
    page = EXPERIMENT.show({"points": sharing(), "truth": None})
    assert page.count("<tr>") == 1 + 6
    assert "1.39" in page, "125 ms of 90"
