# SPDX-License-Identifier: BSD-3-Clause
"""The network model file: what `quadrille probe` writes and plans are made from (src/network/model.h).

`schemas/network_model.json` is made from these models (`python -m quadrille.model.contract`). The native side
reads the same keys (src/network/model_fields.h) and complains in the same words; both are tested against
`schemas/examples/network_model_*.json`. docs/network_model.md describes each key.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

MODEL_FORMAT: Final = "quadrille-network-model"
MODEL_VERSION: Final[Literal[1]] = 1
"""Version of the format below; a newer file is refused."""


@dataclass(frozen=True)
class Expected:
    """What a key may hold, in the words of an error."""

    what: str
    entry: str = ""
    """The same for one entry of a list."""
    measured: bool = False
    """Whether an interval may stand beside it."""


_NAME = "a text that is not empty"
_MOST_32: Final = 2**32 - 1
_MOST_EXACT: Final = 2**53

NameText = Annotated[str, Field(min_length=1)]
Name = Annotated[str, Field(min_length=1), Expected(_NAME)]
MaybeText = Annotated[str | None, Field(min_length=1), Expected(f"{_NAME}, or null")]
Texts = Annotated[list[NameText], Expected("a list", entry=_NAME)]
FullTexts = Annotated[
    list[NameText], Field(min_length=1), Expected("a list with at least one entry", entry=_NAME)
]
Count32 = Annotated[
    int | None, Field(ge=0, le=_MOST_32), Expected(f"a whole number from 0 to {_MOST_32}, or null")
]
Count = Annotated[
    int | None, Field(ge=0, le=_MOST_EXACT), Expected(f"a whole number from 0 to {_MOST_EXACT}, or null")
]
Plain = Annotated[float | None, Field(ge=0), Expected("a number of at least 0, or null")]
Amount = Annotated[float | None, Field(ge=0), Expected("a number of at least 0, or null", measured=True)]
Share = Annotated[float | None, Field(ge=0, le=1), Expected("a number from 0 to 1, or null", measured=True)]
Fact = Annotated[bool | None, Expected("true, false or null")]
_Bound = Annotated[float, Field(ge=0)]
Interval = Annotated[tuple[_Bound, _Bound | None], Field(strict=False)]  # JSON has lists, not tuples
Intervals = Annotated[
    dict[str, Interval],
    Field(description="[low, high] of measured values of the same object; high null: at least low"),
    Expected("an object", entry="[low, high], both at least 0, high null where it is at least low"),
]


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class Provenance(_Entry):
    """How the model was made."""

    created: MaybeText = Field(None, description="UTC, ISO 8601")
    quadrille_version: MaybeText = None
    mode: Annotated[Literal["full", "quick"] | None, Expected("'full' or 'quick'")] = None
    mpi_library: MaybeText = None
    network: MaybeText = Field(None, description="that was chosen")
    seconds: Plain = None
    rounds: Count32 = None
    sent_bytes: Count = Field(None, description="all hosts together")
    most_load_share: Plain = Field(None, description="of the busiest cable's capacity, over the whole time")
    not_usable: Texts = Field(default_factory=list, description="interfaces and networks left out, and why")


class ModelHost(_Entry):
    """One host and its cable."""

    name: Name
    segment: MaybeText = None
    interface: MaybeText = None
    address: MaybeText = None
    mtu_bytes: Count32 = None
    cores: Count32 = None
    machine: MaybeText = Field(None, description="equal for namespaces or containers of one kernel")
    from_host_bit_s: Amount = None
    to_host_bit_s: Amount = None
    ambient_from_host_share: Share = None
    ambient_to_host_share: Share = None
    send_overhead_ns: Amount = None
    receive_overhead_ns: Amount = None
    gap_ns: Amount = Field(None, description="between two small datagrams sent one after the other")
    intervals: Intervals = Field(default_factory=dict)


class Segment(_Entry):
    """Hosts behind one switch or on one bus."""

    name: MaybeText = Field(None, description="segment0, segment1 and so on where none is given")
    hosts: FullTexts
    kind: Annotated[Literal["switch", "bus"], Expected("'switch' or 'bus'")]
    confidence: Annotated[float, Field(ge=0, le=1), Expected("a number from 0 to 1")] = 1
    bus_rate_bit_s: Amount = None
    latency_ns: Amount = Field(None, description="one way between two of its hosts, 64 B")
    safe_burst_bytes: Amount = Field(None, description="may arrive at one port at once before loss")
    safe_burst_all_ports_bytes: Amount = None
    lossless: Fact = Field(None, description="flow control or deep buffers: no loss was ever seen")
    ambient_share: Share = Field(None, description="of a bus")
    multicast: Fact = Field(None, description="reaches every host of the segment")
    multicast_bit_s: Amount = Field(None, description="highest rate that arrived whole")
    multicast_loss: Share = Field(None, description="share of datagrams, at that rate")
    intervals: Intervals = Field(default_factory=dict)

    @property
    def label(self) -> str:
        """Return the name; a loaded model has one everywhere."""
        return self.name or ""


class Trunk(_Entry):
    """A link between two segments, or to a junction."""

    name: MaybeText = Field(None, description="FIRST-SECOND where none is given")
    between: Annotated[
        list[NameText],
        Field(min_length=2, max_length=2),
        Expected("the names of two segments or junctions"),
    ]
    forward_bit_s: Amount = Field(None, description="first to second")
    backward_bit_s: Amount = None
    forward_buffer_bytes: Amount = None
    backward_buffer_bytes: Amount = None
    forward_ambient_share: Share = None
    backward_ambient_share: Share = None
    latency_ns: Amount = Field(None, description="one way, beyond that inside a segment")
    routes: Annotated[
        Literal["one", "several", "unknown"] | None, Expected("'one', 'several' or 'unknown'")
    ] = Field(None, description="whether the rate depends on the flow")
    intervals: Intervals = Field(default_factory=dict)

    @property
    def label(self) -> str:
        """Return the name; a loaded model has one everywhere."""
        return self.name or ""


class Island(_Entry):
    """Hosts that a faster network of their own joins, such as InfiniBand: the MPI library alone uses it."""

    name: Name
    hosts: FullTexts = Field(json_schema_extra={"minItems": 2})
    rate_bit_s: Amount = Field(None, description="what each host sends there, and receives at the same time")
    latency_ns: Amount = Field(None, description="one way between two of its hosts")
    intervals: Intervals = Field(default_factory=dict)


class DelayClass(_Entry):
    """Pairs of hosts of like distance."""

    name: Name
    pairs: Count = None
    latency_ns: Amount = None
    intervals: Intervals = Field(default_factory=dict)


class MpiCost(_Entry):
    """What one call of the MPI library cost."""

    operation: Name = Field(description="send (half a round trip between two hosts), or a collective")
    bytes: Annotated[int, Field(ge=0, le=_MOST_EXACT), Expected(f"a whole number from 0 to {_MOST_EXACT}")]
    ranks: Annotated[int, Field(ge=0, le=_MOST_32), Expected(f"a whole number from 0 to {_MOST_32}")]
    time_ns: Annotated[float, Field(ge=0), Expected("a number of at least 0", measured=True)]
    intervals: Intervals = Field(default_factory=dict)


class Warning(_Entry):
    """Something the user should know of the network or of the measurement."""

    topic: Name = Field(description="machine-readable")
    text: Name
    hosts: Texts = Field(default_factory=list)


class NetworkModel(_Entry):
    """A network model file."""

    format: Literal["quadrille-network-model"] = MODEL_FORMAT
    version: Literal[1] = MODEL_VERSION
    provenance: Annotated[Provenance, Expected("an object")] = Field(
        default_factory=lambda: Provenance.model_validate({})
    )
    hosts: Annotated[list[ModelHost], Expected("a list", entry="an object")] = Field(default_factory=list)
    segments: Annotated[
        list[Segment],
        Field(min_length=1),
        Expected("a list with at least one entry", entry="an object"),
    ]
    junctions: Texts = Field(default_factory=list, description="places without hosts where trunks meet")
    trunks: Annotated[list[Trunk], Expected("a list", entry="an object")] = Field(default_factory=list)
    islands: Annotated[list[Island], Expected("a list", entry="an object")] = Field(default_factory=list)
    delay_classes: Annotated[list[DelayClass], Expected("a list", entry="an object")] = Field(
        default_factory=list
    )
    mpi_costs: Annotated[list[MpiCost], Expected("a list", entry="an object")] = Field(default_factory=list)
    warnings: Annotated[list[Warning], Expected("a list", entry="an object")] = Field(default_factory=list)


def model_json_schema() -> dict[str, Any]:
    """Return the JSON Schema of a network model file."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$comment": "SPDX-License-Identifier: BSD-3-Clause. Made by `python -m quadrille.model.contract`.",
        **NetworkModel.model_json_schema(),
        "title": "A Quadrille network model",
    }


if __name__ == "__main__":
    print(json.dumps(model_json_schema(), indent=1))
