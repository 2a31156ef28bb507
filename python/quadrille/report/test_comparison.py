# SPDX-License-Identifier: BSD-3-Clause
"""Two results beside each other: noise is no difference, and what cannot be compared is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from quadrille.bench.results_file import Results, Run, read_results
from quadrille.bench.test_slower import EXAMPLES, point
from quadrille.cli import build_app
from quadrille.errors import UsageError
from quadrille.report.comparison import compared, comparison_page, comparison_sentences

BENCH = EXAMPLES / "results_bench.jsonl"


def results(low: float, value: float, high: float, **facts: Any) -> Results:
    run = read_results([BENCH]).runs[0]
    return Results([Run(run.facts.model_copy(update=facts), [point(low, value, high)], run.end)])


def test_results_compared_with_themselves_do_not_differ() -> None:
    results = read_results([BENCH])
    assert comparison_sentences(compared(results, results)) == [
        "No difference beyond noise at 4 of 4 points."
    ]


@pytest.mark.parametrize(
    ("after", "said"),
    [
        ((1.9, 2.0, 2.1), "Worse at 1 of 1 point: "),
        ((0.4, 0.5, 0.6), "Better at 1 of 1 point: "),
        ((0.5, 2.0, 4.0), "No difference beyond noise at 1 of 1 point."),
        ((1.0, 1.01, 1.02), "No difference beyond noise at 1 of 1 point."),
    ],
)
def test_the_verdict_is_that_of_the_whole_interval(after: tuple[float, float, float], said: str) -> None:
    sentences = comparison_sentences(compared(results(0.99, 1.0, 1.01), results(*after)))
    assert sentences[0].startswith(said)


def test_another_mpi_library_and_another_network_are_refused() -> None:
    before = results(1, 1, 1)
    with pytest.raises(UsageError, match=r"the MPI library is Open MPI 4\.1\.4 in the first and Open MPI 5"):
        compared(before, results(1, 1, 1, mpi_library="Open MPI v5.0.11"))
    network = before.runs[0].facts.network
    assert network is not None
    slower = [host | {"to_host_bit_s": 1} for host in network.contents["hosts"]]
    other = network.model_copy(update={"contents": network.contents | {"hosts": slower}})
    with pytest.raises(UsageError, match="the network is lab, 16 hosts, checksum"):
        compared(before, results(1, 1, 1, network=other))


def test_the_same_network_by_another_name_is_the_same() -> None:
    before = results(1, 1, 1)
    network = before.runs[0].facts.network
    assert network is not None
    hosts = [host | {"address": "10.0.0.1"} for host in network.contents["hosts"]]
    renamed = network.model_copy(update={"contents": network.contents | {"lab": "other", "hosts": hosts}})
    assert compared(before, results(1, 1, 1, network=renamed)).changes


def test_another_version_and_a_run_cut_off_are_told_on_the_page() -> None:
    after = results(1, 1, 1, quadrille_version="0.2.0")
    after.runs[0].end = None
    page = comparison_page(results(1, 1, 1), after, "Old & new")
    assert "Old &amp; new" in page and "version differs: 0.1.0, then 0.2.0." in page
    assert "Second: The run started" in page and "no difference" in page


def test_another_version_is_told_on_the_terminal(tmp_path: Path) -> None:
    text = BENCH.read_text(encoding="utf-8")
    other = tmp_path / "other.jsonl"
    assert '"quadrille_version":"0.1.0"' in text
    other.write_text(text.replace('"quadrille_version":"0.1.0"', '"quadrille_version":"0.2.0"'))
    command = ["report", str(BENCH), str(other), "--compare", "-o", str(tmp_path / "page.html")]
    run = CliRunner().invoke(build_app(), command, catch_exceptions=False)
    assert "mind: Quadrille's version differs: 0.1.0, then 0.2.0." in run.output


def test_runs_under_several_circumstances_are_compared_each_with_its_like() -> None:
    alone, beside = results(0.99, 1, 1.01), results(0.99, 1, 1.01, beside="native")
    slower = results(1.9, 2, 2.1)
    before, after = Results(alone.runs + beside.runs), Results(slower.runs + beside.runs)
    sentences = comparison_sentences(compared(before, after))
    assert sentences[0].startswith("Worse at 1 of 2 points: ") and ", alone (2.00 times)" in sentences[0]
    assert "beside a job of native calls</td>" in comparison_page(before, after, "")


def test_another_forced_algorithm_is_compared_and_told() -> None:
    one, other = ({"QUADRILLE_ALGORITHM": f"bcast:{name}"} for name in ("chain", "binomial"))
    before, after = results(1, 1, 1, environment=one), results(1, 1, 1, environment=other)
    (change,) = compared(before, after).changes
    assert change.about == ""


def test_nothing_in_common_is_refused() -> None:
    after = results(1, 1, 1)
    after.runs[0].points = [after.runs[0].points[0].model_copy(update={"bytes": 7})]
    with pytest.raises(UsageError, match="no point was measured in both"):
        compared(results(1, 1, 1), after)


def test_the_command_tells_the_outcome_and_writes_the_page(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    run = CliRunner().invoke(
        build_app(), ["report", str(BENCH), str(BENCH), "--compare", "-o", str(page)], catch_exceptions=False
    )
    assert run.exit_code == 0 and "No difference beyond noise at 4 of 4 points." in run.output
    assert page.read_text(encoding="utf-8").count("no difference</td>") == 4
    wrong = CliRunner().invoke(build_app(), ["report", str(BENCH), "--compare", "-o", str(page)])
    assert isinstance(wrong.exception, UsageError) and "two results files" in str(wrong.exception)
