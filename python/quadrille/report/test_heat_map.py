# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import pytest

from quadrille.bench.test_slower import point
from quadrille.contracts import PointLine
from quadrille.report.heat_map import colour_of, heat_map, limit_map


def depth(colour: str) -> float:
    """Return how far from white the strongest part of `colour` is."""
    return max(255 - int(colour[at : at + 2], 16) for at in (1, 3, 5)) / 255


@pytest.mark.parametrize("ratio", [1.1, 2.0, 3.9])
def test_losses_are_as_deep_as_wins_and_of_another_colour(ratio: float) -> None:
    assert depth(colour_of(ratio)) == pytest.approx(depth(colour_of(1 / ratio)), abs=0.01)
    assert int(colour_of(ratio)[1:3], 16) > int(colour_of(1 / ratio)[1:3], 16)


def test_colours_begin_at_white_and_end_at_the_full_ones() -> None:
    assert colour_of(1) == "#ffffff"
    assert colour_of(0.01) == "#0072b2" and colour_of(100) == "#d55e00"


def test_cells_carry_their_number_and_the_worst_of_a_point_counts() -> None:
    page = heat_map([point(1.4, 1.5, 1.6), point(0.4, 0.5, 0.6)])
    assert "<b>1.50</b>" in page and "0.50" not in page
    assert "<b>" not in heat_map([point(0.5, 1.5, 2.6)]).split("<p", maxsplit=1)[0]


def with_shares(collective: str, ours: float | None, alone: float | None) -> PointLine:
    made = point(0.4, 0.5, 0.6)
    sides = {
        "quadrille": made.blocks.quadrille.model_copy(update={"percent_of_framed_limit": ours}),
        "native": made.blocks.native.model_copy(update={"percent_of_framed_limit": alone}),
    }
    blocks = made.blocks.model_copy(update=sides)
    return made.model_copy(update={"collective": collective, "blocks": blocks})


def test_shares_of_the_limit_stand_beside_the_librarys_and_points_without_one_are_left_out() -> None:
    unknown = with_shares("scan", None, None)
    page = limit_map([with_shares("bcast", 88.2, 41), unknown])
    assert "<b>88</b><i>41</i>" in page
    assert "scan" not in page
    assert limit_map([unknown]) == ""
