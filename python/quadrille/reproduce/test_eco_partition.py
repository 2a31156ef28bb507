# SPDX-License-Identifier: BSD-3-Clause
"""eco-partition judges and shows a recorded run; its samples are drawn here from the network's own truth."""

from __future__ import annotations

import random
from typing import Any

import pytest

from quadrille.errors import QuadrilleError
from quadrille.installation import native_program
from quadrille.lab.ready_made import resolve
from quadrille.lab.truth import network_truth
from quadrille.reproduce.experiment import Effect
from quadrille.reproduce.experiments.eco_partition import EXPERIMENT
from quadrille.reproduce.experiments.eco_partition.frame_times import with_frame_times
from quadrille.reproduce.experiments.eco_partition.judging import FALSIFIED, QUADRILLE, rows
from quadrille.reproduce.experiments.eco_partition.measuring import WRONG_SHARE, falsify
from quadrille.reproduce.programs import STATISTICS, eco_partitions

NEAR_NS, ACROSS_NS, HELD_UP_NS = 30_000, 900_000, 40_000_000


def samples_of(truth: dict[str, Any], held_up: float, seed: int = 1) -> dict[str, Any]:
    """Return ten round trips of each pair, of which a share of `held_up` met a burst."""
    chance, hosts = random.Random(seed), truth["hosts"]
    pairs = []
    for place, one in enumerate(hosts):
        for other in hosts[place + 1 :]:
            least = NEAR_NS if one["segment"] == other["segment"] else ACROSS_NS
            trips = [
                round(least * chance.uniform(1, 1.1)) + (HELD_UP_NS if chance.random() < held_up else 0)
                for _ in range(10)
            ]
            ends = {"from": one["name"], "to": other["name"], "there_bytes": 64, "back_bytes": 64}
            pairs.append({**ends, "round_trips_ns": trips})
    return {"hosts": [host["name"] for host in hosts], "pairs": pairs}


def recorded(found: dict[str, list[list[str]]], truth: dict[str, Any]) -> dict[str, Any]:
    """Return a run of one repetition for each kind of traffic in which every way found what `found` says."""
    repetition = {
        "seconds": 8.0,
        "samples": samples_of(truth, held_up=0.1),
        "partitions": {way: found[way] for way in STATISTICS},
        "wrong_samples": {kind: {way: found[way] for way in STATISTICS} for kind in FALSIFIED},
        "model": {
            "hosts": [
                {key: host[key] for key in ("name", "from_host_bit_s", "to_host_bit_s")}
                for host in truth["hosts"]
            ],
            "segments": [{"hosts": hosts, "kind": "switch"} for hosts in found[QUADRILLE]],
        },
    }
    conditions = {"quiet": [repetition], "bursts": [repetition, {"error": "a host was lost"}]}
    return {"networks": {"mixed": {"topology": "eco_cmu_psc", "truth": truth, "conditions": conditions}}}


@pytest.fixture
def truth() -> dict[str, Any]:
    return network_truth(resolve("eco_cmu_psc"))


def effect(effects: list[Effect], words: str) -> Effect:
    return next(one for one in effects if words in one.name)


def test_a_run_in_which_only_the_mean_misleads_shows_the_papers_effects(truth: dict[str, Any]) -> None:
    right = [segment["hosts"] for segment in truth["segments"]]
    everybody = [[host["name"] for host in truth["hosts"]]]
    ways = dict.fromkeys([*STATISTICS, QUADRILLE], right) | {"mean": everybody, "maximum": everybody}
    data = recorded(ways, truth)
    effects = EXPERIMENT.judge(data)
    assert effect(effects, "finds the subnets").seen
    assert effect(effects, "the mean and the maximum mislead").seen
    assert effect(effects, "two equal networks, which").seen is None
    assert effect(effects, "right every time").seen
    assert effect(effects, "says it is not sure").seen, "the probe that failed said so"
    scores = {row.condition: {way: str(score) for way, score in row.scores.items()} for row in rows(data)}
    assert scores["quiet"]["mean"] == "0 of 1"
    assert scores["bursts"]["minimum"] == "1 of 2"


