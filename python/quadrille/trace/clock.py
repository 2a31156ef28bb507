# SPDX-License-Identifier: BSD-3-Clause
"""From a rank's clock to rank 0's: offset and drift by what was measured at the job's start and end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Estimate:
    """At `at_ns` the rank's clock was `offset_ns` ahead of rank 0's, wrong by `uncertainty_ns` at most."""

    at_ns: int
    offset_ns: int
    uncertainty_ns: int


class Clock:
    """Offsets in between lie on the line through the first and the last estimate."""

    def __init__(self, estimates: Sequence[Estimate]) -> None:
        """Take at least one estimate; of one alone the clocks are taken to run alike."""
        self._first, self._last = estimates[0], estimates[-1]
        elapsed = self._last.at_ns - self._first.at_ns
        change = self._last.offset_ns - self._first.offset_ns
        doubt = self._last.uncertainty_ns + self._first.uncertainty_ns
        # A drift that the uncertainty alone could feign is none.
        self._drift = change / elapsed if elapsed > 0 and abs(change) > doubt else 0.0

    @property
    def uncertainty_ns(self) -> int:
        """Return by how much a time can be wrong, at most; of one estimate alone, without drift."""
        left = self.to_shared(self._last.at_ns) - (self._last.at_ns - self._last.offset_ns)
        return max(self._first.uncertainty_ns, abs(left) + self._last.uncertainty_ns)

    @property
    def drift_ppm(self) -> float:
        """Return by how much the clock runs faster than rank 0's, in millionths."""
        return self._drift * 1e6

    def to_shared(self, at_ns: int) -> int:
        """Return rank 0's time when this clock shows `at_ns`."""
        return at_ns - self._first.offset_ns - round(self._drift * (at_ns - self._first.at_ns))
