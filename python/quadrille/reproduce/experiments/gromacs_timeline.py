# SPDX-License-Identifier: BSD-3-Clause
"""gromacs-timeline: two time steps of GROMACS as logged, the all-to-alls of its transforms visible.

`data["runs"]`: of each variant `step_ms`, `hosts` by rank, `zero_ns` where the two time steps begin, and
`calls`: of each collective call in them its ranks' calls as `quadrille.trace.reading.Call` has them.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from quadrille.demo.molecular_dynamics import mdrun_line, run_mdrun
from quadrille.demo.water import prepare_water
from quadrille.installation import quadrille_program
from quadrille.lab.ready_made import resolve
from quadrille.report.formatting import escape, percent_text
from quadrille.report.frame import chart_cell
from quadrille.report.tables import table
from quadrille.reproduce.experiment import Data, Effect, Experiment, Published
from quadrille.reproduce.workbench import Workbench
from quadrille.trace.joint_calls import JointCall, first_start_ns, joined, joint_calls, within
from quadrille.trace.page import timeline_figure
from quadrille.trace.reading import Call, read_trace

STANDARD, ORDERED = "standard", "ordered"
_SETTINGS = {STANDARD: ["QUADRILLE_TRIALS=0", "QUADRILLE_PROBE=off"], ORDERED: []}
"""Without a model and without trials every call is the MPI library's."""
_STEPS = (30, 12)
"""Before counting, in which trials end, and counted."""
_QUICK_STEPS = (10, 6)
_SHOWN_STEPS, _STEPS_BEHIND = 2, 3
"""The time steps that are shown, and those between them and the end of the run."""
_VISIBLE = 0.1


def _measure(bench: Workbench, data: Data) -> None:
    """Trace GROMACS alone and under Quadrille on an emulated switch, or on the given launcher's hosts."""
    data["runs"] = []
    bench.announce("the water, prepared with GROMACS's own tools")
    water = prepare_water(bench.folder / "water")
    if bench.launcher is not None:
        _run_both(bench, data, water, bench.launcher)
        return
    hosts = 8 if bench.quick else 16
    with bench.lab(
        resolve(f"one_switch:hosts={hosts},rate_mbit=25,buffer_kib=32"), "gromacs-timeline"
    ) as lab:
        _run_both(bench, data, water, lab.launcher("ompi4", hosts))


def _run_both(bench: Workbench, data: Data, water: Path, line: Sequence[str]) -> None:
    for variant in (STANDARD, ORDERED):
        bench.announce(f"GROMACS, {variant}")
        data["runs"].append(_run(bench, water, line, variant))
        bench.save()


def _run(bench: Workbench, water: Path, line: Sequence[str], variant: str) -> dict[str, Any]:
    steps = _QUICK_STEPS if bench.quick else _STEPS
    with tempfile.TemporaryDirectory(dir=bench.folder, prefix="gromacs-") as name:
        folder = Path(name).resolve()
        traces = folder / "trace"
        traced = ["env", *_SETTINGS[variant], quadrille_program(), "run", "--trace", str(traces), "--"]
        command = [*traced, *mdrun_line(line, "native", water, steps)]
        figures = run_mdrun(command, folder, lambda _piece: None)
        trace = read_trace(traces)
    step_s = figures.wall_s / figures.steps
    joint = joint_calls(trace)
    first_ns = first_start_ns(joint)
    last_ns = max(call.end_ns for one in joint for call in one.calls)
    end_s = (last_ns - first_ns) / 1e9 - _STEPS_BEHIND * step_s
    begin_s = end_s - _SHOWN_STEPS * step_s
    return {
        "variant": variant,
        "step_ms": 1000 * step_s,
        "hosts": {str(rank): of_rank.host for rank, of_rank in trace.by_rank.items()},
        "zero_ns": first_ns + round(begin_s * 1e9),
        "calls": [
            [asdict(replace(call, phases=())) for call in one.calls] for one in within(joint, begin_s, end_s)
        ],
    }


def _joint(run: dict[str, Any]) -> list[JointCall]:
    return [joined([Call(**call) for call in calls]) for calls in run["calls"]]


def _all_to_all_ms(run: dict[str, Any]) -> float:
    """Return how long the mean rank is in all-to-alls, a time step."""
    begin_ns = run["zero_ns"]
    end_ns = begin_ns + _SHOWN_STEPS * run["step_ms"] * 1e6
    inside_ns = sum(
        min(call.end_ns, end_ns) - max(call.start_ns, begin_ns)
        for one in _joint(run)
        for call in one.calls
        if call.function.startswith("MPI_Alltoall") and call.end_ns > begin_ns and call.start_ns < end_ns
    )
    return float(inside_ns / 1e6 / len(run["hosts"]) / _SHOWN_STEPS)


def _find(data: Data, variant: str) -> dict[str, Any] | None:
    return next((run for run in data.get("runs", []) if run["variant"] == variant), None)


def _judge(data: Data) -> list[Effect]:
    visible, shorter = "all-to-alls take a visible part of a time step", "ordered, they are shorter"
    standard, ordered = _find(data, STANDARD), _find(data, ORDERED)
    if standard is None:
        return [Effect(name, None, "not measured in this run") for name in (visible, shorter)]
    before = _all_to_all_ms(standard)
    share = before / standard["step_ms"]
    why = f"standard, the mean rank is in them for {percent_text(100 * share)} of a step"
    effects = [Effect(visible, share >= _VISIBLE, why)]
    if ordered is None:
        return [*effects, Effect(shorter, None, "not measured in this run")]
    after = _all_to_all_ms(ordered)
    return [
        *effects,
        Effect(shorter, after < before, f"{before:.0f} ms a step standard, {after:.0f} ordered"),
    ]


def _show(data: Data) -> str:
    rows = [
        [escape(run["variant"]), f"{run['step_ms']:.0f}", f"{_all_to_all_ms(run):.0f}"]
        for run in data.get("runs", [])
    ]
    parts = [table(["variant", "step, ms", "of it in all-to-alls, mean rank"], rows)]
    for run in data.get("runs", []):
        hosts = {int(rank): host for rank, host in run["hosts"].items()}
        parts.append(f"<h2>Two time steps, {escape(run['variant'])}</h2>")
        parts.append(
            "<p>Blank: computing and messages between two. "
            "Grey: waiting in a call for ranks that come late.</p>"
        )
        parts.append(chart_cell(timeline_figure(hosts, _joint(run), run["zero_ns"])))
    return "\n".join(parts)


EXPERIMENT = Experiment(
    id="gromacs-timeline",
    title="GROMACS on Ethernet: two time steps",
    paper=(
        "C. Kutzner, D. van der Spoel, M. Fechner, E. Lindahl, U. W. Schmitt, B. L. de Groot, H. Grubmüller: "
        "poster on GROMACS on Ethernet Beowulf clusters. Figure of two time steps."
    ),
    published=(
        Published(
            "figure", "two time steps logged with MPE tools, all-to-alls in white", "a drawing, no values"
        ),
        Published("text", "all-to-alls in each time step", "twice"),
    ),
    setting=(
        "Debian's gmx_mpi, unmodified: 79 260 atoms of water, PME, on one emulated switch, 16 hosts (8 in "
        "the short form), 25 Mbit/s and 32 KiB a port, one process a host. Standard: every call is the MPI "
        "library's; ordered: under Quadrille. All hosts share this machine's cores, so that computing takes "
        "longer than it would."
    ),
    measure=_measure,
    judge=_judge,
    show=_show,
)
