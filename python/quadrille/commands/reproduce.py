# SPDX-License-Identifier: BSD-3-Clause
"""`quadrille reproduce`: repeats published experiments and says which of their effects were seen."""

from __future__ import annotations

import sys
from pathlib import Path

import typer

from quadrille import termination
from quadrille.commands.bench import LineAfterDashes
from quadrille.errors import QuadrilleError, UsageError
from quadrille.reproduce.catalogue import experiment_ids, find_experiment
from quadrille.reproduce.durations import seconds_of
from quadrille.reproduce.experiment import Effect, Experiment
from quadrille.reproduce.running import Plan, page_again
from quadrille.reproduce.running import reproduce as run
from quadrille.reproduce.several import failures, run_series, summary_lines

_HELP = """Repeat published experiments on emulated networks, or on a cluster with `-- LAUNCHER`.

Each writes DIR/ID.json, raw samples included, and DIR/ID.html: the paper's values beside ours.
DIR/index.html sums up all that is in DIR; --keep FOLDER writes it small enough to be kept. Exit code 1
when an effect that must appear did not (of a short form, one that compares no times), or an experiment
failed; the others run nevertheless.
`--list` shows the experiments.
"""


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command("reproduce", help=_HELP, cls=LineAfterDashes)(reproduce)


def reproduce(
    context: typer.Context,
    ids: list[str] | None = typer.Argument(None, metavar="ID...", help="Experiments, see --list; or all."),
    output: Path = typer.Option(Path("reproduced"), "-o", "--output", metavar="DIR", help="For results."),
    quick: bool = typer.Option(False, "--quick", help="A short form: fewer hosts and repetitions."),
    pages: bool = typer.Option(False, "--pages", help="Make the pages in DIR again; measure nothing."),
    kept: Path | None = typer.Option(
        None, "--keep", metavar="FOLDER", help="Write what is in DIR without samples there; measure nothing."
    ),
    show_list: bool = typer.Option(False, "--list", help="List the experiments."),
    duration: str | None = typer.Option(
        None, "--duration", metavar="TIME", help="How long, such as 90s, 30m or 24h; of gamma-soak."
    ),
) -> None:
    """Run experiments one after another."""
    if show_list:
        for name in experiment_ids():
            typer.echo(f"{name}\n  {find_experiment(name).title}")
        return
    if kept is not None:
        from quadrille.reproduce.keeping import keep

        files = keep(output, kept)
        size = sum(path.stat().st_size for path in files)
        typer.echo(f"{files[0]}, and {len(files) - 1} files more: {size / 1024:.0f} KiB in all")
        return
    if not ids:
        raise UsageError("name an experiment, such as eco-partition; `quadrille reproduce --list` shows them")
    experiments = [find_experiment(name) for name in (experiment_ids() if ids == ["all"] else ids)]
    duration_s = None if duration is None else seconds_of(duration)
    if duration_s is not None and not any(experiment.takes_duration for experiment in experiments):
        raise UsageError(f"--duration {duration}: {', '.join(ids)} has its own length; leave it out")
    plan = Plan(output, quick, context.meta["line"] or None, ["quadrille", *sys.argv[1:]], duration_s)

    def one(experiment: Experiment) -> list[Effect]:
        effects = page_again(experiment, output) if pages else run(experiment, plan)
        typer.echo(str(output / f"{experiment.id}.html"))
        return effects

    with termination.as_interrupt():
        series = run_series(experiments, one, lambda text: print(text, file=sys.stderr))
    _write_overview(output)
    if len(experiments) > 1:
        print("\n".join(summary_lines(series)))
    if series.interrupted:
        raise KeyboardInterrupt
    if len(experiments) == 1 and (error := series.ended[0].error) is not None:
        raise error
    if failed := failures(series):
        raise QuadrilleError(f"{'; '.join(failed)}; see the pages in {output}")


def _write_overview(folder: Path) -> None:
    """Sum up `folder`; what is wrong there is told, for it is no failure of the experiments that have run."""
    from quadrille.reproduce.overview import write_overview

    try:
        if (overview := write_overview(folder)) is not None:
            typer.echo(str(overview))
    except QuadrilleError as error:
        print(f"quadrille: no summary: {error}", file=sys.stderr)
