# SPDX-License-Identifier: BSD-3-Clause
"""What all-to-alls on both sets of ports show, and their page, from made data."""

from __future__ import annotations

from typing import Any

import pytest

from quadrille.report.formatting import size_text
from quadrille.reproduce.catalogue import find_experiment
from quadrille.reproduce.experiments.gromacs_cpmd import speedups

EXPERIMENT = find_experiment("gromacs-cpmd")


def run(ports: str, ranks: int, seconds: float, lost: int, error: float) -> dict[str, Any]:
    checked = {"error": error, "correct": error < 1e-10, "verified": "coefficients"}
    times = {"each_s": [seconds, seconds, 9 * seconds], "dropped": {"inner": lost, "ports": 0}}
    return {"ports": ports, "ranks": ranks, **times, **checked}


def data(
    adjacent_s: float, scattered_s: float, lost: tuple[int, int], error: float = 1e-13
) -> dict[str, Any]:
    runs = [run("adjacent", 16, 0.7, 0, error), run("scattered", 16, 0.7, 0, error)]
    runs += [
        run("adjacent", 32, adjacent_s, lost[0], error),
        run("scattered", 32, scattered_s, lost[1], error),
    ]
    return {"truth": None, "alone_ns": 200_000_000, "runs": runs}


def seen(made: dict[str, Any]) -> list[bool | None]:
    return [effect.seen for effect in EXPERIMENT.judge(made)]


def test_effects_are_seen_where_they_are() -> None:
    assert seen(data(1.5, 0.4, (300, 0))) == [True] * 4


def test_effects_are_not_seen_where_they_are_not() -> None:
    assert seen(data(0.4, 0.5, (0, 7), error=0.1)) == [False] * 4


def test_the_speedup_is_composed_of_computing_and_two_all_to_alls() -> None:
    # 1 s of computing; on 32: 31.25 ms and two times 1.5 s / 200.
    assert speedups(data(1.5, 0.4, (0, 0)), "adjacent")[32] == pytest.approx(1 / (1 / 32 + 0.015))


def test_nothing_measured_shows_nothing() -> None:
    assert seen({}) == [None] * 4
    assert EXPERIMENT.show({}) == ""


def test_the_page_has_the_size_of_blocks_and_what_was_lost() -> None:
    page = EXPERIMENT.show(data(1.5, 0.4, (300, 0)))
    assert "300" in page
    assert size_text(16 * 4 * 94) in page, "3001 sticks, 94 of a rank, by 4 planes"
    assert "composed" in page
