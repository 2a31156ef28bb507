# SPDX-License-Identifier: BSD-3-Clause
"""Probes each network several times under each kind of traffic, and partitions what was measured.

`data["networks"][name]` holds `topology`, `truth` (none on a real cluster) and `conditions`, a list of
repetitions for each kind of traffic; a repetition holds `samples`, `partitions` by statistic, `wrong_samples`
(the same with one sample of twenty falsified), the probed `model` and the probe's `seconds`, or `error`.
Without `seconds` it is samples alone, and `model`, which their frames' times are by, an earlier probe's. On
an emulated network samples are measured beside the probe, and partitions are of samples with_frame_times; on
a real one they are the probe's own. `messages` holds `samples` and `partitions` of messages of the paper's
size on the quiet network.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
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

_MESSAGES, _QUICK_MESSAGES = 4, 2  # of each pair there and back; nothing else is under way
_SMALL_BYTES, _SMALL_MESSAGES, _SMALL_PASSES = 64, 1, 5
_WRONG_FACTORS = {"too long": 20.0, "too short": 0.05}
_BURST_FRAMES, _BURST_PAUSE_S = 120, 0.25
_ON_A_CLUSTER, _QUICK_ON_A_CLUSTER = 10, 3


@dataclass(frozen=True)
class _Network:
    """`conditions`: kinds of traffic; `large_in_short_form`: MESSAGE_BYTES are told apart there, too."""

    topology: str
    conditions: tuple[str, ...]
    large_in_short_form: bool


_NETWORKS = {
    "mixed": _Network("eco_cmu_psc", ("quiet", "ambient", "bursts"), False),
    "equal": _Network("two_switches_one_trunk:hosts=8,rate_mbit=25,trunk_mbit=25", ("quiet",), True),
}


@dataclass(frozen=True)
class _Times:
    """Under one kind of traffic: how often the network is probed, then how often samples are taken alone."""

    probed: int
    samples_alone: int = 0


_QUICK = {"quiet": _Times(1), "bursts": _Times(0, 1)}
_FULL = {"quiet": _Times(3), "ambient": _Times(3), "bursts": _Times(2, 4)}
"""Statistics are compared under bursts, where a probe takes a minute."""


def measure(bench: Workbench, data: Data) -> None:
    """Measure the emulated networks, or the network of the given launcher as it is."""
    networks = data["networks"] = {}
    if bench.launcher is not None:
        found = networks["cluster"] = {"topology": None, "truth": None, "conditions": {"as it is": []}}
        times = _Times(_QUICK_ON_A_CLUSTER if bench.quick else _ON_A_CLUSTER)
        _repeat(bench, bench.launcher, times, found["conditions"]["as it is"])
        return
    form = _QUICK if bench.quick else _FULL
    for name, network in _NETWORKS.items():
        found = networks[name] = {"topology": network.topology, "truth": None, "conditions": {}}
        large = network.large_in_short_form or not bench.quick
        for condition in network.conditions:
            if condition in form:
                _measure_under(bench, condition, form[condition], found, large)


def _measure_under(
    bench: Workbench, condition: str, times: _Times, found: dict[str, Any], large: bool
) -> None:
    bench.announce(f"{found['topology']}, {condition}")
    probed = [one["model"] for many in found["conditions"].values() for one in many if "model" in one]
    repetitions: list[dict[str, Any]] = []
    found["conditions"][condition] = repetitions
    with _under(bench, found["topology"], condition) as lab:
        found["truth"] = lab.truth()
        hosts = list(lab.state.hosts)
        random.Random(condition).shuffle(hosts)
        _repeat(bench, lab.launcher(hosts=hosts), times, repetitions, lab, probed)
        if large and condition == "quiet":
            bench.announce(f"  messages of {MESSAGE_BYTES} B")
            samples = round_trips(lab, MESSAGE_BYTES, _QUICK_MESSAGES if bench.quick else _MESSAGES)
            found["messages"] = {"samples": samples, "partitions": eco_partitions(samples)}
            bench.save()


@contextmanager
def _under(bench: Workbench, topology: str, condition: str) -> Iterator[Lab]:
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
    bench: Workbench,
    line: list[str],
    times: _Times,
    repetitions: list[dict[str, Any]],
    lab: Lab | None = None,
    known: Sequence[dict[str, Any]] = (),
) -> None:
    """`known`: models of the same network, probed before under other traffic."""
    for number in range(times.probed):
        bench.announce(f"  probe {number + 1} of {times.probed}")
        repetitions.append(_probed(bench, line, number + 1, lab))
        bench.save()
    if times.probed and all("error" in repetition for repetition in repetitions):
        raise QuadrilleError(f"no probe succeeded; the last: {repetitions[-1]['error']}")
    models = [*(one["model"] for one in repetitions if "model" in one), *known]
    if lab is None or not models:
        return
    for number in range(times.samples_alone):
        bench.announce(f"  samples alone, {number + 1} of {times.samples_alone}")
        repetitions.append(_sampled(lab, models[0], number + 1))
        bench.save()


def _probed(bench: Workbench, line: list[str], seed: int, lab: Lab | None) -> dict[str, Any]:
    try:
        found = probe(line, seed, bench.folder)
    except QuadrilleError as error:
        return {"error": str(error)}
    about = {"seconds": round(found.seconds, 2)}
    if lab is not None:
        return about | _sampled(lab, found.model, seed)
    return about | _partitioned(found.samples, found.samples, seed) | {"model": found.model}


def _sampled(lab: Lab, model: dict[str, Any], seed: int) -> dict[str, Any]:
    samples = round_trips(lab, _SMALL_BYTES, _SMALL_MESSAGES, _SMALL_PASSES)
    return _partitioned(samples, with_frame_times(samples, model), seed) | {"model": model}


def _partitioned(samples: dict[str, Any], taken: dict[str, Any], seed: int) -> dict[str, Any]:
    """Return `samples` and the partitions of `taken`, which are the same or with_frame_times."""
    falsified = {
        name: eco_partitions(falsify(taken, factor, seed)) for name, factor in _WRONG_FACTORS.items()
    }
    return {"samples": samples, "partitions": eco_partitions(taken), "wrong_samples": falsified}


def falsify(samples: dict[str, Any], factor: float, seed: int) -> dict[str, Any]:
    """Return `samples` with WRONG_SHARE of all round trips, drawn at random, multiplied by `factor`."""
    chance, changed = random.Random(seed), copy.deepcopy(samples)
    for pair in changed["pairs"]:
        pair["round_trips_ns"] = [
            round(time * factor) if chance.random() < WRONG_SHARE else time for time in pair["round_trips_ns"]
        ]
    return changed
