# SPDX-License-Identifier: BSD-3-Clause
"""The decision table's maps: plotly takes them, colours tell algorithms apart, ratios keep their scale."""

from __future__ import annotations

import math

import plotly.graph_objects as go
import pytest

from quadrille.plan.contract import Cell
from quadrille.plan.table_page import choice_map, render_table_page, speed, speed_map


def cell(ranks: int, size: int, algorithm: str | None, time_ns: int | None, library_ns: int | None) -> Cell:
    return Cell(
        collective="bcast",
        ranks=ranks,
        bytes=size,
        name=f"{algorithm}:segment=8192" if algorithm else None,
        algorithm=algorithm,
        time_ns=time_ns,
        library_ns=library_ns,
        library_source="measured" if library_ns else None,
        bound_ns=500,
    )


CELLS = [
    cell(2, 1, "bcast_binomial", 1000, 1000),
    cell(2, 1024, "bcast_chain", 1000, 1500),
    cell(3, 1, "bcast_binomial", 2000, 1800),
    cell(3, 1024, None, None, None),
]


def test_plotly_takes_both_maps() -> None:
    for figure in (choice_map(CELLS), speed_map(CELLS)):
        (heat,) = go.Figure(figure).data
        assert heat.x == ("1 B", "1 KiB")
        assert heat.y == ("2", "3")


def test_each_algorithm_has_a_colour_and_what_is_left_to_the_library_none() -> None:
    heat = choice_map(CELLS)["data"][0]
    assert heat["z"] == [[0, 1], [0, None]]
    assert heat["colorbar"]["ticktext"] == ["binomial", "chain"]
    colours = [colour for _, colour in heat["colorscale"]]
    assert colours[0] == colours[1] != colours[2] == colours[3]
    assert "left to the MPI library" in heat["text"][1][1]
    assert "50 % of the limit" in heat["text"][0][0]


@pytest.mark.parametrize(("library_ns", "reach"), [(1900, 2), (4000, 5), (300, 5), (90_000, 10)])
def test_the_scale_of_speed_is_alike_both_ways_and_holds_what_there_is(library_ns: int, reach: float) -> None:
    heat = speed_map([cell(2, 1, "bcast_chain", 1000, library_ns)])["data"][0]
    assert heat["zmax"] == pytest.approx(math.log10(reach))
    assert heat["zmin"] == -heat["zmax"]
    assert heat["z"][0][0] == pytest.approx(math.log10(library_ns / 1000), abs=1e-3)


def test_speed_needs_both_times() -> None:
    assert [speed(one) for one in CELLS] == [1.0, 1.5, 0.9, None]


def test_the_page_counts_what_is_faster() -> None:
    page = render_table_page(CELLS, "Plans for <x>", "quadrille plan --all")
    assert "4 calls planned, 1 of them predicted faster" in page
    assert "the median is 1.00 times as fast, the best 1.50 times" in page
    assert "Plans for &lt;x&gt;" in page
    assert "estimated where" not in page
