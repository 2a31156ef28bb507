# SPDX-License-Identifier: BSD-3-Clause
"""gamma-pingpong: one-way time and rate over the size of messages, by TCP and past it.

`data["runs"]`: of each network its name, `rate_mbit` (None: not limited), the lines of
`quadrille.bench.pingpong` and why ways are missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from quadrille.bench.pingpong import (
    MPI,
    NAMES,
    PROVIDER_PACKET,
    PROVIDER_UDP,
    PROVIDER_XDP,
    Line,
    Measured,
    Point,
    Wanted,
    measure,
)
from quadrille.lab.ready_made import resolve
from quadrille.report.charts import Figure, layout
from quadrille.report.formatting import escape, percent_text, size_text
from quadrille.report.frame import chart_cell
from quadrille.report.tables import table
from quadrille.reproduce.experiment import Data, Effect, Experiment, Published
from quadrille.reproduce.workbench import Workbench

_UNLIMITED, _LIMITED = "no rate limit", "200 Mbit/s"
_NETWORKS = {
    _UNLIMITED: ("unlimited:hosts=2,offloads=false", None),
    _LIMITED: ("one_switch:hosts=2,rate_mbit=200", 200),
}
_GIVEN = "the given launcher's"
_SIZES = ("1", "16", "64", "256", "1K", "4K", "16K", "64K", "256K", "1M")
_QUICK_SIZES = ("1", "64", "4K", "64K", "1M")
_SATURATED_BYTES = 100_000
_SHARE_OF_LINK = 0.95
_PAYLOAD_OF_FRAME = 1448 / 1514
"""Of a full frame at an MTU of 1500, as an emulated link counts it, both of TCP and of the wire."""
COLOURS = {
    "tcp": "#666666",
    "udp": "#56B4E9",
    "packet": "#009E73",
    "xdp": "#603000",
    "wire-udp": "#0072B2",
    "wire-packet": "#CC79A7",
    "wire-xdp": "#000090",
    MPI: "#000000",
    PROVIDER_UDP: "#E69F00",
    PROVIDER_PACKET: "#D55E00",
    PROVIDER_XDP: "#9000F0",
}


def _measure(bench: Workbench, data: Data) -> None:
    """Measure all ways between two hosts, emulated or the given launcher's."""
    data["runs"] = []
    if bench.launcher is not None:
        _run(bench, data, _GIVEN, None, bench.launcher)
        return
    for name, (network, rate) in _NETWORKS.items():
        with bench.lab(resolve(network), "gamma-pingpong") as lab:
            _run(bench, data, name, rate, lab.launcher("ompi4", 2))


def _run(bench: Workbench, data: Data, name: str, rate: int | None, line: Sequence[str]) -> None:
    wanted = Wanted(
        list(line),
        _QUICK_SIZES if bench.quick else _SIZES,
        ["pingpong"],
        seconds=0.06 if bench.quick else 0.3,
        turns=1 if bench.quick else 3,
    )
    measured = measure(wanted, lambda what: bench.announce(f"{name}, {what}"))
    data["runs"].append(
        {
            "network": name,
            "rate_mbit": rate,
            "lines": [one.model_dump() for one in measured.lines],
            "missing": measured.missing,
        }
    )
    bench.save()


def _points(run: dict[str, Any]) -> dict[tuple[str, int], Point]:
    measured = Measured([Line.model_validate(one) for one in run["lines"]], run["missing"])
    return {(point.way, point.bytes): point for point in measured.points()}


def _find(data: Data, network: str) -> dict[str, Any] | None:
    return next((run for run in data.get("runs", []) if run["network"] in (network, _GIVEN)), None)


def _judge(data: Data) -> list[Effect]:
    return [_shorter(data), _carries_the_link(data), _saturates(data)]


def _shorter(data: Data) -> Effect:
    name = "a short message takes less time than by TCP"
    run = _find(data, _UNLIMITED)
    points = {} if run is None else _points(run)
    mine, by_tcp = points.get((PROVIDER_PACKET, 64)), points.get((MPI, 64))
    if mine is None or by_tcp is None:
        return Effect(name, None, "not measured in this run")
    why = (
        f"64 bytes through the MPI library: {mine.median_ns / 1000:.1f} us over frames, "
        f"{by_tcp.median_ns / 1000:.1f} as it is ({mine.median_ns / by_tcp.median_ns:.2f} times)"
    )
    return Effect(name, mine.median_ns < by_tcp.median_ns, why)


