# SPDX-License-Identifier: BSD-3-Clause
"""`quadrille show`: tells what a network model says, in words or as a drawing."""

from __future__ import annotations

from pathlib import Path

import typer
from rich.console import Console

from quadrille.atomic_write import write_whole
from quadrille.model.description import describe
from quadrille.model.model_file import load_model, print_model
from quadrille.model.model_picture import model_svg

_NO_END = 100_000


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command("show")(show)


def show(
    model: Path = typer.Argument(..., metavar="MODEL", help="File written by `quadrille probe`."),
    svg: Path | None = typer.Option(
        None, "--svg", metavar="FILE", help="Draw it too: a self-contained SVG, replaced if it exists."
    ),
    as_json: bool = typer.Option(False, "--json", help="Print the model normalised instead of words."),
) -> None:
    """Print the tree of segments, trunks and hosts, with rates, what differs, and warnings."""
    loaded = load_model(model)
    if svg is not None:
        write_whole(svg, model_svg(loaded), f"drawing {svg}", "give another --svg")
    if as_json:
        typer.echo(print_model(loaded), nl=False)
    else:
        screen = Console(highlight=False)
        if not screen.is_terminal:  # a file or a pipe has no width
            screen = Console(highlight=False, width=_NO_END)
        screen.print(describe(loaded))
