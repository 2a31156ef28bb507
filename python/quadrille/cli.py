# SPDX-License-Identifier: BSD-3-Clause
"""The `quadrille` program: finds the verbs in `quadrille.commands` and turns errors into exit codes.

A verb whose module has its name loads that alone; loading all takes three times as long as starting `run`.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys

import typer

from quadrille import __version__, commands
from quadrille.errors import QuadrilleError


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"quadrille {__version__}")
        raise typer.Exit


def _modules() -> list[str]:
    return sorted(found.name for found in pkgutil.iter_modules(commands.__path__))


def build_app(verb: str = "") -> typer.Typer:
    """Return the application with `verb` alone; where no module has that name, with all in name order."""
    app = typer.Typer(
        name="quadrille",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        help="Makes unmodified MPI programs communicate at the speed of the wire on Ethernet clusters.",
    )

    @app.callback()
    def _root(
        version: bool = typer.Option(
            False, "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ) -> None:
        """Hold the options that stand before a verb."""

    modules = _modules()
    for module in [verb] if verb in modules else modules:
        importlib.import_module(f"{commands.__name__}.{module}").register(app)
    return app


def main() -> None:
    """Run the verb named on the command line; exit with 0 done, 1 failed, 2 wrong usage."""
    try:
        build_app(*sys.argv[1:2])()
    except QuadrilleError as error:
        print(f"quadrille: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        print("quadrille: interrupted", file=sys.stderr)
        sys.exit(130)
