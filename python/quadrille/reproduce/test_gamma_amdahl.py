# SPDX-License-Identifier: BSD-3-Clause
"""What fitted serial shares show, and their page, from made data."""

from __future__ import annotations

from typing import Any

from quadrille.reproduce.catalogue import find_experiment
from quadrille.reproduce.experiments.gamma_amdahl.judging import share
from quadrille.reproduce.fits import amdahl

EXPERIMENT = find_experiment("gamma-amdahl")


def data(of_tcp: float, of_provider: float, noise: float = 0, correct: bool = True) -> dict[str, Any]:
    """Make times by Amdahl's law, every other one `noise` of it longer."""
    runs = []
    for solver in ("diagonalisation", "poisson"):
        for way, serial in (("TCP", of_tcp), ("provider", of_provider)):
            for place, ranks in enumerate((2, 4, 8)):
                seconds = 10 / amdahl(serial, ranks) * (1 + noise * (place % 2))
                one = {"solver": solver, "way": way, "turn": 0, "ranks": ranks, "seconds": seconds}
                checked = {"late_share": 0.01, "error": 1e-7, "verified": "residual", "correct": correct}
                runs.append({**one, **checked, "steps": 100, "computing_ns": [1, 2, 3]})
    alone = {"seconds": 10, "steps": 100}
    return {"truth": None, "alone": {"diagonalisation": alone, "poisson": alone}, "runs": runs}


def seen(made: dict[str, Any]) -> list[bool | None]:
    return [effect.seen for effect in EXPERIMENT.judge(made)]


def test_the_papers_shares_show_all_but_a_factor_that_they_do_not_give_on_eight() -> None:
    made = data(0.23, 0.03)
    assert seen(made) == [True, True, True] * 2 + [True]
    found = share(made, "poisson", "TCP")
    assert found is not None and abs(found.value - 0.23) < 1e-9


def test_effects_are_not_seen_where_they_are_not() -> None:
    assert seen(data(0.1, 0.23, correct=False)) == [False, False, False] * 2 + [False]


def test_a_difference_within_the_errors_is_none() -> None:
    effects = EXPERIMENT.judge(data(0.12, 0.10, noise=0.5))
    assert effects[0].seen is False
    assert "no difference" in effects[0].why


def test_one_run_of_each_has_no_error_and_shows_no_difference() -> None:
    made = data(0.12, 0.10)
    made["runs"] = [run for run in made["runs"] if run["ranks"] == 8]
    assert seen(made)[0] is None


def test_nothing_measured_shows_nothing() -> None:
    assert set(seen({})) == {None}
    assert EXPERIMENT.show({}) == ""


def test_the_page_states_shares_with_their_errors_and_the_papers() -> None:
    page = EXPERIMENT.show(data(0.23, 0.1, noise=0.1))
    assert "±" in page and "0.23" in page
    assert page.count('class="chart"') == 2 or page.count("<h2>") == 1
