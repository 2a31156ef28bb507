# SPDX-License-Identifier: BSD-3-Clause
"""Runs `quadrille-solver`: numerical programs that verify their results."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence

from pydantic import BaseModel

from quadrille.errors import QuadrilleError
from quadrille.native_job import NativeJob, lines_of_types, prepare, run_to_end

_TIMEOUT_S = 600


class Solved(BaseModel):
    """What rank 0 says. `computing_ns`: processor time by phases; `late_share`: of the time, past pacing."""

    solver: str
    ranks: int
    steps: int
    seconds: float
    computing_ns: list[float]
    late_share: float
    error: float
    verified: str
    correct: bool
    each_s: list[float] = []


def solve(
    line: Sequence[str], arguments: Sequence[str], variables: Mapping[str, str] | None = None
) -> Solved:
    """Run a solver on `line`'s ranks.

    Raises QuadrilleError when it does not end, or its result is wrong.
    """
    start = prepare(NativeJob("quadrille-solver", list(line), list(arguments), variables=variables or {}))
    done = run_to_end(start, f"solver {arguments[0]}", _TIMEOUT_S, subprocess.STDOUT)
    found = lines_of_types(done.stdout)
    if done.returncode != 0 or not found:
        last = "\n".join(done.stdout.strip().splitlines()[-15:])
        raise QuadrilleError(f"solver {arguments[0]} ended with exit code {done.returncode}:\n{last}")
    return Solved.model_validate(found[0])
