# SPDX-License-Identifier: BSD-3-Clause
"""`quadrille bench`: times MPI collectives under Quadrille against the MPI library alone, in one process."""

from __future__ import annotations

import shlex
import sys
from dataclasses import replace
from pathlib import Path

import typer
from rich.console import Console

from quadrille.atomic_write import check_place, write_measured
from quadrille.bench import pingpong
from quadrille.bench.candidates import measure_candidates, summary, table
from quadrille.bench.cases import Case, case_names, load_case, with_options
from quadrille.bench.changes import compare
from quadrille.bench.contention import SortRequest, predict, prediction_lines, ranks_of, sort_lines
from quadrille.bench.gate import clearly_worse, gate_lines, ratio_text, sweep_lines
from quadrille.bench.jobs import beside_lines, run_beside
from quadrille.bench.launch import Job, Outcome, run_job
from quadrille.bench.rank_counts import rank_counts, ranks_started_by
from quadrille.bench.results_file import KeepingWriter, ResultsWriter, read_results
from quadrille.bench.slower import LIMIT, certainly_slower, slower
from quadrille.contracts import PointLine, RunLine
from quadrille.errors import QuadrilleError, UsageError
from quadrille.line_after_dashes import LineAfterDashes as LineAfterDashes
from quadrille.report.summary import point_name

_HELP = f"""Time MPI collectives under Quadrille against the MPI library alone.

Both are called in turn in one process, so that each pair of samples sees the same network; every result is
verified. CASE is one of {", ".join(case_names())}, or a TOML file; options override it.
What follows `--` is the launcher line without a program, as in:

quadrille bench alltoall -o results.jsonl -- mpirun -np 16 --hostfile hosts

`quadrille bench pingpong -- mpirun -np 2 --hostfile hosts` times messages between the first two ranks:
by sockets, links and the wire, by the MPI library as it is and over the libfabric provider. It takes --bytes,
--seconds, --ways, --mpi and -o.
"""


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command("bench", help=_HELP, cls=LineAfterDashes)(bench)


