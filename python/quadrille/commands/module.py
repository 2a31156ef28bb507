# SPDX-License-Identifier: BSD-3-Clause
"""`quadrille module`: prints the file by which a cluster's users load this installation."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import typer

from quadrille import __version__
from quadrille.errors import UsageError
from quadrille.installation import quadrille_program

_HELP = """Print a module file for this installation.

quadrille module > /etc/modulefiles/quadrille/0.1.lua

It puts the command on PATH, and with --models chooses the model of a job's Slurm partition. It does not
preload the library: that is what `quadrille run` does, for a job alone.
"""
_ABOUT = "Unmodified MPI programs at the speed of the wire: quadrille run -- mpirun ... ./app"
_LUA = """-- Quadrille {version}, for Lmod
whatis("{about}")
conflict("quadrille")
prepend_path("PATH", "{bin}")
"""
_LUA_MODELS = """local model = pathJoin("{models}", (os.getenv("SLURM_JOB_PARTITION") or "none") .. ".json")
if isFile(model) then setenv("QUADRILLE_MODEL", model) end
"""
_TCL = """#%Module
# Quadrille {version}
module-whatis "{about}"
conflict quadrille
prepend-path PATH "{bin}"
"""
_TCL_MODELS = """if {{[info exists ::env(SLURM_JOB_PARTITION)]}} {{
  set model "{models}/$::env(SLURM_JOB_PARTITION).json"
  if {{[file isfile $model]}} {{ setenv QUADRILLE_MODEL $model }}
}}
"""


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command("module", help=_HELP)(module)


def module(
    system: Literal["lmod", "tcl"] = typer.Option("lmod", "--for", help="Lmod, or environment modules."),
    models: Path | None = typer.Option(
        None, "--models", metavar="DIR", help="Folder with a model for each partition, PARTITION.json."
    ),
    on_path: Path | None = typer.Option(
        None, "--bin", metavar="DIR", help="Folder for PATH, which holds the command or a link to it."
    ),
) -> None:
    """Write the file to standard output."""
    places = {"bin": str(_folder_for_path(on_path))}
    if models is not None:
        places["models"] = str(models.absolute())
    for place in places.values():
        if any(letter in place for letter in '"\\$[]{}'):
            raise UsageError(f"{place} holds letters that mean something else in a module file")
    text, of_models = (_LUA, _LUA_MODELS) if system == "lmod" else (_TCL, _TCL_MODELS)
    if models is not None:
        text += of_models
    typer.echo(text.format(version=__version__, about=_ABOUT, **places), nl=False)


def _folder_for_path(given: Path | None) -> Path:
    program = Path(quadrille_program())
    folder = (given or program.parent).absolute()
    if not (folder / "quadrille").exists():
        raise UsageError(f"{folder} holds no quadrille; make a link there: ln -s {program} {folder}")
    if (folder / "python3").exists():
        raise UsageError(
            f"{folder} on PATH would bring its python3 along; make a folder with a link to {program} alone,"
            " and name it by --bin"
        )
    return folder
