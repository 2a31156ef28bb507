# SPDX-License-Identifier: BSD-3-Clause
"""The lab file: what an emulated cluster consists of, read from TOML and checked before anything is built.

The models below are the whole format (`schemas/lab.json` is generated from them). What one table alone can
say wrong is caught by pydantic; what only the whole can say wrong (loops, unknown names, too many hosts) by
`check_whole`. Every refusal is a UsageError that names the path inside the file and the value.
"""

from __future__ import annotations

import ipaddress
import re
import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from quadrille.errors import UsageError
from quadrille.lab.topology_checks import check_whole

TEST_NETWORK = ipaddress.IPv4Network("198.18.0.0/15")
"""RFC 2544 sets these addresses apart for tests of network devices; a lab uses no others."""

DEEP_BUFFER_KIB = 16 * 1024
"""Egress buffer that stands in for flow control: holds a whole all-to-all of 16 hosts at 1 MiB a pair."""

BUS_QUEUE_KIB = 4 * 1024
"""Frames that wait for a bus wait in their hosts, which lose none; this is the sum of those queues."""

USUAL_MTU = 1500
"""Bytes of an IP packet: of buses, and of switches that do not say otherwise."""

Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]{0,10}$")]
RateMbit = Annotated[float, Field(gt=0, le=100_000, description="Mbit/s of Ethernet frames, 10^6 bit/s")]
BufferKib = Annotated[float, Field(ge=3, le=1024 * 1024, description="KiB; at least two full frames")]
Percent = Annotated[float, Field(ge=0, lt=100, description="per cent of frames dropped at random")]
Mtu = Annotated[int, Field(ge=576, le=9000, description="bytes of an IP packet that a frame carries")]
Share = Annotated[float, Field(ge=0, le=0.95, description="share of the link's rate, 0 to 0.95")]
Milliseconds = Annotated[float, Field(ge=0, le=10_000)]
_LONGEST_RANGE = TEST_NETWORK.num_addresses
_RANGE = re.compile(r"^([a-z][a-z-]*)(\d+)\.\.\1(\d+)$")


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=False, frozen=True)


class Group(_Table):
    """A sub-switch: some ports of a switch that reach the others over one inner link."""

    name: Name
    rate_mbit: RateMbit = Field(description="rate of the inner link, each direction, Mbit/s")
    buffer_kib: BufferKib | None = Field(None, description="buffer of the inner link; default: the switch's")
    ambient_share: Share = 0


class Switch(_Table):
    """A switch whose ports have a rate and an egress buffer that drops what does not fit."""

    name: Name
    rate_mbit: RateMbit
    buffer_kib: BufferKib = Field(32, description="egress buffer of each port, KiB")
    flow_control: bool = Field(False, description="true: deep buffers, which lose nothing, in place of PAUSE")
    multicast: bool = Field(True, description="false: multicast frames are not forwarded")
    unlimited: bool = Field(
        False, description="true: its hosts' cables are as fast as this machine; rate_mbit is only a name"
    )
    offloads: bool = Field(
        False,
        description="true: its hosts' interfaces cut and join segments (TSO, GSO, GRO); if unlimited",
    )
    udp_segmentation: bool = Field(
        True,
        description="false: they cut what TCP sends, not what UDP does, as in many clouds; if offloads",
    )
    mtu: Mtu = USUAL_MTU
    group: tuple[Group, ...] = ()


class Bus(_Table):
    """A shared segment: one frame at a time, whoever sends it."""

    name: Name
    rate_mbit: RateMbit
    queue_kib: BufferKib = Field(BUS_QUEUE_KIB, description="what may wait for the bus, all senders together")
    multicast: bool = True
    loss_percent: Percent = 0
    ambient_share: Share = 0


class Trunk(_Table):
    """A link between two switches, a switch and a bus, or two buses."""

    between: tuple[Name, Name]
    rate_mbit: RateMbit | None = Field(None, description="default: the slower of its two ends")
    buffer_kib: BufferKib | None = Field(None, description="egress buffer at each end; default: the switch's")
    delay_ms: Milliseconds = Field(0, description="one way, added to the time on the wire")
    jitter_ms: Milliseconds = Field(0, description="each frame's delay varies by up to this, order is kept")
    loss_percent: Percent = 0
    ambient_share: Share = 0
    multicast: bool = Field(True, description="false: multicast stops here, as at a router")


