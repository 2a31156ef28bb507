# SPDX-License-Identifier: BSD-3-Clause
"""How right a probed model of an emulated network is, by the network's own truth.

Judged is what can be seen from outside. A trunk that its hosts cannot fill has no measurable rate; a segment
of one host has no kind; links in a row count as one, with the least rate; a bus is its hosts' links.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from quadrille.reproduce.trunk_sides import places_behind

RATE_TOLERANCE = 0.10
BURST_FACTOR = 1.5
LOSSLESS_FROM_BYTES = 1 << 20
"""A buffer from here on is deep: a probe need not fill it, so the safe burst has no lower bound."""

Split = frozenset[frozenset[str]]


@dataclass
class Accuracy:
    """What was wrong, in words by topic, and the worst deviations.

    `structure` holds on any machine; rates and bursts of an emulated network only where it was not taken away
    meanwhile (`quadrille.lab.cpu.CpuReport`).
    """

    partition: list[str] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    multicast: list[str] = field(default_factory=list)
    rates: list[str] = field(default_factory=list)
    bursts: list[str] = field(default_factory=list)
    worst_rate_error: float = 0
    burst_ratios: list[float] = field(default_factory=list)

    def structure(self) -> list[str]:
        """Return what was wrong with partition, kinds and multicast."""
        return [*self.partition, *self.kinds, *self.multicast]

    def complaints(self) -> list[str]:
        """Return all that was wrong."""
        return [*self.structure(), *self.rates, *self.bursts]


def accuracy_of(model: dict[str, Any], truth: dict[str, Any]) -> Accuracy:
    """Compare a model file's contents with a lab's truth; hosts that were not probed are left out of both."""
    found = Accuracy()
    probed = {host["name"] for host in model["hosts"]}
    true_segments = [_only(segment, probed) for segment in truth["segments"]]
    true_segments = [segment for segment in true_segments if segment["hosts"]]
    _judge_partition(found, model["segments"], true_segments)
    by_hosts = {frozenset(segment["hosts"]): segment for segment in true_segments}
    hosts = {host["name"]: host for host in truth["hosts"]}
    for segment in model["segments"]:
        true = by_hosts.get(frozenset(segment["hosts"]))
        if true is not None:
            _judge_segment(found, segment, true)
            _judge_burst(found, segment, true, hosts)
    _judge_hosts(found, model, hosts, true_segments)
    _judge_trunks(found, model, truth, probed)
    return found


def _only(segment: dict[str, Any], probed: set[str]) -> dict[str, Any]:
    return segment | {"hosts": [host for host in segment["hosts"] if host in probed]}


def _judge_partition(
    found: Accuracy, segments: Sequence[dict[str, Any]], true_segments: Sequence[dict[str, Any]]
) -> None:
    given = {frozenset(segment["hosts"]) for segment in segments}
    right = {frozenset(segment["hosts"]) for segment in true_segments}
    if given != right:
        words = " / ".join(sorted(" ".join(sorted(hosts)) for hosts in given))
        wanted = " / ".join(sorted(" ".join(sorted(hosts)) for hosts in right))
        found.partition.append(f"partition {words}; built as {wanted}")


def _judge_segment(found: Accuracy, segment: dict[str, Any], true: dict[str, Any]) -> None:
    if len(true["hosts"]) < 2:
        return
    name = segment["name"]
    if segment["kind"] != true["kind"]:
        found.kinds.append(f"{name}: a {segment['kind']}; built as a {true['kind']}")
    if segment["multicast"] != true["multicast"]:
        found.multicast.append(f"{name}: multicast {segment['multicast']}; built as {true['multicast']}")
    if true["kind"] == "bus":
        _judge_rate(found, f"bus {name}", segment["bus_rate_bit_s"], true["bus_rate_bit_s"])


def _judge_rate(found: Accuracy, what: str, given: float | None, true: float) -> None:
    if given is None:
        found.rates.append(f"{what}: no rate; built with {true / 1e6:g} Mbit/s")
        return
    error = given / true - 1
    found.worst_rate_error = max(found.worst_rate_error, abs(error))
    if abs(error) > RATE_TOLERANCE:
        found.rates.append(f"{what}: {given / 1e6:.2f} Mbit/s; built with {true / 1e6:g}")


def _judge_burst(
    found: Accuracy, segment: dict[str, Any], true: dict[str, Any], hosts: dict[str, dict[str, Any]]
) -> None:
    buffers = [hosts[host]["buffer_bytes"] for host in true["hosts"]]
    # Two hosts cannot overload a third's port, and senders behind a trunk fill that instead.
    if true["kind"] == "bus" or len(buffers) < 3 or None in buffers:
        return
    name, buffer, burst = segment["name"], min(buffers), segment["safe_burst_bytes"]
    if burst is None:
        if buffer < LOSSLESS_FROM_BYTES:
            found.bursts.append(f"{name}: no safe burst; built with buffers of {buffer} B")
        return
    found.burst_ratios.append(burst / buffer)
    if burst > buffer:
        found.bursts.append(f"{name}: safe burst {burst:.0f} B is more than its buffers of {buffer} B")
    elif burst < buffer / BURST_FACTOR and buffer < LOSSLESS_FROM_BYTES:
        found.bursts.append(f"{name}: safe burst {burst:.0f} B is far below its buffers of {buffer} B")


def _judge_hosts(
    found: Accuracy,
    model: dict[str, Any],
    hosts: dict[str, dict[str, Any]],
    true_segments: Iterable[dict[str, Any]],
) -> None:
    kind = {host: segment["kind"] for segment in true_segments for host in segment["hosts"]}
    for host in model["hosts"]:
        true = hosts[host["name"]]
        if kind[host["name"]] == "bus":
            continue
        for key, words in (("to_host_bit_s", "to"), ("from_host_bit_s", "from")):
            _judge_rate(found, f"{words} {host['name']}", host[key], true[key])


def _judge_trunks(found: Accuracy, model: dict[str, Any], truth: dict[str, Any], probed: set[str]) -> None:
    members = {segment["name"]: set(segment["hosts"]) & probed for segment in truth["bridges"]}
    true_rates: dict[Split, float] = {}
    for split, trunk in _splits(truth["trunks"], members):
        true_rates[split] = min(trunk["rate_bit_s"], true_rates.get(split, trunk["rate_bit_s"]))
    given: dict[Split, list[float]] = {}
    for split, trunk in _splits(
        model["trunks"], {one["name"]: set(one["hosts"]) for one in model["segments"]}
    ):
        rates = (trunk["forward_bit_s"], trunk["backward_bit_s"])
        given.setdefault(split, []).extend(rate for rate in rates if rate is not None)
    for split, true in true_rates.items():
        if not _can_be_filled(split, true, truth, probed):
            continue
        fewer = min(split, key=len)
        smaller = " ".join(sorted(fewer))
        if not given.get(split):
            found.rates.append(f"trunk to {smaller}: no rate; built with {true / 1e6:g} Mbit/s")
        for rate in given.get(split, []):
            _judge_rate(found, f"trunk to {smaller}", rate, true)


def _splits(
    trunks: Sequence[dict[str, Any]], members: dict[str, set[str]]
) -> Iterator[tuple[Split, dict[str, Any]]]:
    """Return each trunk and the two sets of hosts that it joins, where both sides have hosts."""
    everybody = frozenset(host for hosts in members.values() for host in hosts)
    for trunk in trunks:
        side = places_behind(trunk, trunks)
        hosts = frozenset(host for name in side for host in members.get(name, ()))
        if hosts and hosts != everybody:
            yield frozenset({hosts, everybody - hosts}), trunk


def _can_be_filled(split: Split, rate_bit_s: float, truth: dict[str, Any], probed: set[str]) -> bool:
    """Return whether the hosts on either side can send and take clearly more than the trunk carries."""
    bus_rate = {one["name"]: one["bus_rate_bit_s"] for one in truth["bridges"] if one["bus_rate_bit_s"]}
    for side in split:
        total, buses = 0.0, set()
        for host in truth["hosts"]:
            if host["name"] not in side or host["name"] not in probed:
                continue
            if host["segment"] in bus_rate:
                buses.add(host["segment"])
            else:
                total += min(host["to_host_bit_s"], host["from_host_bit_s"])
        if total + sum(bus_rate[bus] for bus in buses) < (1 + RATE_TOLERANCE) * rate_bit_s:
            return False
    return True