def bench(
    context: typer.Context,
    case: str = typer.Argument("collectives", metavar="[CASE]", help="Case or TOML file."),
    output: Path | None = typer.Option(None, "-o", "--output", metavar="RESULTS", help="JSON lines go here."),
    append: bool = typer.Option(False, "--append", help="Add to RESULTS instead of replacing it."),
    collective: str | None = typer.Option(None, "--collective", metavar="NAME,...", help="Operations."),
    sizes: str | None = typer.Option(None, "--bytes", metavar="N,...", help="Sizes, such as 1,1K,32K."),
    ranks: str | None = typer.Option(None, "--ranks", metavar="N,...", help="Use the first N ranks."),
    calls: int | None = typer.Option(None, "--calls", help="Calls of one side in a block."),
    blocks: int | None = typer.Option(None, "--blocks", help="Rounds of four blocks, at most."),
    blocks_only: bool | None = typer.Option(
        None, "--blocks-only/--blocks-and-turns", help="Leave out the calls in turn, a third of the time."
    ),
    seconds: float | None = typer.Option(None, "--seconds", help="Time budget of a point."),
    warm_up: int | None = typer.Option(None, "--warmup", help="Calls of a shape and side before measuring."),
    element_type: str | None = typer.Option(None, "--type", metavar="double|int|byte"),
    in_place: bool | None = typer.Option(None, "--in-place/--not-in-place", help="Use MPI_IN_PLACE."),
    root: int | None = typer.Option(None, "--root", help="Root of rooted operations."),
    skew_us: float | None = typer.Option(None, "--skew-us", help="Ranks arrive up to this far apart."),
    computing_scale: float | None = typer.Option(
        None, "--computing-scale", metavar="X", help="Timed computing takes X times as long as here."
    ),
    vectors: int | None = typer.Option(
        None, "--vectors", min=0, metavar="N", help="Vectors of a parallel sort."
    ),
    doubles: int | None = typer.Option(None, "--doubles", min=0, metavar="M", help="Doubles of a vector."),
    memory: str | None = typer.Option(
        None,
        "--memory",
        metavar="constant-global|constant-local",
        help="Vectors of a sort have M doubles, or M for each node.",
    ),
    nodes: str | None = typer.Option(None, "--nodes", metavar="N,...", help="In place of --ranks: nodes,"),
    per_node: int | None = typer.Option(None, "--per-node", metavar="P", help="and processes on each."),
    predict_only: bool = typer.Option(False, "--predict", help="Tell a sort's memory; measure nothing."),
    node_memory: str | None = typer.Option(
        None, "--node-memory", metavar="BYTES", help="For --predict: available on a node, as 24G."
    ),
    first: str | None = typer.Option(
        None, "--first", metavar="native|quadrille", help="Whose calls come first."
    ),
    jobs: int = typer.Option(1, "--jobs", min=1, max=2, help="2: alone, then beside another job."),
    beside: str | None = typer.Option(
        None, "--beside", metavar="LAUNCHER", help="Starts the other job; default: the same launcher."
    ),
    sync: str | None = typer.Option(None, "--sync", metavar="instant|none", help="How calls are started."),
    mpi: str | None = typer.Option(None, "--mpi", metavar="ompi|mpich|impi", help="Default: the launcher's."),
    without_library: bool = typer.Option(False, "--without-library", help="Measure the MPI library alone."),
    model: str | None = typer.Option(None, "--model", metavar="FILE", help="Network model for Quadrille."),
    candidates: int | None = typer.Option(
        None, "--candidates", min=1, metavar="N", help="Measure the planner's N cheapest; tell its regret."
    ),
    ways: str | None = typer.Option(
        None, "--ways", metavar="NAME,...", help=f"Of pingpong: {', '.join(pingpong.NAMES)}."
    ),
    gate: Path | None = typer.Option(
        None, "--gate", metavar="RECORDED", help="Exit 1 when a point is clearly worse than in these results."
    ),
) -> None:
    """Run the benchmark; exit 1 when a result was wrong, the launcher failed, or a gate did."""
    if case == "pingpong":
        _pingpong(context.meta["line"], _split(sizes), seconds, _split(ways), mpi, output)
        return
    if ways is not None:
        raise UsageError("--ways belongs to `quadrille bench pingpong`")
    by_nodes = None if nodes is None else _numbers("--nodes", nodes)
    if by_nodes is None and per_node is not None:
        raise UsageError("--per-node needs --nodes, the numbers of nodes")
    given = {
        "collectives": _split(collective),
        "bytes": _split(sizes),
        "ranks": _numbers("--ranks", ranks) if by_nodes is None else ranks_of(by_nodes, per_node),
        "calls": calls,
        "blocks": blocks,
        "blocks_only": blocks_only,
        "seconds": seconds,
        "warm_up": warm_up,
        "element_type": element_type,
        "in_place": in_place,
        "root": root,
        "skew_us": skew_us,
        "computing_scale": computing_scale,
        "vectors": vectors,
        "doubles": doubles,
        "memory": memory,
        "first": first,
        "sync": sync,
    }
    overrides = {key: value for key, value in given.items() if value is not None}
    chosen = with_options(load_case(case), overrides)
    if predict_only:
        wanted = SortRequest(
            by_nodes or [1], per_node or 1, chosen.vectors, chosen.doubles, chosen.memory, node_memory
        )
        print("\n".join(prediction_lines(predict(wanted))))
        return
    line: list[str] = context.meta["line"]
    if not line:
        raise UsageError(
            "no launcher line; write it after `--`, as in `quadrille bench -o r.jsonl -- mpirun -np 4`"
        )
    if output is None:
        raise UsageError("no file for the results; give one with -o")
    if gate is not None and (candidates is not None or jobs > 1 or without_library):
        raise UsageError("--gate judges one job under Quadrille; leave out what goes with several or none")
    if gate is not None and gate.resolve() == output.resolve():
        raise UsageError(f"--gate {gate}: -o would write over what was recorded; give another -o")
    recorded = None if gate is None else read_results([gate]).points()
    if chosen.every_count and chosen.ranks is None:
        chosen = chosen.model_copy(update={"ranks": rank_counts(ranks_started_by(line))})
    job = Job(
        kernel_arguments=chosen.kernel_arguments(),
        launcher_line=line,
        command=["quadrille", *sys.argv[1:]],
        mpi=mpi,
        with_library=not without_library,
        options={"QUADRILLE_MODEL": model},
    )
    if candidates is not None and (model is None or without_library):
        raise UsageError("--candidates compares plans for a network; give --model MODEL, and the library")
    if candidates is not None and jobs > 1:
        raise UsageError("--candidates measures one job after the other; leave --jobs out")
    writer = ResultsWriter(output, append)
    try:
        if jobs > 1:
            kept = KeepingWriter(writer)
            outcomes = run_beside(job, shlex.split(beside) if beside else line, kept)
            print("\n".join(beside_lines(kept.results.runs)))
            for outcome in outcomes:
                _report(outcome, writer.paths, without_library)
        elif candidates is None:
            kept = KeepingWriter(writer)
            outcome = run_job(job, kept)
            if table_of_sorts := sort_lines(kept.results.points()):
                print("\n".join(table_of_sorts))
            if not without_library:
                print("\n".join(_slower_lines(kept.results.points())), file=sys.stderr)
            _report(outcome, writer.paths, without_library)
            if chosen.every_count or recorded is not None:
                print("\n".join(sweep_lines(kept.results.points())))
            if recorded is not None:
                _judge(recorded, kept.results.points(), output)
        else:
            _measure_candidates(job, chosen, candidates, writer)
    finally:
        writer.close()


