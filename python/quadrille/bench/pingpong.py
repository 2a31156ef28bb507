# SPDX-License-Identifier: BSD-3-Clause
"""Times of messages between the first two ranks of a launcher: below its MPI library, and through it.

The MPI library is measured as it is and over the libfabric provider. A job has one of these, so there are
several; they are started in turn, and again, so that all see the same network.
"""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel
from rich.table import Table

from quadrille import settings
from quadrille.errors import QuadrilleError, UsageError
from quadrille.fabric.variables import fabric_variables
from quadrille.launchers import detect_launcher
from quadrille.native_job import NativeJob, ended_with_us, line_of_type, prepare, started
from quadrille.report.formatting import size_text

SIZES = ("1", "64", "1K", "4K", "16K", "64K", "1M")
PATTERNS = ("pingpong", "unidirectional", "bidirectional")
BELOW_MPI = {
    "tcp": "TCP socket",
    "udp": "UDP datagrams",
    "packet": "frames by packet socket",
    "xdp": "frames by AF_XDP",
    "wire-udp": "wire over UDP",
    "wire-packet": "wire over frames",
    "wire-xdp": "wire over AF_XDP",
}
MPI, PROVIDER_UDP, PROVIDER_PACKET, PROVIDER_XDP = "mpi", "mpi-udp", "mpi-packet", "mpi-xdp"
PROVIDERS = {PROVIDER_UDP: "udp", PROVIDER_PACKET: "packet", PROVIDER_XDP: "xdp"}
"""Ways through MPI over the provider, and its link."""
NAMES = {
    **BELOW_MPI,
    MPI: "MPI as it is",
    PROVIDER_UDP: "MPI, provider over UDP",
    PROVIDER_PACKET: "MPI, provider over frames",
    PROVIDER_XDP: "MPI, provider over AF_XDP",
}
"""Every way, in the order of tables."""


class Line(BaseModel):
    """What the native program says of one way and shape; times of one message in one direction.

    Pings and pongs: half a round trip. Else a round's time by the messages of its window.
    """

    way: str
    pattern: str
    bytes: int
    window: int
    messages: int
    median_ns: float
    tenth_ns: float
    ninetieth_ns: float
    cpu_ns: float
    correct: bool


@dataclass(frozen=True)
class Point:
    """A way's figures at one shape, over all turns: the median of their medians, the least and the most."""

    way: str
    pattern: str
    bytes: int
    median_ns: float
    least_ns: float
    most_ns: float
    cpu_ns: float

    @property
    def mbyte_s(self) -> float:
        """Return the rate in one direction, 10^6 bytes a second."""
        return 1000 * self.bytes / self.median_ns


@dataclass(frozen=True)
class Measured:
    """All lines in the order in which they came, and why ways are missing."""

    lines: list[Line]
    missing: dict[str, str]

    def points(self) -> list[Point]:
        """Return a point for each way, pattern and size."""
        grouped: dict[tuple[str, str, int], list[Line]] = {}
        for line in self.lines:
            grouped.setdefault((line.way, line.pattern, line.bytes), []).append(line)
        return [
            Point(
                *key,
                median_ns=statistics.median(line.median_ns for line in lines),
                least_ns=min(line.median_ns for line in lines),
                most_ns=max(line.median_ns for line in lines),
                cpu_ns=statistics.median(line.cpu_ns for line in lines),
            )
            for key, lines in grouped.items()
        ]


@dataclass(frozen=True)
class Wanted:
    """What to measure. `seconds`: of one way, shape and turn."""

    launcher_line: list[str]
    sizes: Sequence[str] = SIZES
    patterns: Sequence[str] = PATTERNS
    ways: Sequence[str] = tuple(NAMES)
    seconds: float = 0.1
    turns: int = 2
    mpi: str | None = None


def measure(wanted: Wanted, announce: Callable[[str], None] = lambda _: None) -> Measured:
    """Run all jobs, `turns` times in turn.

    Raises UsageError for a launcher whose MPI is not known, QuadrilleError where a job fails or a message was
    not what was sent. A way that cannot be had is `missing`.
    """
    measured = Measured([], {})
    for turn in range(wanted.turns):
        announce(f"turn {turn + 1} of {wanted.turns}: below MPI, and MPI as it is")
        plain = [way for way in wanted.ways if way in BELOW_MPI or way == MPI]
        if plain:
            _run(wanted, plain, {}, {}, measured)
        for way, link in PROVIDERS.items():
            if way in wanted.ways:
                announce(f"turn {turn + 1} of {wanted.turns}: {NAMES[way]}")
                _run(wanted, [MPI], _over_provider(wanted, link), {MPI: way}, measured)
    return measured


def _over_provider(wanted: Wanted, link: str) -> dict[str, str]:
    options = {"QUADRILLE_FABRIC": "on", "QUADRILLE_COLLECTIVES": "off", "QUADRILLE_FABRIC_LINK": link}
    job = settings.job_environment(options)
    mpi = wanted.mpi or detect_launcher(wanted.launcher_line).mpi
    return {**job, **fabric_variables(job, mpi)}


def _run(
    wanted: Wanted, ways: list[str], variables: Mapping[str, str], called: Mapping[str, str], into: Measured
) -> None:
    arguments = ["--ways", ",".join(ways), "--bytes", ",".join(wanted.sizes)]
    arguments += ["--patterns", ",".join(wanted.patterns), "--seconds", str(wanted.seconds)]
    start = prepare(
        NativeJob("quadrille-pingpong", list(wanted.launcher_line), arguments, wanted.mpi, variables)
    )
    process = started(start)
    with ended_with_us(process):
        assert process.stdout is not None
        for text in process.stdout:
            data = line_of_type(text)
            if data is None:
                sys.stderr.write(text)
            elif data["type"] == "missing":
                into.missing[data["way"]] = data["reason"]
            else:
                data["way"] = called.get(data["way"], data["way"])
                into.lines.append(Line.model_validate(data))
        code = process.wait()
    if code != 0:
        raise QuadrilleError(f"pingpong by {', '.join(ways)} ended with exit code {code}; see above")
    if not all(line.correct for line in into.lines):
        raise QuadrilleError("a message was not what was sent")


def check_ways(ways: Sequence[str]) -> None:
    """Raise UsageError for a way that there is none of."""
    for way in ways:
        if way not in NAMES:
            raise UsageError(f"--ways {way}: choose of {', '.join(NAMES)}")


def tables(measured: Measured) -> list[Table]:
    """Return a table for each pattern: times of pings and pongs, rates of streams."""
    points = measured.points()
    return [
        _table(pattern, of_pattern)
        for pattern in PATTERNS
        if (of_pattern := [point for point in points if point.pattern == pattern])
    ]


def _table(pattern: str, points: list[Point]) -> Table:
    is_time = pattern == "pingpong"
    title = "one-way time, microseconds" if is_time else f"{pattern}, MB/s in each direction"
    table = Table(title=title, title_justify="left")
    table.add_column("way")
    sizes = sorted({point.bytes for point in points})
    for size in sizes:
        table.add_column(f"{size_text(size)}", justify="right")
    by_way = {(point.way, point.bytes): point for point in points}
    for way, name in NAMES.items():
        row = [by_way.get((way, size)) for size in sizes]
        if any(row):
            table.add_row(name, *("" if point is None else _cell(point, is_time) for point in row))
    return table


def _cell(point: Point, is_time: bool) -> str:
    return f"{point.median_ns / 1000:.1f}" if is_time else f"{point.mbyte_s:.3g}"
