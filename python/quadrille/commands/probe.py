# SPDX-License-Identifier: BSD-3-Clause
"""`quadrille probe`: measures the network between the hosts of a launcher line and writes its model."""

from __future__ import annotations

import sys
from pathlib import Path

import typer

from quadrille.errors import QuadrilleError, UsageError
from quadrille.line_after_dashes import LineAfterDashes
from quadrille.model.model_file import load_model
from quadrille.probe.lines import Difference
from quadrille.probe.model_output import ModelOutput, completed
from quadrille.probe.prober import ProberJob, ProberReport, require_success, run_prober
from quadrille.probe.summary import check_lines, summary_lines

_HELP = """Measure the network between hosts and write the model that everything plans from.

What follows `--` is the launcher line; a program at its end is left out. One rank a host is enough.

quadrille probe -o model.json -- mpirun -np 16 --hostfile hosts
"""


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command("probe", help=_HELP, cls=LineAfterDashes)(probe)


def probe(
    context: typer.Context,
    output: Path | None = typer.Option(None, "-o", "--output", metavar="MODEL", help="The model goes here."),
    check: Path | None = typer.Option(None, "--check", metavar="MODEL", help="Say if MODEL still holds."),
    samples: Path | None = typer.Option(
        None, "--samples", metavar="FILE", help="Rank 0 writes all round trips here."
    ),
    interface: str | None = typer.Option(
        None, "--interface", metavar="NAME|CIDR", help="Measure on this network."
    ),
    quick: bool = typer.Option(False, "--quick", help="Only what a program measures when it starts."),
    multicast_after: int | None = typer.Option(
        None, "--multicast-after", metavar="SECONDS", min=1, max=3600, help="Try multicast again that late."
    ),
    seed: int = typer.Option(1, "--seed", min=0, help="Of what is chosen by lot."),
    mpi: str | None = typer.Option(None, "--mpi", metavar="ompi|mpich|impi", help="Default: the launcher's."),
) -> None:
    """Run the prober; exit 1 when it failed or, with --check, when the model no longer holds."""
    line: list[str] = context.meta["line"]
    if not line:
        raise UsageError(
            "no launcher line; write it after `--`, as in `quadrille probe -o model.json -- mpirun -np 4`"
        )
    if output is None and check is None:
        raise UsageError("nothing to do with the model; give -o MODEL, or --check MODEL to compare with one")
    if check is not None:
        load_model(check)
    arguments = ["--seed", str(seed), *(["--quick"] if quick else [])]
    if multicast_after is not None:
        arguments += ["--multicast-after", str(multicast_after)]
    for option, value in (("--interface", interface), ("--samples", _absolute(samples)), ("--check", check)):
        if value is not None:
            arguments += [option, str(_absolute(value) if isinstance(value, Path) else value)]
    job = ProberJob(line, arguments, mpi)
    if output is None:
        report = run_prober(job)
        require_success(report)
    else:
        report = _probe_into(output, job)
    if check is not None:
        _tell_differences(check, report.differences)


def _probe_into(path: Path, job: ProberJob) -> ProberReport:
    output = ModelOutput(path)
    report = run_prober(job)
    require_success(report)
    if report.model is None:
        raise QuadrilleError("the prober compared models but gave none; try again")
    model = completed(report.model)
    place = output.write(model)
    for text in summary_lines(model):
        print(f"quadrille: {text}", file=sys.stderr)
    print(f"quadrille: model in {place}; `quadrille show {place}` tells more", file=sys.stderr)
    return report


def _tell_differences(check: Path, differences: list[Difference] | None) -> None:
    if differences is None:
        raise QuadrilleError("the prober did not compare the model; try again")
    for text in check_lines(differences):
        print(text)
    serious = sum(difference.serious for difference in differences)
    if serious:
        raise QuadrilleError(
            f"{check} no longer holds ({serious} serious of {len(differences)} differences); "
            f"probe again with `quadrille probe -o {check} -- LAUNCHER`"
        )
    print(f"quadrille: {check} still holds", file=sys.stderr)


def _absolute(path: Path | None) -> Path | None:
    return None if path is None else path.absolute()
