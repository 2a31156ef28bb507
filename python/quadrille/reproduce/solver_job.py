# SPDX-License-Identifier: BSD-3-Clause
"""Runs `quadrille-solver`: numerical programs that verify their results."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence

from pydantic import BaseModel

from quadrille.errors import QuadrilleError
from quadrille.native_job import NativeJob, ended_with_us, line_of_type, prepare, started

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
    process = started(start, stderr=subprocess.STDOUT)
    with ended_with_us(process):
        try:
            output, _ = process.communicate(timeout=_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            raise QuadrilleError(f"solver {arguments[0]} took over {_TIMEOUT_S} s") from None
    found = [data for text in output.splitlines() if (data := line_of_type(text)) is not None]
    if process.returncode != 0 or not found:
        last = "\n".join(output.strip().splitlines()[-15:])
        raise QuadrilleError(f"solver {arguments[0]} ended with exit code {process.returncode}:\n{last}")
    return Solved.model_validate(found[0])
