# SPDX-License-Identifier: BSD-3-Clause
"""`quadrille run`: starts any launcher line with Quadrille in every rank."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping, Sequence

import typer

from quadrille import settings
from quadrille.errors import QuadrilleError, UsageError
from quadrille.fabric.other_transport import chosen_by_user, other_transports
from quadrille.fabric.variables import check_mpi, fabric_variables, what_is_missing
from quadrille.job_options import Collectives, Fabric, JobOptions, Model, Multicast, Trace, Wire
from quadrille.launchers import Launcher, detect_launcher

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
    summary: bool = typer.Option(
        False, "--summary", help="Say in a line at the job's end what collectives took and Quadrille saved."
    ),
    insist: bool = typer.Option(
        False, "--insist", help="Go on where something else keeps --fabric on from being used."
    ),
    dry_run: bool = typer.Option(
        False, "--dry-run", help="Start nothing: print what would be set for which MPI, and the line."
    ),
) -> None:
    """Replace this process by the launcher, with Quadrille set up for its ranks."""
    if not line:
        raise UsageError("no command after `--`; write `quadrille run -- mpirun -np 4 ./app`")
    launcher = detect_launcher(line)
    options = JobOptions(model, collectives, wire, multicast, fabric, trace)
    asked = {**options.variables(), "QUADRILLE_SUMMARY": "on" if summary else None}
    variables = settings.job_environment(asked)
    if variables.get("QUADRILLE_FABRIC") == "auto":
        from quadrille.fabric.choice import choose  # what it loads takes longer than all the rest

        choice = choose(launcher, variables, None if dry_run else _tell)
        _tell(choice.told)
        chosen = {"QUADRILLE_FABRIC": "on" if choice.on else "off"}
        if choice.leaves is not None:
            chosen["QUADRILLE_MESSAGES"] = str(choice.leaves)
        variables = settings.job_environment({**asked, **chosen})
    for_fabric = fabric_variables(variables, launcher.mpi)
    if for_fabric:
        check_mpi(launcher)
        if _is_kept_out(launcher, insist):
            for_fabric = {}
        elif missing := what_is_missing(launcher):
            _tell(missing)
        for name in chosen_by_user(launcher, os.environ):
            for_fabric.pop(name, None)
    variables.update(for_fabric)
    for name in settings.unknown_variables():
        _tell(f"no setting is called {name}; `quadrille env --help` lists them")
    command = launcher.with_environment(variables)
    if dry_run:
        _print_plan(launcher, variables, command)
        return
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        os.execvpe(command[0], command, {**os.environ, **launcher.launcher_environment(variables)})
    except OSError as error:
        raise QuadrilleError(f"{command[0]} cannot be started: {error.strerror}") from error


def _print_plan(launcher: Launcher, variables: Mapping[str, str], command: Sequence[str]) -> None:
    found = f"{launcher.path} ({launcher.mpi} {launcher.version})"
    print(f"launcher: {'none that is known' if launcher.mpi == 'unknown' else found}")
    for name, value in variables.items():
        print(f"set: {name}={'(another for each job)' if name == 'QUADRILLE_JOB_SECRET' else value}")
    print(f"line: {shlex.join(command)}")


def _is_kept_out(launcher: Launcher, insist: bool) -> bool:
    """Return whether something keeps the provider from being used, which is told in one line.

    Raises UsageError then, unless the user insists.
    """
    others = [f"`{choice.word}`" for choice in other_transports(launcher, os.environ)]
    if not others:
        return False
    told = f"--fabric on: {', '.join(others)} keeps the MPI library from the provider"
    if not insist:
        raise UsageError(f"{told}; leave that out, or add --insist to run without the provider")
    _tell(f"{told}; going on without it")
    return True


def _tell(line: str) -> None:
    print(f"quadrille: {line}", file=sys.stderr, flush=True)
