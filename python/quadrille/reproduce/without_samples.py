# SPDX-License-Identifier: BSD-3-Clause
"""Measured data as small as they may be kept: long lists become what they amount to."""

from __future__ import annotations

import json
from statistics import median
from typing import Any

_MOST_BYTES = 16_000
"""Of one experiment, so that all of them stay below a megabyte."""
_LENGTHS = (200, 50, 20, 8, 3, 0)
_NUMBERS = 12


def without_samples(data: Any, most_bytes: int = _MOST_BYTES) -> Any:
    """Return `data` in which lists of more than 12 numbers are their count, minimum, median and maximum.

    Other lists are cut, the longest first, until the JSON text has at most `most_bytes`; what was left out is
    counted in the place.
    """
    for length in _LENGTHS:
        small = _shortened(data, length)
        if len(json.dumps(small, separators=(",", ":"))) <= most_bytes:
            break
    return small


def _shortened(data: Any, most: int) -> Any:
    if isinstance(data, dict):
        return {key: _shortened(value, most) for key, value in data.items()}
    if not isinstance(data, list):
        return data
    if len(data) > _NUMBERS and all(isinstance(value, int | float) for value in data):
        return {"count": len(data), "min": min(data), "median": median(data), "max": max(data)}
    kept = [_shortened(value, most) for value in data[:most]]
    return kept if len(data) <= most else [*kept, {"left_out": len(data) - most}]
