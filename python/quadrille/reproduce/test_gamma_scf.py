# SPDX-License-Identifier: BSD-3-Clause
"""What wall and CPU times show, their page, and the program's input."""

from __future__ import annotations

import math
from typing import Any

import pytest

from quadrille.reproduce.catalogue import find_experiment
from quadrille.reproduce.experiments.gamma_scf.judging import PUBLISHED, row
from quadrille.reproduce.experiments.gamma_scf.measuring import SLEEP, TCP, WAITING, WAYS
from quadrille.reproduce.experiments.gamma_scf.water import input_text

EXPERIMENT = find_experiment("gamma-scf")


def run(way: str, waiting: str, wall_s: float, energy_ry: float = -262.96) -> dict[str, Any]:
    cpu = min(PUBLISHED[way][1], wall_s - 0.1) if waiting == SLEEP else wall_s - 0.01
    times = {"wall_s": [wall_s - 1, wall_s + 1], "cpu_s": [cpu] * 2, "mpi_s": [wall_s / 2] * 2}
    counted = {"scf_s": wall_s, "energy_ry": energy_ry, "sent": 0 if way == TCP else 1000, "resent": 10}
    return {"way": way, "waiting": waiting, "turn": 0, "ranks": 2, **times, **counted}


def data(walls: dict[str, float]) -> dict[str, Any]:
    return {"truth": None, "runs": [run(way, waiting, walls[way]) for waiting in WAITING for way in WAYS]}


PAPERS = {way: float(values[0]) for way, values in PUBLISHED.items()}


def seen(made: dict[str, Any]) -> list[bool | None]:
    return [effect.seen for effect in EXPERIMENT.judge(made)]


def test_the_papers_times_show_all_effects_and_its_columns() -> None:
    made = data(PAPERS)
    assert seen(made) == [True] * 8
    found = row(made, TCP, SLEEP)
    assert found is not None
    assert found.difference_s == pytest.approx(26)
    assert found.ratio == pytest.approx(1.39, abs=0.01)


def test_effects_are_not_seen_where_they_are_not() -> None:
    assert seen(data(dict(zip(WAYS, (100, 120, 99), strict=True))))[:3] == [False, False, False]


def test_another_energy_is_noticed() -> None:
    made = data(PAPERS)
    made["runs"][2]["energy_ry"] += 1e-5
    assert seen(made)[-1] is False


def test_of_several_turns_the_median_counts() -> None:
    made = data(PAPERS)
    made["runs"] += [run(TCP, SLEEP, 500), run(TCP, SLEEP, 94)]
    found = row(made, TCP, SLEEP)
    assert found is not None and found.wall_s == 94


def test_nothing_measured_shows_nothing() -> None:
    assert seen({}) == [None] * 8
    assert EXPERIMENT.show({}) == ""


def test_the_page_has_the_papers_row_beside_ours() -> None:
    page = EXPERIMENT.show(data(PAPERS))
    assert "115, 98, 17, 1.17" in page and "1.00 %" in page


def test_molecules_do_not_touch() -> None:
    text = input_text(1e-6).split("ATOMIC_POSITIONS angstrom\n")[1]
    atoms = [line.split() for line in text.splitlines() if line.strip()]
    places = [[float(part) for part in atom[1:]] for atom in atoms]
    assert [atom[0] for atom in atoms] == ["O", "H", "H"] * 8

    def apart(one: list[float], other: list[float]) -> float:
        across = [min((a - b) % 6.2, (b - a) % 6.2) for a, b in zip(one, other, strict=True)]
        return math.hypot(*across)

    for i, one in enumerate(places):
        for j, other in enumerate(places[:i]):
            assert apart(one, other) > (0.95 if i // 3 == j // 3 else 1.2)
