# SPDX-License-Identifier: BSD-3-Clause
"""Puts together what may be compared: points of runs with the same MPI, network and way of measuring."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from quadrille.bench.results_file import Run
from quadrille.contracts import PointLine, RunLine


@dataclass
class Group:
    """Runs whose points belong into the same charts."""

    label: str
    runs: list[Run] = field(default_factory=list)

    def collectives(self) -> list[str]:
        """Return the collectives measured, in the order of their first appearance."""
        return list(dict.fromkeys(point.collective for run in self.runs for point in run.points))

    def series(self, collective: str) -> list[Series]:
        """Return the points of `collective` as series, one chart each.

        Runs that measured the same point are kept apart, so that no chart has two values at one place.
        """
        points = [point for run in self.runs for point in run.points if point.collective == collective]
        if len({_place(point) for point in points}) == len(points):
            return _series_of(collective, points, "")
        return [
            series
            for run in self.runs
            for series in _series_of(
                collective,
                list({_place(p): p for p in run.points if p.collective == collective}.values()),
                f", run of {run.facts.started}",
            )
        ]


@dataclass
class Series:
    """Points of one collective along one axis, `bytes` or `ranks`; `label` says what is equal for all."""

    collective: str
    axis: str
    label: str
    points: list[PointLine]

    def x(self, point: PointLine) -> int:
        """Return where `point` stands on the axis."""
        return point.bytes if self.axis == "bytes" else point.ranks


def _place(point: PointLine) -> tuple[int, int, int, int | None]:
    return point.bytes, point.ranks, point.hosts, point.root


def _series_of(collective: str, points: list[PointLine], note: str) -> list[Series]:
    if len({point.bytes for point in points}) <= 1 and len({point.ranks for point in points}) > 1:
        return [Series(collective, "ranks", note.removeprefix(", "), sorted(points, key=lambda p: p.ranks))]
    counts = sorted({(point.ranks, point.hosts) for point in points})
    return [
        Series(
            collective,
            "bytes",
            f"{ranks} ranks on {hosts} {'host' if hosts == 1 else 'hosts'}{note}",
            sorted((p for p in points if (p.ranks, p.hosts) == (ranks, hosts)), key=lambda p: p.bytes),
        )
        for ranks, hosts in counts
    ]


def mpi_name(facts: RunLine) -> str:
    """Return the MPI library's name and version in short."""
    text = facts.mpi_library
    if found := re.search(r"Open MPI v?([\d.]+)", text):
        return f"Open MPI {found[1]}"
    if found := re.search(r"MPICH Version:\s*([\w.]+)", text):
        return f"MPICH {found[1]}"
    if found := re.search(r"Intel\(R\) MPI Library ([\d.]+)", text):
        return f"Intel MPI {found[1]}"
    return text.split(",")[0][:40]


def groups_of(runs: list[Run]) -> list[Group]:
    """Return the runs in groups, in order of first appearance; runs without points are left out."""
    groups: dict[str, Group] = {}
    for run in runs:
        if run.points:
            label = _label(run)
            groups.setdefault(label, Group(label)).runs.append(run)
    return list(groups.values())


def _label(run: Run) -> str:
    parts = [mpi_name(run.facts)]
    if run.facts.network is not None and "lab" in run.facts.network.contents:
        parts.append(f"emulated cluster {run.facts.network.contents['lab']}")
    if forced := run.facts.environment.get("QUADRILLE_ALGORITHM"):
        parts.append(f"algorithm forced: {forced}")
    if not run.facts.library_loaded:
        parts.append("without Quadrille")
    if run.facts.settings.sync == "none":
        parts.append("calls back to back")
    if run.facts.settings.skew_us > 0:
        parts.append(f"ranks up to {run.facts.settings.skew_us / 1000:g} ms apart")
    if run.facts.beside is not None:
        parts.append(f"beside a job of {run.facts.beside} calls")
    if any(point.in_place for point in run.points):
        parts.append("in place")
    return ", ".join(parts)
