# SPDX-License-Identifier: BSD-3-Clause
"""Counts how often each way of partitioning was right, and says which published effects that shows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from quadrille.reproduce.experiment import Data, Effect
from quadrille.reproduce.programs import STATISTICS

QUADRILLE = "Quadrille"
LARGE = "quiet, messages of 16 000 B"
FALSIFIED = {"too long": "5 % of samples 20 times too long", "too short": "5 % of samples 20 times too short"}


@dataclass(frozen=True)
class Score:
    """How many of `of` repetitions had the right partition."""

    right: int
    of: int

    @property
    def always(self) -> bool:
        """Whether every repetition was right."""
        return self.of > 0 and self.right == self.of

    def __str__(self) -> str:
        """Return `7 of 10`."""
        return f"{self.right} of {self.of}"


@dataclass(frozen=True)
class Row:
    """One network under one kind of traffic: the score by way of partitioning."""

    network: str
    condition: str
    scores: dict[str, Score]


def rows(data: Data) -> list[Row]:
    """Return a row per network whose truth is known, kind of traffic, and kind of samples."""
    known = [item for item in data.get("networks", {}).items() if item[1]["truth"] is not None]
    found = [
        row
        for name, network in known
        for condition, repetitions in network["conditions"].items()
        for row in _rows(name, condition, repetitions, network["truth"])
    ]
    return found + [_large_messages(name, network) for name, network in known if "messages" in network]


def _rows(
    name: str, condition: str, repetitions: list[dict[str, Any]], truth: dict[str, Any]
) -> Iterator[Row]:
    right = _of_truth(truth)
    scores = {
        statistic: _score(right, [_found(one, "partitions", statistic) for one in repetitions])
        for statistic in STATISTICS
    }
    probes = _probes(repetitions)
    if probes:
        scores[QUADRILLE] = _score(right, [of_model(one) for one in probes])
    yield Row(name, condition, scores)
    if condition != "quiet":
        return
    for kind, words in FALSIFIED.items():
        found = [one.get("wrong_samples", {}).get(kind) for one in repetitions]
        scores = {
            statistic: _score(right, [one[statistic] if one else None for one in found])
            for statistic in STATISTICS
        }
        yield Row(name, words, scores)


def _large_messages(name: str, network: dict[str, Any]) -> Row:
    right = _of_truth(network["truth"])
    partitions = network["messages"]["partitions"]
    return Row(name, LARGE, {way: _score(right, [partitions[way]]) for way in STATISTICS})


def as_sets(partition: Iterable[Sequence[str]]) -> frozenset[frozenset[str]]:
    """Return a partition regardless of any order."""
    return frozenset(frozenset(hosts) for hosts in partition)


def _of_truth(truth: dict[str, Any]) -> frozenset[frozenset[str]]:
    return as_sets(segment["hosts"] for segment in truth["segments"])


def _probes(repetitions: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the repetitions in which the network was probed, not only sampled."""
    return [one for one in repetitions if "seconds" in one or "error" in one]


def of_model(repetition: dict[str, Any]) -> list[list[str]] | None:
    """Return the partition of the probed model, None where the probe failed."""
    if "model" not in repetition:
        return None
    return [segment["hosts"] for segment in repetition["model"]["segments"]]


def _found(repetition: dict[str, Any], key: str, statistic: str) -> list[list[str]] | None:
    found: list[list[str]] | None = repetition.get(key, {}).get(statistic)
    return found


def _score(right: frozenset[frozenset[str]], found: list[list[list[str]] | None]) -> Score:
    return Score(sum(one is not None and as_sets(one) == right for one in found), len(found))


def judge(data: Data) -> list[Effect]:
    """Return the effects of section 3, section 4.1 and Figure 3 b, and where the rule must fail."""
    by_name = {
        (row.network, row.condition): row.scores
        for row in rows(data)
        if any(score.of > 0 for score in row.scores.values())  # else it ended before the first was taken
    }
    quiet, bursts = by_name.get(("mixed", "quiet")), by_name.get(("mixed", "bursts"))
    wrong, equal = by_name.get(("mixed", FALSIFIED["too long"])), by_name.get(("equal", "quiet"))
    equal_large = by_name.get(("equal", LARGE))
    return [
        _minimum_finds_the_subnets(quiet),
        _minimum_beats_the_mean(bursts),
        _survives_wrong_samples(wrong),
        _equal_networks(equal, equal_large),
        _quadrille_is_right([scores for (_, row), scores in by_name.items() if row != "bursts"]),
        _quadrille_knows(data),
    ]


