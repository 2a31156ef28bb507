# SPDX-License-Identifier: BSD-3-Clause
"""The prober's lines: one JSON object each, as src/apps/probe/report_lines.cpp writes them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter


class _Line(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class ProgressLine(_Line):
    """How far the measurement is, and what comes next."""

    type: Literal["progress"]
    share: float
    purpose: str


class Counters(_Line):
    """How much the kernel's counters grew, by name (src/probe/measure/hosts/kernel_counters.h)."""

    probe: dict[str, int] = Field(default_factory=dict)
    mpi: dict[str, int] = Field(default_factory=dict)


class HostLine(_Line):
    """What one host says of its settings, and what its kernel counted.

    Keys of `settings`: src/probe/measure/hosts/host_settings.h. What a host could not read is absent.
    """

    type: Literal["host"] = "host"
    name: str
    settings: dict[str, Any] | str = Field(default_factory=dict)
    counters: Counters = Counters()


class ModelLine(_Line):
    """The network model, as the file will hold it."""

    type: Literal["model"]
    model: dict[str, Any]


class Difference(_Line):
    """Where the network departs from the model it was compared with."""

    path: str
    expected: str
    found: str
    text: str
    serious: bool


class CheckLine(_Line):
    """All differences, none where the model still holds."""

    type: Literal["check"]
    differences: list[Difference]


class ErrorLine(_Line):
    """Why the measurement ended."""

    type: Literal["error"]
    kind: str
    text: str


ProberLine = Annotated[
    ProgressLine | HostLine | ModelLine | CheckLine | ErrorLine, Field(discriminator="type")
]
PROBER_LINE: TypeAdapter[ProgressLine | HostLine | ModelLine | CheckLine | ErrorLine] = TypeAdapter(
    ProberLine
)
