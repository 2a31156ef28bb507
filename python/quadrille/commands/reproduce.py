# SPDX-License-Identifier: BSD-3-Clause
"""`quadrille reproduce`: repeats published experiments and says which of their effects were seen."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import typer

from quadrille.commands.bench import LineAfterDashes
from quadrille.errors import QuadrilleError, UsageError
from quadrille.reproduce.catalogue import experiment_ids, find_experiment
from quadrille.reproduce.experiment import Effect

_HELP = """Repeat published experiments on emulated networks, or on a cluster with `-- LAUNCHER`.

Each writes DIR/ID.json, raw samples included, and DIR/ID.html: the paper's values beside ours. Exit code 1
when an effect that must appear did not. `--list` shows the experiments.
"""


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command("reproduce", help=_HELP, cls=LineAfterDashes)(reproduce)


def reproduce(
    context: typer.Context,
    ids: list[str] | None = typer.Argument(None, metavar="ID...", help="Experiments; see --list."),
    output: Path = typer.Option(Path("reproduced"), "-o", "--output", metavar="DIR", help="For results."),
    quick: bool = typer.Option(False, "--quick", help="A short form: fewer hosts and repetitions."),
    pages: bool = typer.Option(False, "--pages", help="Make the pages in DIR again; measure nothing."),
    show_list: bool = typer.Option(False, "--list", help="List the experiments."),
) -> None:
    """Run experiments one after another."""
    if show_list:
        for name in experiment_ids():
            typer.echo(f"{name}\n  {find_experiment(name).title}")
        return
    if not ids:
        raise UsageError("name an experiment, such as eco-partition; `quadrille reproduce --list` shows them")
    experiments = [find_experiment(name) for name in ids]
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)
    # plotly takes half a second to load, and a wrong call shall be told at once.
    from quadrille.reproduce.running import Plan, page_again
    from quadrille.reproduce.running import reproduce as run

    failed = []
    for experiment in experiments:
        plan = Plan(output, quick, context.meta["line"] or None, ["quadrille", *sys.argv[1:]])
        print(f"{experiment.id}: {experiment.title}", file=sys.stderr)
        effects = page_again(experiment, output) if pages else run(experiment, plan)
        _tell(effects)
        failed += [f"{experiment.id}: {effect.name}" for effect in effects if effect.failed]
        typer.echo(str(output / f"{experiment.id}.html"))
    if failed:
        raise QuadrilleError(f"not seen, though it must be: {'; '.join(failed)}; see the pages in {output}")


def _tell(effects: list[Effect]) -> None:
    words = {True: "seen", False: "NOT SEEN", None: "not shown"}
    for effect in effects:
        print(f"  {words[effect.seen]}: {effect.name}: {effect.why}", file=sys.stderr)


def _interrupt(_number: int, _frame: object) -> None:
    raise KeyboardInterrupt
