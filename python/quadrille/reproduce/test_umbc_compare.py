# SPDX-License-Identifier: BSD-3-Clause
"""What first and later calls of the three exchanges show, from made data."""

from __future__ import annotations

from typing import Any

import pytest

from quadrille.reproduce.catalogue import find_experiment
from quadrille.reproduce.experiments.umbc_compare.measuring import C_FIRST, CONNECTED, LIBRARY, OURS, A, B, C

EXPERIMENT = find_experiment("umbc-compare")


def point(job: str, exchange: str, ranks: int, first_ms: float, later_ms: float) -> dict[str, Any]:
    return {
        "job": job,
        "exchange": exchange,
        "ranks": ranks,
        "first_ns": first_ms * 1e6,
        "later_ns": later_ms * 1e6,
    }


def as_explained() -> dict[str, Any]:
    """Return a run in which connecting takes 10 ms on 16 processes and 60 on 32."""
    points = []
    for ranks, connecting, b in ((16, 10, 14), (32, 60, 20)):
        points += [point(job, A, ranks, 2, 1) for job in (LIBRARY, C_FIRST, CONNECTED, OURS)]
        points += [point(LIBRARY, B, ranks, b + connecting, b), point(LIBRARY, C, ranks, 50, 49)]
        points += [point(C_FIRST, C, ranks, 50 + connecting, 50), point(C_FIRST, B, ranks, b, b)]
        points += [point(CONNECTED, B, ranks, b, b), point(CONNECTED, C, ranks, 50, 50)]
        points += [point(OURS, B, ranks, 30, 28), point(OURS, C, ranks, 55, 52)]
    return {"truth": None, "points": points}


def seen(data: dict[str, Any]) -> list[bool | None]:
    return [effect.seen for effect in EXPERIMENT.judge(data)]


def test_what_is_as_explained_is_seen() -> None:
    assert seen(as_explained()) == [True] * 6


@pytest.mark.parametrize(
    ("job", "exchange", "key", "ms", "unseen"),
    [
        (LIBRARY, A, "first_ns", 30, {0}),
        (LIBRARY, B, "first_ns", 40, {1}),
        (LIBRARY, B, "later_ns", 70, {2}),
        (C_FIRST, B, "first_ns", 60, {3}),
        (C_FIRST, C, "first_ns", 55, {3}),
        (CONNECTED, B, "first_ns", 60, {4}),
        (OURS, B, "first_ns", 60, {5}),
    ],
)
def test_each_that_differs_is_not(job: str, exchange: str, key: str, ms: float, unseen: set[int]) -> None:
    data = as_explained()
    for made in data["points"]:
        if (made["job"], made["exchange"], made["ranks"]) == (job, exchange, 32):
            made[key] = ms * 1e6
    assert {place for place, found in enumerate(seen(data)) if found is False} == unseen


def test_the_least_of_several_rounds_counts() -> None:
    data = as_explained()
    data["points"] += [point(OURS, B, 32, 500, 500), point(CONNECTED, B, 32, 500, 20)]
    assert seen(data) == [True] * 6


def test_what_was_not_measured_is_not_shown() -> None:
    data = as_explained()
    data["points"] = [made for made in data["points"] if made["job"] != CONNECTED and made["ranks"] == 32]
    assert seen(data) == [True, None, True, True, None, True]
    assert seen({}) == [None] * 6
    assert EXPERIMENT.show({}) == ""


def test_the_page_tells_what_connecting_takes_for_each_partner() -> None:
    page = EXPERIMENT.show(as_explained())
    assert "1.94 ms" in page, "60 ms for 31 partners"
    assert "2.06 ms" in page, "0.59 s for 287 partners"
