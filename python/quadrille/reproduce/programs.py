# SPDX-License-Identifier: BSD-3-Clause
"""Quadrille's own programs as an experiment uses them: the same command lines that a user types."""

from __future__ import annotations

import json
import shlex
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from quadrille.demo.child import run_logged
from quadrille.errors import QuadrilleError
from quadrille.installation import native_program, quadrille_program

STATISTICS = ("minimum", "mean", "median", "maximum")
_PARTITION_TIMEOUT_S = 60


@dataclass(frozen=True)
class Probing:
    """What `quadrille probe` found: the model file's contents, all its round trips, and how long it took."""

    model: dict[str, Any]
    samples: dict[str, Any]
    seconds: float


def probe(launcher: Sequence[str], seed: int, shared: Path) -> Probing:
    """Probe the network of `launcher`; rank 0, whose host has to see it, writes round trips below `shared`.

    Raises QuadrilleError with the end of the output when that fails.
    """
    with TemporaryDirectory(prefix="quadrille-", dir=shared) as name:
        folder = Path(name).resolve()
        model, samples = folder / "model.json", folder / "samples.json"
        command = [quadrille_program(), "probe", "-o", str(model)]
        command += ["--samples", str(samples), "--seed", str(seed)]
        began = time.monotonic()
        _run([*command, "--", *launcher], folder)
        seconds = time.monotonic() - began
        return Probing(_read(model), _read(samples), seconds)


@contextmanager
def model_file(model: dict[str, Any], shared: Path) -> Iterator[str]:
    """Give the path of a file below `shared` that holds `model` until the end of the block.

    Rank 0 reads it, wherever it runs, so its host has to see that folder.
    """
    with TemporaryDirectory(prefix="quadrille-", dir=shared) as name:
        path = Path(name).resolve() / "model.json"
        path.write_text(json.dumps(model), encoding="utf-8")
        yield str(path)


def bench(
    launcher: Sequence[str], collective: str, sizes: Sequence[int], arguments: Sequence[str], forced: str = ""
) -> list[dict[str, Any]]:
    """Time `collective` at `sizes` in blocks; return the points of the results file, samples included.

    `forced`: the algorithms that QUADRILLE_ALGORITHM names; none: Quadrille's own choice. Raises
    QuadrilleError with the end of the output when that fails.
    """
    given = ["--collective", collective, "--bytes", ",".join(map(str, sizes)), *arguments]
    return [line for line in _bench_lines(launcher, given, forced) if line["type"] == "point"]


def bench_beside(
    launcher: Sequence[str], other: Sequence[str], collective: str, arguments: Sequence[str], forced: str
) -> list[tuple[str | None, dict[str, Any]]]:
    """Time `collective` alone and beside a job that `other` starts; return (whose calls it made, point).

    Raises as `bench` does.
    """
    given = ["--collective", collective, *arguments, "--jobs", "2", "--beside", shlex.join(other)]
    found, beside = [], None
    for line in _bench_lines(launcher, given, forced):
        if line["type"] == "run":
            beside = line["beside"]
        elif line["type"] == "point":
            found.append((beside, line))
    return found


def eco_partitions(samples: dict[str, Any]) -> dict[str, list[list[str]]]:
    """Return the subnets that ECO's 20 % rule makes of `samples`, by statistic of each pair's round trips.

    Raises QuadrilleError when `quadrille-partition` is not built or refuses the samples.
    """
    with TemporaryDirectory(prefix="quadrille-") as name:
        path = Path(name) / "samples.json"
        path.write_text(json.dumps(samples), encoding="utf-8")
        done = subprocess.run(
            [str(native_program("quadrille-partition")), str(path), "--statistic", "all"],
            capture_output=True,
            text=True,
            timeout=_PARTITION_TIMEOUT_S,
            check=False,
        )
    if done.returncode != 0:
        raise QuadrilleError(f"quadrille-partition: exit code {done.returncode}: {done.stderr.strip()}")
    found: dict[str, list[list[str]]] = json.loads(done.stdout)["partitions"]
    return found


def _bench_lines(launcher: Sequence[str], given: Sequence[str], forced: str) -> list[dict[str, Any]]:
    with TemporaryDirectory(prefix="quadrille-") as name:
        results = Path(name) / "results.jsonl"
        choice = ["env", f"QUADRILLE_ALGORITHM={forced}"] if forced else []
        command = [*choice, quadrille_program(), "bench", *given, "--blocks-only", "-o", str(results)]
        _run([*command, "--", *launcher], Path(name))
        return [json.loads(line) for line in results.read_text(encoding="utf-8").splitlines()]


def _run(command: Sequence[str], folder: Path) -> None:
    run_logged(command, folder, folder / "output.txt", lambda _piece: None)


def _read(path: Path) -> dict[str, Any]:
    try:
        contents: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise QuadrilleError(f"`quadrille probe` left no readable {path.name} ({error})") from None
    return contents
