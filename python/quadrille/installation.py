# SPDX-License-Identifier: BSD-3-Clause
"""Where the native parts and the MPI libraries of this installation are."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from quadrille.errors import QuadrilleError

_SOURCE_ROOT = Path(__file__).resolve().parents[2]


def quadrille_program() -> str:
    """Return the path of this installation's `quadrille`."""
    return str(Path(sys.executable).parent / "quadrille")


def native_directory() -> Path:
    """Return the directory with the native libraries and programs.

    `QUADRILLE_NATIVE_DIR` names it outright; a source tree has it in `build/`; an installation made by
    `make install` in `PREFIX/lib/quadrille/native`.
    """
    override = os.environ.get("QUADRILLE_NATIVE_DIR")
    candidates = [Path(override)] if override else [_SOURCE_ROOT / "build", _installed_native_directory()]
    for candidate in candidates:
        if (candidate / "libquadrille.so").exists():
            return candidate
    looked = ", ".join(str(candidate) for candidate in candidates)
    raise QuadrilleError(f"libquadrille.so is not built (looked in {looked}); run `make build`")


def _installed_native_directory() -> Path:
    # `make install` puts the interpreter's environment into PREFIX/lib/quadrille/venv.
    return Path(sys.prefix).parent / "native"


def native_program(name: str) -> Path:
    """Return the path of native program `name`, such as `quadrille-bench-ompi`.

    Raises QuadrilleError when it is not built.
    """
    path = native_directory() / name
    if not path.exists():
        raise QuadrilleError(f"{name} is not built (looked for {path}); run `make build`")
    return path


def mpi_prefix(mpi: str) -> Path | None:
    """Return the prefix of one of the MPIs the Makefile installs (`ompi5`, `mpich`, `impi`), or None.

    Debian's Open MPI (`ompi4`) is a system package and has no prefix of its own.
    """
    root = Path(os.environ.get("QUADRILLE_MPI_DIR", _SOURCE_ROOT / ".mpi"))
    prefix = root / mpi
    return prefix if (prefix / "bin").is_dir() else None
