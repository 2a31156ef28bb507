# SPDX-License-Identifier: BSD-3-Clause
"""`quadrille lab`: an emulated Ethernet cluster on this machine."""

from __future__ import annotations

import json
import os
import shlex
import sys
import time
from typing import Annotated

import typer
from rich.console import Console

from quadrille.errors import UsageError
from quadrille.lab.cpu import capacity_warning
from quadrille.lab.ending import end_lab
from quadrille.lab.lab import Lab
from quadrille.lab.ready_made import READY_MADE, resolve, signature
from quadrille.lab.state import labs_locked, list_labs
from quadrille.lab.status import as_json, as_tree, observe
from quadrille.lab.wiring import wire
from quadrille.termination import as_interrupt

_WIDTH = 120
"""Columns of the status tree where there is no terminal to ask."""

_PASS_ON = {"allow_extra_args": True, "ignore_unknown_options": True, "allow_interspersed_args": False}

LabOption = Annotated[str | None, typer.Option("--lab", help="Which lab; default: the only one that is up.")]
MpiOption = Annotated[str, typer.Option("--mpi", help="ompi4, ompi5, mpich or impi.")]
RanksOption = Annotated[int | None, typer.Option("-n", help="Ranks; default: all the topology gives.")]
PerHostOption = Annotated[int | None, typer.Option("--per-host", help="Ranks a host, for every host.")]
JsonOption = Annotated[bool, typer.Option("--json", help="As JSON, for scripts.")]
HostArgument = Annotated[str, typer.Argument(help="The host.")]
AfterOption = Annotated[float, typer.Option("--after", min=0, help="Seconds to wait first.")]
EnvOption = Annotated[list[str] | None, typer.Option("--env", help="KEY=VALUE for every rank; repeatable.")]


def up(
    topology: Annotated[str, typer.Argument(help="FILE.toml, or a ready-made NAME[:key=value,...].")],
    name: Annotated[str | None, typer.Option("--name", help="The lab's id; default: the topology's.")] = None,
    user_namespace: Annotated[
        bool | None, typer.Option("--user-namespace/--root", help="Default: as root where that is possible.")
    ] = None,
) -> None:
    """Build a lab and leave it running."""
    lab = Lab.up(resolve(topology), name, user_namespace)
    state = lab.state
    typer.echo(f"lab {state.lab_id} is up: {len(state.hosts)} hosts, {next(iter(state.hosts))} first")
    heavy = capacity_warning(wire(state.parsed_topology()).load_frames_s())
    for note in [*state.notes, *([heavy] if heavy else [])]:
        typer.echo(f"note: {note}", err=True)


def launcher(
    lab: LabOption = None,
    mpi: MpiOption = "ompi4",
    ranks: RanksOption = None,
    per_host: PerHostOption = None,
    env: EnvOption = None,
) -> None:
    """Print the launcher line of a lab, to put in front of a program."""
    typer.echo(shlex.join(Lab.find(lab).launcher(mpi, ranks, per_host, _environment(env))))


def run(
    context: typer.Context,
    lab: LabOption = None,
    mpi: MpiOption = "ompi4",
    ranks: RanksOption = None,
    per_host: PerHostOption = None,
    env: EnvOption = None,
    quadrille: Annotated[bool, typer.Option("--quadrille", help="Run it under `quadrille run`.")] = False,
) -> None:
    """Run an MPI program on a lab: `quadrille lab run [options] -- PROGRAM ARGUMENTS`."""
    program = _command(context)
    result = Lab.find(lab).run(
        program, mpi, ranks, per_host, _environment(env), quadrille, capture=False, timeout_s=None
    )
    warning = result.cpu.warning()
    if warning:
        typer.echo(f"quadrille: {warning}", err=True)
    raise typer.Exit(result.exit_code)


def execute(
    context: typer.Context,
    host: HostArgument,
    lab: LabOption = None,
) -> None:
    """Run a command on one host: `quadrille lab exec HOST -- COMMAND`."""
    command = _command(context)
    line = Lab.find(lab).enter(host, command)
    os.execv(line[0], line)


def status(
    lab: LabOption = None,
    interval: Annotated[float, typer.Option(min=0.05, help="Seconds between the two looks.")] = 1.0,
    json_output: JsonOption = False,
) -> None:
    """Show the lab as a tree with live rates and drops of each port."""
    state = Lab.find(lab).state
    observed = observe(state, interval)
    if json_output:
        typer.echo(json.dumps(as_json(state, observed), indent=1))
    else:
        Console(width=None if sys.stdout.isatty() else _WIDTH).print(as_tree(state, observed))


