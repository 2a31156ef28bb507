# SPDX-License-Identifier: BSD-3-Clause
"""Runs `tests/mpi/programs/ring_balance.c` with Quadrille in every rank: one order, one size of messages."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from quadrille import settings
from quadrille.errors import QuadrilleError
from quadrille.native_job import NativeJob, prepare, run_to_end

_TIMEOUT_S = 120
_RESULT = re.compile(r"step_us=(?P<step_us>\d+) .*?ring=(?P<ring>\S+) gave_right=(?P<gave>[\d,]+)", re.DOTALL)


@dataclass(frozen=True)
class RingRun:
    """The program's arguments: `order` world, random (which `seed` decides) or topology."""

    order: str
    steps: int
    message_bytes: int
    seed: int = 0

    def arguments(self) -> list[str]:
        """Return them as words."""
        return [self.order, str(self.steps), str(self.message_bytes), str(self.seed)]


def run_ring(launcher: Sequence[str], model: str, run: RingRun) -> dict[str, Any]:
    """Return a step's time and the ring: `step_ns`, `ring` (hosts) and `gave_right` (share of steps).

    Raises QuadrilleError when the program is not built (it is part of the source tree's tests) or fails.
    """
    variables = settings.job_environment({"QUADRILLE_MODEL": model})
    start = prepare(NativeJob("tests/ring_balance", list(launcher), run.arguments(), variables=variables))
    done = run_to_end(start, f"ring_balance {' '.join(run.arguments())}", _TIMEOUT_S, subprocess.STDOUT)
    return parse_output(done.stdout, done.returncode, run)


def parse_output(output: str, exit_code: int, run: RingRun) -> dict[str, Any]:
    """Return what the program printed. Raises QuadrilleError with the end of the output when it failed."""
    found = _RESULT.search(output)
    if exit_code != 0 or found is None:
        last = "\n".join(output.strip().splitlines()[-15:])
        raise QuadrilleError(
            f"ring_balance {' '.join(run.arguments())} ended with exit code {exit_code}:\n{last}"
        )
    return {
        "step_ns": 1000 * int(found["step_us"]),
        "ring": found["ring"].split(","),
        "gave_right": [int(count) / run.steps for count in found["gave"].split(",")],
    }
