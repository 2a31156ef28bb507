# SPDX-License-Identifier: BSD-3-Clause
"""What an emulated link leaves out of a short round trip: the time of the frame itself.

A token bucket passes the first frames at once, so that a small message takes the processor's time alone,
5 to 50 us by which core it ran on. At the emulated rate it would also have taken its length, on the cable of
its sender and on that of its receiver.
"""

from __future__ import annotations

from typing import Any

_AROUND_PAYLOAD_BYTES = 8 + 20 + 18 + 20  # UDP, IPv4, Ethernet with its check sequence, preamble and gap


def with_frame_times(samples: dict[str, Any], model: dict[str, Any]) -> dict[str, Any]:
    """Return `samples`, each round trip longer by its frames on both hosts' cables, at the rates of `model`.

    Pairs with a host whose rates are not known are left out.
    """
    out_s = {host["name"]: _seconds_a_byte(host["from_host_bit_s"]) for host in model["hosts"]}
    in_s = {host["name"]: _seconds_a_byte(host["to_host_bit_s"]) for host in model["hosts"]}
    pairs = []
    for pair in samples["pairs"]:
        one, other = host_name(samples, pair["from"]), host_name(samples, pair["to"])
        costs = [out_s.get(one), in_s.get(other), out_s.get(other), in_s.get(one)]
        if any(cost is None for cost in costs):
            continue
        there, back = (pair[size] + _AROUND_PAYLOAD_BYTES for size in ("there_bytes", "back_bytes"))
        sizes = (there, there, back, back)
        more_ns = round(sum(cost * size for cost, size in zip(costs, sizes, strict=True) if cost) * 1e9)
        pairs.append(pair | {"round_trips_ns": [time + more_ns for time in pair["round_trips_ns"]]})
    return samples | {"pairs": pairs}


def host_name(samples: dict[str, Any], host: str | int) -> str:
    """Return the name of a host that a pair gives by name or by its place."""
    return host if isinstance(host, str) else str(samples["hosts"][host])


def _seconds_a_byte(bit_s: float | None) -> float | None:
    return 8 / bit_s if bit_s else None
