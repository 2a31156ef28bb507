# SPDX-License-Identifier: BSD-3-Clause
"""gromacs-cpmd: all-to-alls of a plane-wave program's Fourier transform, on adjacent and on scattered ports.

`data["alone_ns"]`: what one processor computes for a transform there and back. `data["runs"]`: `ports`
("adjacent", "scattered"; "as it is" on a real cluster), `each_s` of the all-to-alls, `dropped` frames on
inner links and at ports (None on a real cluster), and the rest of `quadrille.reproduce.solver_job.Solved`.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

from quadrille.lab.lab import Lab
from quadrille.lab.ready_made import resolve
from quadrille.report.charts import LIMIT_COLOUR, Figure, layout
from quadrille.report.formatting import escape, size_text, time_text
from quadrille.report.frame import chart_cell
from quadrille.report.tables import table
from quadrille.report.topology_picture import topology_svg
from quadrille.reproduce.experiment import Data, Effect, Experiment, Published
from quadrille.reproduce.solver_job import Solved, solve
from quadrille.reproduce.workbench import Workbench

ADJACENT, SCATTERED = "adjacent", "scattered"
PORTS = (ADJACENT, SCATTERED)
COMPUTING_SCALE = 5
"""A processor of 2004 is assumed to take so many times as long as one here."""
NETWORK_SCALE = 200
"""1 Gbit/s over the 5 Mbit/s of a port here."""

_NETWORK = "hp_port_groups:groups=4,rate_mbit=5,buffer_kib=16384,inner_buffer_kib=32"
_USED_OF_A_GROUP = 9
_QUICK, _FULL = ((16, 32), 2), ((4, 8, 16, 24, 32), 8)
"""Numbers of processes; all-to-alls timed."""
_GRID, _RADIUS = 128, 31
"""64 molecules of water in a cube of 1.242 nm, plane waves to 70 Ry: the grid resolves four times that,
2 sqrt(280) 23.47 / 2 pi = 125 points; the sphere has a radius of sqrt(70) 23.47 / 2 pi = 31 of them."""
_INNER_LINK = "in."
_STYLES = {ADJACENT: ("#999999", "square"), SCATTERED: ("#009E73", "circle")}
"""Grey and green as on the poster."""
_NOT_MEASURED = "not measured in this run"


def _measure(bench: Workbench, data: Data) -> None:
    """Measure both sets of ports of an emulated switch, or the hosts of the given launcher as they are."""
    counts, repeated = _QUICK if bench.quick else _FULL
    data |= {"truth": None, "alone_ns": None, "runs": []}
    if bench.launcher is not None:
        _run(bench, data, "as it is", bench.launcher, repeated, None)
        return
    with bench.lab(resolve(_NETWORK), "gromacs-cpmd") as lab:
        data["truth"] = lab.truth()
        bench.announce("one process")
        data["alone_ns"] = min(
            _solve(lab.launcher(hosts=["h0"]), repeated=1).computing_ns[0] for _ in range(2)
        )
        groups = [segment["hosts"] for segment in data["truth"]["segments"]]
        hosts = {
            ADJACENT: [host for group in groups for host in group],
            SCATTERED: [host for group in groups for host in group[:_USED_OF_A_GROUP]],
        }
        for count in counts:
            for ports in PORTS:
                line = lab.launcher(hosts=hosts[ports][:count])
                _run(bench, data, ports, line, repeated, lab)


def _solve(line: Sequence[str], repeated: int) -> Solved:
    size = ["--length", str(_GRID), "--radius", str(_RADIUS)]
    return solve(line, ["transposition", *size, "--repeated", str(repeated)])


def _run(
    bench: Workbench, data: Data, ports: str, line: Sequence[str], repeated: int, lab: Lab | None
) -> None:
    before = _dropped(lab)
    solved = _solve(line, repeated)
    dropped = None if lab is None else {name: count - before[name] for name, count in _dropped(lab).items()}
    median = statistics.median(solved.each_s)
    bench.announce(f"{solved.ranks} processes, {ports} ports: an all-to-all in {median:.2f} s")
    data["runs"].append({"ports": ports, "dropped": dropped, **solved.model_dump()})
    bench.save()


def _dropped(lab: Lab | None) -> dict[str, int]:
    """Return the frames lost since the lab came up, on inner links and at hosts' ports."""
    found = {"inner": 0, "ports": 0}
    for name, port in lab.counters().ports.items() if lab else ():
        found["inner" if name.startswith(_INNER_LINK) else "ports"] += port.dropped_frames
    return found


