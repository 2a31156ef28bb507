# SPDX-License-Identifier: BSD-3-Clause
"""`quadrille simulate`: how long a call takes on a cluster that is not there, and what it drops."""

from __future__ import annotations

import typer

from quadrille.errors import UsageError
from quadrille.plan.asking import parse_size
from quadrille.simulate.description import describe
from quadrille.simulate.simulating import simulate as ask

_HELP = """Time a collective on a simulated network, by the engine, the executor and the planner of real jobs.

quadrille simulate alltoall --bytes 4K --ranks 256 --ranks-per-host 16 --network leaf-spine:leaf=4

quadrille simulate bcast --bytes 20000 --network model.json
"""


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command("simulate", help=_HELP)(simulate)


def simulate(
    operation: str = typer.Argument(..., metavar="OP", help="bcast, allreduce, alltoall, alltoallv, ..."),
    size: str | None = typer.Option(
        None, "--bytes", metavar="N", help="Whole vector, a rank's block or a pair's block; 64K, 4M."
    ),
    ranks: int | None = typer.Option(None, "--ranks", min=2, help="Default: all that the hosts hold."),
    per_host: int = typer.Option(1, "--ranks-per-host", min=1, help="Before the next host is used."),
    network: str = typer.Option(
        "switch",
        "--network",
        metavar="FILE|NAME",
        help="File written by `quadrille probe`; or switch or leaf-spine, with "
        ":hosts=N:leaf=N:spines=N:over=X:rate=GBIT:buffer=KIB:latency=US:trunk=US:mtu=N.",
    ),
    algorithm: str | None = typer.Option(
        None, "--algorithm", metavar="ALGORITHM[:NAME=VALUE]", help="This one instead of the planner's."
    ),
    root: int = typer.Option(0, "--root", help="Of bcast, reduce, gather and scatter."),
    blocks: str = typer.Option(
        "power-law",
        "--blocks",
        metavar="equal|power-law|one-sender|sparse",
        help="Of alltoallv; --bytes is their mean.",
    ),
    calls: int = typer.Option(3, "--calls", min=1, help="One behind the other; the last one is told of."),
    communicators: int = typer.Option(
        1, "--communicators", min=1, max=1000, help="That the calls go to in turn."
    ),
    multicast: str = typer.Option(
        "auto", "--multicast", metavar="auto|off", help="auto: where the network says that it works."
    ),
    late_ranks: int = typer.Option(0, "--late-ranks", min=0, help="That enter each call late."),
    late_us: float = typer.Option(0, "--late-us", min=0, help="How late, microseconds."),
    loss: float = typer.Option(0, "--loss", min=0, max=50, help="Percent of all datagrams."),
    processors: bool = typer.Option(
        True, "--processors/--no-processors", help="Whether datagrams cost processors time."
    ),
    paths: int = typer.Option(4, "--paths", min=1, max=4, help="UDP ports of long messages."),
    budget: int | None = typer.Option(
        None, "--budget", min=1, help="Packets that a host's budget begins with; default: a job's."
    ),
    seed: int = typer.Option(1, "--seed", min=0, help="Of losses, late ranks, blocks and ways."),
    as_json: bool = typer.Option(False, "--json", help="As JSON, with each call."),
) -> None:
    """Tell time, share of the limit, drops, memory a rank and how fast the simulation was."""
    if multicast not in ("auto", "off"):
        raise UsageError(f"--multicast {multicast}: expected auto or off")
    words = [operation, "--bytes", str(parse_size(size or "0")), "--ranks-per-host", str(per_host)]
    words += ["--ranks", str(ranks)] if ranks is not None else []
    words += ["--network", network, "--root", str(root), "--blocks", blocks, "--calls", str(calls)]
    words += ["--communicators", str(communicators)]
    words += ["--algorithm", algorithm] if algorithm is not None else []
    words += ["--no-multicast"] if multicast == "off" else []
    words += ["--late-ranks", str(late_ranks), "--late-us", str(late_us), "--loss", str(loss)]
    words += [] if processors else ["--no-processors"]
    words += ["--paths", str(paths), "--seed", str(seed)]
    words += ["--budget", str(budget)] if budget is not None else []
    found = ask(words)
    typer.echo(found.model_dump_json(indent=1) if as_json else describe(found))
