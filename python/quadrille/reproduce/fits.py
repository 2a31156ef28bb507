# SPDX-License-Identifier: BSD-3-Clause
"""Least squares with one unknown or two, and the standard error of what is found."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Fitted:
    """A value and its standard error; the error is None where as many points as unknowns leave none."""

    value: float
    error: float | None

    def differs_from(self, other: Fitted) -> bool:
        """Return whether both are further apart than twice the error of their difference."""
        error = math.hypot(self.error or 0, other.error or 0)
        return abs(self.value - other.value) > 2 * error


def slope_through_origin(x: Sequence[float], y: Sequence[float]) -> Fitted:
    """Return a of y = a x. REQUIRES: some x is not 0."""
    squares = sum(one * one for one in x)
    slope = sum(one * other for one, other in zip(x, y, strict=True)) / squares
    left = sum((other - slope * one) ** 2 for one, other in zip(x, y, strict=True))
    return Fitted(slope, math.sqrt(left / (len(x) - 1) / squares) if len(x) > 1 else None)


def slope(x: Sequence[float], y: Sequence[float]) -> Fitted:
    """Return a of y = a x + b. REQUIRES: not all x are the same."""
    middle_x, middle_y = sum(x) / len(x), sum(y) / len(y)
    from_middle = [one - middle_x for one in x]
    squares = sum(one * one for one in from_middle)
    found = sum(one * other for one, other in zip(from_middle, y, strict=True)) / squares
    left = sum((other - middle_y - found * one) ** 2 for one, other in zip(from_middle, y, strict=True))
    return Fitted(found, math.sqrt(left / (len(x) - 2) / squares) if len(x) > 2 else None)


def serial_share(times: Sequence[tuple[int, float]], alone: float) -> Fitted | None:
    """Return P of Amdahl's law, speedup = 1 / (P + (1 - P) / N), with its standard error.

    `times`: (N, time), in the unit of `alone`, the time on one processor. Fitted to time / alone - 1 / N =
    P (1 - 1 / N), in which P is linear. None where nothing was measured on several processors.

    Source: G. Amdahl, doi:10.1145/1465482.1465560.
    """
    several = [(count, time) for count, time in times if count > 1]
    if not several:
        return None
    x = [1 - 1 / count for count, _ in several]
    return slope_through_origin(x, [time / alone - 1 / count for count, time in several])


def amdahl(share: float, processors: float) -> float:
    """Return the speedup of a program of which `share` is serial."""
    return 1 / (share + (1 - share) / processors)
