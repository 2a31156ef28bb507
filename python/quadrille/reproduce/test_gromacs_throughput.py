# SPDX-License-Identifier: BSD-3-Clause
"""What the throughputs of all-to-alls show, and their page, from made data."""

from __future__ import annotations

from typing import Any

import pytest

from quadrille.reproduce.catalogue import find_experiment
from quadrille.reproduce.experiments.gromacs_throughput.judging import of_limit, throughput

EXPERIMENT = find_experiment("gromacs-throughput")


def point(exchange: str, share: float, ranks: int = 16, size: int = 8192, stalls: int = 0) -> dict[str, Any]:
    limit_ns = (ranks - 1) * size * 320  # 25 Mbit/s
    median = limit_ns / share
    return {
        "nodes": "single-CPU",
        "exchange": exchange,
        "ranks": ranks,
        "bytes": size,
        "samples_ns": [median] * 5,
        "median_ns": median,
        "stalls": stalls,
        "limit_ns": limit_ns,
    }


def seen(points: list[dict[str, Any]]) -> list[bool | None]:
    return [effect.seen for effect in EXPERIMENT.judge({"points": points})]


def test_throughput_is_what_a_process_sends_over_the_time() -> None:
    half = point("ordered", 0.5)
    assert throughput(half) == pytest.approx(25 / 8 / 2)  # MB/s
    assert of_limit(half) == pytest.approx(0.5)


def test_the_posters_effects_are_seen_where_they_are() -> None:
    points = [
        point("flood", 0.3, stalls=4),
        point("Open MPI", 0.4),
        point("flood, flow control", 0.9),
        point("ordered", 0.88),
    ]
    assert seen(points) == [True] * 5


def test_they_are_not_where_they_are_not() -> None:
    points = [
        point("flood", 0.95),
        point("Open MPI", 0.95),
        point("flood, flow control", 0.5),
        point("ordered", 0.6, stalls=1),
    ]
    assert seen(points) == [False] * 5
    failed = [effect.failed for effect in EXPERIMENT.judge({"points": points})]
    assert failed == [True, True, True, True, False], "what is beyond the poster need not appear"


def test_two_nodes_and_sizes_of_other_programs_do_not_count() -> None:
    assert seen([point("flood", 0.1, ranks=2), point("flood", 0.1, size=131072)])[0] is None


def test_nothing_measured_shows_nothing() -> None:
    assert seen([]) == [None] * 5
    assert "<table" not in EXPERIMENT.show({})


def test_the_page_has_each_point() -> None:
    points = [point("flood", 0.3, ranks=ranks, stalls=2) for ranks in (4, 16)]
    page = EXPERIMENT.show({"points": points, "truth": None})
    assert "single-CPU nodes" in page
    assert page.count("2 of 5") == 2
    assert page.count("30 %") == 2
