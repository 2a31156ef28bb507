# SPDX-License-Identifier: BSD-3-Clause
"""HTML tables: every point's figures, stalls, programs side by side, machines."""

from __future__ import annotations

from collections.abc import Sequence

from quadrille.bench.results_file import Results, Run
from quadrille.bench.slower import LIMIT, slower
from quadrille.contracts import PointLine, ProgramLine, Ratio, Side
from quadrille.report.formatting import count_text, escape, percent_text, size_text, time_text
from quadrille.report.grouping import Series
from quadrille.report.summary import point_name


def table(head: Sequence[str], rows: Sequence[Sequence[str]], numbers_from: int = 1) -> str:
    """Return a table; cells are HTML already. Columns from `numbers_from` on are set as numbers."""

    def cells(tag: str, row: Sequence[str]) -> str:
        marks = [f'<{tag} class="number">' if at >= numbers_from else f"<{tag}>" for at in range(len(row))]
        return "".join(f"{mark}{cell}</{tag}>" for mark, cell in zip(marks, row, strict=True))

    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    opened = f"<table><thead><tr>{cells('th', head)}</tr></thead>"
    return f'<div class="scroll">{opened}<tbody>{body}</tbody></table></div>'


def ratio_cell(ratio: Ratio) -> str:
    """Return the HTML of a ratio with its interval below it."""
    return f"<b>{ratio.value:.2f}</b><small>{ratio.low:.2f} – {ratio.high:.2f}</small>"


def points_table(series: Series) -> str:
    """Return the figures of a series' points."""
    head = [
        "size" if series.axis == "bytes" else "ranks",
        "MPI library<br>(p10 – p90)",
        "Quadrille<br>(p10 – p90)",
        "ratio in blocks<br>(95 %)",
        "ratio in turn<br>(95 %)",
        "limit",
        "% of limit<br>MPI library",
        "% of limit<br>Quadrille",
        "samples<br>a side",
        "carried out by",
    ]
    rows = []
    for point in series.points:
        native, ours = point.blocks.native, point.blocks.quadrille
        bound = point.bound.framed_ns if point.bound else 0
        rows.append(
            [
                size_text(point.bytes).replace(" ", "&nbsp;") if series.axis == "bytes" else str(point.ranks),
                _median(native),
                _median(ours),
                ratio_cell(point.blocks.ratio_of_medians),
                ratio_cell(point.alternating.ratio_of_medians) if point.alternating else "–",
                (time_text(bound) if bound else "–") + _swapped(point),
                percent_text(native.percent_of_framed_limit),
                percent_text(ours.percent_of_framed_limit),
                " + ".join(str(measured.native.n) for _, measured in point.measurements()),
                f'<span class="who">{_executor(ours)}</span>',
            ]
        )
    return table(head, rows)


def _swapped(point: PointLine) -> str:
    return "<br><strong>swapped: a disk's time</strong>" if point.sort and point.sort.swapped else ""


def _median(side: Side) -> str:
    band = f"{time_text(side.p10_ns)} – {time_text(side.p90_ns)}"
    return f"<b>{time_text(side.median_ns)}</b><small>{band}</small>"


def _executor(side: Side) -> str:
    if side.executor == "quadrille":
        return f"Quadrille: {escape(side.algorithm or 'several algorithms')}"
    if side.executor == "mixed":
        ours = sum(run.calls for run in side.executions if run.executor == "quadrille")
        return f"Quadrille for {ours} of {side.n} calls"
    reasons = sorted({run.reason for run in side.executions if run.reason})
    return "MPI library" + (f" ({escape('; '.join(reasons))})" if reasons else "")


def stalls_table(points: list[PointLine]) -> str:
    """Return the points at which calls stalled, or a sentence where none did."""
    rows = []
    for point in points:
        for name, measured in point.measurements():
            for who, side in (("MPI library", measured.native), ("Quadrille", measured.quadrille)):
                if side.stalls:
                    extra = side.max_ns - side.median_ns
                    share = f"{side.stalls} of {side.n}"
                    rows.append(
                        [
                            escape(point_name(point)),
                            who,
                            name,
                            share,
                            time_text(side.max_ns),
                            time_text(extra),
                        ]
                    )
    if not rows:
        return "<p>No call took more than 50 ms longer than the median of its point.</p>"
    return table(["point", "side", "order", "stalled calls", "longest call", "above the median"], rows, 3)


