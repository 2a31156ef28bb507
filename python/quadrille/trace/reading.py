# SPDX-License-Identifier: BSD-3-Clause
"""Reads the files of a trace: of each rank its calls and the names that they use (docs/tracing.md).

Layouts: `CallRecord` in src/trace/call_record.h, `PhaseRecord` in src/trace/phase_record.h.
"""

from __future__ import annotations

import json
import struct
from collections import defaultdict
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from quadrille.errors import QuadrilleError, UsageError
from quadrille.trace.clock import Clock, Estimate

VERSION = 1
_RECORD = struct.Struct("<QIHHqqQiHHQII")
_PHASE = struct.Struct("<QIBBHqqQiI")
_REPLACED, _BY_WIRE, _IN_TRIAL = 1, 2, 4
_KINDS = ("function", "algorithm", "site")
_STEPS = ("send", "receive", "copy", "reduce", "group_bcast", "group_reduce")
_CARRIERS = ("own memory", "MPI library", "wire", "host memory")


@dataclass(frozen=True, slots=True)
class Phase:
    """A step of the schedule, or `steps` of one kind with one peer; times in ns of rank 0's clock.

    `peer`: rank of the communicator, of a group step its root; -1: none.
    """

    kind: str
    carrier: str
    peer: int
    steps: int
    bytes: int
    start_ns: int
    end_ns: int


@dataclass(frozen=True, slots=True)
class Call:
    """One collective call of one rank; times in ns of rank 0's clock.

    `root` is a rank of the communicator, -1 where there is none; `site` is where the program called, as
    FILE+0xOFFSET and the nearest function that the file exports.
    """

    rank: int
    communicator: int
    number: int
    function: str
    algorithm: str
    site: str
    bytes: int
    root: int
    start_ns: int
    end_ns: int
    replaced: bool
    by_wire: bool
    in_trial: bool
    credit_wait_ns: int
    resent: int
    stalls: int
    phases: tuple[Phase, ...] = ()


@dataclass(frozen=True, slots=True)
class CallTimes:
    """One rank's calls of one MPI function, of any kind, from one place and of about one size, together.

    `part` is what they belong to: "point-to-point", "MPI-IO" and so on; of a function that completes requests
    what has made them. `bytes` is 0 where no size is known.
    """

    part: str
    function: str
    executed_by: str
    site: str
    calls: int
    ns: int
    bytes: int


@dataclass
class RankTrace:
    """What one rank has written.

    `times` is empty and `run_ns` None where the job ended early, or nobody timed all calls; `run_ns` is the
    time from the end of MPI_Init to MPI_Finalize. `fabric` says whether the MPI library's own messages went
    over Quadrille's provider: "on", "off", or "unused" where it was asked for in vain.
    """

    rank: int
    ranks: int
    host: str
    clock: Clock
    calls: list[Call]
    times: list[CallTimes] = field(default_factory=list)
    run_ns: int | None = None
    fabric: str = "off"


@dataclass
class Trace:
    """A whole job: the traces by rank, and each communicator's ranks in the job.

    `missing`: ranks of which there is no trace. `cut`: ranks whose files end early.
    """

    by_rank: dict[int, RankTrace]
    members: dict[int, list[int]]
    missing: list[int] = field(default_factory=list)
    cut: list[int] = field(default_factory=list)

    @property
    def ranks(self) -> int:
        """Return how many ranks the job had."""
        return next(iter(self.by_rank.values())).ranks

    @property
    def uncertainty_ns(self) -> int:
        """Return by how much times of two ranks can be wrong against each other, at most."""
        worst = sorted(trace.clock.uncertainty_ns for trace in self.by_rank.values())
        return sum(worst[-2:])


def read_trace(folder: Path) -> Trace:
    """Read all files of `folder`. Raises UsageError where there is none, QuadrilleError for a broken one."""
    lines = sorted(folder.glob("rank-*.jsonl"))
    if not lines:
        raise UsageError(
            f"{folder} has no trace (no rank-*.jsonl); write one with `quadrille run --trace {folder}`"
        )
    trace = Trace({}, {})
    for path in lines:
        found, members, cut = _read_rank(path)
        if trace.by_rank and found.ranks != trace.ranks:
            raise QuadrilleError(
                f"{folder} mixes traces of jobs with {trace.ranks} and {found.ranks} ranks; give each job a "
                "folder of its own"
            )
        trace.by_rank[found.rank] = found
        trace.members |= members
        if cut:
            trace.cut.append(found.rank)
    trace.missing = [rank for rank in range(trace.ranks) if rank not in trace.by_rank]
    return trace


