# SPDX-License-Identifier: BSD-3-Clause
"""Candidates are the planner's own, regret is counted from what was measured; the jobs are made up here."""

from __future__ import annotations

from pathlib import Path

import pytest

from quadrille.bench.candidates import Measured, Shape, measure_candidates, summary, table
from quadrille.bench.cases import Case
from quadrille.bench.results_file import read_results
from quadrille.contracts import PointLine, RunLine
from quadrille.errors import QuadrilleError, UsageError
from quadrille.installation import native_program
from quadrille.model.model_file import load_model

EXAMPLES = Path(__file__).resolve().parents[3] / "schemas" / "examples"
MODEL = EXAMPLES / "network_model_three_buses.json"
CASE = Case(
    description="two shapes", collectives=["bcast"], bytes=["64", "16K"], ranks=None, seconds=10, root=1
)


def measured(name: str, predicted_ns: int, *samples_ns: int) -> Measured:
    return Measured(name, predicted_ns, samples_ns, (2_000_000,), 0)


class Jobs:
    """Runs nothing: each further job's calls take a tenth longer."""

    def __init__(self, ranks_of: dict[str, list[int]]) -> None:
        results = read_results([EXAMPLES / "results_bench.jsonl"])
        facts, (self._point, *_) = results.runs[0].facts, results.points()
        host = facts.hosts[0]
        hosts = [host.model_copy(update={"name": name, "ranks": ranks}) for name, ranks in ranks_of.items()]
        ranks = sum(map(len, ranks_of.values()))
        self._run = facts.model_copy(update={"hosts": hosts, "ranks": ranks})
        self.algorithms: list[str] = []

    def measure(self, case: Case, algorithm: str) -> tuple[RunLine, list[PointLine]]:
        self.algorithms.append(algorithm)
        ours = self._point.blocks.quadrille
        time_ns = 1_000_000 + 100_000 * len(self.algorithms)
        side = ours.model_copy(update={"executor": "quadrille", "samples_ns": [time_ns] * 3})
        blocks = self._point.blocks.model_copy(update={"quadrille": side})
        return self._run, [self._point.model_copy(update={"blocks": blocks})]


def one_rank_each() -> dict[str, list[int]]:
    return {host.name: [at] for at, host in enumerate(load_model(MODEL).hosts)}


@pytest.fixture(autouse=True)
def planner() -> None:
    try:
        native_program("quadrille-plan")
    except QuadrilleError as missing:
        pytest.skip(str(missing))


def test_the_choice_and_the_cheapest_others_are_measured_by_name() -> None:
    jobs = Jobs(one_rank_each())
    shapes = list(measure_candidates(CASE, MODEL, 3, jobs.measure))
    assert [(shape.size, len(shape.candidates)) for shape in shapes] == [(64, 3), (16384, 3)]
    assert jobs.algorithms[0] == ""
    forced = [[*(f"bcast:{one.name}" for one in shape.candidates), ""] for shape in shapes]
    assert jobs.algorithms[1:] == forced[0] + forced[1]
    for shape in shapes:
        predicted = [one.predicted_ns for one in shape.candidates]
        assert predicted == sorted(predicted)
        assert shape.regret == 0  # the first is the fastest here


def test_ranks_that_go_round_the_hosts_are_refused_with_their_places() -> None:
    names = list(one_rank_each())
    around = {name: [at, at + len(names)] for at, name in enumerate(names)}
    with pytest.raises(UsageError, match=f"{names[0]} has 0 {len(names)}"):
        list(measure_candidates(CASE, MODEL, 1, Jobs(around).measure))


def test_regret_is_against_the_best_that_was_measured() -> None:
    choice, better = (
        measured("tree", 900_000, 1_000_000, 1_200_000, 1_100_000),
        measured("ring", 1, 1_000_000),
    )
    library = measured("the MPI library", 0, 2_200_000)
    shape = Shape("bcast", 64, 8, (choice, better, measured("star", 5)), library)
    assert shape.regret == pytest.approx(0.1)
    lines = table(shape)
    assert "MPI library 2.00 ms, regret 10.0%" in lines[0]
    assert [line.split()[-1] for line in lines[2:5]] == ["ring", "tree", "star"]
    assert lines[3].startswith("  * ") and "-18%" in lines[3] and "left" in lines[4]
    assert "in a program: 2.20 ms, the MPI library, regret 120.0%" in lines[-1]
    assert summary([shape]).splitlines() == [
        "by the model: regret mean 10.0%, worst 10.0% of 1 shapes",
        "in a program: regret mean 120.0%, worst 120.0% of 1 shapes",
    ]


def test_in_a_program_the_mpi_library_is_a_candidate_too() -> None:
    slow, chosen = measured("tree", 1, 3_000_000), measured("the MPI library", 0, 2_200_000)
    assert Shape("bcast", 64, 8, (slow,), chosen).regret_in_a_program == pytest.approx(0.1)


def test_a_choice_that_carried_out_nothing_has_no_regret() -> None:
    shape = Shape("bcast", 64, 8, (measured("tree", 5), measured("ring", 5, 7)), measured("tree", 0, 7))
    assert shape.regret is None
    assert "no choice" in summary([shape])
