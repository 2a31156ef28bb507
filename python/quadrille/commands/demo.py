# SPDX-License-Identifier: BSD-3-Clause
"""`quadrille demo`: GROMACS on an emulated cluster, without and with Quadrille, from one command."""

from __future__ import annotations

from pathlib import Path

import typer

from quadrille import termination
from quadrille.demo.demonstration import Plan, demonstrate
from quadrille.errors import UsageError


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command("demo")(demo)


def demo(
    output: Path = typer.Option(Path("demo-results"), "-o", "--output", metavar="DIR", help="For results."),
    cache: Path = typer.Option(Path(".cache/gromacs"), "--cache", metavar="DIR", help="For prepared input."),
    steps: int = typer.Option(40, "--steps", help="Time steps that count, in each of four stretches."),
    benches: bool = typer.Option(True, "--benches/--no-benches", help="Time single collectives first."),
) -> None:
    """Show an unmodified program on an emulated 16-host Ethernet cluster, without and with Quadrille.

    Times alltoall, bcast and allreduce, then GROMACS, and renders a report.
    """
    if steps < 1:
        raise UsageError(f"--steps {steps}: count at least one step")
    with termination.as_interrupt():
        report = demonstrate(Plan(output, cache, (10, steps), benches))
    typer.echo(f"Report: {report.resolve()}")
