# SPDX-License-Identifier: BSD-3-Clause
"""A results file as `quadrille bench sweep` leaves on 16 hosts: 384 points with 10^5 samples in all."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from quadrille.bench.cases import load_case

EXAMPLE = Path(__file__).resolve().parents[2] / "schemas" / "examples" / "results_bench.jsonl"
RANKS = (2, 4, 8, 16)
SIZES = (1, 64, 1024, 8192, 32768, 262144)
SAMPLES_A_SIDE = 66


def write_sweep(path: Path) -> int:
    """Write the file; return how many samples it holds."""
    lines = [json.loads(line) for line in EXAMPLE.read_text(encoding="utf-8").splitlines()]
    run, end = (next(line for line in lines if line["type"] == kind) for kind in ("run", "end"))
    pattern = next(line for line in lines if line["type"] == "point")
    source = random.Random(1)
    points = [
        _point(pattern, collective, size, ranks, source)
        for collective in load_case("sweep").collectives
        for ranks in RANKS
        for size in SIZES
    ]
    text = "".join(json.dumps(line) + "\n" for line in [run, *points, end | {"points": len(points)}])
    path.write_text(text, encoding="utf-8")
    return len(points) * 4 * SAMPLES_A_SIDE


def _point(
    pattern: dict[str, Any], collective: str, size: int, ranks: int, source: random.Random
) -> dict[str, Any]:
    point: dict[str, Any] = json.loads(json.dumps(pattern))
    point |= {"collective": collective, "bytes": size, "ranks": ranks, "hosts": ranks}
    for order in ("blocks", "alternating"):
        for side in ("native", "quadrille"):
            _fill(point[order][side], 2e5 + size * ranks * source.uniform(1, 3), source)
        ours, theirs = (point[order][side]["median_ns"] for side in ("quadrille", "native"))
        ratio = ours / theirs
        point[order]["ratio_of_medians"] = {"value": ratio, "low": ratio * 0.97, "high": ratio * 1.03}
    return point


def _fill(side: dict[str, Any], typical_ns: float, source: random.Random) -> None:
    samples = [round(typical_ns * source.uniform(0.9, 1.3)) for _ in range(SAMPLES_A_SIDE)]
    ordered = sorted(samples)
    at = {"min_ns": 0, "p10_ns": 0.1, "median_ns": 0.5, "p90_ns": 0.9, "p99_ns": 0.99, "max_ns": 1}
    side |= {key: ordered[round(share * (SAMPLES_A_SIDE - 1))] for key, share in at.items()}
    side |= {"n": SAMPLES_A_SIDE, "samples_ns": samples, "local_samples_ns": samples}
