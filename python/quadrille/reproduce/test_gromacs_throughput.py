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
        "hosts": ranks,
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
        point("ordered", 0.55, stalls=1),
    ]
    assert seen(points) == [False] * 5
    failed = [effect.failed for effect in EXPERIMENT.judge({"points": points})]
    assert failed == [True, True, True, True, False], "what is beyond the poster need not appear"


def test_one_size_at_which_it_collapses_is_enough() -> None:
    points = [
        point(name, 0.9, size=size) for name in ("flood, flow control", "ordered") for size in (8192, 16384)
    ]
    assert seen(points)[1:3] == [True, True]
    points += [point(name, 0.3, size=32768) for name in ("flood, flow control", "ordered")]
    assert seen(points)[1:3] == [False, False]


def test_an_exchange_that_was_left_to_the_library_is_not_seen() -> None:
    effects = EXPERIMENT.judge({"points": [point("Open MPI", 0.4)]})
    assert [effect.failed for effect in effects] == [False, False, True, True, False]
    assert "left the calls" in effects[2].why


def test_without_a_known_limit_stalls_and_ratios_are_told_all_the_same() -> None:
    points = [point("Open MPI", 0.4), point("ordered", 0.9)]
    for made in points:
        made["limit_ns"] = None
    assert seen(points) == [None, None, None, True, True]


def test_four_processes_on_two_nodes_are_not_beyond_two() -> None:
    made = point("flood", 0.1, ranks=4)
    made["hosts"] = 2
    assert seen([made])[0] is None


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
