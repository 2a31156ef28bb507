# SPDX-License-Identifier: BSD-3-Clause
"""Asks the native `quadrille-order` for the hosts of ranks."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from quadrille.errors import QuadrilleError, UsageError
from quadrille.installation import native_program
from quadrille.order.places import Places

_WRONG_USAGE = 2
_TIMEOUT_S = 300


@dataclass(frozen=True)
class Traffic:
    """Exchanges between segments and between hosts, by weight; load of the busiest trunk or bus, percent."""

    segment_crossings: int
    host_crossings: int
    load_percent: int


@dataclass(frozen=True)
class Order:
    """The host of each rank; what the exchanges cost as the launcher fills hosts, and so."""

    hosts: list[str]
    before: Traffic
    after: Traffic


def order_ranks(model: Path, places: Places, ranks: int, pattern: Sequence[str]) -> Order:
    """Return the order for `pattern`, options of `quadrille-order` that say who exchanges with whom.

    Raises UsageError for input that it refuses, QuadrilleError when it is not built or fails.
    """
    command = [str(native_program("quadrille-order")), "--model", str(model), "--ranks", str(ranks), *pattern]
    text = "".join(f"{name} {count}\n" for name, count in places.items())
    try:
        done = subprocess.run(
            command, input=text, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired:
        raise QuadrilleError(f"ordering took over {_TIMEOUT_S} s; give fewer --ranks or edges") from None
    if done.returncode != 0:
        reason = done.stderr.strip().removeprefix("quadrille-order: ")
        raise (UsageError if done.returncode == _WRONG_USAGE else QuadrilleError)(reason)
    answer = json.loads(done.stdout)
    return Order(answer["hosts"], Traffic(**answer["before"]), Traffic(**answer["after"]))
