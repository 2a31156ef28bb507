# SPDX-License-Identifier: BSD-3-Clause
"""A trace as one HTML file: the profile in words and as a table, and a time line of some of its calls."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from quadrille.report.charts import Figure
from quadrille.report.formatting import escape, size_text, time_text
from quadrille.report.frame import chart_cell, frame
from quadrille.trace.joint_calls import JointCall, first_start_ns
from quadrille.trace.profile import Profile, Row, profile
from quadrille.trace.reading import Trace
from quadrille.trace.slices import Slice, slice_text, slices_of
from quadrille.trace.table import notes_on, part_cells, ranks_text, row_size_text, site_text

_MOST_ROWS = 12
_MOST_BARS = 4000
# Okabe and Ito's, which colour-blind readers can tell apart; patterns differ too.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
_PATTERNS = ("", "/", "x", "-", "|", "+")
_WAITING_COLOUR = "#bbbbbb"
_CARRIER_COLOURS = {
    "wire": "#000000",
    "MPI library": "#F0E442",
    "own memory": "#ffffff",
    "host memory": "#56B4E9",
}


def trace_page(trace: Trace, joint: Sequence[JointCall], chosen: Sequence[JointCall] | None) -> str:
    """Return the page; the time line shows `chosen`, or calls out of the middle of the run."""
    told = profile(trace, joint)
    shown = list(chosen) if chosen is not None else _middle(joint)
    shown = shown[: max(1, _MOST_BARS // max(1, len(shown[0].calls)))]
    notes = "".join(f"<li>{escape(text)}</li>" for text in notes_on(trace, told, len(joint), _MOST_ROWS))
    body = (
        f"<h1>MPI calls of {trace.ranks} ranks</h1>\n<ul>{notes}</ul>\n{_parts(told)}"
        f"<h2>Where the time goes</h2>\n{_table(told)}\n"
        f"<h2>Time line</h2>\n<p>{len(shown)} of {len(joint)} calls; seconds from the first one; "
        "grey: waiting for ranks that come late. Thin: what a rank got on with inside a call of Quadrille's, "
        "and who moved the data. "
        "<code>quadrille trace --from S --to S</code> shows others.</p>\n"
        f"{chart_cell(timeline_figure(_hosts(trace), shown, first_start_ns(joint)))}"
    )
    return frame("Quadrille trace", body, with_charts=True)


def _middle(joint: Sequence[JointCall]) -> list[JointCall]:
    """Return some calls out of the middle: a program's start is seldom what it does for long."""
    bars = sum(len(one.calls) for one in joint) or 1
    count = max(1, min(len(joint), len(joint) * _MOST_BARS // bars, 200))
    first = (len(joint) - count) // 2
    return list(joint[first : first + count])


def _parts(told: Profile) -> str:
    if not told.parts:
        return ""
    heads = ("the run's time", "of it", "calls a rank", "what Quadrille can do")
    return _html_table(heads, (map(escape, cells) for cells in part_cells(told))) + "\n"


def _html_table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = "".join(f"<th>{text}</th>" for text in heads)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def _table(told: Profile) -> str:
    heads = (
        "call",
        "from",
        "executed by",
        "size",
        "ranks",
        "calls",
        "s",
        "of it waiting",
        "a call",
        "library",
        "saved, s",
    )
    return _html_table(heads, (_cells(row) for row in told.rows[:_MOST_ROWS]))


def _cells(row: Row) -> tuple[str, ...]:
    return (
        escape(row.function),
        escape(site_text(row.site)),
        escape(row.algorithm),
        row_size_text(row),
        ranks_text(row),
        str(row.calls),
        f"{row.time_s:.3g}",
        f"{100 * row.waiting_s / row.time_s:.0f} %" if row.time_s > 0 and row.ranks is not None else "–",
        time_text(row.call_s * 1e9),
        "–" if row.library_s is None else time_text(row.library_s * 1e9),
        "–" if row.saved_s is None else f"{row.saved_s:.3g}",
    )


def _hosts(trace: Trace) -> dict[int, str]:
    return {rank: of_rank.host for rank, of_rank in trace.by_rank.items()}


def timeline_figure(hosts: dict[int, str], shown: Sequence[JointCall], zero_ns: int) -> Figure:
    """Return a bar for each call of each rank and one for its waiting; times count from `zero_ns`."""
    functions = list(dict.fromkeys(one.first.function for one in shown))
    data = [_bars(name, index, hosts, shown, zero_ns) for index, name in enumerate(functions)]
    data.append(_waiting(hosts, shown, zero_ns))
    data += _inside(hosts, shown, zero_ns)
    ranks = sorted(hosts)
    layout = {
        "barmode": "overlay",
        "bargap": 0.15,
        "height": max(260, 120 + 26 * len(ranks)),
        "margin": {"l": 110, "r": 10, "t": 60, "b": 45},
        "legend": {"orientation": "h", "y": 1, "yanchor": "bottom", "x": 0},
        "xaxis": {"title": {"text": "seconds"}, "gridcolor": "#e6e6e6"},
        "yaxis": {
            "type": "category",
            "categoryorder": "array",
            "categoryarray": [_label(hosts, rank) for rank in reversed(ranks)],
        },
        "paper_bgcolor": "#fff",
        "plot_bgcolor": "#fff",
    }
    return {"data": data, "layout": layout}


def _label(hosts: dict[int, str], rank: int) -> str:
    return f"{rank} {hosts[rank]}"


def _bars(name: str, index: int, hosts: dict[int, str], shown: Sequence[JointCall], zero_ns: int) -> Figure:
    calls = [call for one in shown if one.first.function == name for call in one.calls]
    return {
        "type": "bar",
        "orientation": "h",
        "name": name,
        "y": [_label(hosts, call.rank) for call in calls],
        "base": [(call.start_ns - zero_ns) / 1e9 for call in calls],
        "x": [(call.end_ns - call.start_ns) / 1e9 for call in calls],
        "text": [f"{size_text(call.bytes)}, {call.algorithm}" for call in calls],
        "textposition": "none",
        "hovertemplate": "%{y}: %{text}, %{x:.3s}s<extra>" + name + "</extra>",
        "marker": {
            "color": COLOURS[index % len(COLOURS)],
            "pattern": {
                "shape": _PATTERNS[index % len(_PATTERNS)],
                "fillmode": "overlay",
                "fgcolor": "#ffffff",
                "size": 6,
            },
        },
    }


def _waiting(hosts: dict[int, str], shown: Sequence[JointCall], zero_ns: int) -> Figure:
    waits = [
        (call, waiting)
        for one in shown
        for call, waiting in zip(one.calls, one.waiting_ns, strict=True)
        if waiting > 0
    ]
    return {
        "type": "bar",
        "orientation": "h",
        "name": "waiting for late ranks",
        "y": [_label(hosts, call.rank) for call, _ in waits],
        "base": [(call.start_ns - zero_ns) / 1e9 for call, _ in waits],
        "x": [waiting / 1e9 for _, waiting in waits],
        "hovertemplate": "%{y} waits %{x:.3s}s<extra></extra>",
        "marker": {"color": _WAITING_COLOUR},
    }


def _inside(hosts: dict[int, str], shown: Sequence[JointCall], zero_ns: int) -> list[Figure]:
    """Return thin bars for what ranks got on with inside calls, as many as a page can draw."""
    found: dict[str, list[tuple[int, list[int], Slice]]] = {carrier: [] for carrier in _CARRIER_COLOURS}
    left = _MOST_BARS
    for one in shown:
        members = [call.rank for call in one.calls]
        for call, waiting in zip(one.calls, one.waiting_ns, strict=True):
            slices = list(slices_of(call, waiting))
            left -= len(slices)
            if left < 0:
                break
            for piece in slices:
                found[piece.carrier].append((call.rank, members, piece))
    return [_thin(carrier, hosts, pieces, zero_ns) for carrier, pieces in found.items() if pieces]


def _thin(
    carrier: str, hosts: dict[int, str], pieces: list[tuple[int, list[int], Slice]], zero_ns: int
) -> Figure:
    return {
        "type": "bar",
        "orientation": "h",
        "name": f"inside: {carrier}",
        "width": 0.22,
        "y": [_label(hosts, rank) for rank, _, _ in pieces],
        "base": [(piece.start_ns - zero_ns) / 1e9 for *_, piece in pieces],
        "x": [(piece.end_ns - piece.start_ns) / 1e9 for *_, piece in pieces],
        "text": [f"{slice_text(piece, members)}, {size_text(piece.bytes)}" for _, members, piece in pieces],
        "textposition": "none",
        "hovertemplate": "%{y} %{text}, %{x:.3s}s<extra>" + carrier + "</extra>",
        "marker": {"color": _CARRIER_COLOURS[carrier], "line": {"color": "#555", "width": 0.5}},
    }
