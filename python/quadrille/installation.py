# SPDX-License-Identifier: BSD-3-Clause
"""Where the native parts and the MPI libraries of this installation are."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from quadrille.errors import QuadrilleError

_PACKAGE = Path(__file__).resolve().parent
_SOURCE_ROOT = _PACKAGE.parents[1]

_REMEDY = "install the wheel for this kind of machine, or run `make build` in a clone"


def quadrille_program() -> str:
    """Return the path of this installation's `quadrille`.

    It need not stand beside the interpreter: `pip install --user` puts it elsewhere.
    """
    started = Path(sys.argv[0]).absolute()
    return str(started if started.name == "quadrille" else Path(sys.executable).parent / "quadrille")


def native_directory() -> Path:
    """Return the directory with the native libraries and programs.

    `QUADRILLE_NATIVE_DIR` names it outright; a wheel has it in the package; a source tree in `build/`; an
    installation made by `make install` in `PREFIX/lib/quadrille/native`.
    """
    override = os.environ.get("QUADRILLE_NATIVE_DIR")
    candidates = [Path(override)] if override else [*_installed(), _SOURCE_ROOT / "build"]
    for candidate in candidates:
        if (candidate / "libquadrille.so").exists():
            return candidate
    looked = ", ".join(str(candidate) for candidate in candidates)
    raise QuadrilleError(f"libquadrille.so is not there (looked in {looked}); {_REMEDY}")


def settings_table() -> Path:
    """Return the table of settings: a source tree's own, or what is installed with the libraries."""
    candidates = [_SOURCE_ROOT / "src" / "base", *_installed()]
    tables = [candidate / "settings.def" for candidate in candidates]
    return next((table for table in tables if table.exists()), tables[-1])


def _installed() -> list[Path]:
    # `make install` puts the interpreter's environment into PREFIX/lib/quadrille/venv.
    return [_PACKAGE / "native", Path(sys.prefix).parent / "native"]


def native_program(name: str) -> Path:
    """Return the path of native program `name`, such as `quadrille-bench-ompi`.

    Raises QuadrilleError when it is not built.
    """
    path = native_directory() / name
    if not path.exists():
        raise QuadrilleError(f"{name} is not there (looked for {path}); {_REMEDY}")
    return path


def mpi_prefix(mpi: str) -> Path | None:
    """Return the prefix of one of the MPIs the Makefile installs (`ompi5`, `mpich`, `impi`), or None.

    Debian's Open MPI (`ompi4`) is a system package and has no prefix of its own.
    """
    root = Path(os.environ.get("QUADRILLE_MPI_DIR", _SOURCE_ROOT / ".mpi"))
    prefix = root / mpi
    return prefix if (prefix / "bin").is_dir() else None