def truth(lab: LabOption = None) -> None:
    """Print the lab's own truth as JSON: segments, trunks, hosts, rates, buffers."""
    typer.echo(json.dumps(Lab.find(lab).truth(), indent=1))


def freeze(
    host: HostArgument,
    lab: LabOption = None,
    after: AfterOption = 0.0,
    duration: Annotated[
        float | None, typer.Option("--for", min=0, help="Seconds; default: until thawed.")
    ] = None,
    processes_only: Annotated[
        bool, typer.Option("--processes-only", help="Leave the cables in: the kernel goes on answering.")
    ] = False,
) -> None:
    """Stop a host: its processes stop, its cables are pulled."""
    found = Lab.find(lab)
    found.state.host(host)
    time.sleep(after)
    if duration is None:
        _stop(found, host, cables=not processes_only)
        return
    # Ended in between, it does not leave the host stopped.
    with as_interrupt():
        try:
            _stop(found, host, cables=not processes_only)
            time.sleep(duration)
        finally:
            found.thaw(host)
    typer.echo(f"{host}: goes on")


def _stop(lab: Lab, host: str, *, cables: bool) -> None:
    typer.echo(f"{host}: {lab.freeze(host, cables=cables)} processes stopped")


def kill(host: HostArgument, lab: LabOption = None, after: AfterOption = 0.0) -> None:
    """Kill a host: its processes end, its cables are pulled; `thaw` plugs them in again."""
    found = Lab.find(lab)
    found.state.host(host)
    time.sleep(after)
    typer.echo(f"{host}: {found.kill(host)} processes killed")


def thaw(host: HostArgument, lab: LabOption = None) -> None:
    """Let a frozen host go on, or give a killed one its cables back."""
    typer.echo(f"{host}: {Lab.find(lab).thaw(host)} processes go on")


def list_all() -> None:
    """List the labs that are up, and what dead ones left."""
    for name, alive in list_labs():
        typer.echo(f"{name}\t{'up' if alive else 'dead; `quadrille lab down` removes it'}")


def down(
    lab: Annotated[str | None, typer.Argument(help="The lab's id; default: the only one.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Every lab, dead ones too.")] = False,
) -> None:
    """Take a lab down: end the processes inside it, remove all of it."""
    with labs_locked():
        names = [name for name, _ in list_labs()] if everything else [lab or Lab.find().state.lab_id]
        for name in names:
            if not end_lab(name) and not everything:
                raise UsageError(f"no lab is called {name}; `quadrille lab list` shows them")


def topologies() -> None:
    """List the ready-made topologies and their parameters."""
    for name, generator in READY_MADE.items():
        summary = (generator.__doc__ or "").strip().splitlines()[0]
        typer.echo(
            f"{name}:{','.join(f'{key}={value}' for key, value in signature(name).items())}\n  {summary}"
        )


def _command(context: typer.Context) -> list[str]:
    command = context.args[1:] if context.args[:1] == ["--"] else context.args
    if command[:1] != [] and command[0].startswith("-") and context.args[0] != "--":
        raise UsageError(f"{command[0]}: options stand before HOST or --; `{context.command_path} --help`")
    if not command:
        raise UsageError("no program given; write it after --, as in `quadrille lab run -n 4 -- ./hello`")
    return command


def _environment(pairs: list[str] | None) -> dict[str, str]:
    environment = {}
    for pair in pairs or []:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise UsageError(f"--env {pair!r}: write KEY=VALUE")
        environment[key] = value
    return environment


def register(app: typer.Typer) -> None:
    """Add the verb `lab` and its own verbs."""
    lab = typer.Typer(no_args_is_help=True, help="An emulated Ethernet cluster on this machine.")
    lab.command("up")(up)
    lab.command("run", context_settings=_PASS_ON)(run)
    lab.command("launcher")(launcher)
    lab.command("exec", context_settings=_PASS_ON)(execute)
    lab.command("status")(status)
    lab.command("truth")(truth)
    lab.command("list")(list_all)
    lab.command("freeze")(freeze)
    lab.command("kill")(kill)
    lab.command("thaw")(thaw)
    lab.command("down")(down)
    lab.command("topologies")(topologies)
    app.add_typer(lab, name="lab")
