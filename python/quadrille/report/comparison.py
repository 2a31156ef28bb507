# SPDX-License-Identifier: BSD-3-Clause
"""The page of two results compared: what got better or worse beyond noise, then every point."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from itertools import compress
from typing import Any

from quadrille.bench.changes import Change, Comparison, compare_apart
from quadrille.bench.results_file import Results
from quadrille.bench.slower import LIMIT
from quadrille.contracts import PointLine, RunLine
from quadrille.errors import UsageError
from quadrille.report.formatting import escape, plural, time_text
from quadrille.report.frame import frame
from quadrille.report.grouping import mpi_name
from quadrille.report.summary import point_name, warning_sentences
from quadrille.report.tables import ratio_cell, table

Facts = dict[str, str]


def compared(before: Results, after: Results) -> Comparison:
    """Return what changed. Raises UsageError where the two cannot be compared, naming what differs."""
    for name, old, new in differences(_must_agree(before), _must_agree(after)):
        raise UsageError(
            f"results cannot be compared: {name} is {old} in the first "
            f"and {new} in the second; measure both alike"
        )
    comparison = compare_apart(*_points_with_runs(before, after))
    if not comparison.changes:
        raise UsageError("results cannot be compared: no point was measured in both; use the same case twice")
    return comparison


def differences(old: Facts, new: Facts) -> list[tuple[str, str, str]]:
    """Return name and both values of the facts that differ."""
    return [(name, old[name], new[name]) for name in old if old[name] != new[name]]


def comparison_sentences(comparison: Comparison) -> list[str]:
    """Return the outcome in words: what got worse first."""
    worse = [change for change in comparison.changes if change.worse()]
    better = [change for change in comparison.changes if change.better()]
    total = plural(len(comparison.changes), "point")
    sentences = []
    if worse:
        sentences.append(f"Worse at {len(worse)} of {total}: {_names(worse)}.")
    if better:
        sentences.append(f"Better at {len(better)} of {total}: {_names(better)}.")
    rest = len(comparison.changes) - len(worse) - len(better)
    sentences.append(f"No difference beyond noise at {rest} of {total}.")
    for name, points in (("first", comparison.only_before), ("second", comparison.only_after)):
        if points:
            sentences.append(f"{plural(len(points), 'point')} stand in the {name} results only.")
    return sentences


def mind_sentences(before: Results, after: Results) -> list[str]:
    """Return what speaks against trusting the comparison: interrupted runs, other versions and machines."""
    sentences = [f"First: {text}" for text in warning_sentences(before)]
    sentences += [f"Second: {text}" for text in warning_sentences(after)]
    return sentences + [
        f"{name} differs: {old}, then {new}."
        for name, old, new in differences(_may_differ(before), _may_differ(after))
    ]


def comparison_page(before: Results, after: Results, title: str) -> str:
    """Return the whole page. Raises UsageError as `compared` does."""
    comparison = compared(before, after)
    outcome = "".join(f"<li>{escape(text)}</li>" for text in comparison_sentences(comparison))
    mind = mind_sentences(before, after)
    warnings = "".join(f"<li>{escape(text)}</li>" for text in mind)
    body = [f"<h1>{escape(title)}</h1>", f'<section class="summary"><ul>{outcome}</ul></section>']
    if warnings:
        body.append(f'<section class="warnings"><b>Mind</b><ul>{warnings}</ul></section>')
    body += ["<h2>Every point</h2>", _points(comparison), _METHOD]
    return frame(title, "\n".join(body), with_charts=False)


def verdict(change: Change) -> str:
    """Return the change in words."""
    if change.worse():
        return "worse"
    return "better" if change.better() else "no difference"


def _names(changes: list[Change]) -> str:
    ordered = sorted(changes, key=lambda change: -abs(change.factor.value - 1))
    names = [f"{_name(change)} ({change.factor.value:.2f} times)" for change in ordered[:5]]
    return ", ".join(names) + (" ..." if len(ordered) > 5 else "")


def _name(change: Change) -> str:
    return point_name(change.after) + (f", {change.about}" if change.about else "")


def _points(comparison: Comparison) -> str:
    rows = []
    for change in comparison.changes:
        old, new = change.before.blocks, change.after.blocks
        who = dict.fromkeys((old.quadrille.executor, new.quadrille.executor))
        rows.append(
            [
                escape(_name(change)),
                f"{time_text(old.quadrille.median_ns)}, {time_text(new.quadrille.median_ns)}",
                ratio_cell(old.ratio_of_medians),
                ratio_cell(new.ratio_of_medians),
                ratio_cell(change.factor),
                f"<b>{verdict(change)}</b>" if verdict(change) != "no difference" else verdict(change),
                escape(", then ".join(who)),
            ]
        )
    head = ["point", "Quadrille,<br>old, new", "old ratio<br>(95 %)", "new ratio<br>(95 %)"]
    return table([*head, "new / old<br>(95 %, all points)", "verdict", "carried out by"], rows)


_METHOD = (
    '<p class="quiet">A ratio is Quadrille\'s median time over that of the MPI library alone in the same '
    "process; below 1 Quadrille is faster. Worse or better: the whole interval of the change, widened for "
    f"the number of points, is beyond {LIMIT} times. The interval knows the samples of both runs, not what "
    "differs from one job to the next: repeat a run that decides something.</p>"
)


def _points_with_runs(before: Results, after: Results) -> Iterator[list[tuple[str, PointLine]]]:
    """Yield the points of each results with what tells its run from others of the same results.

    What the results do not have alike, such as a setting that was changed, tells nothing apart.
    """
    seen = [
        list(map(set, zip(*(_circumstances(run.facts) for run in one.runs if run.points), strict=True)))
        for one in (before, after)
    ]
    apart = [old == new and len(old) > 1 for old, new in zip(*seen, strict=True)]
    for one in (before, after):
        yield [
            (", ".join(compress(_circumstances(run.facts), apart)), point)
            for run in one.runs
            for point in run.points
        ]


def _circumstances(facts: RunLine) -> tuple[str, ...]:
    return (
        mpi_name(facts),
        "with Quadrille" if facts.library_loaded else "without Quadrille",
        "alone" if facts.beside is None else f"beside a job of {facts.beside} calls",
        facts.environment.get("QUADRILLE_ALGORITHM") or "nothing forced",
    )


def _must_agree(results: Results) -> Facts:
    runs = [run.facts for run in results.runs if run.points]
    return {
        "the MPI library": _values([mpi_name(facts) for facts in runs]),
        "the network": _values([_network(facts) for facts in runs]),
        "the number of hosts": _values([str(len(facts.hosts)) for facts in runs]),
        "whether Quadrille was loaded": _values([str(facts.library_loaded) for facts in runs]),
        "the job beside": _values([str(facts.beside) for facts in runs]),
    }


def _may_differ(results: Results) -> Facts:
    runs = [run.facts for run in results.runs if run.points]
    hosts = [host for facts in runs for host in facts.hosts]
    return {
        "Quadrille's version": _values([str(facts.quadrille_version) for facts in runs]),
        "Quadrille's commit": _values([str(facts.git_commit)[:10] for facts in runs]),
        "Processor": _values([f"{host.cpu} ({host.cores} cores)" for host in hosts]),
        "Kernel": _values([host.kernel for host in hosts]),
        "Setting of Quadrille": _values(
            [
                ", ".join(f"{name}={value}" for name, value in sorted(facts.environment.items()))
                for facts in runs
            ]
        ),
    }


def _values(values: list[str]) -> str:
    return " and ".join(sorted(set(values))) or "unknown"


def _network(facts: RunLine) -> str:
    """Return what must be equal: of an emulated network all but names and addresses, of a model its size."""
    if facts.network is None:
        return "unknown"
    contents = {key: value for key, value in facts.network.contents.items() if key != "lab"}
    parts = [facts.network.source, f"{len(contents.get('hosts', []))} hosts"]
    if facts.network.source != "model":  # its rates are measured, and never twice the same
        text = json.dumps(_without_addresses(contents), sort_keys=True)
        parts.append(f"checksum {hashlib.sha256(text.encode()).hexdigest()[:8]}")
    return ", ".join(parts)


def _without_addresses(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_addresses(item) for item in value]
    if isinstance(value, dict):
        return {key: _without_addresses(item) for key, item in value.items() if "address" not in key}
    return value
