# SPDX-License-Identifier: BSD-3-Clause
"""The parallel sort of UMBC's contention study: its memory before it runs, its times in a table.

Sizes, and whether they fit, are the native program's word (`quadrille-sort-memory`, which decides as the
benchmark's kernel does).
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

from quadrille.contracts import PointLine
from quadrille.errors import QuadrilleError, UsageError
from quadrille.installation import native_program
from quadrille.report.formatting import percent_text, size_text, time_text

_TIMEOUT_S = 20


@dataclass(frozen=True)
class SortRequest:
    """A sort of `vectors` (n) of `doubles` (m) each on each of `nodes`, `per_node` processes on one.

    `node_memory`: available on a node, as the kernel takes sizes (24G); none: what this machine has.
    """

    nodes: Sequence[int]
    per_node: int
    vectors: int
    doubles: int
    memory: str = "constant-global"
    node_memory: str | None = None


class Prediction(BaseModel):
    """What a sort takes on one number of nodes; sizes of one array but for `node_bytes`, which has both."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    nodes: int
    processes: int
    vectors: int
    doubles: int
    global_bytes: int
    local_vectors: int
    local_bytes: int
    block_vectors: int
    block_bytes: int
    node_bytes: int
    available_bytes: int
    fits: bool


def predict(wanted: SortRequest) -> list[Prediction]:
    """Return what the sort takes on each number of nodes. Raises UsageError for sizes that cannot be."""
    command = [str(native_program("quadrille-sort-memory")), "--nodes", ",".join(map(str, wanted.nodes))]
    command += ["--per-node", str(wanted.per_node), "--vectors", str(wanted.vectors)]
    command += ["--doubles", str(wanted.doubles), "--memory", wanted.memory]
    command += ["--node-memory", wanted.node_memory] if wanted.node_memory else []
    done = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False)
    if done.returncode == 2:
        raise UsageError(done.stderr.strip())
    if done.returncode != 0:
        raise QuadrilleError(f"quadrille-sort-memory: exit code {done.returncode}: {done.stderr.strip()}")
    return [Prediction.model_validate(json.loads(line)) for line in done.stdout.splitlines()]


def prediction_lines(rows: Sequence[Prediction]) -> list[str]:
    """Return the paper's tables 4.1 and 4.3 for `rows`, and whether both arrays fit."""
    head = f"{'N':>5} {'p':>6} {'m':>8} {'one array':>10} {'a process':>10} {'a pair':>10} {'a node':>10}"
    lines = [f"{head}  of available"]
    for row in rows:
        sizes = (row.global_bytes, row.local_bytes, row.block_bytes, row.node_bytes)
        cells = " ".join(f"{size_text(size):>10}" for size in sizes)
        share = percent_text(100 * row.node_bytes / row.available_bytes)
        verdict = "" if row.fits else ", refused"
        lines.append(f"{row.nodes:>5} {row.processes:>6} {row.doubles:>8} {cells}  {share}{verdict}")
    return lines


def ranks_of(nodes: Sequence[int], per_node: int | None) -> list[int]:
    """Return the numbers of processes on `nodes`. Raises UsageError where either is missing or no number."""
    if per_node is None:
        raise UsageError("--nodes needs --per-node, the processes on a node")
    if per_node < 1 or min(nodes) < 1:
        raise UsageError(f"--nodes {','.join(map(str, nodes))} --per-node {per_node}: both start at 1")
    return [count * per_node for count in nodes]


def sort_lines(points: Sequence[PointLine]) -> list[str]:
    """Return the medians of the sorts among `points`, by nodes; times of a run that swapped are marked."""
    sorts = [point for point in points if point.sort is not None]
    if not sorts:
        return []
    head = f"{'exchange':<24} {'N':>4} {'p':>5} {'m':>7} {'a pair':>10}"
    lines = [f"{head} {'MPI library':>12} {'of limit':>9} {'Quadrille':>12} {'of limit':>9}"]
    for point in sorts:
        assert point.sort is not None
        size, sides = size_text(point.bytes), (point.blocks.native, point.blocks.quadrille)
        text = f"{point.collective:<24} {point.hosts:>4} {point.ranks:>5} {point.sort.doubles:>7} {size:>10}"
        for side in sides:
            text += f" {time_text(side.median_ns):>12} {percent_text(side.percent_of_framed_limit):>9}"
        lines.append(text + ("  SWAPPED: the time of a disk" if point.sort.swapped else ""))
    return lines