def test_a_minimum_that_is_never_right_fails_the_run(truth: dict[str, Any]) -> None:
    everybody = [[host["name"] for host in truth["hosts"]]]
    effects = EXPERIMENT.judge(recorded(dict.fromkeys([*STATISTICS, QUADRILLE], everybody), truth))
    assert effect(effects, "finds the subnets").failed
    assert effect(effects, "the mean and the maximum mislead").failed


def test_a_run_that_ended_before_its_first_probe_shows_nothing(truth: dict[str, Any]) -> None:
    network = {"topology": "eco_cmu_psc", "truth": truth, "conditions": {"quiet": [], "bursts": []}}
    assert {one.seen for one in EXPERIMENT.judge({"networks": {"mixed": network}})} == {None}


def test_a_wrong_partition_under_bursts_has_to_be_doubted(truth: dict[str, Any]) -> None:
    right = [segment["hosts"] for segment in truth["segments"]]
    everybody = [[host["name"] for host in truth["hosts"]]]
    for found, warnings, seen in (
        (right, [], True),
        (everybody, [], False),
        (everybody, [{"topic": "shared_machine"}], False),
        (everybody, [{"topic": "doubtful"}], True),
    ):
        data = recorded(dict.fromkeys([*STATISTICS, QUADRILLE], found), truth)
        data["networks"]["mixed"]["conditions"]["bursts"][0]["model"]["warnings"] = warnings
        assert effect(EXPERIMENT.judge(data), "says it is not sure").seen is seen


def test_the_page_draws_both_networks_and_a_chart_per_statistic(truth: dict[str, Any]) -> None:
    right = [segment["hosts"] for segment in truth["segments"]]
    page = EXPERIMENT.show(recorded(dict.fromkeys([*STATISTICS, QUADRILLE], right), truth))
    assert page.count("<svg") == 2
    assert page.count('class="chart"') == 2 * len(STATISTICS)
    assert "1 of 2" in page


def test_a_round_trip_is_longer_by_its_two_frames_on_both_cables() -> None:
    pair = {"from": 0, "to": "b", "there_bytes": 64, "back_bytes": 64, "round_trips_ns": [9_000, 12_000]}
    slow = {"name": "a", "from_host_bit_s": 10e6, "to_host_bit_s": 20e6}
    fast = {"name": "b", "from_host_bit_s": 40e6, "to_host_bit_s": 40e6}
    silent = {"name": "c", "from_host_bit_s": None, "to_host_bit_s": 10e6}
    samples: dict[str, Any] = {"hosts": ["a", "b", "c"], "pairs": [pair, pair | {"to": "c"}]}
    taken = with_frame_times(samples, {"hosts": [slow, fast, silent]})
    # 130 B of frame, preamble and gap: 104 us out of a, 26 into b and out of it, 52 into a.
    assert [one["round_trips_ns"] for one in taken["pairs"]] == [[217_000, 220_000]]
    assert samples["pairs"][0]["round_trips_ns"] == [9_000, 12_000]


def test_one_sample_of_twenty_is_falsified_and_no_other(truth: dict[str, Any]) -> None:
    samples = samples_of(truth, held_up=0)
    changed = falsify(samples, 20, seed=1)
    before = [time for pair in samples["pairs"] for time in pair["round_trips_ns"]]
    after = [time for pair in changed["pairs"] for time in pair["round_trips_ns"]]
    wrong = [new / old for old, new in zip(before, after, strict=True) if old != new]
    assert wrong == [20] * len(wrong)
    assert 0.5 * WRONG_SHARE < len(wrong) / len(before) < 1.5 * WRONG_SHARE


def test_the_native_program_is_right_by_the_minimum_and_wrong_by_the_mean_under_bursts(
    truth: dict[str, Any],
) -> None:
    try:
        native_program("quadrille-partition")
    except QuadrilleError as missing:
        pytest.skip(str(missing))
    found = eco_partitions(samples_of(truth, held_up=0.1))
    right = sorted(sorted(segment["hosts"]) for segment in truth["segments"])
    assert sorted(sorted(hosts) for hosts in found["minimum"]) == right
    assert sorted(sorted(hosts) for hosts in found["mean"]) != right
