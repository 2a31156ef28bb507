# SPDX-License-Identifier: BSD-3-Clause
"""Asks the native `quadrille-simulate` for a call's time on a simulated network."""

from __future__ import annotations

import subprocess

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from quadrille.installation import native_program
from quadrille.native_answer import check_exit, other_form

_PROGRAM = "quadrille-simulate"


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class SimulatedCall(_Entry):
    """One call; packets and bytes are those of this call, of all ranks together."""

    time_ns: int = Field(description="virtual, from the first rank's entry to the last one's end")
    of_limit: float
    dropped: int = Field(description="datagrams that found no room")
    dropped_at_trunks: int
    dropped_at_hosts: int = Field(description="at the switches' ports to hosts")
    dropped_at_sockets: int
    data_sent: int
    data_resent: int
    acks_sent: int
    wire_bytes: int = Field(description="of all hosts' interfaces, framing included")
    busiest_trunk: float = Field(description="share of the time in which a port between switches is busy")
    busiest_host_port: float
    most_queued_at_trunks_bytes: int = Field(description="at one port, since the first call")
    most_queued_at_hosts_bytes: int
    least_budget: int = Field(description="packets that may be on their way to a host")
    most_budget: int
    engine_bytes_per_rank: int = Field(description="allocated by the endpoints at the end; 0: not known")
    most_engine_bytes_per_rank: int
    events: int
    wall_s: float


class Simulated(_Entry):
    """What was simulated, and its calls in their order."""

    operation: str
    bytes: int
    blocks: str | None = Field(description="how the blocks of an alltoallv differ")
    network: str
    ranks: int
    ranks_per_host: int
    hosts: int
    seed: int
    algorithm: str
    chosen_by: str
    tried: list[str] = Field(description="what a job's trial would compare")
    contents: str
    limit_ns: float
    limit_set_by: str
    limit_with_multicast: bool
    calls: list[SimulatedCall]


def simulate(options: list[str]) -> Simulated:
    """Return what the program with these options says.

    Raises UsageError for input that it refuses, QuadrilleError when it is not built or fails.
    """
    command = [str(native_program(_PROGRAM)), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    check_exit(_PROGRAM, done.returncode, "".join(done.stderr.strip().splitlines()[:1]))
    try:
        return Simulated.model_validate_json(done.stdout)
    except ValidationError as error:
        raise other_form(_PROGRAM, error) from None
