# SPDX-License-Identifier: BSD-3-Clause
"""GROMACS on the demonstration's cluster: stretches with the MPI library alone and under Quadrille.

The stretches go native, ours, ours, native: what drifts on the machine during the minutes hits both alike.
The program is Debian's `gmx_mpi`, untouched; GROMACS chooses its decomposition itself. `-reprod` keeps it
from tuning itself by timings, so that two native runs give the same bits and a difference in the energies can
only come from the collectives.
"""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from quadrille.contracts import Figure, ProgramLine
from quadrille.demo.child import run_logged
from quadrille.demo.mdrun_log import ENERGY_TOLERANCE, MdrunFigures, largest_difference, read_mdrun_log
from quadrille.demo.narration import Narration
from quadrille.errors import QuadrilleError
from quadrille.installation import quadrille_program
from quadrille.lab.lab import Lab

Variant = Literal["native", "quadrille"]
ORDER: tuple[Variant, ...] = ("native", "quadrille", "quadrille", "native")
RANKS = 16
_LABEL = {"native": "Open MPI alone", "quadrille": "under Quadrille"}
_STEP = re.compile(rb"step (\d+)")


@dataclass(frozen=True)
class Stretches:
    """All stretches of one variant."""

    variant: Variant
    figures: tuple[MdrunFigures, ...]

    def _per_step_ms(self, seconds: float) -> float:
        return 1000 * seconds / sum(run.steps for run in self.figures)

    @property
    def step_ms(self) -> float:
        """Wall time of a step in milliseconds, over all counted steps."""
        return self._per_step_ms(sum(run.wall_s for run in self.figures))

    @property
    def fft_communication_ms(self) -> float:
        """Milliseconds a step in GROMACS's row "PME 3D-FFT Comm."."""
        return self._per_step_ms(sum(run.fft_communication_s for run in self.figures))


def run_stretches(
    lab: Lab, run_input: Path, output: Path, steps: tuple[int, int], narration: Narration
) -> tuple[Stretches, Stretches]:
    """Run all stretches of `steps` (before counting, counted); return native and Quadrille's.

    Raises QuadrilleError when a run fails or the energies differ.
    """
    runs: dict[Variant, list[MdrunFigures]] = {"native": [], "quadrille": []}
    for number, variant in enumerate(ORDER, start=1):
        folder = output / f"gromacs-{number}-{variant}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        what = f"GROMACS, 79 260 atoms on {RANKS} hosts, {_LABEL[variant]} (stretch {number} of {len(ORDER)})"
        with narration.stage(what, sum(steps)) as advance:

            def show(piece: bytes, advance: Callable[[int], None] = advance) -> None:
                if found := _STEP.findall(piece):
                    advance(int(found[-1]))

            line = mdrun_line(lab.launcher("ompi4", RANKS), variant, run_input, steps)
            figures = run_mdrun(line, folder, show)
        runs[variant].append(figures)
    return Stretches("native", tuple(runs["native"])), Stretches("quadrille", tuple(runs["quadrille"]))


def check_energies(native: Stretches, ours: Stretches) -> float:
    """Return the largest relative difference between energies of the two variants.

    Raises QuadrilleError when it is above GROMACS's own tolerance and above what native runs differ by.
    """
    reference = native.figures[0].energies
    among_native = max(largest_difference(reference, run.energies) for run in native.figures)
    difference = max(largest_difference(reference, run.energies) for run in ours.figures)
    if difference > max(ENERGY_TOLERANCE, among_native):
        raise QuadrilleError(
            f"energies under Quadrille differ from native ones by {difference:.1e} of their value, more than "
            f"{ENERGY_TOLERANCE:g}; compare the logs gromacs-*/md.log of both"
        )
    return difference


def program_lines(native: Stretches, ours: Stretches, steps: tuple[int, int]) -> list[ProgramLine]:
    """Return the two lines for the results file."""
    lines = []
    program = _mdrun("water.tpr", steps)
    for stretches in (native, ours):
        option = " --quadrille" if stretches.variant == "quadrille" else ""
        figures = [
            Figure(name="step", value=stretches.step_ms, unit="ms"),
            Figure(name="PME 3D-FFT Comm.", value=stretches.fft_communication_ms, unit="ms a step"),
        ]
        lines.append(
            ProgramLine(
                name="GROMACS",
                variant=stretches.variant,
                figures=figures,
                command=f"quadrille lab run --lab demo -n {RANKS}{option} -- {shlex.join(program)}",
                description=f"79 260 atoms of water with PME on {RANKS} hosts, 25 Mbit/s, 32 KiB buffers; "
                f"{len(stretches.figures)} stretches of {stretches.figures[0].steps} counted steps",
            )
        )
    return lines


def run_mdrun(command: Sequence[str], folder: Path, show: Callable[[bytes], None]) -> MdrunFigures:
    """Run `command` in `folder`, which the job's hosts share, and return what GROMACS logged.

    Its output goes to `show`, too. Raises QuadrilleError, with the end of the output when it fails.
    """
    run_logged(command, folder, folder / "output.txt", show)
    try:
        log = (folder / "md.log").read_text(encoding="utf-8")
    except OSError as error:
        raise QuadrilleError(f"GROMACS left no {error.filename}; do its hosts share it?") from None
    return read_mdrun_log(log)


def mdrun_line(
    launcher: Sequence[str], variant: Variant, run_input: Path, steps: tuple[int, int]
) -> list[str]:
    """Return the command that runs `steps` (before counting, counted) on `launcher`'s ranks."""
    ours = [quadrille_program(), "run", "--"] if variant == "quadrille" else []
    return [*ours, *launcher, *_mdrun(str(run_input.resolve()), steps)]


def _mdrun(run_input: str, steps: tuple[int, int]) -> Sequence[str]:
    before, counted = steps
    timing = ["-nsteps", str(before + counted), "-resetstep", str(before), "-reprod"]
    return [
        "gmx_mpi",
        "mdrun",
        "-s",
        run_input,
        "-ntomp",
        "1",
        "-npme",
        "0",
        *timing,
        "-noconfout",
        "-v",
        "-stepout",
        "1",
    ]