def alltoall_s(data: Data, ports: str) -> dict[int, float]:
    """Return the median all-to-all by number of processes."""
    return {
        run["ranks"]: statistics.median(run["each_s"])
        for run in data.get("runs", [])
        if run["ports"] == ports
    }


def speedups(data: Data, ports: str) -> dict[int, float]:
    """Return the composed speedup: T1 / (T1 / N + two all-to-alls), each as it would be on the paper's."""
    if not data.get("alone_ns"):
        return {}
    alone = COMPUTING_SCALE * data["alone_ns"] / 1e9
    return {
        count: alone / (alone / count + 2 * time / NETWORK_SCALE)
        for count, time in alltoall_s(data, ports).items()
    }


def _judge(data: Data) -> list[Effect]:
    return [_further(data), _loss(data, ADJACENT, True), _loss(data, SCATTERED, False), _right(data)]


def _further(data: Data) -> Effect:
    name = "scattered ports scale further"
    adjacent, scattered = (speedups(data, ports) for ports in PORTS)
    most = max(adjacent.keys() & scattered.keys(), default=0)
    if most == 0:
        return Effect(name, None, _NOT_MEASURED)
    times = [alltoall_s(data, ports)[most] for ports in PORTS]
    why = (
        f"{most} processes: {scattered[most]:.1f} against {adjacent[most]:.1f} (composed); an all-to-all "
        f"takes {time_text(times[1] * 1e9)} against {time_text(times[0] * 1e9)}"
    )
    return Effect(name, scattered[most] > adjacent[most], why)


def _loss(data: Data, ports: str, expected: bool) -> Effect:
    name = f"{ports} ports: inner links lose " + ("frames" if expected else "nothing")
    runs = [run for run in data.get("runs", []) if run["ports"] == ports and run["dropped"] is not None]
    if not runs:
        return Effect(name, None, _NOT_MEASURED)
    inner, at_ports = (sum(run["dropped"][where] for run in runs) for where in ("inner", "ports"))
    why = f"{inner} frames lost on inner links, {at_ports} at ports"
    return Effect(name, (inner > 0) == expected, why, must_appear=False)


def _right(data: Data) -> Effect:
    name = "every result is right"
    runs = data.get("runs", [])
    if not runs:
        return Effect(name, None, _NOT_MEASURED)
    why = f"{runs[0]['verified']}: {max(run['error'] for run in runs):.1e} at most"
    return Effect(name, all(run["correct"] for run in runs), why, exact=True)


def _show(data: Data) -> str:
    parts = ["<h2>The network</h2>", topology_svg(data["truth"])] if data.get("truth") else []
    if data.get("runs"):
        parts.append("<h2>All-to-all and composed speedup</h2>")
        if data.get("alone_ns"):
            cells = (chart_cell(_chart(data, True)), chart_cell(_chart(data, False)))
            parts.append(f'<div class="charts">{"".join(cells)}</div>')
            alone = time_text(COMPUTING_SCALE * data["alone_ns"])
            parts.append(f'<p class="quiet">A transform there and back on one processor: {alone}.</p>')
        parts.append(_table(data))
    return "\n".join(parts)


