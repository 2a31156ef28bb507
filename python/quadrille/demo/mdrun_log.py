# SPDX-License-Identifier: BSD-3-Clause
"""Reads what the demonstration shows out of the log that GROMACS's `mdrun` writes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from quadrille.errors import QuadrilleError

ENERGY_TOLERANCE = 0.001
"""Relative difference up to which GROMACS's own `gmx check` calls values equal (its default for -tol)."""

_COMPARED = ("LJ (SR)", "Coulomb (SR)", "Coul. recip.", "Potential", "Kinetic En.", "Total Energy")
_FFT = "PME 3D-FFT Comm."
_COMMUNICATION = ("Comm. coord.", "Wait + Comm. F", "PME redist. X/F", _FFT, "Comm. energies")
_COLUMN = 15  # mdrun prints names and values of energies right-aligned in columns of this width


@dataclass(frozen=True)
class MdrunFigures:
    """Times of the counted steps, summed, in seconds, and the energies (kJ/mol) of the last step."""

    steps: int
    wall_s: float
    communication_s: float
    fft_communication_s: float
    energies: Mapping[str, float]


def read_mdrun_log(text: str) -> MdrunFigures:
    """Return the figures of a finished run. Raises QuadrilleError when the log has no such rows."""
    mesh = re.search(r"^ PME mesh +\d+ +\d+ +(\d+) ", text, re.MULTILINE)
    wall = re.search(r"^ +Time: +[\d.]+ +([\d.]+)", text, re.MULTILINE)
    energies = _last_energies(text)
    alone = re.search(r"^On 1 MPI rank", text, re.MULTILINE)
    if not (mesh and wall and energies and (alone or _row_s(text, _FFT))):
        raise QuadrilleError("GROMACS's log has no timing table; the run did not reach its end")
    communication = sum(_row_s(text, row) for row in _COMMUNICATION)
    return MdrunFigures(int(mesh[1]), float(wall[1]), communication, _row_s(text, _FFT), energies)


def _row_s(text: str, row: str) -> float:
    """Return the seconds of a row of the timing table; one rank alone has no rows of communication."""
    found = re.search(rf"^ {re.escape(row)} +\d+ +\d+ +\d+ +([\d.]+)", text, re.MULTILINE)
    return float(found[1]) if found else 0.0


def _last_energies(text: str) -> dict[str, float]:
    blocks = text.split("<====  A V E R A G E S")[0].split("   Energies (kJ/mol)\n")
    if len(blocks) < 2:
        return {}
    lines = blocks[-1].split("\n\n")[0].splitlines()
    found = {}
    for names, values in zip(lines[0::2], lines[1::2], strict=False):
        for start in range(0, len(values), _COLUMN):
            found[names[start : start + _COLUMN].strip()] = float(values[start : start + _COLUMN])
    return {name: found[name] for name in _COMPARED if name in found}


def largest_difference(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """Return the largest relative difference of energies. REQUIRES: the same names in both."""
    return max(abs(one[name] - other[name]) / max(abs(one[name]), abs(other[name])) for name in one)
