# SPDX-License-Identifier: BSD-3-Clause
"""Which points took longer under Quadrille than with the MPI library alone: none should."""

from __future__ import annotations

from quadrille.contracts import PointLine

LIMIT = 1.03
"""Ratio of medians up to which a point counts as no slower: two runs of the same code differ by as much."""


def slower(points: list[PointLine]) -> list[PointLine]:
    """Return the points whose ratio of medians is above the limit, worst first."""
    above = [point for point in points if point.blocks.ratio_of_medians.value > LIMIT]
    return sorted(above, key=lambda point: -point.blocks.ratio_of_medians.value)


def certainly_slower(points: list[PointLine]) -> list[PointLine]:
    """Return those of which the ratio's whole interval is above the limit, worst first."""
    return [point for point in slower(points) if point.blocks.ratio_of_medians.low > LIMIT]
