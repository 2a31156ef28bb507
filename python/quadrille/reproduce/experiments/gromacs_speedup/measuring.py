# SPDX-License-Identifier: BSD-3-Clause
"""Runs GROMACS on 1 to 16 nodes of one and of two processes: standard, with flow control, ordered.

`data["runs"]`: `nodes` ("single-CPU", "dual-CPU"; "as it is" on a real cluster), `variant`, `ranks` (0: those
of the given launcher), `step_ms`, `communication_ms` and `fft_ms` of a step, `energies` of the last one.
`data["one_ms"]`: the step of one process.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from quadrille.demo.mdrun_log import MdrunFigures
from quadrille.demo.molecular_dynamics import Variant, mdrun_line, run_mdrun
from quadrille.demo.water import prepare_water
from quadrille.lab.ready_made import resolve
from quadrille.reproduce.experiment import Data
from quadrille.reproduce.workbench import Workbench

STANDARD, CONTROLLED, ORDERED = "standard", "flow control", "ordered"
VARIANTS = (STANDARD, CONTROLLED, ORDERED)
NODES = {"single-CPU": (1, 25), "dual-CPU": (2, 50)}
"""Processes a node and Mbit/s of its port."""
_SMALL, _DEEP = 32, 16384
"""KiB of a port's buffer."""
_QUICK = ((8,), ("single-CPU",), (10, 6))
_FULL = ((2, 4, 8, 16), tuple(NODES), (16, 24))
"""Numbers of processes, kinds of nodes, steps before counting (trials end there) and counted."""


def measure(bench: Workbench, data: Data) -> None:
    """Measure on emulated switches, or with the processes of the given launcher as they are."""
    counts, kinds, steps = _QUICK if bench.quick else _FULL
    data |= {"truth": None, "one_ms": None, "runs": []}
    bench.announce("the water, prepared with GROMACS's own tools")
    series = _Series(bench, data, prepare_water(bench.folder / "water"), steps)
    if bench.launcher is not None:
        series.run("as it is", STANDARD, 0, bench.launcher)
        series.run("as it is", ORDERED, 0, bench.launcher)
        return
    for kind in kinds:
        per_host, rate = NODES[kind]
        for buffer in (_SMALL, _DEEP):
            network = f"one_switch:hosts={max(counts) // per_host},rate_mbit={rate},buffer_kib={buffer}"
            with bench.lab(resolve(network), "gromacs-speedup") as lab:
                data["truth"] = data["truth"] or lab.truth()
                if data["one_ms"] is None:
                    bench.announce("one process")
                    alone = series.figures(lab.launcher("ompi4", 1), "native")
                    data["one_ms"] = _a_step_ms(alone, alone.wall_s)
                for ranks in counts:
                    line = lab.launcher("ompi4", ranks, per_host)
                    if buffer == _SMALL:
                        series.run(kind, STANDARD, ranks, line)
                        series.run(kind, ORDERED, ranks, line)
                    else:
                        series.run(kind, CONTROLLED, ranks, line)


@dataclass(frozen=True)
class _Series:
    bench: Workbench
    data: Data
    run_input: Path
    steps: tuple[int, int]

    def figures(self, line: Sequence[str], variant: Variant) -> MdrunFigures:
        """Run GROMACS once, in a folder that a cluster's hosts share if they share the results' one.

        Raises QuadrilleError with the end of its output when it fails.
        """
        with tempfile.TemporaryDirectory(dir=self.bench.folder, prefix="gromacs-") as name:
            folder = Path(name).resolve()
            command = mdrun_line(line, variant, self.run_input, self.steps)
            return run_mdrun(command, folder, lambda _piece: None)

    def run(self, nodes: str, variant: str, ranks: int, line: Sequence[str]) -> None:
        """Run `variant` on `line` and add what it took."""
        self.bench.announce(f"{nodes}, {ranks or 'all'} processes: {variant}")
        found = self.figures(line, "quadrille" if variant == ORDERED else "native")
        self.data["runs"].append(
            {
                "nodes": nodes,
                "variant": variant,
                "ranks": ranks,
                "step_ms": _a_step_ms(found, found.wall_s),
                "communication_ms": _a_step_ms(found, found.communication_s),
                "fft_ms": _a_step_ms(found, found.fft_communication_s),
                "energies": dict(found.energies),
            }
        )
        self.bench.save()


def _a_step_ms(figures: MdrunFigures, seconds: float) -> float:
    return 1000 * seconds / figures.steps
