# SPDX-License-Identifier: BSD-3-Clause
"""Charts as SVG: everything inside the picture, in the right order, and none where it cannot be."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

import pytest

from quadrille.bench.results_file import read_results
from quadrille.bench.test_slower import EXAMPLES
from quadrille.report.charts import ratio_chart, time_chart
from quadrille.report.grouping import groups_of
from quadrille.reproduce.static_chart import static_chart

SVG = "{http://www.w3.org/2000/svg}"


def drawn(figure: dict[str, Any]) -> ElementTree.Element:
    text = static_chart(figure)
    assert text is not None
    return ElementTree.fromstring(text)


def scatter(x: list[Any], y: list[float | None], **more: Any) -> dict[str, Any]:
    return {"type": "scatter", "mode": "lines+markers", "name": "a & b", "x": x, "y": y, **more}


@pytest.mark.parametrize("chart", [time_chart, ratio_chart])
def test_the_charts_of_a_report_can_be_drawn(chart: Any) -> None:
    (group,) = groups_of(read_results([EXAMPLES / "results_bench.jsonl"]).runs)
    for collective in group.collectives():
        for series in group.series(collective):
            root = drawn(chart(series))
            texts = ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]
            assert "8 KiB" in texts and any("(log)" in text for text in texts)
            for dot in root.iter(f"{SVG}circle"):
                assert 0 <= float(dot.attrib["cx"]) <= 640 and 0 <= float(dot.attrib["cy"]) <= 360


@pytest.mark.parametrize("axis", ["linear", "log"])
def test_larger_values_stand_farther_right_and_higher(axis: str) -> None:
    layout = {"xaxis": {"type": axis}, "yaxis": {"type": axis}}
    root = drawn({"data": [scatter([1, 10, None, 100], [5, None, None, 700])], "layout": layout})
    (left, low), (right, high) = (
        (float(dot.attrib["cx"]), float(dot.attrib["cy"])) for dot in root.iter(f"{SVG}circle")
    )
    assert left < right and low > high
    texts = ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]
    assert "a & b" in texts and len([text for text in texts if re.fullmatch(r"[\d.]+", text)]) >= 4


def test_bars_stand_side_by_side_on_the_axis() -> None:
    bar = {"type": "bar", "x": ["one", "two"], "y": [1.0, 2.0]}
    root = drawn({"data": [bar | {"name": "a"}, bar | {"name": "b"}], "layout": {}})
    bars = [box.attrib for box in root.iter(f"{SVG}rect")][1:]
    assert len({box["x"] for box in bars}) == 4
    bottoms = {round(float(box["y"]) + float(box["height"])) for box in bars}
    assert bottoms == {360 - 52}
    assert float(bars[1]["height"]) == pytest.approx(2 * float(bars[0]["height"]), abs=0.2)


def test_equal_values_do_not_divide_by_nothing() -> None:
    drawn({"data": [scatter([4], [2.0])], "layout": {"yaxis": {"type": "log"}}})
    drawn({"data": [scatter([4, 4], [0.0, 0.0])], "layout": {}})


def test_what_cannot_be_drawn_has_no_picture() -> None:
    assert static_chart({"data": [{"type": "box", "y": [1]}], "layout": {}}) is None
    assert static_chart({"data": [scatter([1], [None])], "layout": {}}) is None
