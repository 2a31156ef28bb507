# SPDX-License-Identifier: BSD-3-Clause
"""Who may have packet sockets: the rules file of `quadrille link-helper`, in TOML.

    [[network]]
    interface = "eth0"
    address = "10.0.0.201/16"       # a free one of that network, for the helper's ranks on this host
    gateway = "10.0.0.1"            # only where ranks send to hosts behind a router

    [[network.rule]]
    groups = ["mpi"]                # or users = [...], or both
    ports = "47000-47499"           # UDP; as many as ranks at once

Every refusal of a file is a UsageError that names the place inside it and the value.
"""

from __future__ import annotations

import grp
import ipaddress
import pwd
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from quadrille.errors import UsageError

LOWEST_PORT, HIGHEST_PORT = 1024, 65535
_PORTS = re.compile(r"(\d+)-(\d+)")


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Ports(_Table):
    """UDP ports, both ends included."""

    first: int = Field(ge=LOWEST_PORT, le=HIGHEST_PORT)
    last: int = Field(ge=LOWEST_PORT, le=HIGHEST_PORT)

    @model_validator(mode="after")
    def _in_order(self) -> Ports:
        if self.last < self.first:
            raise ValueError(f"the range {self} ends before it begins")
        return self

    def overlaps(self, other: Ports) -> bool:
        """Return whether a port is in both."""
        return self.first <= other.last and other.first <= self.last

    def __str__(self) -> str:
        """As the file says it."""
        return f"{self.first}-{self.last}"


def _parse_ports(text: Any) -> Any:
    if not isinstance(text, str):
        return text
    found = _PORTS.fullmatch(text)
    if found is None:
        raise ValueError("write FIRST-LAST, such as 47000-47499")
    return {"first": int(found[1]), "last": int(found[2])}


def _number(name: Any, look_up: Callable[[str], int]) -> int:
    if not isinstance(name, str):
        raise ValueError("write a name or a number in quotes")
    try:
        return int(name) if name.isdecimal() else look_up(name)
    except KeyError:
        raise ValueError(f"{name!r} does not exist on this host") from None


def _user(name: Any) -> int:
    return _number(name, lambda known: pwd.getpwnam(known).pw_uid)


def _group(name: Any) -> int:
    return _number(name, lambda known: grp.getgrnam(known).gr_gid)


User = Annotated[int, BeforeValidator(_user)]
Group = Annotated[int, BeforeValidator(_group)]


class Rule(_Table):
    """Users, by numbers once read, who share these ports and trust each other."""

    users: tuple[User, ...] = ()
    groups: tuple[Group, ...] = ()
    ports: Annotated[Ports, BeforeValidator(_parse_ports)]

    @model_validator(mode="after")
    def _names_somebody(self) -> Rule:
        if not self.users and not self.groups:
            raise ValueError("names neither users nor groups")
        return self

    def names(self, uid: int, gids: frozenset[int]) -> bool:
        """Return whether the rule is for user `uid` with the groups `gids`."""
        return uid in self.users or not gids.isdisjoint(self.groups)


class Network(_Table):
    """An interface, the address beside the host's own that its ranks get, and for whom."""

    interface: str = Field(pattern=r"^[^\s/]{1,15}$")
    address: ipaddress.IPv4Interface
    gateway: ipaddress.IPv4Address | None = None
    rule: tuple[Rule, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _is_usable(self) -> Network:
        network, own = self.address.network, self.address.ip
        if network.prefixlen > 30:
            raise ValueError(
                f"address {self.address} names no network; write it with its length, as 10.0.0.201/16"
            )
        if own in (network.network_address, network.broadcast_address) or own.is_multicast or own.is_loopback:
            raise ValueError(f"address {self.address} cannot be a host's")
        if self.gateway is not None and (self.gateway not in network or self.gateway == own):
            raise ValueError(f"gateway {self.gateway} is no neighbour of {self.address}")
        for index, rule in enumerate(self.rule):
            for other in self.rule[:index]:
                if rule.ports.overlaps(other.ports):
                    raise ValueError(f"ports {rule.ports} and {other.ports} are of two rules")
        return self


class Rules(_Table):
    """The whole file."""

    network: tuple[Network, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _addresses_differ(self) -> Rules:
        addresses = [network.address.ip for network in self.network]
        for address in addresses:
            if addresses.count(address) > 1:
                raise ValueError(f"address {address} is of two networks")
        return self

    def find(self, uid: int, gids: frozenset[int], interface: str) -> tuple[Network, int] | None:
        """Return the network on `interface` and the place of its rule, of the first that names the user."""
        for network in self.network:
            if network.interface != interface:
                continue
            for place, rule in enumerate(network.rule):
                if rule.names(uid, gids):
                    return network, place
        return None


def parse_rules(data: Any, name: str) -> Rules:
    """Return checked rules out of `data`, the tables of file `name`. Raises UsageError."""
    try:
        return Rules.model_validate(data)
    except ValidationError as refused:
        first = refused.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        reason = first["msg"].removeprefix("Value error, ")
        where = f"{place}: " if place else ""
        raise UsageError(f"rules file {name}: {where}{reason}; docs/link_helper.md shows one") from None


def read_rules(path: Path) -> Rules:
    """Return the rules in file `path`. Raises UsageError."""
    try:
        return parse_rules(tomllib.loads(path.read_text(encoding="utf-8")), str(path))
    except OSError as error:
        raise UsageError(
            f"rules file {path} cannot be read ({error.strerror}); docs/link_helper.md shows one"
        ) from None
    except ValueError as error:
        raise UsageError(f"rules file {path} is no TOML ({error}); docs/link_helper.md shows one") from None
