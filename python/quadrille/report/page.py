# SPDX-License-Identifier: BSD-3-Clause
"""The report of benchmark results: one HTML file."""

from __future__ import annotations

import json
import shlex
from typing import Any

from quadrille.bench.results_file import Results, Run
from quadrille.contracts import PointLine
from quadrille.report.charts import ratio_chart, time_chart
from quadrille.report.formatting import escape
from quadrille.report.frame import chart_cell, frame
from quadrille.report.grouping import Group, Series, groups_of
from quadrille.report.heat_map import heat_map, limit_map
from quadrille.report.summary import summary_sentences, warning_sentences
from quadrille.report.tables import (
    flows_table,
    machines_table,
    points_table,
    programs_table,
    slower_table,
    stalls_table,
)
from quadrille.report.topology_picture import hosts_only, topology_svg


def render_page(results: Results, title: str = "Quadrille report") -> str:
    """Return the whole page. REQUIRES: at least one point or program."""
    body = [f"<h1>{escape(title)}</h1>", _summary(results)]
    if results.programs:
        body.append("<h2>Programs</h2>" + programs_table(results.programs))
    groups = groups_of(results.runs)
    for group in groups:
        body.append(_group(group, named=len(groups) > 1))
    if groups:
        body += ["<h2>Slower than the MPI library</h2>", slower_table(results.points())]
        body += ["<h2>Stalls</h2>", stalls_table(results.points())]
        if flows := flows_table(results.points()):
            body += ["<h2>Datagrams of Quadrille's calls</h2>", flows, _FLOWS]
        body += ["<h2>Network</h2>", _networks(results.runs)]
        body += ["<h2>How it was measured</h2>", _METHOD, machines_table(results)]
        body += ["<h2>To repeat it</h2>", _commands(results.runs)]
    return frame(title, "\n".join(body), with_charts=bool(groups))


def _summary(results: Results) -> str:
    items = "".join(f"<li>{escape(sentence)}</li>" for sentence in summary_sentences(results))
    text = f'<section class="summary"><ul>{items}</ul></section>'
    warnings = "".join(f"<li>{escape(sentence)}</li>" for sentence in warning_sentences(results))
    return text + (f'<section class="warnings"><b>Mind</b><ul>{warnings}</ul></section>' if warnings else "")


def _group(group: Group, named: bool) -> str:
    parts = [f"<h2>{escape(group.label)}</h2>" if named else f"<h2>Collectives: {escape(group.label)}</h2>"]
    points = [point for run in group.runs for point in run.points]
    parts += [heat_map(points), limit_map(points)]
    for collective in group.collectives():
        parts.append(f"<h3>{escape(collective)}</h3>")
        for series in group.series(collective):
            parts.append(_series(series))
    parts.append(
        '<p class="quiet">Bands: p10 to p90. Open markers: the call was left to the MPI library, so both '
        "sides ran the same code. Limit of the wire: no algorithm can be faster on this network; counted in "
        f"{escape(_framing(group))}.</p>"
    )
    return "\n".join(parts)


def _series(series: Series) -> str:
    label = f"<h4>{escape(series.label)}</h4>" if series.label else ""
    charts = "".join(chart_cell(figure) for figure in (time_chart(series), ratio_chart(series)))
    figures = f"<details open><summary>Figures of each point</summary>{points_table(series)}</details>"
    return f'{label}<div class="charts">{charts}</div>{figures}'


def _framing(group: Group) -> str:
    framings = {point.bound.framing for run in group.runs for point in run.points if point.bound}
    return " and ".join(sorted(framings)) or "nothing here, because no file told the network's rates"


def _networks(runs: list[Run]) -> str:
    drawn: dict[str, str] = {}
    for run in runs:
        network: dict[str, Any]
        if run.facts.network is not None and run.facts.network.contents.get("segments"):
            network = run.facts.network.contents
            caption = f"Rates from the {run.facts.network.source}."
            if network.get("lab"):
                caption = f"Emulated cluster {network['lab']}, as it describes itself."
        else:
            network = hosts_only([host.name for host in run.facts.hosts])
            caption = "No file told the network's rates, so nothing is known but the hosts."
        key = json.dumps(network, sort_keys=True)
        drawn.setdefault(key, f"<p>{escape(caption)}</p>{topology_svg(network)}")
    return "".join(drawn.values())


_METHOD = (
    "<p>Each call of the program (<code>MPI_X</code>) and of the MPI library alone (<code>PMPI_X</code>) is "
    "made in the same process. All ranks start a call at an agreed instant on aligned clocks; the time is "
    "from that instant to the last end of a rank, so that no barrier is measured. Calls come in blocks: "
    "native, ours, ours, native; and, apart, in turn, which lets TCP idle between calls. Every result is "
    "checked.</p>"
)


_FLOWS = (
    '<p class="quiet">Means of a call, of all ranks together, but for credits: how long a rank had something '
    "to send that no receiver had granted yet, as it has while receivers pace an exchange. A stall: a rank "
    "heard nothing for 50 ms while packets were under way.</p>"
)


def _commands(runs: list[Run]) -> str:
    parts = []
    for run in runs:
        if run.facts.command is not None:
            parts.append(f"<pre>{escape(shlex.join(run.facts.command))}</pre>")
        if run.facts.launcher is not None:
            lines = "\n".join(point_command(point, run.facts.launcher) for point in run.points)
            parts.append(
                f"<details><summary>One point at a time</summary><pre>{escape(lines)}</pre></details>"
            )
    return "".join(parts) or "<p>The native kernel was run alone; no command was recorded.</p>"


def point_command(point: PointLine, launcher: list[str]) -> str:
    """Return the command that measures `point` again."""
    words = ["quadrille", "bench", "--collective", point.collective]
    if point.sort is None:
        words += ["--bytes", str(point.bytes)]
    else:
        words += ["--vectors", str(point.sort.vectors), "--doubles", str(point.sort.doubles)]
    words += ["--ranks", str(point.ranks), "--type", point.element_type, "--sync", point.sync]
    words += ["--root", str(point.root)] if point.root else []
    words += ["--in-place"] if point.in_place else []
    words += ["--skew-us", f"{point.skew_us:g}"] if point.skew_us else []
    return shlex.join([*words, "-o", "again.jsonl", "--", *launcher])
