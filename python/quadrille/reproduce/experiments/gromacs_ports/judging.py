# SPDX-License-Identifier: BSD-3-Clause
"""What the probed model says of port groups, and which of the poster's statements the losses show."""

from __future__ import annotations

import math
import statistics
from typing import Any

from quadrille.reproduce.experiment import Data, Effect
from quadrille.reproduce.experiments.gromacs_ports.measuring import PORTS_OF_A_GROUP, SCATTERED_PORTS

INNER_LINK = "in."
ALL_PORTS, SCATTERED = f"{PORTS_OF_A_GROUP} of {PORTS_OF_A_GROUP}", f"{SCATTERED_PORTS} of {PORTS_OF_A_GROUP}"

_RATE_TOLERANCE = 0.1
_MEASURED_SHORT = 0.05  # ports: a trunk measured 0.5 % short of ten port rates still lets ten be busy


def dropped_on_inner_links(entry: dict[str, Any]) -> int:
    """Return the frames that inner links dropped during an all-to-all."""
    return sum(count for port, count in entry["dropped"].items() if port.startswith(INNER_LINK))


def dropped_at_hosts(entry: dict[str, Any]) -> int:
    """Return the frames that the ports towards hosts dropped during an all-to-all."""
    return sum(count for port, count in entry["dropped"].items() if not port.startswith(INNER_LINK))


def group_trunk_bit_s(model: dict[str, Any], segment: dict[str, Any]) -> float | None:
    """Return the lesser rate, of both directions, by which `segment` reaches the others; None: not known."""
    rates = [
        trunk[key]
        for trunk in model["trunks"]
        if segment["name"] in trunk["between"]
        for key in ("forward_bit_s", "backward_bit_s")
        if trunk[key] is not None
    ]
    return min(rates) if rates else None


def ports_at_once(model: dict[str, Any]) -> list[float | None]:
    """Return for each segment how many of its ports its way to the others carries at full rate."""
    usual = [host["from_host_bit_s"] for host in model["hosts"] if host["from_host_bit_s"] is not None]
    rates = [group_trunk_bit_s(model, segment) for segment in model["segments"]]
    port = statistics.median(usual) if usual else None
    return [rate / port if rate is not None and port else None for rate in rates]


def whole_ports(ratio: float) -> int:
    """Return a number of ports out of a measured ratio of rates."""
    return math.floor(ratio + _MEASURED_SHORT)


def judge(data: Data) -> list[Effect]:
    """Return the effects of section 4."""
    sets = data.get("sets", {})
    return [
        _groups_found(data, sets.get(ALL_PORTS)),
        _inner_rate(data, sets.get(ALL_PORTS)),
        _ports_that_may_be_busy(sets.get(ALL_PORTS)),
        _loss_with_all_ports(sets.get(ALL_PORTS)),
        _no_loss_with_scattered_ports(sets.get(ALL_PORTS), sets.get(SCATTERED)),
    ]


_NOT_MEASURED = "not measured in this run"


def _groups_found(data: Data, found: dict[str, Any] | None) -> Effect:
    name = "beyond the paper: the probe finds the groups of ports"
    if not found or "model" not in found:
        return Effect(name, None, _NOT_MEASURED)
    built = {frozenset(segment["hosts"]) for segment in data["truth"]["segments"]}
    probed = {frozenset(segment["hosts"]) for segment in found["model"]["segments"]}
    why = f"{len(built & probed)} of {len(built)} groups found exactly, {len(probed)} segments in the model"
    return Effect(name, built == probed, why)


def _inner_rate(data: Data, found: dict[str, Any] | None) -> Effect:
    name = "beyond the paper: the probe finds the inner links' rate within 10 %"
    if not found or "model" not in found:
        return Effect(name, None, _NOT_MEASURED)
    true = data["truth"]["trunks"][0]["rate_bit_s"]
    rates = [group_trunk_bit_s(found["model"], segment) for segment in found["model"]["segments"]]
    known = [rate for rate in rates if rate is not None]
    words = ", ".join(f"{rate / 1e6:.1f}" for rate in known) or "none"
    right = len(known) == len(rates) and all(abs(rate / true - 1) <= _RATE_TOLERANCE for rate in known)
    return Effect(name, right, f"found {words} Mbit/s; built with {true / 1e6:g}")


def _ports_that_may_be_busy(found: dict[str, Any] | None) -> Effect:
    name = "fewer than 12 ports of a group may be busy at once"
    if not found or "model" not in found:
        return Effect(name, None, _NOT_MEASURED)
    known = [ratio for ratio in ports_at_once(found["model"]) if ratio is not None]
    if not known:
        return Effect(name, False, "the model has no rate for the ways between the groups")
    most = whole_ports(min(known))
    why = (
        f"the model's rates let {most} of {PORTS_OF_A_GROUP} be busy; the poster found 9 by trying, where "
        "ten port rates fill the inner link and leave nothing for bursts"
    )
    return Effect(name, SCATTERED_PORTS <= most < PORTS_OF_A_GROUP, why)


def _loss_with_all_ports(found: dict[str, Any] | None) -> Effect:
    name = "with all 12 ports of each group inner links lose frames"
    if not found or not found.get("alltoall") or found["alltoall"][0]["dropped"] is None:
        return Effect(name, None, _NOT_MEASURED)
    lost = sum(dropped_on_inner_links(entry) for entry in found["alltoall"])
    return Effect(name, lost > 0, f"{lost} frames lost on inner links")


def _no_loss_with_scattered_ports(everything: dict[str, Any] | None, found: dict[str, Any] | None) -> Effect:
    name = "with 9 of 12 ports the losses of inner links vanish"
    if not everything or not found or not everything.get("alltoall") or not found.get("alltoall"):
        return Effect(name, None, _NOT_MEASURED)
    if found["alltoall"][0]["dropped"] is None:
        return Effect(name, None, _NOT_MEASURED)
    before, inner = (
        sum(dropped_on_inner_links(entry) for entry in ports["alltoall"]) for ports in (everything, found)
    )
    ports = sum(dropped_at_hosts(entry) for entry in found["alltoall"])
    why = (
        f"{inner} frames lost on inner links, {before} with all ports (a hundredth counts as none: bursts "
        f"of several hosts meet there now and then); {ports} at ports towards hosts, where no flow control "
        "stops several hosts from sending to one, which is the poster's section 1"
    )
    return Effect(name, 100 * inner <= before and before > 0, why)
