# SPDX-License-Identifier: BSD-3-Clause
"""A model is judged by what was built: right ones pass, each kind of mistake is named."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from quadrille.lab.ready_made import resolve
from quadrille.lab.truth import network_truth
from quadrille.reproduce.accuracy import accuracy_of

Model = dict[str, Any]


def perfect_model(truth: dict[str, Any]) -> Model:
    """Return the model that a faultless probe would write: empty bridges are its junctions."""
    hosts = {host["name"]: host for host in truth["hosts"]}
    keys = ("name", "segment", "to_host_bit_s", "from_host_bit_s")
    segments = []
    for segment in truth["segments"]:
        buffers = [hosts[name]["buffer_bytes"] or 0 for name in segment["hosts"]]
        kept = {key: segment[key] for key in ("name", "kind", "hosts", "multicast", "bus_rate_bit_s")}
        segments.append(kept | {"safe_burst_bytes": 0.9 * min(buffers) or None})
    rates = ("forward_bit_s", "backward_bit_s")
    return {
        "hosts": [{key: host[key] for key in keys} for host in truth["hosts"]],
        "segments": segments,
        "trunks": [
            {"between": trunk["between"]} | dict.fromkeys(rates, trunk["rate_bit_s"])
            for trunk in truth["trunks"]
        ],
    }


def truth_of(text: str) -> dict[str, Any]:
    return network_truth(resolve(text))


@pytest.mark.parametrize("text", ["three_levels", "eco_cmu_psc", "umbc_leaf", "hp_port_groups", "eco_table7"])
def test_a_faultless_model_has_no_complaints(text: str) -> None:
    truth = truth_of(text)
    assert accuracy_of(perfect_model(truth), truth).complaints() == []


def test_links_in_a_row_may_be_one_trunk_with_the_least_rate() -> None:
    truth = truth_of("three_levels:spine_trunk_mbit=40")
    model = perfect_model(truth)
    through_the_core = [trunk for trunk in model["trunks"] if "core" in trunk["between"]]
    model["trunks"] = [trunk for trunk in model["trunks"] if "core" not in trunk["between"]]
    model["trunks"].append(through_the_core[0] | {"between": ["spine-a", "spine-b"]})
    assert accuracy_of(model, truth).complaints() == []


def test_hosts_that_were_not_probed_are_not_missed() -> None:
    truth = truth_of("two_switches_one_trunk:hosts=8")
    model = perfect_model(truth)
    model["hosts"] = model["hosts"][:-1]
    model["segments"][1]["hosts"] = model["segments"][1]["hosts"][:-1]
    assert accuracy_of(model, truth).complaints() == []


def merge_segments(model: Model) -> None:
    model["segments"][0]["hosts"] += model["segments"].pop()["hosts"]


def call_it_a_bus(model: Model) -> None:
    model["segments"][0]["kind"] = "bus"


def lose_multicast(model: Model) -> None:
    model["segments"][0]["multicast"] = None


def slow_host(model: Model) -> None:
    model["hosts"][3]["from_host_bit_s"] *= 0.85


def forget_the_trunk(model: Model) -> None:
    model["trunks"][0]["forward_bit_s"] = model["trunks"][0]["backward_bit_s"] = None


def wrong_trunk(model: Model) -> None:
    model["trunks"][0]["backward_bit_s"] *= 1.2


def burst_too_large(model: Model) -> None:
    model["segments"][0]["safe_burst_bytes"] = 33_000


def burst_too_small(model: Model) -> None:
    model["segments"][0]["safe_burst_bytes"] = 20_000


@pytest.mark.parametrize(
    ("spoil", "topic"),
    [
        (merge_segments, "partition"),
        (call_it_a_bus, "kinds"),
        (lose_multicast, "multicast"),
        (slow_host, "rates"),
        (forget_the_trunk, "rates"),
        (wrong_trunk, "rates"),
        (burst_too_large, "bursts"),
        (burst_too_small, "bursts"),
    ],
)
def test_each_mistake_is_named_under_its_topic(spoil: Callable[[Model], None], topic: str) -> None:
    truth = truth_of("two_switches_one_trunk:hosts=8")
    model = perfect_model(truth)
    spoil(model)
    found = accuracy_of(model, truth)
    assert getattr(found, topic)
    others = {"partition", "kinds", "multicast", "bursts"} - {topic}
    assert [complaint for other in others for complaint in getattr(found, other)] == []
