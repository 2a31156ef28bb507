# SPDX-License-Identifier: BSD-3-Clause
"""`quadrille report`: turns results files into one HTML page."""

from __future__ import annotations

from pathlib import Path

import typer

from quadrille.atomic_write import write_whole
from quadrille.bench.results_file import read_results
from quadrille.errors import UsageError
from quadrille.report.comparison import compared, comparison_page, comparison_sentences, mind_sentences
from quadrille.report.page import render_page


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command("report")(report)


def report(
    results: list[Path] = typer.Argument(
        ..., metavar="RESULTS...", help="Files written by `quadrille bench`."
    ),
    output: Path = typer.Option(
        ..., "-o", "--output", metavar="HTML", help="The page, replaced if it exists."
    ),
    title: str = typer.Option("Quadrille report", "--title", help="Heading of the page."),
    compare: bool = typer.Option(
        False, "--compare", help="Two files: what changed from the first to the second."
    ),
) -> None:
    """Write one self-contained HTML page: charts, limits, stalls, topology, machines, commands."""
    page = _comparison(results, title) if compare else render_page(read_results(results), title)
    write_whole(output, page, f"report {output}", "give another -o")
    typer.echo(f"{output}")


def _comparison(results: list[Path], title: str) -> str:
    if len(results) != 2:
        raise UsageError(f"--compare takes two results files, the earlier first; {len(results)} were given")
    before, after = (read_results([path]) for path in results)
    for sentence in comparison_sentences(compared(before, after)):
        typer.echo(sentence)
    for sentence in mind_sentences(before, after):
        typer.echo(f"quadrille: mind: {sentence}", err=True)
    return comparison_page(before, after, title)
