# SPDX-License-Identifier: BSD-3-Clause
"""Wrong times count for nothing while steal time is high, whatever else is wrong counts."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

TESTS = """
def test_a_time_that_is_wrong(timing):
    with timing.judged():
        assert 1 == 2

def test_a_time_that_is_right(timing):
    with timing.judged():
        pass

def test_a_time_that_cannot_be_had(timing):
    with timing.judged():
        raise OSError

def test_a_result_that_is_wrong_beside_times(timing):
    assert 1 == 2
    with timing.judged():
        pass
"""

CONFTEST = """
import dataclasses, itertools, sys
sys.path[:0] = [{folder!r}, {parent!r}]
import quadrille.lab.cpu as cpu
from steal_time import timing

real, count = cpu.sample, itertools.count()
cpu.sample = lambda: dataclasses.replace(real(), at_s=(at := next(count)), steal_s=at * {stolen})
"""


@pytest.mark.parametrize(
    ("stolen", "outcomes"), [(10, {"passed": 1, "skipped": 1, "failed": 2}), (0, {"passed": 1, "failed": 3})]
)
def test_wrong_times_count_unless_the_machine_was_away(
    pytester: pytest.Pytester, stolen: int, outcomes: dict[str, int]
) -> None:
    folder = Path(__file__).parent
    pytester.makeconftest(CONFTEST.format(folder=str(folder), parent=str(folder.parent), stolen=stolen))
    pytester.makepyfile(TESTS)
    pytester.runpytest_subprocess().assert_outcomes(**outcomes)
