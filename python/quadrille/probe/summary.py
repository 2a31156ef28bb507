# SPDX-License-Identifier: BSD-3-Clause
"""What a probe found, in a few lines."""

from __future__ import annotations

from collections.abc import Iterator

from quadrille.model.contract import NetworkModel, Segment
from quadrille.probe.lines import Difference

_NAMES_SHOWN = 4
_SEGMENTS_SHOWN = 12
_WARNINGS_SHOWN = 8


def summary_lines(model: NetworkModel) -> Iterator[str]:
    """Yield the lines: the whole, each segment, warnings."""
    hosts = sum(len(segment.hosts) for segment in model.segments)
    seconds = model.provenance.seconds
    duration = "" if seconds is None else f" in {seconds:.1f} s"
    trunks = f", {len(model.trunks)} {_plural('trunk', len(model.trunks))}" if model.trunks else ""
    segments = len(model.segments)
    yield f"{hosts} hosts, {segments} {_plural('segment', segments)}{trunks}{duration}"
    for segment in model.segments[:_SEGMENTS_SHOWN]:
        yield f"  {_segment(segment)}"
    if segments > _SEGMENTS_SHOWN:
        yield f"  and {segments - _SEGMENTS_SHOWN} more"
    for warning in model.warnings[:_WARNINGS_SHOWN]:
        yield f"  warning: {warning.text}"
    if len(model.warnings) > _WARNINGS_SHOWN:
        yield f"  and {len(model.warnings) - _WARNINGS_SHOWN} more warnings"


def check_lines(differences: list[Difference]) -> Iterator[str]:
    """Yield a line for each difference, the serious ones first."""
    for one in sorted(differences, key=lambda difference: not difference.serious):
        yield f"{'differs' if one.serious else 'note'}: {one.text}"


def _segment(segment: Segment) -> str:
    names = ", ".join(segment.hosts[:_NAMES_SHOWN])
    rest = len(segment.hosts) - _NAMES_SHOWN
    more = f" and {rest} more" if rest > 0 else ""
    return f"{segment.label}: {segment.kind} of {len(segment.hosts)} ({names}{more})"


def _plural(word: str, count: int) -> str:
    return word if count == 1 else f"{word}s"