_NOT_MEASURED = "not measured in this run, or what is right is not known"


def _minimum_finds_the_subnets(quiet: dict[str, Score] | None) -> Effect:
    name = "the 20 % rule on the minimum finds the subnets of a mixed network (Figure 3 b)"
    if quiet is None:
        return Effect(name, None, _NOT_MEASURED)
    score = quiet["minimum"]
    return Effect(name, 2 * score.right > score.of, f"right in {score} repetitions on the quiet network")


def _minimum_beats_the_mean(bursts: dict[str, Score] | None) -> Effect:
    name = "under bursts the minimum is the statistic to take, the mean and the maximum mislead (section 3)"
    if bursts is None:
        return Effect(name, None, _NOT_MEASURED)
    least, others = bursts["minimum"], [bursts["mean"], bursts["maximum"]]
    why = "; ".join(f"{statistic} right in {bursts[statistic]}" for statistic in STATISTICS)
    return Effect(name, all(least.right > other.right for other in others), why)


def _survives_wrong_samples(wrong: dict[str, Score] | None) -> Effect:
    name = "a few inaccurate measurements do not change the partition (section 4.1)"
    if wrong is None:
        return Effect(name, None, _NOT_MEASURED)
    why = f"{FALSIFIED['too long']}: minimum right in {wrong['minimum']}, mean in {wrong['mean']}"
    return Effect(name, 2 * wrong["minimum"].right > wrong["minimum"].of, why)


def _equal_networks(equal: dict[str, Score] | None, large: dict[str, Score] | None) -> Effect:
    name = "beyond the paper: two equal networks, which the rule joins, are told apart by contention"
    if equal is None or large is None:
        return Effect(name, None, _NOT_MEASURED)
    why = (
        f"Quadrille right in {equal[QUADRILLE]}; the rule on the minimum of 16 000 B in {large['minimum']}, "
        f"of 64 B in {equal['minimum']}"
    )
    return Effect(name, equal[QUADRILLE].always and large["minimum"].right == 0, why)


def _quadrille_is_right(measured: list[dict[str, Score]]) -> Effect:
    name = "beyond the paper: Quadrille's partition is right every time, quiet or beside steady traffic"
    scores = [scores[QUADRILLE] for scores in measured if QUADRILLE in scores]
    if not scores:
        return Effect(name, None, _NOT_MEASURED)
    total = Score(sum(score.right for score in scores), sum(score.of for score in scores))
    return Effect(name, total.always, f"right in {total} repetitions")


def _quadrille_knows(data: Data) -> Effect:
    name = (
        "beyond the paper: under bursts, which fill buses by half, Quadrille is right or says it is not sure"
    )
    wrong_and_sure = []  # of each probe
    for network in data.get("networks", {}).values():
        if network["truth"] is None:
            continue
        right = _of_truth(network["truth"])
        for probe in _probes(network["conditions"].get("bursts", [])):
            wrong_and_sure.append((as_sets(of_model(probe) or []) != right, _is_sure(probe)))
    if not wrong_and_sure:
        return Effect(name, None, _NOT_MEASURED)
    wrong = [sure for is_wrong, sure in wrong_and_sure if is_wrong]
    why = f"wrong in {len(wrong)} of {len(wrong_and_sure)} repetitions, sure and wrong in {sum(wrong)}"
    return Effect(name, not any(wrong), why)


def _is_sure(repetition: dict[str, Any]) -> bool:
    """Whether a probe ended with a model, and without doubt of a segment."""
    warnings = repetition.get("model", {}).get("warnings", [])
    return "model" in repetition and all(warning["topic"] != "doubtful" for warning in warnings)
