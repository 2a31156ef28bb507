# SPDX-License-Identifier: BSD-3-Clause
"""Of tests that fail, those of times are skipped while the machine is taken away, and no others."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

TESTS = """
import pytest

@pytest.mark.timing
def test_a_time_that_is_wrong(): assert 1 == 2
@pytest.mark.timing
def test_a_time_that_is_right(): pass
@pytest.mark.timing
def test_a_time_that_cannot_be_had(): raise OSError
def test_what_is_no_time(): assert 1 == 2
"""

CONFTEST = """
import dataclasses, itertools, sys
sys.path.insert(0, {folder!r})
import quadrille.lab.cpu as cpu
from taken_away import pytest_runtest_call

real, count = cpu.sample, itertools.count()
cpu.sample = lambda: dataclasses.replace(real(), at_s=(at := next(count)), steal_s=at * {stolen})
"""


@pytest.mark.parametrize(
    ("stolen", "outcomes"), [(10, {"passed": 1, "skipped": 1, "failed": 2}), (0, {"passed": 1, "failed": 3})]
)
def test_failures_count_unless_the_machine_was_away(
    pytester: pytest.Pytester, stolen: int, outcomes: dict[str, int]
) -> None:
    pytester.makeini("[pytest]\nmarkers = timing")
    pytester.makeconftest(CONFTEST.format(folder=str(Path(__file__).parent), stolen=stolen))
    pytester.makepyfile(TESTS)
    pytester.runpytest_subprocess().assert_outcomes(**outcomes)
