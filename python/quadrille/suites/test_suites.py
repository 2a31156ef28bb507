# SPDX-License-Identifier: BSD-3-Clause
"""What is read of suites and their output, and how runs without and with Quadrille are compared."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from quadrille.suites.forced import NATIVE, SETTINGS
from quadrille.suites.imb_suite import run_passes
from quadrille.suites.lab_job import Ended
from quadrille.suites.mpi4py_suite import failed_tests, module_passes
from quadrille.suites.records import Outcome, Records, compare, table
from quadrille.suites.testlist import SuiteTest, parse_testlist, passes, read_tests

ALGORITHMS = Path(__file__).resolve().parents[3] / "src" / "algorithms" / "algorithms.def"


def test_a_testlist_gives_arguments_environment_limits_and_rules() -> None:
    text = """# comment 4
allred 7 arg=-count=10
@coll_error@bcastlength 4 arg=-nonblocking
bcasttest 16 env=MPIR_CVAR_A=0 env=MPIR_CVAR_B=x timeLimit=30 mem=1.5
abort 4 mpiexecarg=-disable-auto-cleanup strict=false resultTest=TestStatusNoErrors

perf
"""
    assert list(parse_testlist("coll", text)) == [
        SuiteTest("coll", "allred", 7, ("-count=10",)),
        SuiteTest("coll", "bcastlength", 4, ("-nonblocking",)),
        SuiteTest("coll", "bcasttest", 16, (), (("MPIR_CVAR_A", "0"), ("MPIR_CVAR_B", "x")), 30, 1.5),
        SuiteTest(
            "coll", "abort", 4, rule="TestStatusNoErrors", launcher_arguments=("-disable-auto-cleanup",)
        ),
    ]


def test_tests_that_are_too_large_are_left_out_and_none_comes_twice(tmp_path: Path) -> None:
    (tmp_path / "coll").mkdir()
    (tmp_path / "coll" / "testlist.in").write_text(
        "small 4\nsmall 4\nwide 17\nhuge 4 mem=80\n", encoding="utf-8"
    )
    assert [test.name for test in read_tests(tmp_path)] == ["coll/small 4"]


@pytest.mark.parametrize(
    ("rule", "code", "output", "expected"),
    [
        ("", 0, " No Errors\n", True),
        ("", 0, "No Errors but\n", False),
        ("", 1, "No Errors\n", False),
        ("", 0, "Found 3 errors\n", False),
        ("TestStatus", 7, "", True),
        ("TestErrFatal", 0, "No Errors\n", False),
        ("TestStatusNoErrors", 1, "No Errors\n", True),
        ("TestStatusNoErrors", 1, "", False),
    ],
)
def test_each_rule_of_the_suite_decides_what_counts_as_passed(
    rule: str, code: int, output: str, expected: bool
) -> None:
    assert passes(SuiteTest("coll", "one", 2, rule=rule), code, output) is expected


def test_forced_sets_hold_every_algorithm() -> None:
    rows = re.findall(r"^ALGORITHM\(\w+?, (\w+)", ALGORITHMS.read_text(encoding="utf-8"), re.M)
    names = re.findall(r"^ALGORITHM\((\w+),", ALGORITHMS.read_text(encoding="utf-8"), re.M)
    known = {f"{kind}:{name.removeprefix(f'{kind}_')}" for name, kind in zip(names, rows, strict=True)}
    forced = {
        ":".join(one.split(":")[:2])
        for variables in SETTINGS.values()
        for one in variables.get("QUADRILLE_ALGORITHM", "").split(",")
        if one
    }
    assert len(known) > 50
    assert forced == known


def test_only_what_passes_without_and_fails_with_quadrille_is_held_against_it() -> None:
    def outcome(test: str, setting: str, verdict: str, tail: str = "") -> Outcome:
        return Outcome("mpich", "ompi4", test, setting, verdict, 1.0, tail)  # type: ignore[arg-type]

    verdicts = {
        "good": ("passed", "passed"),
        "theirs": ("failed", "failed"),
        "ours": ("passed", "failed"),
        "mended": ("failed", "passed"),
        "shaky": ("passed", "unsteady"),
        "new": ("not built", "not built"),
    }
    outcomes = [
        outcome(test, setting, verdict, f"tail of {test}")
        for test, both in verdicts.items()
        for setting, verdict in zip((NATIVE, "trees"), both, strict=True)
    ]
    (one,) = compare(outcomes)
    assert (one.passes_both, one.fails_both, one.only_with) == (2, 1, 1)
    assert [test.test for test in one.only_without] == ["ours"]
    assert [test.test for test in one.unsteady] == ["shaky"]
    text = table([one])
    assert "| mpich | ompi4 | trees | 2 | 1 | 1 | 1 |" in text
    assert "`ours` fails only with Quadrille" in text and "    tail of ours" in text
    assert "tail of theirs" not in text


def test_a_run_that_was_stopped_goes_on_with_what_it_knows(tmp_path: Path) -> None:
    path = tmp_path / "results" / "results.jsonl"
    records = Records(path)
    records.add(Outcome("mpich", "ompi4", "coll/a 2", NATIVE, "failed"))
    records.add(Outcome("mpich", "ompi4", "coll/a 2", NATIVE, "passed"))
    with path.open("a", encoding="utf-8") as file:
        file.write('{"suite": "mpich", "mpi": "om')
    again = Records(path)
    assert [one.verdict for one in again] == ["passed"]
    assert again.find("mpich", "ompi4", "coll/a 2", NATIVE) is not None
    assert again.find("mpich", "ompi5", "coll/a 2", NATIVE) is None


def test_mpi4py_tells_failures_in_words_not_by_its_exit_code() -> None:
    output = "FAIL: testBcast (test_cco_buf.TestWorld)\nERROR: testX (test_a.T.testX)\nFAILED (failures=1)\n"
    assert failed_tests(output) == ["test_a.T.testX", "test_cco_buf.TestWorld.testBcast"]
    assert not module_passes(Ended(0, output, 1))
    assert module_passes(Ended(0, "Ran 72 tests in 1s\n\nOK\n", 1))
    assert not module_passes(Ended(None, "OK\n", 1))


def test_a_benchmark_with_a_defect_or_without_checks_does_not_pass() -> None:
    def printed(heading: str, row: str) -> Ended:
        return Ended(0, f"  {heading}\n  {row}\n# All processes entering MPI_Finalize\n", 1)

    heading = "#bytes #repetitions  t_min[usec] defects"
    assert run_passes(printed(heading, "4 6 1.00 0.00"))
    assert run_passes(printed(heading, "4 time-out.; Time limit is over; use -time X"))
    assert not run_passes(printed(heading, "4 6 1.00 1.00"))
    assert not run_passes(printed("#bytes #repetitions  t_min[usec]", "4 6 1.00"))
    assert run_passes(printed("#repetitions  t_min[usec]", "6 1.00"))  # MPI_Barrier