def flows_table(points: list[PointLine]) -> str:
    """Return what the points' calls sent by Quadrille's own datagrams; nothing where none did."""
    rows = []
    for point in points:
        for name, measured in point.measurements():
            if (flows := measured.quadrille.flows) is None:
                continue
            rows.append(
                [
                    escape(point_name(point)),
                    name,
                    str(flows.calls),
                    count_text(flows.packets),
                    size_text(round(flows.bytes)),
                    count_text(flows.resent),
                    time_text(flows.credit_wait_ns / point.ranks),
                    count_text(flows.stalls),
                ]
            )
    if not rows:
        return ""
    head = ["point", "order", "calls", "packets", "payload", "sent again", "a rank waited<br>for credits"]
    return table([*head, "stalls"], rows, 2)


def slower_table(points: list[PointLine]) -> str:
    """Return the points that took longer than the MPI library alone by more than the limit."""
    found = slower(points)
    if not found:
        return f"<p>No point took more than {LIMIT} times as long as the MPI library alone.</p>"
    rows = []
    for point in found:
        ours = point.blocks.quadrille
        name = escape(point_name(point))
        ratio = ratio_cell(point.blocks.ratio_of_medians)
        rows.append([name, ratio, time_text(ours.median_ns), _executor(ours)])
    return table(["point", "ratio in blocks (95 %)", "Quadrille", "carried out by"], rows)


def programs_table(programs: list[ProgramLine]) -> str:
    """Return each program's figures, native and under Quadrille side by side; the latest of each counts."""
    parts = []
    for name in dict.fromkeys(line.name for line in programs):
        lines: dict[str, ProgramLine] = {line.variant: line for line in programs if line.name == name}
        description = next((line.description for line in lines.values() if line.description), "")
        parts.append(f"<h3>{escape(name)}</h3>" + (f"<p>{escape(description)}</p>" if description else ""))
        parts.append(
            table(["figure", "MPI library", "Quadrille", "Quadrille / MPI library"], _figures(lines))
        )
        commands = "\n".join(f"# {variant}\n{line.command}" for variant, line in lines.items())
        parts.append(f"<details><summary>Commands</summary><pre>{escape(commands)}</pre></details>")
    return "".join(parts)


def _figures(lines: dict[str, ProgramLine]) -> list[list[str]]:
    values = {variant: {figure.name: figure for figure in line.figures} for variant, line in lines.items()}
    names = dict.fromkeys(name for figures in values.values() for name in figures)
    most = {name: max(abs(f[name].value) for f in values.values() if name in f) for name in names}
    rows = []
    for name in names:
        row = [escape(name)]
        for variant in ("native", "quadrille"):
            figure = values.get(variant, {}).get(name)
            if figure is None:
                row.append("–")
                continue
            width = 100 * abs(figure.value) / most[name] if most[name] else 0
            bar = f'<span class="bar {variant}" style="width:{width:.0f}px"></span>'
            row.append(f"{bar}{figure.value:.6g} {escape(figure.unit)}")
        native, ours = (values.get(variant, {}).get(name) for variant in ("native", "quadrille"))
        row.append(f"{ours.value / native.value:.3f}" if native and ours and native.value else "–")
        rows.append(row)
    return rows


def machines_table(results: Results) -> str:
    """Return where and with what each run was made."""
    rows = []
    for run in results.runs:
        facts = run.facts
        commit = (
            f" ({facts.git_commit[:10]}{'+' if facts.git_commit.endswith('+') else ''})"
            if facts.git_commit
            else ""
        )
        rows.append(
            [
                escape(facts.started),
                escape(facts.mpi_library.split(",")[0]),
                escape(f"{facts.quadrille_version or 'kernel alone'}{commit}"),
                f"{facts.ranks} on {len(facts.hosts)}",
                _distinct(run, "kernel"),
                _distinct(run, "cpu") + f" ({_distinct(run, 'cores')} cores)",
                _distinct(run, "tcp_congestion_control"),
                escape(f"{facts.settings.sync}; ranks {facts.settings.wait}"),
                _clocks(run),
            ]
        )
    head = [
        "started",
        "MPI",
        "Quadrille",
        "ranks on hosts",
        "kernel",
        "CPU",
        "TCP",
        "synchronisation",
        "clocks",
    ]
    return table(head, rows, len(head))


def _distinct(run: Run, key: str) -> str:
    return escape(", ".join(dict.fromkeys(str(getattr(host, key)) for host in run.facts.hosts)))


def _clocks(run: Run) -> str:
    if not run.points:
        return "–"
    return f"aligned within {time_text(max(point.clock_uncertainty_ns for point in run.points))}"
