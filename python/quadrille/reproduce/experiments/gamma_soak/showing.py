# SPDX-License-Identifier: BSD-3-Clause
"""The page of gamma-soak: memory of ranks and kernel over time, and a row for each job."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from quadrille.report.charts import Figure, layout
from quadrille.report.formatting import escape
from quadrille.report.frame import chart_cell
from quadrille.report.tables import table
from quadrille.reproduce.experiment import Data
from quadrille.reproduce.experiments.gamma_soak.judging import growth

_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999")
_PAGE_KIB = 4


def show(data: Data) -> str:
    """Return the sections between the page's values and the command to repeat it."""
    jobs = [job for job in data.get("jobs", []) if job["samples"]]
    if not jobs:
        return ""
    charts = "".join(chart_cell(figure) for figure in (_of_ranks(jobs), _of_kernel(jobs)))
    failed = [job for job in jobs if job["exit_code"] not in (0, None)]
    outputs = "".join(f"<pre>{escape(chr(10).join(job['output']))}</pre>" for job in failed)
    return f'<h2>Memory over time</h2><div class="charts">{charts}</div>{_table(jobs)}{outputs}'


def _of_ranks(jobs: list[dict[str, Any]]) -> Figure:
    """Return what each rank holds, jobs one behind the other."""
    series = []
    for rank in range(max(job["ranks"] for job in jobs)):
        x, y = _over_time(jobs, _resident_mib(rank))
        series.append(_line(f"rank {rank}", x, y, _COLOURS[rank % len(_COLOURS)]))
    figure = layout("Resident memory of the ranks", _axis("seconds"), _axis("MiB"))
    return {"data": series, "layout": figure}


def _resident_mib(rank: int) -> Callable[[dict[str, Any]], float]:
    return lambda sample: float(sample["resident_kib"][rank]) / 1024


def _of_kernel(jobs: list[dict[str, Any]]) -> Figure:
    wanted: list[tuple[str, Callable[[dict[str, Any]], float]]] = [
        ("sockets of all hosts (number)", lambda sample: sum(sample["sockets"])),
        ("datagrams in sockets (KiB)", lambda sample: _PAGE_KIB * sample["udp_pages"][0]),
        ("TCP in sockets (KiB)", lambda sample: _PAGE_KIB * sample["tcp_pages"][0]),
        ("machine's slabs (MiB)", lambda sample: sample["kernel_kib"][0] / 1024),
    ]
    series = [
        _line(name, *_over_time(jobs, value), _COLOURS[place]) for place, (name, value) in enumerate(wanted)
    ]
    figure = layout("Sockets and kernel memory", _axis("seconds"), _axis("number, KiB or MiB"))
    below = {"orientation": "h", "x": 0, "y": -0.25, "yanchor": "top"}
    margin = {**figure["margin"], "b": 150}
    return {"data": series, "layout": {**figure, "height": 460, "margin": margin, "legend": below}}


def _over_time(
    jobs: list[dict[str, Any]], value: Callable[[dict[str, Any]], float]
) -> tuple[list[float | None], list[float | None]]:
    """Return times and values; a gap between jobs."""
    x: list[float | None] = []
    y: list[float | None] = []
    begin = 0.0
    for job in jobs:
        x += [*(begin + sample["seconds"] for sample in job["samples"]), None]
        y += [*(value(sample) for sample in job["samples"]), None]
        begin += job["samples"][-1]["seconds"]
    return x, y


def _line(name: str, x: list[Any], y: list[Any], colour: str) -> Figure:
    line = {"color": colour, "width": 1.5}
    return {"type": "scatter", "mode": "lines", "name": name, "x": x, "y": y, "line": line}


def _axis(title: str) -> Figure:
    return {"title": {"text": title}, "rangemode": "tozero"}


def _table(jobs: list[dict[str, Any]]) -> str:
    rows = []
    for number, job in enumerate(jobs, start=1):
        last = job["samples"][-1]
        grown = growth(job)
        slope = grown.bytes_a_call if grown else None
        rows.append(
            [
                str(number),
                f"{last['seconds']:.0f}",
                str(min(last["calls"])),
                str(sum(last["wrong"])),
                f"{sum(last['resident_kib']) / job['ranks'] / 1024:.1f}",
                f"{slope.value:.2f} ± {slope.error or 0:.2f}" if slope else "–",
                f"{grown.most_kib:.0f}" if grown else "–",
                str(max(last["threads"])),
                str(sum(last["sockets"])),
            ]
        )
    head = ["job", "seconds", "calls a rank", "wrong", "MiB a rank", "B a call", "KiB more, at most"]
    note = (
        '<p class="quiet">B a call: slope of the ranks\' own (anonymous) memory over calls in the second '
        "half of the job, with its standard error; KiB more: in that half, at the upper end of twice the "
        "error.</p>"
    )
    return table([*head, "threads", "sockets, all hosts"], rows, numbers_from=0) + note
