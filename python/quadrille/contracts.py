# SPDX-License-Identifier: BSD-3-Clause
"""The lines of a results file: what `quadrille bench` writes and `quadrille report` reads.

One JSON object a line; `type` says which. `schemas/results.json` is made from these models
(`python -m quadrille.contracts`); the native kernel writes the same keys (src/apps/bench/results.cpp), and
both sides are tested against `schemas/examples/`. Times are nanoseconds, and say so in their names.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

RESULTS_SCHEMA: Final[Literal[1]] = 1
"""Version of the lines below; a file of another version is refused."""

Executor = Literal["quadrille", "mpi", "mixed"]
Sync = Literal["instant", "none"]


class _Line(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class HostFacts(_Line):
    """One host name with the ranks on it."""

    name: str
    ranks: list[int]
    kernel: str
    cpu: str = Field(description="model name; empty where the kernel does not tell")
    cores: int = Field(description="that the host's first rank may run on")
    tcp_congestion_control: str


class NetworkFacts(_Line):
    """The file that told the network's rates."""

    source: Literal["lab", "model", "file"]
    path: str
    contents: dict[str, Any]


class RunSettings(_Line):
    """How the run was measured."""

    sync: Sync = Field(description="instant: all ranks start at an agreed time; none: calls back to back")
    wait: str = Field(description="how ranks wait for the instant")
    calls: int = Field(description="calls of one side in a block, at most")
    blocks: int = Field(description="rounds of four blocks, at most")
    seconds: float = Field(description="budget of a point")
    warm_up: int = Field(description="calls of a shape and side before measuring")
    skew_us: float = Field(description="ranks arrive up to this far apart")
    computing_scale: float = Field(1, description="timed computing takes so many times as long as here")
    seed: int


class RunLine(_Line):
    """Where, with what and how the points that follow were measured."""

    type: Literal["run"] = "run"
    schema_version: Literal[1] = Field(RESULTS_SCHEMA, alias="schema")
    started: str = Field(description="UTC, ISO 8601")
    quadrille_version: str | None
    git_commit: str | None = Field(description="of the source tree; ends in + where it was changed")
    command: list[str] | None = Field(description="the command that repeats the run; none: the kernel alone")
    launcher: list[str] | None
    mpi_library: str
    ranks: int
    hosts: list[HostFacts]
    library_loaded: bool = Field(description="whether Quadrille's library was in the processes")
    environment: dict[str, str] = Field(description="QUADRILLE_* variables of rank 0, without secrets")
    network: NetworkFacts | None
    beside: Literal["native", "quadrille"] | None = Field(
        None, description="whose calls another job made all the time; none: no other job"
    )
    settings: RunSettings


class Execution(_Line):
    """Neighbouring calls that were carried out alike."""

    executor: Literal["quadrille", "mpi"]
    algorithm: str | None
    reason: str | None = Field(description="why the call was left to the MPI library")
    calls: int


class Flows(_Line):
    """What calls sent by Quadrille's own datagrams: of all ranks together, mean of a call."""

    calls: int = Field(ge=1, description="measured calls that did; the means are of these")
    packets: float = Field(description="of data, each time one was sent")
    bytes: float = Field(description="of payload, each time it was sent")
    resent: float = Field(description="packets that were sent again")
    credit_wait_ns: int = Field(
        description="in which a rank had something to send and no receiver had granted any of it"
    )
    stalls: float = Field(description="times a rank heard nothing for 50 ms while packets were under way")


class Side(_Line):
    """The calls of one side: their figures and raw samples, in the order they were made."""

    executor: Executor
    algorithm: str | None = Field(description="none where the MPI library chose, or it changed between calls")
    executions: list[Execution]
    n: int = Field(ge=1)
    min_ns: int
    median_ns: int
    mean_ns: int
    sd_ns: int
    p10_ns: int
    p90_ns: int
    p99_ns: int
    max_ns: int
    stalls: int = Field(description="samples more than 50 ms above the median")
    late_samples: int = Field(description="samples at whose start a rank was late, also when repeated")
    median_lateness_ns: int = Field(description="how long after the instant the last rank started")
    percent_of_payload_limit: float | None
    percent_of_framed_limit: float | None
    samples_ns: list[int] = Field(description="agreed start to the last rank's end")
    local_samples_ns: list[int] = Field(description="longest time any rank spent inside the call")
    root_to_last_ns: list[int] | None = Field(description="rooted: the root's start to the last receipt")
    flows: Flows | None = Field(None, description="none where no call went by datagrams")


