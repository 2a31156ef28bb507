# SPDX-License-Identifier: BSD-3-Clause
"""`quadrille run`: starts any launcher line with Quadrille in every rank."""

from __future__ import annotations

import os
import sys

import typer

from quadrille import settings
from quadrille.errors import QuadrilleError, UsageError
from quadrille.fabric import check_mpi, fabric_variables, what_is_missing
from quadrille.job_options import Collectives, Fabric, JobOptions, Model, Multicast, Trace, Wire
from quadrille.launchers import detect_launcher

_HELP = """Run a launcher line with Quadrille in every rank.

Everything after `--` is the line as you would type it: mpirun or mpiexec of Open MPI, MPICH or Intel MPI, or
srun, also behind wrappers such as `timeout 60` or `env A=B`, with remote hosts and custom rsh agents. Nothing
is recompiled. Exit code and signals are those of the launcher. A line without a known launcher gets the
variables of `quadrille env` in its environment.
"""


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command("run", help=_HELP, context_settings={"allow_interspersed_args": False})(run)


def run(
    line: list[str] = typer.Argument(None, metavar="-- LAUNCHER...", help="The launcher line."),
    model: Model = None,
    collectives: Collectives = None,
    wire: Wire = None,
    multicast: Multicast = None,
    fabric: Fabric = None,
    trace: Trace = None,
) -> None:
    """Replace this process by the launcher, with Quadrille set up for its ranks."""
    if not line:
        raise UsageError("no command after `--`; write `quadrille run -- mpirun -np 4 ./app`")
    launcher = detect_launcher(line)
    options = JobOptions(model, collectives, wire, multicast, fabric, trace)
    variables = settings.job_environment(options.variables())
    for_fabric = fabric_variables(variables, launcher.mpi)
    if for_fabric:
        check_mpi(launcher)
        if missing := what_is_missing(launcher):
            print(f"quadrille: {missing}", file=sys.stderr)
    variables.update(for_fabric)
    for name in settings.unknown_variables():
        print(f"quadrille: no setting is called {name}; `quadrille env --help` lists them", file=sys.stderr)
    command = launcher.with_environment(variables)
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        os.execvpe(command[0], command, {**os.environ, **launcher.launcher_environment(variables)})
    except OSError as error:
        raise QuadrilleError(f"{command[0]} cannot be started: {error.strerror}") from error
