# SPDX-License-Identifier: BSD-3-Clause
"""`quadrille profile`: what a program spends its time on, which MPI calls it makes, what Quadrille gains."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import typer
from rich.console import Console

from quadrille.errors import QuadrilleError, UsageError
from quadrille.installation import quadrille_program
from quadrille.line_after_dashes import LineAfterDashes
from quadrille.native_job import ended_with_us

_HELP = """Tell which MPI calls a program makes, from where, where the time goes, and what can be gained.

quadrille profile -- mpirun -np 16 --hostfile hosts ./app

quadrille profile --trace DIR            of a run that `quadrille run --trace DIR` has traced

The ranks write to a folder that all hosts must share; without --trace, one in the current folder for the
time of the run. `waiting` is for ranks that came late; `saved` is against the MPI library's own calls, by
what both took while they took turns.
"""


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command("profile", help=_HELP, cls=LineAfterDashes)(profile)


def profile(
    context: typer.Context,
    trace: Path | None = typer.Option(None, "--trace", metavar="DIR", help="Folder of the ranks' traces."),
    rows: int = typer.Option(20, "--rows", min=1, help="So many of the rows, those with most time."),
) -> None:
    """Run the launcher line with a trace, unless there is one, and print the profile."""
    line: list[str] = context.meta["line"]
    if not line and trace is None:
        raise UsageError(
            "nothing to profile; write `quadrille profile -- mpirun -np 4 ./app`, or --trace DIR"
        )
    if line and trace is None:
        with TemporaryDirectory(prefix="quadrille-trace-", dir=".") as folder:
            _run(line, Path(folder))
            _tell(Path(folder), rows)
        return
    assert trace is not None
    if line:
        _run(line, trace)
    _tell(trace, rows)


def _run(line: list[str], folder: Path) -> None:
    process = subprocess.Popen([quadrille_program(), "run", "--trace", str(folder), "--", *line])
    with ended_with_us(process):
        code = process.wait()
    if code != 0:
        print(
            f"quadrille: the program ended with exit code {code}; what it wrote before counts",
            file=sys.stderr,
        )


def _tell(folder: Path, rows: int) -> None:
    from quadrille.trace.joint_calls import joint_calls
    from quadrille.trace.profile import profile as profile_of
    from quadrille.trace.reading import read_trace
    from quadrille.trace.table import notes_on, parts_table, table_of, warnings_of

    found = read_trace(folder)
    joint = joint_calls(found)
    told = profile_of(found, joint)
    if not joint and not told.parts:
        reasons = [f"{folder} has no collective call that all its ranks have written", *warnings_of(found)]
        raise QuadrilleError("; ".join(reasons))
    console = Console(width=None if sys.stdout.isatty() else 160, highlight=False)
    if told.parts:
        console.print(parts_table(told))
        console.print()
    console.print(table_of(told, rows))
    for text in notes_on(found, told, len(joint), rows):
        console.print(f"quadrille: {text}", soft_wrap=True)
