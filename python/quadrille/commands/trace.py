# SPDX-License-Identifier: BSD-3-Clause
"""`quadrille trace`: joins the ranks' traces of a job into one time line."""

from __future__ import annotations

import json
from pathlib import Path

import typer

from quadrille.atomic_write import write_whole
from quadrille.errors import QuadrilleError, UsageError
from quadrille.trace.joint_calls import joint_calls, within
from quadrille.trace.page import trace_page
from quadrille.trace.reading import read_trace
from quadrille.trace.table import warnings_of
from quadrille.trace.timeline import timeline_of

_HELP = """Join what `quadrille run --trace DIR` has written into one time line.

The file opens in Perfetto (ui.perfetto.dev) and chrome://tracing; --page writes a page that opens anywhere.
"""


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command("trace", help=_HELP)(trace)


def trace(
    folder: Path = typer.Argument(..., metavar="DIR", help="Folder with the ranks' traces."),
    output: Path | None = typer.Option(None, "-o", "--output", metavar="FILE", help="Time line as JSON."),
    page: Path | None = typer.Option(None, "--page", metavar="HTML", help="Time line and profile as a page."),
    begin: float | None = typer.Option(None, "--from", metavar="SECONDS", min=0, help="Only from then on."),
    end: float | None = typer.Option(None, "--to", metavar="SECONDS", min=0, help="Only until then."),
) -> None:
    """Write the time line of the calls that all their ranks have told of."""
    if output is None and page is None:
        raise UsageError("nothing to write; give -o FILE, --page HTML or both")
    found = read_trace(folder)
    joint = joint_calls(found)
    if not joint:
        reasons = [f"{folder} has no call that all its ranks have written", *warnings_of(found)]
        raise QuadrilleError("; ".join(reasons))
    chosen = within(joint, begin, end)
    if not chosen:
        raise UsageError("no call is between --from and --to; both count in seconds from the first call")
    if output is not None:
        _write(output, json.dumps(timeline_of(found, chosen)))
    if page is not None:
        _write(page, trace_page(found, joint, chosen if begin is not None or end is not None else None))
    for text in warnings_of(found):
        typer.echo(f"quadrille: {text}", err=True)


def _write(path: Path, text: str) -> None:
    write_whole(path, text, str(path), "give another name")
    typer.echo(f"{path}")
