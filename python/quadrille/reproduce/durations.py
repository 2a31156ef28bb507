# SPDX-License-Identifier: BSD-3-Clause
"""How long a run shall take, as it is written on a command line."""

from __future__ import annotations

import re

from quadrille.errors import UsageError


def seconds_of(duration: str) -> float:
    """Return the seconds of a time such as 90s, 30m or 24h. Raises UsageError for anything else."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([smh])", duration)
    if found is None or float(found[1]) == 0:
        raise UsageError(f"--duration {duration}: write a time such as 90s, 30m or 24h")
    return float(found[1]) * {"s": 1, "m": 60, "h": 3600}[found[2]]
