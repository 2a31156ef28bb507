# SPDX-License-Identifier: BSD-3-Clause
"""The composed speedup of GROMACS, what it shows, and its page, from made data."""

from __future__ import annotations

from typing import Any

import pytest

from quadrille.reproduce.catalogue import find_experiment
from quadrille.reproduce.experiments.gromacs_speedup.judging import speedup

EXPERIMENT = find_experiment("gromacs-speedup")


def run(variant: str, communication_ms: float, ranks: int = 16, energy: float = -1e6) -> dict[str, Any]:
    return {
        "nodes": "single-CPU",
        "variant": variant,
        "ranks": ranks,
        "step_ms": communication_ms + 20,
        "communication_ms": communication_ms,
        "fft_ms": communication_ms / 2,
        "energies": {"Potential": energy},
    }


def seen(runs: list[dict[str, Any]], one_ms: float | None = 160) -> list[bool | None]:
    return [effect.seen for effect in EXPERIMENT.judge({"runs": runs, "one_ms": one_ms})]


def test_the_speedup_is_composed_of_the_lone_step_and_the_faster_network() -> None:
    # 160 ms / (10 + 400 / 40)
    assert speedup({"one_ms": 160}, run("standard", 400)) == pytest.approx(8)


def test_a_real_cluster_has_no_composed_speedup() -> None:
    assert speedup({"one_ms": None}, run("standard", 400, ranks=0)) is None


def test_the_posters_effects_are_seen_where_they_are() -> None:
    runs = [run("standard", 440), run("flow control", 220), run("ordered", 230)]
    assert seen(runs) == [True] * 6


def test_they_are_not_where_they_are_not() -> None:
    runs = [run("standard", 600), run("flow control", 590), run("ordered", 595, energy=-1.1e6)]
    assert seen(runs) == [False] * 6


def test_an_interrupted_run_compares_equal_numbers_of_processes_only() -> None:
    runs = [run("standard", 440), run("standard", 100, ranks=2), run("flow control", 99, ranks=2)]
    runs.append(run("ordered", 200, ranks=8))
    assert seen(runs)[:3] == [False, None, None]


def test_fewer_than_sixteen_tell_nothing_of_sixteen() -> None:
    runs = [run(name, 300, ranks=8) for name in ("standard", "flow control", "ordered")]
    assert seen(runs)[3:5] == [None, None]


def test_nothing_measured_shows_nothing() -> None:
    assert set(seen([], None)) == {None}
    assert "<table" not in EXPERIMENT.show({})


def test_the_page_has_each_run() -> None:
    runs = [run("standard", 440), run("ordered", 230)]
    page = EXPERIMENT.show({"runs": runs, "one_ms": 160.0, "truth": None})
    assert "A step of one process: 160 ms" in page
    assert "<td>standard</td>" in page
    assert "7.6" in page, "160 / (10 + 11)"
