# SPDX-License-Identifier: BSD-3-Clause
"""Colours that alone tell lines or cells apart, as colour-blind readers see them.

Simulation: Machado, Oliveira, Fernandes, "A Physiologically-based Model for Simulation of Color Vision
Deficiency", IEEE TVCG 2009, doi:10.1109/TVCG.2009.113, severity 1. Differences: CIE 1976, of which about 2.3
is just noticed side by side.
"""

from __future__ import annotations

from itertools import combinations

import pytest

from quadrille.plan.table_page import COLOURS as CHOICES
from quadrille.report.charts import (
    ALTERNATING_COLOUR,
    LIMIT_COLOUR,
    NATIVE_COLOUR,
    QUADRILLE_COLOUR,
    rgb_of,
)
from quadrille.report.heat_map import colour_of
from quadrille.reproduce.experiments.eco_table1.showing import TREES
from quadrille.reproduce.experiments.gamma_pingpong import COLOURS as WAYS
from quadrille.trace.page import COLOURS as FUNCTIONS

VISIONS = {
    "usual": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
PALETTES = {
    "both sides": (NATIVE_COLOUR, QUADRILLE_COLOUR, ALTERNATING_COLOUR, LIMIT_COLOUR),
    "heat map": tuple(colour_of(ratio) for ratio in (0.25, 0.5, 1, 2, 4)),
    "algorithms": CHOICES,
    "functions": FUNCTIONS,
    "ways of gamma-pingpong": tuple(WAYS.values()),
    "eco-table1": tuple(colour for _, colour in TREES.values()),
}
LEAST = 10.0


def _lab(colour: str, vision: str) -> tuple[float, float, float]:
    linear = [_linear(part / 255) for part in rgb_of(colour)]
    seen = [
        min(max(sum(factor * part for factor, part in zip(row, linear, strict=True)), 0), 1)
        for row in VISIONS[vision]
    ]
    to_xyz = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
    white = (0.9505, 1.0, 1.089)
    x, y, z = (
        _root(sum(factor * part for factor, part in zip(row, seen, strict=True)) / of_white)
        for row, of_white in zip(to_xyz, white, strict=True)
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else float(((part + 0.055) / 1.055) ** 2.4)


def _root(value: float) -> float:
    return float(value ** (1 / 3)) if value > 0.008856 else 7.787 * value + 16 / 116


def _difference(one: str, other: str, vision: str) -> float:
    pairs = zip(_lab(one, vision), _lab(other, vision), strict=True)
    return float(sum((a - b) ** 2 for a, b in pairs) ** 0.5)


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("palette", PALETTES)
def test_colours_are_told_apart(palette: str, vision: str) -> None:
    near = {
        (one, other): round(_difference(one, other, vision), 1)
        for one, other in combinations(PALETTES[palette], 2)
        if _difference(one, other, vision) < LEAST
    }
    assert not near


def test_red_and_green_are_not_told_apart_by_all() -> None:
    """What the check is worth: it refuses the usual traffic light."""
    assert _difference("#d62728", "#2ca02c", "usual") > 100
    assert min(_difference("#8c6d1f", "#5f7a1f", vision) for vision in VISIONS) < LEAST
