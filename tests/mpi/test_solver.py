# SPDX-License-Identifier: BSD-3-Clause
"""`quadrille-solver` with real launchers: right results on several ranks, computing that is paced."""

from __future__ import annotations

import shutil

import pytest

from quadrille.errors import QuadrilleError
from quadrille.reproduce.solver_job import solve

pytestmark = [pytest.mark.mpi, pytest.mark.timeout(60)]


def line_of(ranks: int) -> list[str]:
    launcher = shutil.which("mpirun.openmpi") or shutil.which("mpirun")
    assert launcher is not None, "no mpirun in PATH; run `make build`"
    line = [launcher, "--allow-run-as-root", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1"]
    return [*line, "-np", str(ranks)]


@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize("problem", [["poisson", "--length", "11"], ["diagonalisation", "--order", "40"]])
def test_results_are_right_and_computing_takes_as_long_as_told(ranks: int, problem: list[str]) -> None:
    solved = solve(line_of(ranks), [*problem, "--computing-ns", "4e6,2e6,0"])
    assert solved.correct and solved.ranks == ranks and solved.error <= 1e-5
    repeated = solved.steps if problem[0] == "poisson" else 1
    assert solved.seconds >= 0.99 * repeated * 6e-3 / ranks


@pytest.mark.parametrize("ranks", [1, 3])
def test_a_transform_there_and_back_finds_its_coefficients_again(ranks: int) -> None:
    sized = ["transposition", "--length", "16", "--radius", "5", "--repeated", "3"]
    solved = solve(line_of(ranks), sized)
    assert solved.correct and solved.error < 1e-10
    assert len(solved.each_s) == 3 and min(solved.each_s) > 0


def test_a_goal_that_is_not_reached_is_no_success() -> None:
    with pytest.raises(QuadrilleError, match="exit code 1"):
        solve(line_of(1), ["poisson", "--length", "4", "--goal", "1e-12", "--most", "2"])
