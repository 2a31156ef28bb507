# SPDX-License-Identifier: BSD-3-Clause
"""The page of a comparison of patterns: the network, every pattern beside the paper's figure, the samples."""

from __future__ import annotations

from quadrille.report.charts import LIMIT_COLOUR, NATIVE_COLOUR, QUADRILLE_COLOUR, Figure, layout
from quadrille.report.formatting import escape, size_text, time_text
from quadrille.report.frame import chart_cell
from quadrille.report.tables import table
from quadrille.report.topology_picture import topology_svg
from quadrille.reproduce.experiment import Data
from quadrille.reproduce.patterns.comparison import (
    Calls,
    Comparison,
    choices_of,
    figures_of,
    kernel_ns,
    pattern_ns,
    samples_of,
    step_ns,
)
from quadrille.reproduce.patterns.pattern import MPI_LIBRARY, PLANNED

_PAPER_COLOUR = "#999999"


def show(comparison: Comparison, data: Data) -> str:
    """Return the sections between the paper's values and the command to repeat it."""
    parts = ["<h2>The network</h2>", topology_svg(data["truth"])] if data.get("truth") else []
    parts += ["<h2>Every pattern beside the paper</h2>", _step_table(comparison, data)]
    parts.append(f'<div class="charts">{chart_cell(_ratio_chart(comparison, data))}</div>')
    for calls in comparison.measured():
        if not samples_of(data, MPI_LIBRARY, calls.collective):
            continue
        parts += [
            f"<h2>{calls.collective} of {size_text(calls.size)}</h2>",
            _calls_table(comparison, data, calls),
            _choice_note(data, calls),
        ]
        parts.append(f'<div class="charts">{chart_cell(_samples_chart(comparison, data, calls))}</div>')
    return "\n".join(parts)


def _step_words(comparison: Comparison) -> str:
    return " + ".join(
        f"{calls.times:g} {calls.collective} of {size_text(calls.size)}" for calls in comparison.step
    )


def _base(comparison: Comparison) -> str:
    """Return the pattern that ratios refer to: the one the paper found fastest."""
    return min(comparison.paper, key=lambda time: time.value).pattern


def _ratio(comparison: Comparison, data: Data, pattern: str) -> float | None:
    time, base = pattern_ns(comparison, data, pattern), pattern_ns(comparison, data, _base(comparison))
    return None if time is None or base is None else time / base


def _paper_ratio(comparison: Comparison, pattern: str) -> float | None:
    time, base = comparison.paper_time(pattern), comparison.paper_time(_base(comparison))
    return None if time is None or base is None else time.value / base.value


def _step_table(comparison: Comparison, data: Data) -> str:
    base = _base(comparison)
    head = ["pattern", "here, by medians", f"over {base}", f"paper, {comparison.unit}", f"over {base}, paper"]
    head += ["here, as one kernel"] if comparison.kernel else []
    rows = []
    for pattern in comparison.names():
        time, paper = step_ns(comparison, data, pattern), comparison.paper_time(pattern)
        ratios = (_ratio(comparison, data, pattern), _paper_ratio(comparison, pattern))
        here, there = (f"{ratio:.2f}" if ratio is not None else "–" for ratio in ratios)
        rows.append(
            [
                escape(pattern),
                time_text(time) if time is not None else "not measured",
                here,
                f"{paper.value:g}" if paper else "–",
                there,
                *_kernel_cells(comparison, data, pattern),
            ]
        )
    note = f'<p class="quiet">Here: {escape(_step_words(comparison))}.</p>'
    return table(head, rows) + note


def _kernel_cells(comparison: Comparison, data: Data, pattern: str) -> list[str]:
    if comparison.kernel is None:
        return []
    time = kernel_ns(comparison, data, pattern)
    return [time_text(time) if time is not None else "not measured"]


def _calls_table(comparison: Comparison, data: Data, calls: Calls) -> str:
    rows = []
    for pattern in comparison.names():
        samples = samples_of(data, pattern, calls.collective)
        figures = figures_of(samples)
        if figures is None:
            rows.append([escape(pattern), "not measured", "–", "–", "–"])
            continue
        mean = f"{time_text(figures.mean)} ({time_text(figures.sd)})"
        cells = [time_text(figures.median), time_text(figures.minimum), str(len(samples))]
        rows.append([escape(pattern), mean, *cells])
    return table(["pattern", "mean (standard deviation)", "median", "minimum", "calls"], rows)


def _choice_note(data: Data, calls: Calls) -> str:
    chosen = choices_of(data, calls.collective)
    if not chosen:
        return ""
    words = ", ".join(f"{name} ({rounds})" for name, rounds in chosen.items())
    return f'<p class="quiet">{PLANNED.name} (rounds): {escape(words)}.</p>'


def _ratio_chart(comparison: Comparison, data: Data) -> Figure:
    names = comparison.names()
    bars = [
        ("paper", [_paper_ratio(comparison, name) for name in names], _PAPER_COLOUR),
        ("here", [_ratio(comparison, data, name) for name in names], QUADRILLE_COLOUR),
    ]
    series = [
        {"type": "bar", "name": name, "x": names, "y": values, "marker": {"color": colour}}
        for name, values, colour in bars
    ]
    base = _base(comparison)
    y_axis = {"title": {"text": f"time over {base}'s"}, "rangemode": "tozero"}
    return {"data": series, "layout": layout(f"{comparison.where} drawn again", {"type": "category"}, y_axis)}


def _samples_chart(comparison: Comparison, data: Data, calls: Calls) -> Figure:
    series = [
        {
            "type": "box",
            "name": name,
            "y": [sample / 1e6 for sample in samples_of(data, name, calls.collective)],
            "boxpoints": "all",
            "marker": {"color": NATIVE_COLOUR if name == MPI_LIBRARY else QUADRILLE_COLOUR, "size": 4},
            "showlegend": False,
        }
        for name in comparison.names()
    ]
    y_axis = {"title": {"text": "time of a call, ms"}, "rangemode": "tozero"}
    figure = layout(f"Every call of {calls.collective}", {"type": "category"}, y_axis)
    limits = {
        point["limit_ns"]
        for point in data.get("points", [])
        if point["collective"] == calls.collective and point["limit_ns"]
    }
    line = {"color": LIMIT_COLOUR, "width": 1.5, "dash": "dot"}
    figure["shapes"] = [
        {
            "type": "line",
            "xref": "paper",
            "x0": 0,
            "x1": 1,
            "y0": limit / 1e6,
            "y1": limit / 1e6,
            "line": line,
        }
        for limit in sorted(limits)
    ]
    return {"data": series, "layout": figure}