def _read_rank(path: Path) -> tuple[RankTrace, dict[int, list[int]], bool]:
    introduction: dict[str, Any] = {}
    estimates: list[Estimate] = []
    names: dict[str, dict[int, str]] = {kind: {} for kind in _KINDS}
    members: dict[int, list[int]] = {}
    times: list[dict[str, Any]] = []
    run: dict[str, Any] = {}
    lines, cut = _whole_lines(path)
    for line in lines:
        match line["type"]:
            case "rank":
                introduction = line
            case "clock":
                estimates.append(Estimate(line["at_ns"], line["offset_ns"], line["uncertainty_ns"]))
            case "communicator":
                members[line["number"]] = line["ranks"]
            case "times":
                times.append(line)
            case "run":
                run = line
            case kind if kind in names:
                names[kind][line["number"]] = line["name"]
    if not introduction or not estimates:
        raise QuadrilleError(
            f"{path} does not begin as a trace does; the job may have ended while it started"
        )
    if introduction["version"] != VERSION:
        raise QuadrilleError(
            f"{path} is of version {introduction['version']}; this Quadrille reads {VERSION}"
        )
    clock = Clock(estimates)
    phases, phases_cut = _read_phases(path.with_suffix(".phases"), clock)
    calls, calls_cut = _read_calls(path.with_suffix(".calls"), introduction["rank"], clock, names)
    calls = [replace(call, phases=tuple(phases.get((call.communicator, call.number), ()))) for call in calls]
    trace = RankTrace(
        rank=introduction["rank"],
        ranks=introduction["ranks"],
        host=introduction["host"],
        clock=clock,
        calls=calls,
        times=[_times_of(line, names["site"]) for line in times],
        run_ns=run.get("ns"),
        fabric=run.get("fabric", "off"),
    )
    return trace, members, cut or calls_cut or phases_cut or len(estimates) < 2


def _times_of(line: dict[str, Any], sites: dict[int, str]) -> CallTimes:
    return CallTimes(
        part=line["part"],
        function=line["function"],
        executed_by=line["executed_by"],
        site=sites.get(line["site"], "unknown"),
        calls=line["calls"],
        ns=line["ns"],
        bytes=line["bytes"],
    )


def _whole_lines(path: Path) -> tuple[list[dict[str, Any]], bool]:
    """Return the lines, and whether the last one is not whole."""
    lines = []
    for text in path.read_bytes().splitlines():  # a character may be cut, and names may hold any other
        try:
            lines.append(json.loads(text))
        except ValueError:
            return lines, True
    return lines, False


def _read_records(path: Path, size: int) -> tuple[bytes, bool]:
    """Return the whole records, and whether there is a part of one more."""
    if path.exists() and not path.is_file():
        raise QuadrilleError(f"{path} is no file")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise QuadrilleError(f"{path} cannot be read ({error.strerror})") from None
    whole = len(data) // size * size
    return data[:whole], whole < len(data)


def _read_phases(path: Path, clock: Clock) -> tuple[dict[tuple[int, int], list[Phase]], bool]:
    """Return the phases of each call, by communicator and number. Traces of older versions have none."""
    phases: dict[tuple[int, int], list[Phase]] = defaultdict(list)
    if not path.exists():
        return phases, False
    data, cut = _read_records(path, _PHASE.size)
    for communicator, number, kind, carrier, steps, start, end, size, peer, _ in _PHASE.iter_unpack(data):
        phases[communicator, number].append(
            Phase(
                kind=_STEPS[kind],
                carrier=_CARRIERS[carrier],
                peer=peer,
                steps=steps,
                bytes=size,
                start_ns=clock.to_shared(start),
                end_ns=clock.to_shared(end),
            )
        )
    return phases, cut


def _read_calls(
    path: Path, rank: int, clock: Clock, names: dict[str, dict[int, str]]
) -> tuple[list[Call], bool]:
    data, cut = _read_records(path, _RECORD.size)
    calls = []
    functions, algorithms, sites = (names[kind] for kind in _KINDS)
    for (
        communicator, number, function, flags, start, end, size, root, algorithm, site, wait, resent, stalls
    ) in _RECORD.iter_unpack(data):  # fmt: skip
        calls.append(
            Call(
                rank=rank,
                communicator=communicator,
                number=number,
                function=functions.get(function, "unknown"),
                algorithm=algorithms.get(algorithm, "unknown"),
                site=sites.get(site, "unknown"),
                bytes=size,
                root=root,
                start_ns=clock.to_shared(start),
                end_ns=clock.to_shared(end),
                replaced=bool(flags & _REPLACED),
                by_wire=bool(flags & _BY_WIRE),
                in_trial=bool(flags & _IN_TRIAL),
                credit_wait_ns=wait,
                resent=resent,
                stalls=stalls,
            )
        )
    return calls, cut