def _chart(data: Data, is_speedup: bool) -> Figure:
    counts = sorted({run["ranks"] for run in data["runs"]})
    series: list[Figure] = []
    if is_speedup:
        line = {"color": LIMIT_COLOUR, "width": 1, "dash": "dot"}
        x = [1, *counts]
        series.append({"type": "scatter", "mode": "lines", "name": "N", "x": x, "y": x, "line": line})
    for ports in PORTS:
        found: dict[int, Any] = speedups(data, ports) if is_speedup else alltoall_s(data, ports)
        values = {1: 1.0, **found} if is_speedup else found
        colour, symbol = _STYLES[ports]
        drawn = {"line": {"color": colour, "width": 2}, "marker": {"symbol": symbol, "size": 8}}
        points = {"x": list(values), "y": list(values.values()), "name": f"{ports} ports"}
        series.append({"type": "scatter", "mode": "lines+markers", **points, **drawn})
    title, unit = ("Composed speedup", "speedup") if is_speedup else ("An all-to-all", "s")
    axes = ({"title": {"text": text}, "rangemode": "tozero"} for text in ("processes", unit))
    return {"data": series, "layout": layout(title, *axes)}


def _table(data: Data) -> str:
    rows = []
    for run in data["runs"]:
        gain = speedups(data, run["ports"]).get(run["ranks"])
        dropped = run["dropped"]
        times = [time_text(statistics.median(run["each_s"]) * 1e9), time_text(max(run["each_s"]) * 1e9)]
        lost = [str(dropped["inner"]), str(dropped["ports"])] if dropped else ["–", "–"]
        block = size_text(_block_bytes(run["ranks"]))
        shown = f"{gain:.1f}" if gain is not None else "–"
        rows.append([escape(run["ports"]), str(run["ranks"]), block, *times, shown, *lost])
    head = ["ports", "processes", "bytes a pair", "all-to-all, median", "longest", "speedup, composed"]
    return table([*head, "lost on inner links", "lost at ports"], rows)


def _block_bytes(ranks: int) -> int:
    """Return what a rank sends to another: its sticks of the other's planes, complex numbers."""
    reach = range(-_RADIUS, _RADIUS + 1)
    sticks = sum(x * x + y * y <= _RADIUS**2 for x in reach for y in reach)
    return 16 * -(-sticks // ranks) * -(-_GRID // ranks)


EXPERIMENT = Experiment(
    id="gromacs-cpmd",
    title="GROMACS on Ethernet: a plane-wave program on a switch's ports",
    paper=(
        "C. Kutzner, D. van der Spoel, M. Fechner, E. Lindahl, U. W. Schmitt, B. L. de Groot, H. Grubmüller: "
        "poster on GROMACS on Ethernet Beowulf clusters. Section 4, plot of CPMD."
    ),
    published=(
        Published(
            "section 4, plot",
            "CPMD 3.9.17, 64 waters, box of 1.242 nm, LAM's all-to-all, flow control on: scattered ports "
            "1-9, 13-21, 25-33, 37-41 against ports 1-32",
            "scale further; the values inside the plot are not known",
        ),
        Published("section 4", "ports of each 12 that may be used without packet loss", "9"),
    ),
    setting=(
        "In place of CPMD the all-to-alls of its Fourier transforms, at that size: 128 points along an "
        "edge, plane waves to 70 Ry. Emulated: four groups of 12 ports of 5 Mbit/s behind inner links of "
        "50 Mbit/s; flow control is on at the ports (16 MiB, which never overflow), inner links hold 32 KiB "
        "and drop, as the poster found. Open MPI's all-to-all, one process a host, on the first N ports and "
        "on the first N of 9 of each 12. Transforms are computed and verified; the all-to-alls alone are "
        "timed. The speedup is composed: T1 / (T1/N + 2 C/200), with T1 a transform there and back by one "
        "process here, times 5 for a processor of 2004, and C an all-to-all, taken to 1 Gbit/s. TCP's "
        "timeouts do not shrink so."
    ),
    measure=_measure,
    judge=_judge,
    show=_show,
)
