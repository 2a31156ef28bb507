# SPDX-License-Identifier: BSD-3-Clause
"""The end of a sweep: the worst ratio, all points above the limit, and what got clearly worse."""

from __future__ import annotations

from quadrille.bench.changes import CLEAR, Change, Comparison
from quadrille.bench.slower import LIMIT, certainly_slower
from quadrille.contracts import PointLine, Ratio
from quadrille.report.summary import point_name


def ratio_text(ratio: Ratio) -> str:
    """Return a ratio with its interval."""
    return f"{ratio.value:.2f} ({ratio.low:.2f} to {ratio.high:.2f})"


def sweep_lines(points: list[PointLine]) -> list[str]:
    """Return the worst point and every one certainly above the limit. REQUIRES: at least one point."""
    worst = max(points, key=lambda point: point.blocks.ratio_of_medians.value)
    certain = certainly_slower(points)
    lines = [f"worst of {len(points)} points: {_line(worst)}"]
    lines.append(f"certainly above {LIMIT}: {len(certain) or 'none'}")
    return lines + [f"  {_line(point)}" for point in certain]


def clearly_worse(comparison: Comparison) -> list[Change]:
    """Return the points that fail a gate, worst first: more than noise, and now slower than the library."""
    found = [
        change
        for change in comparison.changes
        if change.worse(CLEAR) and change.after.blocks.ratio_of_medians.low > LIMIT
    ]
    return sorted(found, key=lambda change: -change.factor.value)


def gate_lines(comparison: Comparison) -> list[str]:
    """Return how the points stand against those recorded."""
    failed = clearly_worse(comparison)
    lines = [
        f"gate: {len(failed)} of {len(comparison.changes)} recorded points clearly worse "
        f"(by more than {CLEAR} times, and slower than the MPI library)"
    ]
    for change in failed:
        recorded = ratio_text(change.before.blocks.ratio_of_medians)
        lines.append(f"  {_line(change.after)}; recorded {recorded}: {ratio_text(change.factor)} times")
    if comparison.only_before:
        lines.append(f"gate: {len(comparison.only_before)} recorded points were not measured")
    return lines


def _line(point: PointLine) -> str:
    ours = point.blocks.quadrille
    return f"{point_name(point)}: {ratio_text(point.blocks.ratio_of_medians)}, executor={ours.executor}"
