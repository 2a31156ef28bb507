# SPDX-License-Identifier: BSD-3-Clause
"""Fits of points that lie on a curve, and of points that do not."""

from __future__ import annotations

import pytest

from quadrille.reproduce.fits import Fitted, amdahl, serial_share, slope, slope_through_origin


@pytest.mark.parametrize("share", [0, 0.1, 0.23, 1])
def test_the_serial_share_of_times_by_amdahls_law_is_found(share: float) -> None:
    found = serial_share([(n, 7 / amdahl(share, n)) for n in (1, 2, 4, 8)], 7)
    assert found is not None and found.error is not None
    assert found.value == pytest.approx(share, abs=1e-12)
    assert found.error == pytest.approx(0, abs=1e-12)


def test_times_that_follow_no_law_have_an_error() -> None:
    found = serial_share([(2, 0.6), (4, 0.5), (8, 0.2)], 1)
    assert found is not None and found.error is not None
    assert found.error > 0.05


def test_one_processor_tells_no_serial_share() -> None:
    assert serial_share([(1, 1.0)], 1) is None
    alone = serial_share([(4, 0.4)], 1)
    assert alone is not None and alone.value == pytest.approx(0.2) and alone.error is None


def test_slopes_and_their_errors_are_those_of_the_textbook() -> None:
    # y = 2 x + 1 with -1, +2, -1 beside it: residual variance 6, sum of squares 2.
    found = slope([0, 1, 2], [0, 5, 4])
    assert found.value == pytest.approx(2)
    assert found.error == pytest.approx((6 / 1 / 2) ** 0.5)
    assert slope_through_origin([1, 2], [3, 6]) == Fitted(3, 0)


def test_values_differ_where_errors_leave_no_doubt() -> None:
    assert Fitted(1, 0.1).differs_from(Fitted(2, 0.1))
    assert not Fitted(1, 0.4).differs_from(Fitted(2, 0.4))
