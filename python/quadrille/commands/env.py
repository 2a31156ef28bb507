# SPDX-License-Identifier: BSD-3-Clause
"""`quadrille env`: prints the variables that `quadrille run` would set, for launchers it does not know."""

from __future__ import annotations

import shlex

import typer

from quadrille import settings
from quadrille.errors import UsageError
from quadrille.fabric.variables import fabric_variables
from quadrille.job_options import Collectives, Fabric, JobOptions, Model, Multicast, Trace, Wire


def _help() -> str:
    rows = []
    for setting in settings.all_settings():
        default = f"default {setting.default}" if setting.default else ""
        notes = ", ".join(filter(None, (setting.expected, setting.unit, default)))
        rows.append(f"{setting.variable}\n    {setting.description}" + (f" ({notes})" if notes else ""))
    return (
        "Print the KEY=VALUE lines that `quadrille run` would set.\n\n"
        "Every rank of a job needs the same values: print them once and hand them to all. They are quoted as "
        "a shell reads them.\n\n"
        "\b\nSettings, all of them environment variables:\n" + "\n".join(rows)
    )


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command("env", help=_help())(env)


def env(
    mpi: str | None = typer.Option(None, "--mpi", metavar="ompi|mpich|abi", help="Binary interface."),
    model: Model = None,
    collectives: Collectives = None,
    wire: Wire = None,
    multicast: Multicast = None,
    fabric: Fabric = None,
    trace: Trace = None,
) -> None:
    """Print one line a variable; a job secret is drawn anew each time."""
    options = JobOptions(model, collectives, wire, multicast, fabric, trace)
    variables = settings.job_environment({"QUADRILLE_ABI": mpi, **options.variables()})
    if variables.get("QUADRILLE_FABRIC") == "auto":
        raise UsageError("--fabric auto is chosen for each job by `quadrille run`; write on or off")
    variables.update(fabric_variables(variables, mpi))
    for name, value in variables.items():
        typer.echo(f"{name}={shlex.quote(value)}")
