# SPDX-License-Identifier: BSD-3-Clause
"""What changed between two measurements of the same points, with the noise of both taken into account.

Compared is the ratio of Quadrille's time to the MPI library's, both measured in one process: what slows a
machine down slows both. The interval of a change comes from those of both ratios, recovered on the log scale
(Zou and Donner 2008, doi:10.1002/sim.3095: MOVER), and is widened for the number of points (Bonferroni), or
of many points some would seem changed by chance.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import NormalDist

from quadrille.bench.slower import LIMIT
from quadrille.contracts import PointLine, Ratio

CLEAR = 1.25
"""Factor beyond which a gate calls a change clear: jobs differ by more than the samples of one job tell."""

Key = tuple[object, ...]


@dataclass(frozen=True)
class Change:
    """A point measured twice; `factor` is the new ratio over the old, above 1 is worse.

    `about`: what tells it from the same point of other runs; nothing where there is none.
    """

    before: PointLine
    after: PointLine
    factor: Ratio
    about: str = ""

    def worse(self, than: float = LIMIT) -> bool:
        """Return whether the whole interval is above `than`."""
        return self.factor.low > than

    def better(self, than: float = LIMIT) -> bool:
        """Return whether the whole interval is below one over `than`."""
        return self.factor.high < 1 / than


@dataclass(frozen=True)
class Comparison:
    """Points measured in both, in the order of the second, and how many stand in one of them only."""

    changes: list[Change]
    only_before: list[PointLine]
    only_after: list[PointLine]


def key_of(point: PointLine) -> Key:
    """Return what has to be equal for two points to be the same one."""
    sort = None if point.sort is None else (point.sort.vectors, point.sort.doubles, point.sort.memory)
    shape = (point.collective, point.bytes, point.element_type, point.ranks, point.hosts, point.root)
    return (*shape, point.in_place, point.skew_us, point.sync, sort)


def compare(before: list[PointLine], after: list[PointLine]) -> Comparison:
    """Match the points of both; of points measured several times the last one counts."""
    return compare_apart([("", point) for point in before], [("", point) for point in after])


def compare_apart(
    before: Iterable[tuple[str, PointLine]], after: Iterable[tuple[str, PointLine]]
) -> Comparison:
    """As `compare`, of points each with words about its run, which have to be equal too."""
    old, new = ({(about, key_of(point)): point for about, point in points} for points in (before, after))
    both = [key for key in new if key in old]
    changes = [Change(old[key], new[key], _factor(old[key], new[key], len(both)), key[0]) for key in both]
    return Comparison(
        changes,
        [point for key, point in old.items() if key not in new],
        [point for key, point in new.items() if key not in old],
    )


def _factor(before: PointLine, after: PointLine, points: int) -> Ratio:
    old, new = before.blocks.ratio_of_medians, after.blocks.ratio_of_medians
    normal = NormalDist()
    wider = normal.inv_cdf(1 - 0.025 / points) / normal.inv_cdf(0.975)
    down = wider * math.hypot(math.log(new.value / new.low), math.log(old.high / old.value))
    up = wider * math.hypot(math.log(new.high / new.value), math.log(old.value / old.low))
    value = new.value / old.value
    return Ratio(value=value, low=value * math.exp(-down), high=value * math.exp(up))