class Ratio(_Line):
    """Quadrille's time over the MPI library's, below 1 is faster; 95 % bootstrap interval."""

    value: float
    low: float
    high: float


class Measurement(_Line):
    """Both sides, measured in one order."""

    native: Side = Field(description="PMPI_X: the MPI library alone")
    quadrille: Side = Field(description="MPI_X: what the program would get; `executor` says from whom")
    ratio_of_medians: Ratio
    ratio_of_means: Ratio
    repeated_samples: int = Field(description="thrown away because a rank missed the instant")


class Bound(_Line):
    """The time below which no algorithm can finish, from the network's rates."""

    payload_ns: int = Field(description="counting payload alone")
    framed_ns: int = Field(description="counting whole frames, see `framing`")
    latency_ns: int
    bottleneck: str | None
    framing: str
    source: Literal["lab", "model", "file"]


class Sort(_Line):
    """The sizes of a parallel sort, n vectors of m doubles, and the memory that its point took."""

    vectors: int = Field(description="n, of all processes")
    doubles: int = Field(description="m, of a vector")
    memory: Literal["constant-global", "constant-local"] = Field(description="whether m grows with hosts")
    global_bytes: int = Field(description="one array on all processes")
    local_bytes: int = Field(description="one array on a process")
    block_bytes: int = Field(description="of an array, from a process to one other")
    arrays_bytes: int = Field(description="both arrays of a process, as predicted before the point")
    grown_bytes: int = Field(description="resident memory that the point added, largest of all processes")
    swapped_bytes: int = Field(description="of a process, during the point")
    swapped_pages: int = Field(description="in and out, of a whole machine, during the point")
    swapped: bool = Field(description="the times are those of a disk")


class WarmUpCalls(_Line):
    """Calls before measuring."""

    native: int
    quadrille: int


class PointLine(_Line):
    """One collective at one size on one number of ranks."""

    type: Literal["point"] = "point"
    collective: str
    bytes: int = Field(ge=0)
    bytes_meaning: str
    element_type: Literal["byte", "int", "double"]
    ranks: int
    hosts: int
    root: int | None
    in_place: bool
    skew_us: float
    sync: Sync
    clock_uncertainty_ns: int = Field(description="of the alignment between ranks, largest")
    clock_drift_ppm: float
    seconds: float = Field(description="wall time of the point, warm-up included")
    calls_per_block: int
    warm_up_calls: WarmUpCalls
    verified_calls: int
    wrong_results: int
    bound: Bound | None
    sort: Sort | None = Field(None, description="of parts of a parallel sort")
    blocks: Measurement = Field(description="blocks native, ours, ours, native of calls_per_block calls")
    alternating: Measurement | None = Field(
        None, description="native and ours in turn; idles TCP between calls; none: only blocks were asked for"
    )

    def measurements(self) -> list[tuple[str, Measurement]]:
        """Return each order by name, with what was measured in it."""
        return [("blocks", self.blocks), *([("in turn", self.alternating)] if self.alternating else [])]


class Figure(_Line):
    """One named value of a program."""

    name: str
    value: float
    unit: str
    lower_is_better: bool = True


class ProgramLine(_Line):
    """Figures of a whole program, run with the MPI library alone or under Quadrille."""

    type: Literal["program"] = "program"
    name: str
    variant: Literal["native", "quadrille"]
    figures: list[Figure]
    command: str
    description: str = ""


class EndLine(_Line):
    """How a run ended; a file without it was cut off."""

    type: Literal["end"] = "end"
    status: Literal["complete", "interrupted", "failed"]
    reason: str | None
    points: int
    wrong_results: int
    seconds: float
    emulation: dict[str, Any] | None = Field(description="what the emulated cluster says of its own CPU")


ResultsLine = Annotated[RunLine | PointLine | ProgramLine | EndLine, Field(discriminator="type")]
RESULTS_LINE: TypeAdapter[RunLine | PointLine | ProgramLine | EndLine] = TypeAdapter(ResultsLine)


def results_json_schema() -> dict[str, Any]:
    """Return the JSON Schema of one results line."""
    schema = RESULTS_LINE.json_schema(by_alias=True)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$comment": "SPDX-License-Identifier: BSD-3-Clause. Made by `python -m quadrille.contracts`.",
        "title": "One line of a Quadrille results file",
        **schema,
    }


if __name__ == "__main__":
    print(json.dumps(results_json_schema(), indent=1))
