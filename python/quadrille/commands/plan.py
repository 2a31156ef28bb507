# SPDX-License-Identifier: BSD-3-Clause
"""`quadrille plan`: which plan is chosen for a call, why, and what it looks like."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import typer
from rich.console import Console

from quadrille.atomic_write import write_whole
from quadrille.errors import UsageError
from quadrille.model.contract import NetworkModel
from quadrille.model.model_file import load_model
from quadrille.plan.asking import Placement, Question, ask, ask_table, parse_size
from quadrille.plan.contract import Cell, Plan
from quadrille.plan.description import describe_plan
from quadrille.plan.picture import plan_svg
from quadrille.plan.table_page import render_table_page
from quadrille.plan.trace import trace_of
from quadrille.progress import Progress

_NO_END = 100_000
_HELP = """Explain which plan is chosen for a call on a network, and why.

quadrille plan alltoall --bytes 64K --ranks 12 --model model.json

quadrille plan --all --model model.json -o table.html
"""


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command("plan", help=_HELP)(plan)


def plan(
    operation: str | None = typer.Argument(None, metavar="OP", help="bcast, reduce, alltoall, ..."),
    size: str | None = typer.Option(
        None, "--bytes", metavar="N", help="Whole vector, a rank's block or a pair's block; 64K, 4M."
    ),
    ranks: int | None = typer.Option(None, "--ranks", min=1, max=65536, help="Default: all places."),
    root: int = typer.Option(0, "--root", help="Of bcast, reduce, gather and scatter."),
    model: Path = typer.Option(..., "--model", metavar="MODEL", help="File written by `quadrille probe`."),
    hosts: str | None = typer.Option(
        None,
        "--hosts",
        metavar="A,B,...",
        help="In the order in which they are filled; default: the model's.",
    ),
    per_host: int = typer.Option(
        1, "--ranks-per-host", min=1, max=65536, help="Before the next host is used."
    ),
    force: str | None = typer.Option(
        None, "--force", metavar="ALGORITHM[:NAME=VALUE]", help="Explain this one instead of the cheapest."
    ),
    multicast: str = typer.Option(
        "auto", "--multicast", metavar="auto|off", help="auto: where the model says that it works."
    ),
    rank: int | None = typer.Option(None, "--rank", metavar="K", help="Print the steps of rank K too."),
    as_json: bool = typer.Option(False, "--json", help="As JSON, see schemas/plan.json."),
    svg: Path | None = typer.Option(None, "--svg", metavar="FILE", help="Draw it over the network."),
    trace: Path | None = typer.Option(
        None, "--trace", metavar="FILE", help="Its time line, for ui.perfetto.dev."
    ),
    everything: bool = typer.Option(False, "--all", help="All operations, sizes and ranks, as a page."),
    output: Path | None = typer.Option(None, "-o", "--output", metavar="HTML", help="The page of --all."),
) -> None:
    """Tell the chosen plan, its time and bound, the runner-up, the bottleneck, and who sends to whom."""
    if multicast not in ("auto", "off"):
        raise UsageError(f"--multicast {multicast}: expected auto or off")
    placement = Placement(model, ranks, per_host, hosts, multicast == "auto")
    loaded = load_model(model)
    if everything:
        if operation is not None or output is None:
            raise UsageError(
                "--all takes no OP and writes a page: quadrille plan --all --model MODEL -o HTML"
            )
        _write_table(placement, loaded, output)
        return
    question = _question(operation, size, root, force, rank, timeline=trace is not None)
    found = ask(question, placement)
    if (svg is not None or trace is not None) and found.messages is None:
        raise UsageError(f"{found.plan.name} has too many messages to be drawn; give fewer --ranks")
    if svg is not None:
        _write(svg, plan_svg(found, loaded), "--svg")
    if trace is not None:
        _write(trace, json.dumps(trace_of(found)), "--trace")
    if as_json:
        typer.echo(found.model_dump_json(by_alias=True, indent=1))
    else:
        _tell(found)


def _question(
    operation: str | None, size: str | None, root: int, force: str | None, rank: int | None, timeline: bool
) -> Question:
    if operation is None:
        raise UsageError("name an operation, such as bcast, or --all; `quadrille plan --help`")
    if size is None and operation != "barrier":
        raise UsageError(f"how large is the {operation}? give --bytes, such as --bytes 64K")
    return Question(operation, parse_size(size or "0"), root, force, rank, timeline)


def _tell(found: Plan) -> None:
    screen = Console(highlight=False)
    if screen.is_terminal:
        screen.print(describe_plan(found))
    else:  # a file or a pipe has no width; columns are padded
        wide = Console(highlight=False, width=_NO_END)
        with wide.capture() as captured:
            wide.print(describe_plan(found))
        typer.echo("\n".join(line.rstrip() for line in captured.get().splitlines()))
    if found.schedule is not None:
        typer.echo(f"\nsteps of rank {found.schedule['rank']}:")
        for step in found.schedule["steps"]:
            typer.echo(f"  {step['step']:>4} {_step_text(step)}")


def _step_text(step: dict[str, object]) -> str:
    """Return one step of a dump: send to 3 receive[0..1024], after 0, 1."""
    words = [str(step["kind"])]
    if "peer" in step:
        words.append(f"{'to' if step['kind'] == 'send' else 'from'} {step['peer']}")
    for key, joint in (("from", ""), ("into", "into ")):
        region = step.get(key)
        if isinstance(region, dict):
            end = region["offset"] + region["length"]
            words.append(f"{joint}{region['buffer']}[{region['offset']}..{end}]")
    after = step.get("after")
    if isinstance(after, list) and after:
        words.append("after " + ", ".join(map(str, after)))
    return " ".join(words)


def _write_table(placement: Placement, loaded: NetworkModel, output: Path) -> None:
    cells: list[Cell] = []
    most = placement.ranks or len(loaded.hosts) * placement.ranks_per_host
    with Progress() as bar:
        for cell in ask_table(placement):
            cells.append(cell)
            bar.show(cell.ranks, most, f"planning {cell.collective} of {cell.ranks} ranks")
    if not cells:
        raise UsageError("a table needs two ranks at least; give more --ranks-per-host or another --model")
    title = f"Plans for {placement.model.name}"
    _write(output, render_table_page(cells, title, shlex.join(["quadrille", *sys.argv[1:]])), "-o")
    typer.echo(f"{output}")


def _write(path: Path, text: str, option: str) -> None:
    write_whole(path, text, str(path), f"give another {option}")
