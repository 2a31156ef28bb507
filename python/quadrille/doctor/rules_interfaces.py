# SPDX-License-Identifier: BSD-3-Clause
"""Which interface the MPI library was told to use, or may choose by itself."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator
from typing import Any

from quadrille.doctor.finding import Case, Finding, HostSettings, Rule, grouped
from quadrille.model.contract import ModelHost

# Each names interfaces or subnets, separated by commas.
_CHOICES = (
    "OMPI_MCA_btl_tcp_if_include",
    "FI_TCP_IFACE",
    "FI_SOCKETS_IFACE",
    "UCX_NET_DEVICES",
    "MPIR_CVAR_CH3_INTERFACE_HOSTNAME",
    "MPIR_CVAR_NEMESIS_TCP_NETWORK_IFACE",
)
_ANY = {"all", "any", ""}
# Of container engines, hypervisors and tunnels: they lead to no other host, or on a detour.
_VIRTUAL = re.compile(
    r"(docker|virbr|br-|veth|cni|flannel|cali|tun|tap|wg|vboxnet|vmnet|tailscale|podman|lxc)"
)


def slower_network(case: Case) -> Iterator[Finding]:
    """Find that the network named by the user or the MPI library's settings is not the fast one."""
    for warning in case.model.warnings if case.model else []:
        if warning.topic == "slower_network":
            yield Finding(
                "slower_network",
                "warning",
                "the network that was named, by --interface or by the MPI library's settings, is slower than "
                "another one between the same hosts",
                warning.text,
                "name the faster one: `--mca btl_tcp_if_include IFACE` (Open MPI), `FI_TCP_IFACE` or "
                "`UCX_NET_DEVICES` (MPICH, Intel MPI), or drop the setting",
                tuple(warning.hosts),
            )


def wrong_interface(case: Case) -> Iterator[Finding]:
    """Find settings of the MPI library that name another interface than the fast one."""
    wrong: dict[str, str] = {}
    for host in case.hosts:
        measured = case.model_hosts.get(host.name)
        if measured is None or measured.interface is None:
            continue
        for setting, value in _chosen(host):
            if not _names(value, measured):
                wrong[host.name] = f"{setting}={value}, but the fast network is on {measured.interface}"
    if wrong:
        yield Finding(
            "wrong_interface",
            "warning",
            "the MPI library is told to use another interface than the one that was found to be fast",
            grouped(wrong),
            "let the setting name the fast interface, or remove it",
            tuple(wrong),
        )


def virtual_interfaces(case: Case) -> Iterator[Finding]:
    """Tell of interfaces that MPI libraries are known to choose by mistake, where nothing prevents it."""
    present: dict[str, str] = {}
    for host in case.hosts:
        measured = case.interface_of(host)
        virtual = [
            str(one["name"])
            for one in host.interfaces()
            if _VIRTUAL.match(str(one.get("name", "")))
            and one.get("name") != measured
            and one.get("state") != "down"
        ]
        if virtual and not list(_chosen(host)) and not _excludes(host):
            present[host.name] = ", ".join(virtual)
    if present:
        yield Finding(
            "virtual_interfaces",
            "note",
            "hosts have interfaces of containers, virtual machines or tunnels, and nothing keeps the "
            "MPI library "
            "from choosing them: connections then hang or take a detour",
            grouped(present),
            "name the fast one: `--mca btl_tcp_if_include IFACE` (Open MPI), `FI_TCP_IFACE=IFACE` "
            "(MPICH, Intel "
            "MPI)",
            tuple(present),
        )


def _chosen(host: HostSettings) -> Iterator[tuple[str, str]]:
    environment = host.get("mpi_environment") or {}
    for name in _CHOICES:
        value = str(environment.get(name, ""))
        if value.lower() not in _ANY and not value.startswith("^"):
            yield name, value
    if "OMPI_MCA_btl_tcp_if_include" not in environment:
        for line in host.get("open_mpi_parameters") or []:
            name, _, value = str(line).partition("=")
            if name.strip() == "btl_tcp_if_include" and value.strip():
                yield "btl_tcp_if_include", value.strip()


def _excludes(host: HostSettings) -> bool:
    environment: dict[str, Any] = host.get("mpi_environment") or {}
    lines = host.get("open_mpi_parameters") or []
    return "OMPI_MCA_btl_tcp_if_exclude" in environment or any("exclude" in str(line) for line in lines)


def _names(value: str, host: ModelHost) -> bool:
    """Return whether a list of interfaces, UCX devices (`eth0:1`), addresses or subnets has the host's."""
    for word in value.split(","):
        name = word.strip().partition(":")[0]
        if name == host.interface or name == host.address:
            return True
        try:
            network = ipaddress.ip_network(name, strict=False)
        except ValueError:
            continue
        if host.address and ipaddress.ip_address(host.address) in network:
            return True
    return False


RULES: tuple[Rule, ...] = (slower_network, wrong_interface, virtual_interfaces)