class Hosts(_Table):
    """One or several equal hosts on one switch, group or bus."""

    names: tuple[str, ...] = Field(description='host names; "h0..h15" stands for sixteen of them')
    on: Name
    ranks: Annotated[int, Field(ge=1, le=1024)] = Field(1, description="MPI ranks a host takes by default")
    to_host_mbit: RateMbit | None = Field(None, description="default: the switch's port rate")
    from_host_mbit: RateMbit | None = Field(None, description="default: the switch's port rate")
    loss_to_host_percent: Percent = 0
    loss_from_host_percent: Percent = 0
    ambient_to_host_share: Share = 0
    ambient_from_host_share: Share = 0

    @field_validator("names", mode="before")
    @classmethod
    def _expand_ranges(cls, names: object) -> object:
        if not isinstance(names, list | tuple):
            return names
        expanded: list[object] = []
        for name in names:
            found = _RANGE.match(name) if isinstance(name, str) else None
            if found is None:
                expanded.append(name)
                continue
            first, last = int(found[2]), int(found[3])
            if not first <= last < first + _LONGEST_RANGE:
                raise ValueError(f"{name} is not a range of at most {_LONGEST_RANGE} names that grows")
            expanded += [f"{found[1]}{number}" for number in range(first, last + 1)]
        return expanded


class Event(_Table):
    """Something that happens to a host during each `lab run`."""

    action: Literal["freeze", "kill"]
    host: Name
    after_s: Annotated[float, Field(ge=0, le=86_400)] = Field(description="seconds after the program's start")
    for_s: Annotated[float, Field(gt=0, le=86_400)] | None = Field(
        None, description="freeze only; none: for ever"
    )


class Topology(_Table):
    """A whole lab, as its TOML file describes it."""

    version: Literal[1] = 1
    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]{0,30}$")] = "lab"
    description: str = ""
    network: str = Field(
        "198.18.0.0/16", description="addresses of the emulated network, inside 198.18.0.0/15"
    )
    admin_network: bool = Field(False, description="a second, unlimited network for MPI start-up and files")
    switch: tuple[Switch, ...] = ()
    bus: tuple[Bus, ...] = ()
    trunk: tuple[Trunk, ...] = ()
    hosts: tuple[Hosts, ...] = Field(min_length=1)
    event: tuple[Event, ...] = ()

    def host_names(self) -> list[str]:
        """Return the hosts in rank order: by name, numbers inside names as numbers (h2 before h10)."""
        return sorted((name for entry in self.hosts for name in entry.names), key=natural_key)

    def host(self, name: str) -> Hosts:
        """Return the table that describes host `name`. REQUIRES: the host exists."""
        return next(entry for entry in self.hosts if name in entry.names)

    def subnet(self) -> ipaddress.IPv4Network:
        """Return the emulated network's address range. REQUIRES: the topology was checked."""
        return ipaddress.IPv4Network(self.network)


def natural_key(name: str) -> list[tuple[int, str]]:
    """Return a sort key that orders h2 before h10."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name)]


def parse_topology(data: dict[str, Any], origin: str) -> Topology:
    """Return the checked topology out of TOML data.

    `origin` (a file or a ready-made name) opens each message. Raises UsageError.
    """
    try:
        topology = Topology.model_validate(data)
    except ValidationError as error:
        raise UsageError(_first_complaint(error, origin)) from None
    check_whole(topology, origin, TEST_NETWORK)
    return topology


def load_topology(path: Path) -> Topology:
    """Read a lab file. Raises UsageError when it cannot be read or is wrong."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror}); give an existing lab file") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: not TOML: {error}; docs/lab.md shows the format") from None
    if "name" not in data:
        stem = re.sub(r"[^a-z0-9_-]+", "-", path.stem.lower()).strip("-")[:31]
        data["name"] = stem if stem[:1].isalpha() else "lab"
    return parse_topology(data, str(path))


def _first_complaint(error: ValidationError, origin: str) -> str:
    found = error.errors()[0]
    where = ""
    for part in found["loc"]:
        where += f"[{part}]" if isinstance(part, int) else f".{part}" if where else str(part)
    reason = found["msg"].removeprefix("Value error, ")
    if found["type"] == "extra_forbidden":
        reason = "no such key here; docs/lab.md lists the keys"
    value = "" if found["type"] == "missing" else f" = {found['input']!r}"
    return f"{origin}: {where}{value}: {reason[0].lower()}{reason[1:]}"
