# SPDX-License-Identifier: BSD-3-Clause
"""What is measured is kept whatever ends a run, and pages need nothing but the results file."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from quadrille.cli import build_app
from quadrille.errors import QuadrilleError, UsageError
from quadrille.reproduce.catalogue import experiment_ids, find_experiment
from quadrille.reproduce.experiment import Data, Effect, Experiment, Published
from quadrille.reproduce.recording import read_record
from quadrille.reproduce.running import Plan, page_again, reproduce
from quadrille.reproduce.workbench import Workbench


def counting(ending: BaseException | None = None) -> Experiment:
    """Return an experiment that counts to three and then ends as it is told."""

    def measure(bench: Workbench, data: Data) -> None:
        data["count"] = 3
        if ending is not None:
            raise ending

    return Experiment(
        id="counting",
        title="Counting & showing",
        paper="A paper",
        published=(Published("table 1", "the count", "3"),),
        setting="nothing",
        measure=measure,
        judge=lambda data: [Effect("three", data.get("count") == 3, f"counted {data.get('count')}")],
        show=lambda data: f"<p>count {data.get('count')}</p>",
    )


def plan(folder: Path, *, quick: bool = False) -> Plan:
    return Plan(folder, quick=quick, launcher=None, command=["quadrille", "reproduce", "counting"])


def test_a_run_leaves_results_and_a_page(tmp_path: Path) -> None:
    effects = reproduce(counting(), plan(tmp_path / "new"))
    assert [effect.failed for effect in effects] == [False]
    assert read_record(tmp_path / "new" / "counting.json").state == "complete"
    page = (tmp_path / "new" / "counting.html").read_text(encoding="utf-8")
    for text in (
        "Counting &amp; showing",
        "count 3",
        "<b>seen</b>",
        "quadrille reproduce counting",
        "table 1",
    ):
        assert text in page


@pytest.mark.parametrize(
    ("ending", "state", "reason"),
    [
        (KeyboardInterrupt(), "interrupted", "KeyboardInterrupt"),
        (QuadrilleError("no lab"), "failed", "no lab"),
    ],
)
def test_what_was_measured_is_kept(tmp_path: Path, ending: BaseException, state: str, reason: str) -> None:
    with pytest.raises(type(ending)):
        reproduce(counting(ending), plan(tmp_path))
    record = read_record(tmp_path / "counting.json")
    assert (record.state, record.error, record.data) == (state, reason, {"count": 3})
    assert f"This run is {state}" in (tmp_path / "counting.html").read_text(encoding="utf-8")


def test_a_page_is_made_again_from_the_results_alone(tmp_path: Path) -> None:
    reproduce(counting(), plan(tmp_path))
    results = tmp_path / "counting.json"
    contents = json.loads(results.read_text(encoding="utf-8"))
    results.write_text(json.dumps(contents | {"data": {"count": 2}}), encoding="utf-8")
    assert [effect.failed for effect in page_again(counting(), tmp_path)] == [True]
    assert "<b>not seen</b>" in (tmp_path / "counting.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("contents", "said"),
    [("{", "Invalid JSON"), ("[]", "the file"), ('{"version": 2}', "version = '2'"), ("", "Invalid JSON")],
)
def test_a_wrong_results_file_is_refused_with_the_place(tmp_path: Path, contents: str, said: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(contents, encoding="utf-8")
    with pytest.raises(UsageError, match=said):
        read_record(path)


def test_a_short_form_fails_by_what_no_clock_decides_alone(tmp_path: Path) -> None:
    both = [Effect("faster", False, ""), Effect("right", False, "", exact=True)]
    experiment = replace(counting(), judge=lambda data: both)
    assert [effect.failed for effect in reproduce(experiment, plan(tmp_path))] == [True, True]
    assert [effect.failed for effect in reproduce(experiment, plan(tmp_path, quick=True))] == [False, True]
    assert [effect.failed for effect in page_again(experiment, tmp_path)] == [False, True]


def test_data_of_another_version_are_refused_with_their_file(tmp_path: Path) -> None:
    old = replace(counting(), judge=lambda data: [Effect("three", data["counted"] == 3, "")])
    reproduce(counting(), plan(tmp_path))
    with pytest.raises(UsageError, match=r"counting\.json: its data .*KeyError: 'counted'.* run the experi"):
        page_again(old, tmp_path)


def test_every_experiment_of_the_catalogue_shows_an_empty_run_without_claims(tmp_path: Path) -> None:
    for name in experiment_ids():
        experiment = find_experiment(name)
        assert experiment.id == name
        effects = experiment.judge({})
        assert [effect.seen for effect in effects] == [None] * len(effects)
        experiment.show({})


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["eco-partitions"],
            "eco-partitions: no such experiment; choose one of eco-partition, ",
        ),
        ([], "name an experiment"),
        (["eco-partition", "--pages", "-o", "/nonexistent"], "run the experiment first"),
    ],
)
def test_wrong_calls_are_refused(arguments: list[str], said: str) -> None:
    result = CliRunner().invoke(build_app(), ["reproduce", *arguments])
    assert isinstance(result.exception, UsageError)
    assert said in str(result.exception)


def test_the_list_names_every_experiment() -> None:
    result = CliRunner().invoke(build_app(), ["reproduce", "--list"])
    assert result.exit_code == 0
    assert all(name in result.output for name in experiment_ids())
