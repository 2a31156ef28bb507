# SPDX-License-Identifier: BSD-3-Clause
"""What `quadrille-plan choose` and `quadrille-plan table` print (src/apps/plan/explanation_json.h, table.h).

`schemas/plan.json` is made from these models (`python -m quadrille.plan.contract`). Times are in ns, sizes in
bytes of payload.
"""

from __future__ import annotations

import json
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class Call(_Entry):
    """The call that is planned."""

    collective: str
    bytes: int
    ranks: int
    root: int | None = Field(description="null: the operation has none")
    element_bytes: int = Field(description="of what is reduced; 1 where data only move")


class Seat(_Entry):
    """Where a rank runs."""

    rank: int
    host: str
    segment: str


class Bottleneck(_Entry):
    """The resource that is busy longest."""

    name: str
    busy_ns: int
    busy_percent: float = Field(description="of the predicted time")


class Candidate(_Entry):
    """An algorithm with parameters and what it is predicted to take."""

    name: str
    algorithm: str
    parameters: str
    time_ns: int
    retransmissions_ns: int = Field(description="of that, waiting for what buffers could not hold")
    bottleneck: Bottleneck | None = Field(description="null: no message leaves a rank")


class SlowerResource(_Entry):
    """The slower plan's busiest resource, and how long it is busy in either plan."""

    name: str
    busy_slower_ns: int
    busy_faster_ns: int


class Comparison(_Entry):
    """The plan against the next best, or a plan that was asked for against the cheapest."""

    other: Candidate
    slower: str = Field(description="name of the slower one of both")
    slower_by_ns: int
    most_of_it: Literal["resource", "retransmissions", "waiting"]
    most_of_it_ns: int
    resource: SlowerResource | None


class LibraryTime(_Entry):
    """What the MPI library's own algorithm takes."""

    time_ns: int
    source: Literal["measured", "estimated"]


class Limit(_Entry):
    """What no algorithm of a kind can be faster than, with TCP's frames."""

    time_ns: int
    latency_ns: int
    bandwidth_ns: int
    bottleneck: str
    percent_of_limit: float


class Bound(Limit):
    """What no algorithm can be faster than: on a bus, a message counts once however many hosts take it."""

    with_multicast: bool = Field(
        description="whether it holds for algorithms that multicast too; false: only where each message has "
        "one receiver"
    )
    without_multicast: Limit | None = Field(
        description="where each message has one receiver, so that each host of a bus takes a copy of its "
        "own; null: the same"
    )


class AtRunTime(_Entry):
    """What the planner of a program decides: `mpi` is the library."""

    reason: str
    candidates: list[str]


class Message(_Entry):
    """One message; messages of one round may be under way together."""

    sender: int = Field(alias="from")
    receiver: int = Field(alias="to")
    bytes: int
    round: int
    start_ns: int
    end_ns: int


class StepEvent(_Entry):
    """One step of one rank, from where it may begin to its end."""

    rank: int
    step: int
    kind: Literal["send", "receive", "copy", "reduce", "group_bcast", "group_reduce"]
    peer: int | None
    bytes: int
    start_ns: int
    end_ns: int


class Plan(_Entry):
    """One call's plan and why it is chosen."""

    format: Literal["quadrille-plan"]
    version: Literal[1]
    call: Call
    placement: list[Seat]
    plan: Candidate
    asked: bool = Field(description="for this plan, whatever is cheapest")
    candidates: list[Candidate] = Field(description="cheapest first, one of each algorithm")
    comparison: Comparison | None
    library: LibraryTime | None
    bound: Bound | None
    at_run_time: AtRunTime
    planning_ns: int
    messages: list[Message] | None = Field(description="null: too many to tell")
    schedule: dict[str, Any] | None = Field(description="of one rank, as `quadrille-plan dump` writes it")
    timeline: list[StepEvent] | None

    def seat(self, rank: int) -> Seat:
        """Return where `rank` runs."""
        return self.placement[rank]


class Cell(_Entry):
    """What is chosen for one operation, size and number of ranks."""

    collective: str
    ranks: int
    bytes: int
    name: str | None
    algorithm: str | None
    time_ns: int | None
    library_ns: int | None
    library_source: Literal["measured", "estimated"] | None
    bound_ns: int


def plan_json_schema() -> dict[str, Any]:
    """Return the JSON Schema of a plan."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$comment": "SPDX-License-Identifier: BSD-3-Clause. Made by `python -m quadrille.plan.contract`.",
        **Plan.model_json_schema(by_alias=True),
        "title": "A Quadrille plan",
    }


if __name__ == "__main__":
    print(json.dumps(plan_json_schema(), indent=1))
