# SPDX-License-Identifier: BSD-3-Clause
"""`quadrille doctor`: says what is wrong with a cluster's network and hosts, why, and what to do."""

from __future__ import annotations

import json
from pathlib import Path

import typer
from rich.console import Console

from quadrille.doctor.diagnosis import as_data, by_severity, diagnose, is_wrong, paragraphs
from quadrille.doctor.finding import Finding, case_of
from quadrille.doctor.rules_here import findings_here, host_line, surroundings
from quadrille.errors import UsageError
from quadrille.launcher_program import split_line
from quadrille.launchers import detect_launcher
from quadrille.line_after_dashes import LineAfterDashes
from quadrille.model.model_file import load_model
from quadrille.probe.model_output import completed
from quadrille.probe.prober import ProberJob, require_success, run_prober

_HELP = """Say what is wrong with the network and the hosts of a launcher line: cause, evidence, remedy.

The network is measured, each host tells its settings, and a program at the line's end is looked at without
being run. Nothing is changed. Exit code 1 when something is wrong.

quadrille doctor -- mpirun -np 16 --hostfile hosts ./app

quadrille doctor --here
"""
_NO_END = 100_000


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command("doctor", help=_HELP, cls=LineAfterDashes)(doctor)


def doctor(
    context: typer.Context,
    model: Path | None = typer.Option(
        None, "--model", metavar="FILE", help="Take the network from this model instead of measuring it."
    ),
    as_json: bool = typer.Option(False, "--json", help="Print findings as JSON."),
    interface: str | None = typer.Option(
        None, "--interface", metavar="NAME|CIDR", help="Measure on this network."
    ),
    mpi: str | None = typer.Option(None, "--mpi", metavar="ompi|mpich|impi", help="Default: the launcher's."),
    here: bool = typer.Option(
        False, "--here", help="Look at this host alone, in a second: no launcher line, no measurement."
    ),
) -> None:
    """Collect and judge; exit 1 for errors and warnings."""
    line: list[str] = context.meta["line"]
    if here:
        if line or model is not None or interface is not None or mpi is not None:
            raise UsageError("--here looks at this host alone; leave the launcher line and other options out")
        _tell(
            by_severity([*diagnose(case_of([host_line()], None, []), []), *findings_here(surroundings())]),
            as_json,
        )
        return
    if not line:
        raise UsageError(
            "no launcher line; write it after `--`, as in `quadrille doctor -- mpirun -np 4`, or look at this"
            " host alone with --here"
        )
    known = load_model(model) if model is not None else None
    arguments = ["--hosts-only"] if known is not None else []
    if interface is not None:
        arguments += ["--interface", interface]
    report = run_prober(ProberJob(line, arguments, mpi))
    if len(report.errors) != 1:  # one is a finding; several: no two ranks found each other
        require_success(report)
    if report.model is not None:
        known = completed(report.model)
    case = case_of(report.hosts, known, report.errors)
    launcher = detect_launcher(line)
    findings = diagnose(case, split_line(launcher).program, mpi or launcher.mpi, launcher.version)
    _tell(findings, as_json)


def _tell(findings: list[Finding], as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(as_data(findings), ensure_ascii=False, indent=1))
    else:
        screen = Console(highlight=False)
        if not screen.is_terminal:  # a file or a pipe has no width
            screen = Console(highlight=False, width=_NO_END)
        for text in paragraphs(findings):
            screen.print(text)
    if is_wrong(findings):
        raise typer.Exit(1)
