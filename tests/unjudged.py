# SPDX-License-Identifier: BSD-3-Clause
"""How many tests of times said nothing as the machine was busy with others' work: too many fail the run.

A machine that is always busy would otherwise leave all of them unlooked at, and nobody would see it.
"""

from __future__ import annotations

import os

STEAL_TIME = "the processors were stolen"
"""How the reason begins of a test that was skipped for this (lab/steal_time.py)."""

MOST = int(os.environ.get("QUADRILLE_UNJUDGED", "6"))
"""A fifth of the blocks that judge times."""


class Unjudged:
    """Counts them in the reports of a run."""

    def __init__(self) -> None:
        """Start at none."""
        self.reasons: list[str] = []

    def add(self, name: str, skipped: bool, reason: object) -> None:
        """Take a test's report."""
        if skipped and STEAL_TIME in str(reason):
            self.reasons.append(name)

    @property
    def too_many(self) -> bool:
        """Whether the run says too little."""
        return len(self.reasons) > MOST

    def summary(self) -> str | None:
        """Return the line about them at the end of a run."""
        if not self.reasons:
            return None
        verdict = (
            f"more than {MOST}: run them again where nothing else runs" if self.too_many else "tolerated"
        )
        return f"{len(self.reasons)} tests of times judged nothing, as {STEAL_TIME}: {verdict}"
