# SPDX-License-Identifier: BSD-3-Clause
"""The input of pw.x: eight water molecules in a cube, turned against each other."""

from __future__ import annotations

import math
import os
import shutil
from pathlib import Path

from quadrille.errors import QuadrilleError

_PROGRAM = "pw.x"
_PSEUDOPOTENTIALS = Path("/usr/share/espresso/pseudo")
_OXYGEN, _HYDROGEN = "O.blyp-mt.UPF", "H.blyp-vbc.UPF"
_EDGE_ANGSTROM = 6.2
_BOND_ANGSTROM, _HALF_ANGLE_DEGREES = 0.9572, 52.26
"""Of a water molecule (W. Jorgensen et al., doi:10.1063/1.445869)."""


def program() -> str:
    """Return the program's path. Raises QuadrilleError where it or its data are not installed."""
    found = shutil.which(_PROGRAM)
    missing = [name for name in (_OXYGEN, _HYDROGEN) if not (_folder() / name).exists()]
    if found is None or missing:
        what = _PROGRAM if found is None else f"{_folder()}/{missing[0]}"
        raise QuadrilleError(
            f"{what} is not there; install the packages quantum-espresso and quantum-espresso-data"
        )
    return found


def _folder() -> Path:
    return Path(os.environ.get("ESPRESSO_PSEUDO", _PSEUDOPOTENTIALS))


def input_text(convergence_ry: float) -> str:
    """Return the input; it ends when the estimated error of the energy is below `convergence_ry`."""
    return f"""&control
  calculation = 'scf', prefix = 'water', outdir = './out', pseudo_dir = '{_folder()}', disk_io = 'none'
/
&system
  ibrav = 1, A = {_EDGE_ANGSTROM}, nat = 24, ntyp = 2, ecutwfc = 40, nosym = .true.
/
&electrons
  conv_thr = {convergence_ry:g}, diagonalization = 'cg', mixing_beta = 0.5
/
ATOMIC_SPECIES
O 15.999 {_OXYGEN}
H 1.008 {_HYDROGEN}
K_POINTS gamma
ATOMIC_POSITIONS angstrom
{_positions()}
"""


def _positions() -> str:
    lines = []
    for number in range(8):
        cell = (number // 4, number // 2 % 2, number % 2)
        oxygen = [0.4 + index * _EDGE_ANGSTROM / 2 for index in cell]
        lines.append(_line("O", oxygen))
        for side in (-1, 1):
            angle = 0.7 * number + side * math.radians(_HALF_ANGLE_DEGREES)
            bond = [_BOND_ANGSTROM * math.cos(angle), _BOND_ANGSTROM * math.sin(angle), 0.0]
            turned = [bond[2], bond[0], bond[1]] if sum(cell) % 2 else bond
            lines.append(_line("H", [at + by for at, by in zip(oxygen, turned, strict=True)]))
    return "\n".join(lines)


def _line(element: str, place: list[float]) -> str:
    return f"{element} {place[0]:.4f} {place[1]:.4f} {place[2]:.4f}"
