# SPDX-License-Identifier: BSD-3-Clause
"""A model's values in words: human units, the interval where it is wide, "unknown" where nothing is known."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from statistics import median

from quadrille.model.contract import Island, ModelHost, Segment, Trunk
from quadrille.report.formatting import size_text

WIDE = 0.2
"""An interval wider than this share of its value is shown with it."""


def rate_text(bit_s: float) -> str:
    """Return a rate as 25 Mbit/s or 1.5 Gbit/s."""
    for unit, factor in (("Gbit/s", 1e9), ("Mbit/s", 1e6), ("kbit/s", 1e3)):
        if bit_s >= factor:
            return (
                f"{bit_s / factor:.3g} {unit}" if bit_s < 999.5 * factor else f"{bit_s / factor:.0f} {unit}"
            )
    return f"{bit_s:.0f} bit/s"


def bytes_text(count: float) -> str:
    """Return a number of bytes with three digits."""
    return re.sub(r"\d+\.\d+", lambda digits: f"{float(digits[0]):.3g}", size_text(round(count)))


def share_text(share: float) -> str:
    """Return a share as a percentage."""
    percent = 100 * share
    return f"{percent:.0f} %" if percent >= 10 else f"{percent:.2g} %"


Entry = ModelHost | Segment | Trunk | Island
Form = Callable[[float], str]


def measured_text(entry: Entry, key: str, form: Form) -> str:
    """Return the value of `key` with what is not certain of it: "at least", an interval, or "unknown"."""
    value: float | None = getattr(entry, key)
    if value is None:
        return "unknown"
    low, high = entry.intervals.get(key, (value, value))
    if high is None:
        return f"at least {form(low)}"
    if high - low <= WIDE * value:
        return form(value)
    bounds = form(low), form(high)
    unit = bounds[1].partition(" ")[2]
    lower = bounds[0].removesuffix(f" {unit}") if unit else bounds[0]
    return f"{form(value)} ({lower} to {bounds[1]})"


def usual(values: Iterable[float | None]) -> float | None:
    """Return the median of what is known."""
    known = [value for value in values if value is not None]
    return median(known) if known else None


def ranges(names: Iterable[str]) -> list[str]:
    """Return names in order, those numbered in a row as one: h0..h7."""
    runs: list[list[str]] = []
    for name in names:
        if runs and _follows(runs[-1][-1], name):
            runs[-1].append(name)
        else:
            runs.append([name])
    return [text for run in runs for text in (run if len(run) < 3 else [f"{run[0]}..{run[-1]}"])]


def _follows(first: str, second: str) -> bool:
    one, other = (re.fullmatch(r"([^.]*?)(\d+)([^\d.]*(?:\..*)?)", name) for name in (first, second))
    return (
        one is not None
        and other is not None
        and (one[1], one[3]) == (other[1], other[3])
        and int(other[2]) == int(one[2]) + 1
    )


def in_order(names: Iterable[str]) -> list[str]:
    """Return names sorted with numbers by value: h2 before h10."""
    return sorted(
        names,
        key=lambda name: [
            (part.isdigit(), int(part) if part.isdigit() else 0, part)
            for part in re.split(r"(\d+)", name)
            if part
        ],
    )


def peculiarities(hosts: list[ModelHost]) -> dict[str, list[str]]:
    """Return, for each of one segment's hosts that is unlike the others, what differs, in words."""
    found: dict[str, list[str]] = {}
    for host in hosts:
        words = []
        for key, way in (("to_host_bit_s", "in"), ("from_host_bit_s", "out")):
            value, typical = getattr(host, key), usual(getattr(other, key) for other in hosts)
            if typical is not None and (value is None or abs(value - typical) > WIDE * max(value, typical)):
                words.append(f"{measured_text(host, key, rate_text)} {way}")
        for key, what in (("mtu_bytes", "MTU"), ("interface", "interface")):
            values = [getattr(other, key) for other in hosts]
            if getattr(host, key) != max(values, key=values.count):
                words.append(f"{what} {getattr(host, key) or 'unknown'}")
        for key, way in (("ambient_to_host_share", "in"), ("ambient_from_host_share", "out")):
            if (share := getattr(host, key)) and share >= 0.02:
                words.append(f"ambient load {share_text(share)} {way}")
        if words:
            found[host.name] = words
    return found
