# SPDX-License-Identifier: BSD-3-Clause
"""Prepares 79 260 atoms of water for GROMACS with GROMACS's own tools, once: about five seconds.

The recipe is the folder `recipe/`. The result is kept under a digest of the recipe and GROMACS's version, so
a changed recipe is prepared anew and nothing has to be cleaned.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from quadrille.errors import QuadrilleError

_RECIPE = Path(__file__).parent / "recipe"
_BOX_NM = "9.3"


def prepare_water(cache: Path) -> Path:
    """Return the run input file below folder `cache`, made if it is not there yet.

    Raises QuadrilleError when GROMACS is missing or one of its tools fails.
    """
    version = _gmx(["--version"], Path.cwd())
    digest = hashlib.sha256(version.split("Executable")[0].encode() + _BOX_NM.encode())
    for part in sorted(_RECIPE.iterdir()):
        digest.update(part.read_bytes())
    target = cache / f"water-{digest.hexdigest()[:16]}.tpr"
    if target.exists():
        return target
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache, prefix="preparing-") as name:
        folder = Path(name)
        for part in _RECIPE.iterdir():
            shutil.copy(part, folder)
        _gmx(["solvate", "-cs", "spc216.gro", "-box", _BOX_NM, _BOX_NM, _BOX_NM, "-o", "box.gro"], folder)
        _gmx(["grompp", "-f", "minimise.mdp", "-c", "box.gro", "-p", "topol.top", "-o", "em.tpr"], folder)
        _gmx(["mdrun", "-deffnm", "em", "-ntomp", str(os.cpu_count() or 1)], folder)
        _gmx(["grompp", "-f", "dynamics.mdp", "-c", "em.gro", "-p", "topol.top", "-o", "water.tpr"], folder)
        (folder / "water.tpr").replace(target)
    return target


def _gmx(arguments: list[str], folder: Path) -> str:
    """Run GROMACS alone, as one process, and return what it printed."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("GMX", "OMPI_"))}
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    try:
        done = subprocess.run(
            ["gmx_mpi", *arguments],
            cwd=folder,
            env={**environment, **root},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
    except FileNotFoundError:
        raise QuadrilleError("gmx_mpi is not installed; install the package gromacs") from None
    if done.returncode != 0:
        last = "\n".join(done.stderr.strip().splitlines()[-15:])
        raise QuadrilleError(f"`gmx_mpi {' '.join(arguments)}` failed in {folder}:\n{last}")
    return done.stdout
