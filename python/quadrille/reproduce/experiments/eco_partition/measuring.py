# SPDX-License-Identifier: BSD-3-Clause
"""Probes each network several times under each kind of traffic, and partitions what was measured.

`data["networks"][name]` holds `topology`, `truth` (none on a real cluster) and `conditions`, a list of
repetitions for each kind of traffic; a repetition holds `samples`, `partitions` by statistic, `wrong_samples`
(the same with one sample of twenty falsified), the probed `model` and `seconds`, or `error`. On an emulated
network samples are measured beside the probe, and partitions are of samples with_frame_times; on a real one
they are the probe's own. `messages` holds `samples` and `partitions` of messages of the paper's size on the
quiet network.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

from quadrille.errors import QuadrilleError
from quadrille.lab.lab import Lab
from quadrille.lab.ready_made import resolve
from quadrille.reproduce.bursts import Burst, bursts
from quadrille.reproduce.experiment import Data
from quadrille.reproduce.experiments.eco_partition.frame_times import with_frame_times
from quadrille.reproduce.messages import round_trips
from quadrille.reproduce.programs import eco_partitions, probe
from quadrille.reproduce.workbench import Workbench

WRONG_SHARE = 0.05
"""Of samples that are falsified: the share of gross errors that a partition has to survive."""

MESSAGE_BYTES = 16_000
"""Of the paper's broadcasts (Table 3)."""

_MESSAGES = 4  # of each pair there and back; nothing else is under way
_SMALL_BYTES, _SMALL_MESSAGES, _SMALL_PASSES = 64, 1, 5
_WRONG_FACTORS = {"too long": 20.0, "too short": 0.05}
_NETWORKS = {
    "mixed": ("eco_cmu_psc", ("quiet", "ambient", "bursts")),
    "equal": ("two_switches_one_trunk:hosts=8,rate_mbit=25,trunk_mbit=25", ("quiet",)),
}
_BURST_FRAMES, _BURST_PAUSE_S = 120, 0.25
_REPETITIONS = 10
_QUICK_REPETITIONS = {"quiet": 1, "ambient": 1, "bursts": 3}
"""Statistics are compared under bursts."""


def measure(bench: Workbench, data: Data) -> None:
    """Measure the emulated networks, or the network of the given launcher as it is."""
    networks = data["networks"] = {}
    if bench.launcher is not None:
        found = networks["cluster"] = {"topology": None, "truth": None, "conditions": {"as it is": []}}
        _repeat(bench, bench.launcher, 3 if bench.quick else _REPETITIONS, found["conditions"]["as it is"])
        return
    for name, (topology, conditions) in _NETWORKS.items():
        found = networks[name] = {"topology": topology, "truth": None, "conditions": {}}
        for condition in conditions:
            bench.announce(f"{name} network, {condition}")
            repetitions: list[dict[str, Any]] = []
            found["conditions"][condition] = repetitions
            with _network(bench, topology, condition) as lab:
                found["truth"] = lab.truth()
                hosts = list(lab.state.hosts)
                random.Random(condition).shuffle(hosts)
                line = lab.launcher(hosts=hosts)
                count = _QUICK_REPETITIONS[condition] if bench.quick else _REPETITIONS
                _repeat(bench, line, count, repetitions, lab)
                if condition == "quiet":
                    bench.announce(f"  messages of {MESSAGE_BYTES} B")
                    samples = round_trips(lab, MESSAGE_BYTES, _MESSAGES)
                    found["messages"] = {"samples": samples, "partitions": eco_partitions(samples)}
                    bench.save()


@contextmanager
def _network(bench: Workbench, topology: str, condition: str) -> Iterator[Lab]:
    text = f"{topology}:ambient_share=0.3" if condition == "ambient" else topology
    with bench.lab(resolve(text), "eco-partition") as lab:
        wanted = _bursts_in(lab.truth()["segments"]) if condition == "bursts" else []
        with bursts(lab, wanted) if wanted else nullcontext():
            yield lab


def _bursts_in(segments: Sequence[dict[str, Any]]) -> list[Burst]:
    """Return a stream of bursts from the first host of each segment to its last."""
    ends = [(segment["hosts"][0], segment["hosts"][-1]) for segment in segments]
    return [Burst(one, other, _BURST_FRAMES, _BURST_PAUSE_S) for one, other in ends if one != other]


def _repeat(
    bench: Workbench, line: list[str], times: int, repetitions: list[dict[str, Any]], lab: Lab | None = None
) -> None:
    for number in range(times):
        bench.announce(f"  probe {number + 1} of {times}")
        repetitions.append(_repetition(line, number + 1, lab))
        bench.save()
    if all("error" in repetition for repetition in repetitions):
        raise QuadrilleError(f"no probe succeeded; the last: {repetitions[-1]['error']}")


def _repetition(line: list[str], seed: int, lab: Lab | None) -> dict[str, Any]:
    try:
        found = probe(line, seed)
    except QuadrilleError as error:
        return {"error": str(error)}
    samples = taken = found.samples
    if lab is not None:
        samples = round_trips(lab, _SMALL_BYTES, _SMALL_MESSAGES, _SMALL_PASSES)
        taken = with_frame_times(samples, found.model)
    falsified = {
        name: eco_partitions(falsify(taken, factor, seed)) for name, factor in _WRONG_FACTORS.items()
    }
    return {
        "seconds": round(found.seconds, 2),
        "samples": samples,
        "partitions": eco_partitions(taken),
        "wrong_samples": falsified,
        "model": found.model,
    }


def falsify(samples: dict[str, Any], factor: float, seed: int) -> dict[str, Any]:
    """Return `samples` with WRONG_SHARE of all round trips, drawn at random, multiplied by `factor`."""
    chance, changed = random.Random(seed), copy.deepcopy(samples)
    for pair in changed["pairs"]:
        pair["round_trips_ns"] = [
            round(time * factor) if chance.random() < WRONG_SHARE else time for time in pair["round_trips_ns"]
        ]
    return changed
