# SPDX-License-Identifier: BSD-3-Clause
"""Comparisons of patterns judge and show recorded runs; samples are made up from the paper's own times."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest

from quadrille.errors import QuadrilleError
from quadrille.installation import native_program
from quadrille.reproduce.catalogue import experiment_ids, find_experiment
from quadrille.reproduce.patterns.comparison import choices_of, figures_of, kernel_ns, samples_of, step_ns
from quadrille.reproduce.patterns.pattern import BUTTERFLY, MPI_LIBRARY, PLANNED, eco
from quadrille.reproduce.patterns.pattern_experiment import PatternExperiment

COMPARISONS = [
    experiment
    for experiment in map(find_experiment, experiment_ids())
    if isinstance(experiment, PatternExperiment)
]


def recorded(experiment: PatternExperiment, times_ns: dict[str, int]) -> dict[str, Any]:
    """Return a run in which every call of a pattern took what `times_ns` says, and others one second."""
    points = [
        {
            "pattern": pattern.name,
            "round": 1,
            "collective": calls.collective,
            "bytes": calls.size,
            "ranks": 8,
            "executor": "quadrille",
            "algorithm": "tree",
            "samples_ns": [times_ns.get(pattern.name, 10**9)] * 3,
            "mpi_samples_ns": [2 * 10**9],
            "limit_ns": 1000,
        }
        for pattern in experiment.comparison.patterns
        for calls in experiment.comparison.measured()
    ]
    return {"topology": None, "truth": None, "points": points}


def paper_times(experiment: PatternExperiment) -> dict[str, int]:
    return {time.pattern: round(time.value * 1e6) for time in experiment.comparison.paper}


def test_every_table_of_the_paper_is_compared() -> None:
    assert [experiment.id for experiment in COMPARISONS] == [
        "eco-table3",
        "eco-table4",
        "eco-table5",
        "eco-table6",
        "eco-table7",
    ]


@pytest.mark.parametrize("experiment", COMPARISONS, ids=lambda one: one.id)
def test_the_papers_own_times_show_its_effects_and_reversed_ones_fail(experiment: PatternExperiment) -> None:
    times = paper_times(experiment)
    assert all(effect.seen for effect in experiment.judge(recorded(experiment, times)))
    slowest = max(times.values())
    reversed_times = {name: 2 * slowest - time for name, time in times.items()}
    assert all(effect.failed for effect in experiment.judge(recorded(experiment, reversed_times)))


@pytest.mark.parametrize("experiment", COMPARISONS, ids=lambda one: one.id)
def test_the_page_has_a_row_for_every_pattern_and_the_mpi_library(experiment: PatternExperiment) -> None:
    page = experiment.show(recorded(experiment, paper_times(experiment)))
    assert all(f"<td>{name}</td>" in page for name in experiment.comparison.names())


def test_a_call_that_the_pattern_did_not_carry_out_is_none_of_its_samples() -> None:
    experiment = COMPARISONS[0]
    data = recorded(experiment, {})
    name = experiment.comparison.patterns[0].name
    data["points"][0]["executor"] = "mpi"
    assert samples_of(data, name, "bcast") == []
    assert step_ns(experiment.comparison, data, name) is None
    assert experiment.judge(data)[0].seen is None
    assert len(samples_of(data, MPI_LIBRARY, "bcast")) == len(experiment.comparison.patterns)


@pytest.mark.parametrize("experiment", COMPARISONS, ids=lambda one: one.id)
def test_quadrilles_own_choice_stands_beside_the_patterns(experiment: PatternExperiment) -> None:
    assert PLANNED in experiment.comparison.patterns
    assert PLANNED.forced() == ""


def test_a_call_that_the_planner_leaves_to_the_mpi_library_is_a_sample_of_its_choice_and_says_so() -> None:
    experiment = COMPARISONS[0]
    data = recorded(experiment, {PLANNED.name: 7})
    point = next(one for one in data["points"] if one["pattern"] == PLANNED.name)
    data["points"].append(point | {"round": 2, "executor": "mpi", "algorithm": None})
    assert samples_of(data, PLANNED.name, "bcast") == [7] * 6
    assert choices_of(data, "bcast") == {"tree": 1, "mpi": 1}
    assert "tree (1), mpi (1)" in experiment.show(data)


def test_a_step_is_the_sum_of_its_calls_medians() -> None:
    experiment = next(one for one in COMPARISONS if one.id == "eco-table4")
    data = recorded(experiment, {BUTTERFLY.name: 10})
    assert step_ns(experiment.comparison, data, BUTTERFLY.name) == pytest.approx(10 + 10 + 0.1 * 10)


def test_a_kernel_counts_where_each_of_its_calls_was_the_patterns_own() -> None:
    experiment = next(one for one in COMPARISONS if one.id == "eco-table6")
    data = recorded(experiment, {BUTTERFLY.name: 10})
    assert kernel_ns(experiment.comparison, data, BUTTERFLY.name) == 10
    assert "here, as one kernel" in experiment.show(data)
    steps = [point for point in data["points"] if point["collective"] == "charmm_step"]
    next(point for point in steps if point["pattern"] == BUTTERFLY.name)["executor"] = "mpi"
    assert kernel_ns(experiment.comparison, data, BUTTERFLY.name) is None


def test_the_short_form_is_judged_by_the_kernel_alone() -> None:
    experiment = next(one for one in COMPARISONS if one.id == "eco-table6")
    data = recorded(experiment, paper_times(experiment))
    short = {calls.collective for calls in experiment.comparison.measured_in_short()}
    data["points"] = [point for point in data["points"] if point["collective"] in short]
    assert short == {"charmm_step"}
    assert all(effect.seen for effect in experiment.judge(data))
    page = experiment.show(data)
    assert "<h2>charmm_step" in page
    assert "<h2>allreduce" not in page


def test_charmm_is_one_kernel_on_every_network_of_its_tables_and_on_twenty_hosts() -> None:
    kernels = {one.id: one.comparison.kernel for one in COMPARISONS}
    assert kernels.pop("eco-table3") is None
    assert {kernel.collective for kernel in kernels.values() if kernel is not None} == {"charmm_step"}
    assert None not in kernels.values()


def test_figures_are_those_of_the_samples() -> None:
    figures = figures_of([1, 2, 6])
    assert figures is not None
    assert (figures.mean, figures.median, figures.minimum) == (3, 2, 1)
    assert figures.sd == pytest.approx(7**0.5)


def test_the_native_library_knows_every_pattern() -> None:
    try:
        plan = native_program("quadrille-plan")
    except QuadrilleError as missing:
        pytest.skip(str(missing))
    listed = subprocess.run([str(plan), "list"], capture_output=True, text=True, check=True).stdout
    known = {tuple(line.split()[:2]) for line in listed.splitlines()}
    for pattern in [eco(2), *(one for experiment in COMPARISONS for one in experiment.comparison.patterns)]:
        for collective, algorithm in pattern.algorithms:
            assert (collective, f"{collective}_{algorithm.split(':')[0]}") in known
