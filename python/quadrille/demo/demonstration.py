# SPDX-License-Identifier: BSD-3-Clause
"""The demonstration from start to end: cluster, collectives, GROMACS, table, report."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from quadrille.demo.child import run_with_terminal
from quadrille.demo.molecular_dynamics import (
    ORDER,
    RANKS,
    Stretches,
    check_energies,
    program_lines,
    run_stretches,
)
from quadrille.demo.narration import Narration
from quadrille.demo.water import prepare_water
from quadrille.installation import quadrille_program
from quadrille.lab.cpu import CpuWatch
from quadrille.lab.lab import Lab
from quadrille.lab.ready_made import resolve

TOPOLOGY = "one_switch:hosts=16,rate_mbit=25,buffer_kib=32"
# Sizes where small buffers overflow; few calls, because one all-to-all takes half a second on this network.
_BENCHES = {
    "alltoall": ["--bytes", "8K,32K", "--seconds", "6"],
    "bcast": ["--bytes", "1K,64K", "--seconds", "3"],
    "allreduce": ["--bytes", "1K,64K", "--seconds", "3"],
}
_SHORT = ["--warmup", "28", "--calls", "2"]


@dataclass(frozen=True)
class Plan:
    """What to run: folders, GROMACS steps (before counting, counted) and which parts."""

    output: Path
    cache: Path
    steps: tuple[int, int]
    with_benches: bool = True


def demonstrate(plan: Plan) -> Path:
    """Run the demonstration and return the report's path. Raises QuadrilleError when a part fails.

    The cluster is taken down at the end, also after a failure or an interrupt.
    """
    plan.output.mkdir(parents=True, exist_ok=True)
    benches = _BENCHES if plan.with_benches else {}
    narration = Narration(total=3 + len(benches) + len(ORDER))
    with narration.stage("preparing the water with GROMACS's own tools (kept for the next time)"):
        run_input = prepare_water(plan.cache)
    with narration.stage(f"an Ethernet cluster of {RANKS} hosts, 25 Mbit/s, switch buffers of 32 KiB"):
        lab = Lab.up(resolve(TOPOLOGY), "demo")
    with lab, CpuWatch() as watch:
        narration.on_advance = watch.look
        results = [_bench(lab, name, options, plan, narration) for name, options in benches.items()]
        native, ours = run_stretches(lab, run_input, plan.output, plan.steps, narration)
    gromacs = plan.output / "gromacs.jsonl"
    lines = program_lines(native, ours, plan.steps)
    gromacs.write_text("".join(line.model_dump_json() + "\n" for line in lines), encoding="utf-8")
    report = plan.output / "report.html"
    narration.announce("the report")
    run_with_terminal([quadrille_program(), "report", *map(str, [*results, gromacs]), "-o", str(report)])
    if warning := watch.report.warning():
        print(f"quadrille: {warning}", file=sys.stderr)
    Console().print(_table(native, ours))
    difference = check_energies(native, ours)
    same = f"agree to {difference:.0e} of their value" if difference else "are the same digit for digit"
    print(f"Energies of the last step {same}.")
    return report


def _bench(lab: Lab, name: str, options: list[str], plan: Plan, narration: Narration) -> Path:
    results = plan.output / f"{name}.jsonl"
    narration.announce(f"{name} on {RANKS} ranks, the MPI library and Quadrille in turn")
    line = lab.launcher("ompi4", RANKS)
    run_with_terminal(
        [quadrille_program(), "bench", name, *options, *_SHORT, "-o", str(results), "--", *line]
    )
    return results


def _table(native: Stretches, ours: Stretches) -> Table:
    table = Table(title=f"GROMACS, 79 260 atoms of water, {RANKS} hosts at 25 Mbit/s")
    table.add_column("")
    for heading in ("Open MPI alone", "with Quadrille", "ratio"):
        table.add_column(heading, justify="right")
    rows = (
        ("a step, ms", native.step_ms, ours.step_ms),
        ("of which PME 3D-FFT Comm., ms", native.fft_communication_ms, ours.fft_communication_ms),
    )
    for label, before, after in rows:
        table.add_row(label, f"{before:.0f}", f"{after:.0f}", f"{after / before:.2f}")
    last = [run.figures[-1].energies for run in (native, ours)]
    for name in ("Potential", "Total Energy"):
        table.add_row(f"{name}, kJ/mol", f"{last[0][name]:.6g}", f"{last[1][name]:.6g}", "")
    return table
