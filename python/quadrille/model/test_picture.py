# SPDX-License-Identifier: BSD-3-Clause
"""The drawing of a model: everything in it appears, nothing overlaps, and it stands alone."""

from __future__ import annotations

import json
import re
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import pytest

from quadrille.model.contract import NetworkModel
from quadrille.model.model_file import load_model, parse_model
from quadrille.model.model_picture import model_svg

EXAMPLES = Path(__file__).resolve().parents[3] / "schemas" / "examples"
SVG = "{http://www.w3.org/2000/svg}"


def example(name: str) -> NetworkModel:
    return load_model(EXAMPLES / f"network_model_{name}.json")


def of_256_hosts() -> NetworkModel:
    names = [f"n{index:03d}" for index in range(256)]
    segments = [
        {"name": f"g{first // 16}", "hosts": names[first : first + 16], "kind": "switch"}
        for first in range(0, 256, 16)
    ]
    hosts = [{"name": name, "to_host_bit_s": 1e9 if name != "n077" else 1e8} for name in names]
    trunks = [{"between": [segment["name"], "core"], "forward_bit_s": 4e9} for segment in segments]
    document = {"hosts": hosts, "segments": segments, "junctions": ["core"], "trunks": trunks}
    return parse_model(json.dumps(document))


def drawn(svg: str, css_class: str) -> list[ElementTree.Element]:
    """Return the elements outside the legend."""
    root = ElementTree.fromstring(svg)
    legend = next(found for found in root if found.get("class") == "legend")
    inside = set(legend.iter())
    return [
        found for found in root.iter() if css_class in found.get("class", "").split() and found not in inside
    ]


@pytest.mark.parametrize("name", ["full", "islands", "minimal", "three_buses", "tree"])
def test_every_segment_junction_trunk_and_host_appears_once(name: str) -> None:
    model = example(name)
    svg = model_svg(model)
    names = [found.text for found in drawn(svg, "name")]
    expected = [f"{segment.kind} {segment.label}" for segment in model.segments]
    assert sorted(map(str, names)) == sorted([*expected, *(f"junction {name}" for name in model.junctions)])
    assert len(drawn(svg, "trunk")) == len(model.trunks)
    assert len(drawn(svg, "host")) == len(model.hosts)
    assert len(drawn(svg, "wire")) == sum(1 for segment in model.segments if segment.kind == "bus")


def test_a_trunk_of_unknown_rate_is_dashed_and_a_faster_one_wider() -> None:
    svg = model_svg(example("tree"))
    trunks = {
        str(found.findtext(f"{SVG}title")).split(",")[0]: found.find(f"{SVG}path")
        for found in ElementTree.fromstring(svg).iter(f"{SVG}g")
        if str(found.findtext(f"{SVG}title")).startswith("trunk ")
    }
    unknown, slow, fast = (trunks[f"trunk {name}"] for name in ("t3", "t4", "t0"))
    assert unknown is not None and "unknown" in unknown.get("class", "")
    assert slow is not None and fast is not None
    assert float(slow.get("stroke-width", "0")) < float(fast.get("stroke-width", "0"))


def test_labels_say_both_directions_and_the_odd_host_says_why() -> None:
    text = "\n".join(ElementTree.fromstring(model_svg(example("tree"))).itertext())
    for part in (
        "→ 1 Gbit/s",
        "← 500 Mbit/s",
        "rate unknown",
        "c9: 100 Mbit/s in",
        "2 Gbit/s (1.2 to 2.1 Gbit/s)",
    ):
        assert part in text, part


def test_the_hosts_of_an_island_are_outlined_and_their_segments_name_it() -> None:
    svg = model_svg(example("islands"))
    assert len(drawn(svg, "island")) == 4 + 2
    texts = set(ElementTree.fromstring(svg).itertext())
    assert {"island island0: 4 hosts, 40 Gbit/s a host", "island island1: 2 hosts, rate unknown"} <= texts
    assert {"h3: in island island0", "h4: in island island1", "h6"} <= texts
    assert "the MPI library" not in model_svg(example("full")), "a legend of what is not there"


def test_a_range_of_hosts_ends_where_an_island_ends() -> None:
    names = [f"n{index:03d}" for index in range(64)]
    segments = [{"hosts": names[:32], "kind": "switch"}, {"hosts": names[32:], "kind": "switch"}]
    islands = [{"name": "x", "hosts": names[20:40]}]
    svg = model_svg(parse_model(json.dumps({"segments": segments, "islands": islands})))
    labels = [text for text in ElementTree.fromstring(svg).itertext() if re.fullmatch(r"n\d+\.\.n\d+", text)]
    assert sorted(set(labels)) == ["n000..n019", "n020..n031", "n032..n039", "n040..n063"]
    assert len(drawn(svg, "island")) == 2


@pytest.mark.parametrize(
    "model", [example("tree"), example("three_buses"), example("islands"), of_256_hosts()]
)
def test_boxes_stay_inside_and_apart(model: NetworkModel) -> None:
    svg = model_svg(model)
    left, top, width, height = map(float, str(ElementTree.fromstring(svg).get("viewBox")).split())
    boxes = [
        tuple(float(found.get(key, "0")) for key in ("x", "y", "width", "height"))
        for found in drawn(svg, "segment")
    ]
    for x, y, w, h in boxes:
        assert left <= x and x + w <= left + width and top <= y and y + h <= top + height
    for (x, y, w, h), (x2, y2, w2, h2) in combinations(boxes, 2):
        assert x + w <= x2 or x2 + w2 <= x or y + h <= y2 or y2 + h2 <= y


def test_hundreds_of_hosts_become_ranges_and_the_odd_one_stays() -> None:
    svg = model_svg(of_256_hosts())
    labels = [text for text in ElementTree.fromstring(svg).itertext() if text.startswith("n0")]
    assert "n000..n015" in labels and "n077" in labels
    assert len(drawn(svg, "host")) == 15 + 4, "n064..n076, n077, n078 and n079 of one segment"


def test_it_stands_alone_and_names_cannot_break_it() -> None:
    model = parse_model('{"segments": [{"name": "<script>&\\"", "hosts": ["a<b"], "kind": "switch"}]}')
    svg = model_svg(model)
    assert 'switch <script>&"' in list(ElementTree.fromstring(svg).itertext())
    assert not re.search(r"(href|src|url\(|@import)", svg)
