# SPDX-License-Identifier: BSD-3-Clause
"""Changes beyond noise, and the gate that they close."""

from __future__ import annotations

import pytest

from quadrille.bench.changes import compare
from quadrille.bench.gate import clearly_worse, gate_lines, sweep_lines
from quadrille.bench.rank_counts import rank_counts, ranks_started_by
from quadrille.bench.test_slower import point
from quadrille.contracts import PointLine
from quadrille.errors import QuadrilleError, UsageError


def sized(size: int, low: float, value: float, high: float) -> PointLine:
    return point(low, value, high).model_copy(update={"bytes": size})


def test_the_interval_of_a_change_holds_the_noise_of_both() -> None:
    change = compare([point(0.9, 1.0, 1.1)], [point(1.1, 1.2, 1.3)]).changes[0].factor
    assert change.value == pytest.approx(1.2)
    assert 1.3 / 0.9 > change.high > 1.3 and 1.1 / 1.1 < change.low < 1.1


def test_more_points_make_each_harder_to_call_changed() -> None:
    one = compare([sized(1, 0.9, 1, 1.1)], [sized(1, 1.1, 1.2, 1.3)]).changes[0].factor
    old, new = [sized(n, 0.9, 1, 1.1) for n in range(40)], [sized(n, 1.1, 1.2, 1.3) for n in range(40)]
    many = compare(old, new).changes[1].factor
    assert many.low < one.low and many.high > one.high and many.value == one.value


def test_points_are_matched_by_shape_and_the_rest_is_named() -> None:
    comparison = compare([sized(1, 1, 1, 1), sized(2, 1, 1, 1)], [sized(2, 1, 1, 1), sized(3, 1, 1, 1)])
    assert [change.after.bytes for change in comparison.changes] == [2]
    assert [p.bytes for p in comparison.only_before] == [1]
    assert [p.bytes for p in comparison.only_after] == [3]
    assert "1 recorded points were not measured" in gate_lines(comparison)[-1]


@pytest.mark.parametrize(
    ("after", "fails"),
    [
        ((1.9, 2.0, 2.1), True),
        ((1.0, 2.0, 4.0), False),  # noise
        ((1.08, 1.1, 1.12), False),  # certain, but small
        ((0.5, 0.6, 0.7), False),
    ],
)
def test_only_a_clear_worsening_closes_the_gate(after: tuple[float, float, float], fails: bool) -> None:
    assert bool(clearly_worse(compare([point(0.98, 1.0, 1.02)], [point(*after)]))) == fails


def test_a_smaller_gain_that_is_still_a_gain_passes() -> None:
    assert not clearly_worse(compare([point(0.29, 0.3, 0.31)], [point(0.79, 0.8, 0.81)]))


def test_a_sweep_names_its_worst_point_and_who_executed_it() -> None:
    lines = sweep_lines([sized(1, 0.9, 1.5, 1.9), sized(2, 1.1, 1.2, 1.3)])
    assert "1.50 (0.90 to 1.90), executor=" in lines[0]
    assert "certainly above 1.03: 1" in lines[1] and "1.20 (1.10 to 1.30)" in lines[2] and len(lines) == 3


def test_rank_counts_are_powers_of_two_and_all() -> None:
    assert [rank_counts(n) for n in (2, 3, 4, 9)] == [[2], [2, 3], [2, 4], [2, 4, 8, 9]]
    with pytest.raises(UsageError, match="needs 2"):
        rank_counts(1)


def test_the_launcher_is_asked_how_many_it_starts() -> None:
    assert ranks_started_by(["sh", "-c", '"$@"; "$@"; "$@"', "sh"]) == 3
    with pytest.raises(QuadrilleError, match="exit code 1"):
        ranks_started_by(["false"])
    with pytest.raises(UsageError, match="cannot be started"):
        ranks_started_by(["/nonexistent/mpirun"])