def _carries_the_link(data: Data) -> Effect:
    name = "long messages fill the link"
    run = _find(data, _LIMITED)
    points = {} if run is None or run["rate_mbit"] is None else _points(run)
    mine = points.get((PROVIDER_PACKET, 1 << 20))
    if run is None or mine is None:
        return Effect(name, None, "not measured in this run")
    share = mine.mbyte_s * 8 / run["rate_mbit"] / _PAYLOAD_OF_FRAME
    why = (
        f"1 MiB: {mine.mbyte_s:.1f} MB/s, {percent_text(100 * share)} of the payload that the link can carry"
    )
    return Effect(name, share >= _SHARE_OF_LINK, why)


def _saturates(data: Data) -> Effect:
    name = "the rate is near its most from 100 000 bytes on"
    run = _find(data, _LIMITED)
    points = {} if run is None else _points(run)
    rates = {size: point.mbyte_s for (way, size), point in points.items() if way == PROVIDER_PACKET}
    long = [rate for size, rate in rates.items() if size >= _SATURATED_BYTES // 2]
    if not long:
        return Effect(name, None, "not measured in this run")
    most = max(long)
    why = f"from 64 KiB on at least {percent_text(100 * min(long) / most)} of the most"
    return Effect(name, min(long) >= 0.85 * most, why)


def _show(data: Data) -> str:
    parts = []
    for run in data.get("runs", []):
        points = _points(run)
        parts.append(f"<h2>{escape(run['network'])}</h2>")
        cells = [chart_cell(_chart(points, is_time)) for is_time in (True, False)]
        parts.append(f'<div class="charts">{"".join(cells)}</div>')
        parts.append(_table(points))
        parts += [
            f"<p>{escape(NAMES[way])}: not measured: {escape(why)}</p>" for way, why in run["missing"].items()
        ]
    return "\n".join(parts)


def _chart(points: dict[tuple[str, int], Point], is_time: bool) -> Figure:
    series = []
    for way, name in NAMES.items():
        of_way = sorted((size, point) for (one, size), point in points.items() if one == way)
        if not of_way:
            continue
        line = {"color": COLOURS[way], "width": 2, "dash": "solid" if way.startswith(MPI) else "dot"}
        y = [point.median_ns / 1000 if is_time else 8 * point.mbyte_s for _, point in of_way]
        x = [size for size, _ in of_way]
        series.append(
            {"type": "scatter", "mode": "lines+markers", "name": name, "x": x, "y": y, "line": line}
        )
    sizes = sorted({size for _, size in points})
    ticks = {"tickvals": sizes, "ticktext": [size_text(size) for size in sizes]}
    x_axis = {"title": {"text": "message (log)"}, "type": "log", **ticks}
    y_title = "one way, microseconds (log)" if is_time else "Mbit/s"
    y_axis = {"title": {"text": y_title}, "type": "log"} if is_time else {"title": {"text": y_title}}
    figure = layout("One-way time" if is_time else "Rate", x_axis, y_axis)
    return {"data": series, "layout": {**figure, "height": 460, "margin": {**figure["margin"], "t": 130}}}


def _table(points: dict[tuple[str, int], Point]) -> str:
    sizes = sorted({size for _, size in points})
    rows = []
    for way, name in NAMES.items():
        of_way = [points.get((way, size)) for size in sizes]
        if any(of_way):
            cells = ["" if point is None else f"{point.median_ns / 1000:.1f}" for point in of_way]
            rows.append([escape(name), *cells])
    return table(["one way, microseconds", *(size_text(size) for size in sizes)], rows)


EXPERIMENT = Experiment(
    id="gamma-pingpong",
    title="GAMMA: one-way time and rate of messages",
    paper=(
        "M. Tanaka: PC Cluster Machine Equipped with Low-Latency Communication Software. "
        "arXiv:physics/0407152, 2004. Section 3, Figure 2."
    ),
    published=(
        Published("section 3", "one byte, gigabit Ethernet", "15 us; TCP about 100 us"),
        Published("Figure 2", "most", "706 Mbit/s, 70 % of the link"),
        Published("section 3", "saturates", "around 100 000 bytes"),
        Published("section 3", "Myrinet; GAMMA with another interface", "4.3 us, 1005 Mbit/s; 8.5 us, 976"),
    ),
    setting=(
        "Two emulated hosts, one process each, both spinning: once without a rate limit, which shows times "
        "of short messages, once with 200 Mbit/s, which shows how much of a link is used. An emulated cable "
        "is this machine's memory: times are those of kernel and library alone, without interface or switch. "
        "An emulated port sends two frames at once before its rate holds, so that messages of a few frames "
        "seem faster than the link."
    ),
    measure=_measure,
    judge=_judge,
    show=_show,
)
