# SPDX-License-Identifier: BSD-3-Clause
"""What a rule says, and what all rules look at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from quadrille.model.contract import ModelHost, NetworkModel, Segment
from quadrille.model.quantities import in_order, ranges
from quadrille.probe.lines import Counters, ErrorLine, HostLine

Severity = Literal["error", "warning", "note"]
"""error: programs fail or stall; warning: they are slower than they need be; note: good to know."""

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")


@dataclass(frozen=True)
class Finding:
    """One thing an administrator should know. docs/doctor.md lists every `id`."""

    id: str
    severity: Severity
    cause: str
    evidence: str
    remedy: str
    hosts: tuple[str, ...] = ()


@dataclass(frozen=True)
class HostSettings:
    """One host's settings as its prober told them; what it could not read is None."""

    name: str
    values: dict[str, Any] = field(default_factory=dict)
    counters: Counters = field(default_factory=Counters)

    def get(self, *path: str) -> Any:
        """Return the value at `path`, such as ("tcp", "congestion_control")."""
        value: Any = self.values
        for key in path:
            if not isinstance(value, dict) or key not in value:
                return None
            value = value[key]
        return value

    def number(self, *path: str) -> float | None:
        """Return the number at `path`."""
        value = self.get(*path)
        return value if isinstance(value, int | float) and not isinstance(value, bool) else None

    def interfaces(self) -> list[dict[str, Any]]:
        """Return the interfaces, the loopback left out."""
        found = self.get("interfaces")
        return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []

    def interface(self, name: str | None) -> dict[str, Any]:
        """Return what is said of interface `name`; nothing where it is not known."""
        return next((one for one in self.interfaces() if one.get("name") == name), {})


@dataclass(frozen=True)
class Case:
    """Everything that was collected of one cluster."""

    hosts: list[HostSettings] = field(default_factory=list)
    model: NetworkModel | None = None
    errors: list[ErrorLine] = field(default_factory=list)

    @cached_property
    def model_hosts(self) -> dict[str, ModelHost]:
        """Return the model's hosts by name; empty without a model."""
        return {host.name: host for host in self.model.hosts} if self.model else {}

    @property
    def segments(self) -> list[Segment]:
        """Return the model's segments; empty without a model."""
        return self.model.segments if self.model else []

    def interface_of(self, host: HostSettings) -> str | None:
        """Return the interface that was measured; None where the model does not tell."""
        known = self.model_hosts.get(host.name)
        return known.interface if known else None

    def segment_of(self, host: str) -> Segment | None:
        """Return the segment that `host` is in."""
        return next((segment for segment in self.segments if host in segment.hosts), None)

    def counted(self, counter: str, phase: Literal["probe", "mpi"]) -> dict[str, int]:
        """Return by host how much `counter` grew during `phase`, where it did."""
        grown = {host.name: getattr(host.counters, phase).get(counter, 0) for host in self.hosts}
        return {name: count for name, count in grown.items() if count > 0}


Rule = Callable[[Case], Iterator[Finding]]


def case_of(lines: Iterable[HostLine], model: NetworkModel | None, errors: list[ErrorLine]) -> Case:
    """Return what the prober's lines and a model say; settings that are no object count as unknown."""
    hosts = [
        HostSettings(line.name, line.settings if isinstance(line.settings, dict) else {}, line.counters)
        for line in lines
    ]
    return Case(hosts, model, errors)


def names(hosts: Iterable[str]) -> str:
    """Return hosts in words, rows of numbers as ranges."""
    return ", ".join(ranges(in_order(hosts)))


def grouped(values: dict[str, str]) -> str:
    """Return what is said of hosts with like values together: `cubic on h0..h2, bbr on h3`."""
    by_value: dict[str, list[str]] = {}
    for host, value in values.items():
        by_value.setdefault(value, []).append(host)
    return "; ".join(f"{value} on {names(hosts)}" for value, hosts in by_value.items())