def _pingpong(
    line: list[str],
    sizes: list[str] | None,
    seconds: float | None,
    ways: list[str] | None,
    mpi: str | None,
    output: Path | None,
) -> None:
    if not line:
        raise UsageError(
            "no launcher line; write it after `--`, as in `quadrille bench pingpong -- mpirun -np 2`"
        )
    name, remedy = f"results file {output}", "give another -o"
    if output is not None:
        check_place(output, name, remedy)
    wanted = pingpong.Wanted(
        line,
        sizes or pingpong.SIZES,
        ways=ways or tuple(pingpong.NAMES),
        seconds=seconds or 0.1,
        mpi=mpi,
    )
    pingpong.check_ways(wanted.ways)
    measured = pingpong.measure(wanted, lambda what: print(f"quadrille: {what}", file=sys.stderr))
    console = Console(width=None if sys.stdout.isatty() else 160, highlight=False)
    for one in pingpong.tables(measured):
        console.print(one)
    for way, reason in measured.missing.items():
        console.print(f"{pingpong.NAMES[way]}: not measured: {reason}", markup=False)
    if output is not None:
        text = "".join(f"{one.model_dump_json()}\n" for one in measured.lines)
        write_measured(output, text, name, remedy)


def _measure_candidates(job: Job, case: Case, most: int, writer: ResultsWriter) -> None:
    model = Path(job.options["QUADRILLE_MODEL"] or "")

    def measure(one: Case, algorithm: str) -> tuple[RunLine, list[PointLine]]:
        print(
            f"quadrille: {one.collectives[0]} {one.bytes[0]}: {algorithm or 'nothing forced'}",
            file=sys.stderr,
        )
        kept = KeepingWriter(writer)
        options = job.options | {"QUADRILLE_ALGORITHM": algorithm or None}
        run_job(replace(job, kernel_arguments=one.kernel_arguments(), options=options), kept)
        run = kept.results.runs[-1]
        return run.facts, run.points

    shapes = []
    for shape in measure_candidates(case, model, most, measure):
        shapes.append(shape)
        print("\n".join(table(shape)), flush=True)
    print(summary(shapes))
    wrong = sum(one.wrong_results for shape in shapes for one in (*shape.candidates, shape.in_a_program))
    if wrong:
        raise QuadrilleError(f"{wrong} results were wrong")


def _judge(recorded: list[PointLine], points: list[PointLine], output: Path) -> None:
    comparison = compare(recorded, points)
    if not comparison.changes:
        raise UsageError("none of the measured points is among the recorded; record them with the same case")
    print("\n".join(gate_lines(comparison)))
    if worse := clearly_worse(comparison):
        raise QuadrilleError(f"{len(worse)} points got clearly worse than recorded; see {output}")


def _slower_lines(points: list[PointLine]) -> list[str]:
    found = slower(points)
    lines = [
        f"quadrille: {len(found)} of {len(points)} points took more than {LIMIT} times as long as the MPI "
        f"library alone, {len(certainly_slower(points))} of them certainly"
    ]
    for point in found:
        ratio = ratio_text(point.blocks.ratio_of_medians)
        lines.append(f"  {point_name(point)}: {ratio}, executor {point.blocks.quadrille.executor}")
    return lines


def _report(outcome: Outcome, paths: list[Path], without_library: bool) -> None:
    output = " and ".join(map(str, paths))
    total = sum(outcome.calls.values())
    ours = outcome.calls.get("quadrille", 0)
    share = "" if without_library else f", {ours} of {total} calls executed by Quadrille"
    print(f"quadrille: {outcome.points} points in {output}{share}", file=sys.stderr)
    if outcome.emulation_warning:
        print(f"quadrille: {outcome.emulation_warning}", file=sys.stderr)
    if outcome.wrong_results:
        raise QuadrilleError(f"{outcome.wrong_results} results were wrong; see wrong_results in {output}")


def _split(text: str | None) -> list[str] | None:
    return None if text is None else [part.strip() for part in text.split(",")]


def _numbers(option: str, text: str | None) -> list[int] | None:
    parts = _split(text)
    try:
        return None if parts is None else [int(part) for part in parts]
    except ValueError:
        raise UsageError(f"{option} {text}: write numbers, such as 2,4,8") from None
