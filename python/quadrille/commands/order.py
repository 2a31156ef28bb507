# SPDX-License-Identifier: BSD-3-Clause
"""`quadrille order`: writes the file by which a launcher starts each rank on the best host."""

from __future__ import annotations

from pathlib import Path

import typer

from quadrille.atomic_write import write_whole
from quadrille.errors import UsageError
from quadrille.model.model_file import load_model
from quadrille.order.mapping import Order, order_ranks
from quadrille.order.places import Places, places_in_host_file, places_in_list, places_in_model
from quadrille.order.rank_files import RANK_FILES

_FORMATS = "|".join(RANK_FILES)
_HELP = """Choose the host of each rank, so that neighbours in a grid, ring or graph load the network least.

For programs that do not ask MPI to reorder their ranks; those that do need no file.

quadrille order --ranks 16 --cart 4x4 --model model.json --hostfile hosts -o ordered
"""


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command("order", help=_HELP)(order)


def order(
    ranks: int = typer.Option(..., "--ranks", min=1, max=65536, help="Ranks that are started."),
    model: Path = typer.Option(..., "--model", metavar="MODEL", help="File written by `quadrille probe`."),
    output: Path = typer.Option(..., "-o", "--output", metavar="FILE", help="The file goes here."),
    cart: str | None = typer.Option(
        None, "--cart", metavar="4x4[:periodic]", help="Neighbours in a grid exchange, last size fastest."
    ),
    ring: bool = typer.Option(False, "--ring", help="Each rank exchanges with the next."),
    graph: Path | None = typer.Option(
        None, "--graph", metavar="FILE", help="Edges, one a line: FROM TO [WEIGHT]."
    ),
    hostfile: Path | None = typer.Option(
        None, "--hostfile", metavar="FILE", help="Hosts and their places; Open MPI's or MPICH's form."
    ),
    hosts: str | None = typer.Option(None, "--hosts", metavar="HOST:PLACES,...", help="The same as a list."),
    form: str = typer.Option("ompi-hostfile", "--format", metavar=_FORMATS, help="For which launcher."),
) -> None:
    """Write the file; print what crosses segments and hosts before and after, and how to use it."""
    if form not in RANK_FILES:
        raise UsageError(f"--format {form}: choose one of {', '.join(RANK_FILES)}")
    pattern = _pattern(cart, ring, graph)
    found = order_ranks(model, _places(model, hostfile, hosts), ranks, pattern)
    write_whole(output, RANK_FILES[form].text(found.hosts), str(output), "give another -o")
    _tell(found)
    typer.echo("start with: " + RANK_FILES[form].launcher_line.format(ranks=ranks, file=output))


def _pattern(cart: str | None, ring: bool, graph: Path | None) -> list[str]:
    if (cart is not None) + ring + (graph is not None) != 1:
        raise UsageError("say who exchanges with whom: one of --cart, --ring and --graph")
    if cart is not None:
        return ["--cart", cart]
    return ["--ring"] if ring else ["--graph", str(graph)]


def _places(model: Path, hostfile: Path | None, hosts: str | None) -> Places:
    loaded = load_model(model)
    if hostfile is not None and hosts is not None:
        raise UsageError("both --hostfile and --hosts; give one of them")
    if hostfile is not None:
        return places_in_host_file(hostfile)
    return places_in_list(hosts) if hosts is not None else places_in_model(loaded)


def _tell(order: Order) -> None:
    rows = (
        ("between segments", order.before.segment_crossings, order.after.segment_crossings),
        ("between hosts", order.before.host_crossings, order.after.host_crossings),
        ("busiest trunk or bus, %", order.before.load_percent, order.after.load_percent),
    )
    if order.before == order.after:
        typer.echo("no order is better than the launcher's own")
    for what, before, after in rows:
        typer.echo(f"{what:<24} {before:>8} -> {after}")
