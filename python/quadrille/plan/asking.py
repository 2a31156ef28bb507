# SPDX-License-Identifier: BSD-3-Clause
"""Asks the native `quadrille-plan` for a plan, or for the whole table of them."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from quadrille.errors import QuadrilleError, UsageError
from quadrille.installation import native_program
from quadrille.native_answer import check_exit, other_form
from quadrille.plan.contract import Cell, Plan

_PROGRAM = "quadrille-plan"
_TIMEOUT_S = 300
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


@dataclass(frozen=True)
class Placement:
    """Where ranks run: hosts in the order in which they are filled, None for all of the model."""

    model: Path
    ranks: int | None = None
    ranks_per_host: int = 1
    hosts: str | None = None
    multicast: bool = True

    def options(self) -> list[str]:
        """Return it as options of `quadrille-plan`."""
        words = ["--model", str(self.model), "--ranks-per-host", str(self.ranks_per_host)]
        words += ["--ranks", str(self.ranks)] if self.ranks is not None else []
        words += [] if self.multicast else ["--no-multicast"]
        return words + (["--hosts", self.hosts] if self.hosts is not None else [])


@dataclass(frozen=True)
class Question:
    """One call, and what is to be told of its plan beside why it is chosen."""

    collective: str
    size: int
    root: int = 0
    force: str | None = None
    rank: int | None = None
    timeline: bool = False

    def options(self) -> list[str]:
        """Return it as options of `quadrille-plan choose`."""
        words = ["--collective", self.collective, "--bytes", str(self.size), "--root", str(self.root)]
        words += ["--force", self.force] if self.force is not None else []
        words += ["--rank", str(self.rank)] if self.rank is not None else []
        return words + (["--timeline"] if self.timeline else [])


def parse_size(text: str) -> int:
    """Return a number of bytes: 100, 64K, 4M."""
    found = re.fullmatch(r"(\d{1,12})([KMG]?)(?:iB)?", text)
    if found is None:
        raise UsageError(f"--bytes {text}: expected a number such as 1000, 64K or 4M")
    return int(found[1]) * _UNITS[found[2]]


def ask(question: Question, placement: Placement) -> Plan:
    """Return the plan.

    Raises UsageError for input that `quadrille-plan` refuses, QuadrilleError when it is not built or fails.
    """
    command = [str(native_program(_PROGRAM)), "choose", *question.options(), *placement.options()]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired:
        raise QuadrilleError(
            f"planning {question.collective} took over {_TIMEOUT_S} s; give fewer --ranks"
        ) from None
    check_exit(_PROGRAM, done.returncode, done.stderr)
    try:
        return Plan.model_validate_json(done.stdout)
    except ValidationError as error:
        raise other_form(_PROGRAM, error) from None


def ask_table(placement: Placement) -> Iterator[Cell]:
    """Yield what is chosen for each operation, size and number of ranks, as it becomes known."""
    command = [str(native_program(_PROGRAM)), "table", *placement.options()]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        for line in process.stdout:
            try:
                yield Cell.model_validate_json(line)
            except ValidationError as error:
                raise other_form(_PROGRAM, error) from None
        complaint = process.stderr.read()
    check_exit(_PROGRAM, process.returncode, complaint)
