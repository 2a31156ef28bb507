# SPDX-License-Identifier: BSD-3-Clause
"""What the results say, in sentences: first the outcome, then what a reader has to know to trust it."""

from __future__ import annotations

from quadrille.bench.results_file import Results
from quadrille.bench.slower import LIMIT, certainly_slower
from quadrille.contracts import PointLine
from quadrille.report.formatting import percent_text, plural, size_text, speed_text, time_text
from quadrille.report.grouping import mpi_name


def point_name(point: PointLine) -> str:
    """Return a point in words: alltoall of 32 KiB on 16 ranks."""
    size = "" if point.collective == "barrier" else f" of {size_text(point.bytes)}"
    return f"{point.collective}{size} on {plural(point.ranks, 'rank')}"


def executed(point: PointLine) -> bool:
    """Return whether Quadrille carried out all measured calls of the point's blocks."""
    return point.blocks.quadrille.executor == "quadrille"


def replaced_share(points: list[PointLine]) -> float:
    """Return the share, 0 to 1, of the program's calls that Quadrille carried out itself."""
    ours = total = 0
    for point in points:
        for _, measurement in point.measurements():
            for execution in measurement.quadrille.executions:
                total += execution.calls
                ours += execution.calls if execution.executor == "quadrille" else 0
    return ours / total if total else 0.0


def summary_sentences(results: Results) -> list[str]:
    """Return the findings, best first. REQUIRES: at least one point or program."""
    points = results.points()
    sentences = []
    if points:
        sentences.append(_what_was_measured(results))
        if any(run.points and not run.facts.library_loaded for run in results.runs):
            sentences.append(
                "Quadrille's library was not loaded in every run: there both sides are the MPI library."
            )
        sentences += _outcome(points)
        sentences.append(_correctness(points))
    if results.programs:
        names = sorted({line.name for line in results.programs})
        sentences.append(f"Whole programs compared: {', '.join(names)}.")
    return sentences


def warning_sentences(results: Results) -> list[str]:
    """Return what speaks against trusting the figures; empty where nothing does."""
    warnings = []
    for run in results.runs:
        if run.end is None:
            warnings.append(f"The run started {run.facts.started} has no end: it was cut off.")
        elif run.end.status != "complete":
            reason = f" ({run.end.reason})" if run.end.reason else ""
            warnings.append(f"The run started {run.facts.started} is {run.end.status}{reason}.")
        if run.end is not None and run.end.emulation and run.end.emulation.get("warning"):
            warnings.append(f"The run started {run.facts.started}: {run.end.emulation['warning']}.")
    wrong = sum(point.wrong_results for point in results.points())
    if wrong:
        warnings.append(f"{plural(wrong, 'result')} did not verify. Do not use these figures.")
    few = [point for point in results.points() if min(point.blocks.native.n, point.blocks.quadrille.n) < 5]
    if few:
        warnings.append(f"{plural(len(few), 'point')} rest on fewer than five samples a side.")
    late = [p for p in results.points() if p.blocks.native.late_samples * 2 > p.blocks.native.n]
    if late:
        worst = max(late, key=lambda p: p.blocks.native.median_lateness_ns / p.blocks.native.median_ns)
        warnings.append(
            f"At {plural(len(late), 'point')} most calls began late on some rank, because ranks waited for "
            f"a core ({point_name(worst)}: {time_text(worst.blocks.native.median_lateness_ns)} of "
            f"{time_text(worst.blocks.native.median_ns)}); both sides are affected alike."
        )
    return warnings


def _what_was_measured(results: Results) -> str:
    points = results.points()
    libraries = sorted({mpi_name(run.facts) for run in results.runs if run.points})
    hosts = max(len(run.facts.hosts) for run in results.runs)
    where = {run.facts.network.source for run in results.runs if run.facts.network is not None}
    kind = " of an emulated cluster" if "lab" in where else ""
    return (
        f"{plural(len(points), 'point')} on up to {plural(hosts, 'host')}{kind} with {', '.join(libraries)}."
    )


def _outcome(points: list[PointLine]) -> list[str]:
    share = replaced_share(points)
    ours = [point for point in points if executed(point)]
    sentences = [
        f"Quadrille carried out {100 * share:.0f} % of the program's calls itself "
        f"({len(ours)} of {plural(len(points), 'point')} entirely); the rest went to the MPI library."
    ]
    if ours:
        best = min(ours, key=lambda point: point.blocks.ratio_of_medians.value)
        worst = max(ours, key=lambda point: point.blocks.ratio_of_medians.value)
        sentences.append(
            f"Best: {point_name(best)}, {speed_text(best.blocks.ratio_of_medians.value)} as the MPI library "
            f"alone ({time_text(best.blocks.native.median_ns)} became "
            f"{time_text(best.blocks.quadrille.median_ns)}"
            f"{_of_limit(best)})."
        )
        if worst is not best:
            sentences.append(
                f"Worst: {point_name(worst)}, {speed_text(worst.blocks.ratio_of_medians.value)}."
            )
    slower = certainly_slower(points)
    beyond = f"more than {100 * (LIMIT - 1):.0f} % slower than the MPI library"
    if slower:
        names = ", ".join(point_name(point) for point in slower[:5]) + (" ..." if len(slower) > 5 else "")
        sentences.append(f"Certainly {beyond}: {names}.")
    else:
        sentences.append(f"No point is certainly {beyond}.")
    measured = [measurement for point in points for _, measurement in point.measurements()]
    before = sum(measurement.native.stalls for measurement in measured)
    after = sum(measurement.quadrille.stalls for measurement in measured)
    if before or after:
        sentences.append(
            f"Stalls (calls over 50 ms above their median): {before} without, {after} with Quadrille."
        )
    return sentences


def _of_limit(point: PointLine) -> str:
    ours, theirs = point.blocks.quadrille.percent_of_framed_limit, point.blocks.native.percent_of_framed_limit
    if ours is None or theirs is None:
        return ""
    return f", {percent_text(ours)} of the wire's limit instead of {percent_text(theirs)}"


def _correctness(points: list[PointLine]) -> str:
    calls = sum(point.verified_calls for point in points)
    wrong = sum(point.wrong_results for point in points)
    verdict = "all were right" if wrong == 0 else f"{wrong} were wrong"
    return f"Results of all {calls} calls were checked on every rank: {verdict}."
