# SPDX-License-Identifier: BSD-3-Clause
"""Ready-made networks of switches only. Rates are Mbit/s of a port, buffers KiB of a port's egress buffer.

The networks of published studies keep their shape and the ratios of their rates; `rate_mbit` scales them to
what one machine can emulate.
"""

from __future__ import annotations

from typing import Any

from quadrille.lab.topology import USUAL_MTU


def one_switch(
    hosts: int = 16,
    rate_mbit: float = 25,
    buffer_kib: float = 32,
    ranks: int = 1,
    flow_control: bool = False,
    multicast: bool = True,
    admin: bool = False,
    mtu: int = USUAL_MTU,
) -> dict[str, Any]:
    """One switch with equal hosts."""
    return {
        "admin_network": admin,
        "switch": [_switch("s0", rate_mbit, buffer_kib, flow_control, multicast, mtu)],
        "hosts": [{"names": [_range(0, hosts)], "on": "s0", "ranks": ranks}],
    }


def unlimited(
    hosts: int = 2,
    ranks: int = 1,
    admin: bool = False,
    offloads: bool = True,
    udp_segmentation: bool = True,
    mtu: int = USUAL_MTU,
) -> dict[str, Any]:
    """One switch as fast as this machine: what software costs, with interfaces that cut and join segments."""
    data = one_switch(hosts, 10_000, 32, ranks, True, True, admin, mtu)
    data["switch"][0] |= {"unlimited": True, "offloads": offloads, "udp_segmentation": udp_segmentation}
    return data


def gigabit(
    hosts: int = 4, rate_mbit: float = 1000, buffer_kib: float = 128, ranks: int = 1, admin: bool = False
) -> dict[str, Any]:
    """One switch of gigabit ports with jumbo frames; two cores carry some four hosts of it."""
    return one_switch(hosts, rate_mbit, buffer_kib, ranks, admin=admin, mtu=9000)


def two_switches_one_trunk(
    hosts: int = 8,
    rate_mbit: float = 50,
    trunk_mbit: float = 50,
    buffer_kib: float = 32,
    ranks: int = 1,
    interleaved: bool = True,
    admin: bool = False,
) -> dict[str, Any]:
    """Two switches and one trunk; interleaved: even hosts on one, odd on the other, else in halves."""
    names = [f"h{number}" for number in range(hosts)]
    half = (hosts + 1) // 2
    one, other = (names[::2], names[1::2]) if interleaved else (names[:half], names[half:])
    return {
        "admin_network": admin,
        "switch": [_switch("s0", rate_mbit, buffer_kib), _switch("s1", rate_mbit, buffer_kib)],
        "trunk": [{"between": ["s0", "s1"], "rate_mbit": trunk_mbit}],
        "hosts": [
            {"names": one, "on": "s0", "ranks": ranks},
            {"names": other, "on": "s1", "ranks": ranks},
        ],
    }


def three_levels(
    leaves_per_spine: int = 2,
    hosts_per_leaf: int = 4,
    rate_mbit: float = 25,
    leaf_trunk_mbit: float = 50,
    spine_trunk_mbit: float = 50,
    buffer_kib: float = 32,
    admin: bool = False,
) -> dict[str, Any]:
    """A core switch, two switches below it, leaves with the hosts below those."""
    switches, trunks, entries, first = [_switch("core", rate_mbit, buffer_kib)], [], [], 0
    for spine in ("a", "b"):
        switches.append(_switch(f"spine-{spine}", rate_mbit, buffer_kib))
        trunks.append({"between": ["core", f"spine-{spine}"], "rate_mbit": spine_trunk_mbit})
        for leaf in range(leaves_per_spine):
            name = f"leaf-{spine}{leaf}"
            switches.append(_switch(name, rate_mbit, buffer_kib))
            trunks.append({"between": [f"spine-{spine}", name], "rate_mbit": leaf_trunk_mbit})
            entries.append({"names": [_range(first, hosts_per_leaf)], "on": name})
            first += hosts_per_leaf
    return {"admin_network": admin, "switch": switches, "trunk": trunks, "hosts": entries}


def umbc_leaf(
    leaves: int = 2,
    ports: int = 18,
    rate_mbit: float = 10,
    trunk_mbit: float = 90,
    buffer_kib: float = 32,
    ranks: int = 1,
    admin: bool = False,
) -> dict[str, Any]:
    """UMBC's cluster tara: leaf modules of 18 ports behind one core, two leaves with hosts."""
    switches, trunks, entries = [_switch("core", trunk_mbit, buffer_kib)], [], []
    for leaf in range(leaves):
        switches.append(_switch(f"leaf{leaf}", rate_mbit, buffer_kib))
        trunks.append({"between": ["core", f"leaf{leaf}"], "rate_mbit": trunk_mbit})
        entries.append({"names": [_range(leaf * ports, ports)], "on": f"leaf{leaf}", "ranks": ranks})
    return {"admin_network": admin, "switch": switches, "trunk": trunks, "hosts": entries}


def hp_port_groups(
    groups: int = 4,
    used_ports: int = 12,
    rate_mbit: float = 5,
    buffer_kib: float = 32,
    inner_buffer_kib: float = 0,
    ranks: int = 1,
    admin: bool = False,
) -> dict[str, Any]:
    """A switch of groups of 12 ports, each behind an inner link of 10 port rates; `used_ports` cabled.

    `inner_buffer_kib`: of an inner link; 0: as of a port.
    """
    switch = _switch("hp", rate_mbit, buffer_kib)
    inner = {"rate_mbit": 10 * rate_mbit, "buffer_kib": inner_buffer_kib or buffer_kib}
    switch["group"] = [{"name": f"g{group}", **inner} for group in range(groups)]
    entries = [
        {"names": [_range(group * used_ports, used_ports)], "on": f"g{group}", "ranks": ranks}
        for group in range(groups)
    ]
    return {"admin_network": admin, "switch": [switch], "hosts": entries}


def two_sites(
    hosts: int = 8,
    rate_mbit: float = 50,
    trunk_mbit: float = 50,
    delay_ms: float = 10,
    jitter_ms: float = 0,
    buffer_kib: float = 64,
    ranks: int = 1,
    admin: bool = False,
) -> dict[str, Any]:
    """Two switches in two places: half the hosts each, joined by a link with delay."""
    data = two_switches_one_trunk(hosts, rate_mbit, trunk_mbit, buffer_kib, ranks, False, admin)
    data["trunk"][0] |= {"delay_ms": delay_ms, "jitter_ms": jitter_ms}
    return data


def gamma_dual(
    hosts: int = 8, rate_mbit: float = 50, buffer_kib: float = 32, ranks: int = 1, flow_control: bool = True
) -> dict[str, Any]:
    """GAMMA's cluster: two networks a host, one for the program alone, one for everything else."""
    return one_switch(hosts, rate_mbit, buffer_kib, ranks, flow_control, admin=True)


def _switch(
    name: str,
    rate_mbit: float,
    buffer_kib: float,
    flow_control: bool = False,
    multicast: bool = True,
    mtu: int = USUAL_MTU,
) -> dict[str, Any]:
    return {
        "name": name,
        "rate_mbit": rate_mbit,
        "buffer_kib": buffer_kib,
        "flow_control": flow_control,
        "multicast": multicast,
        "mtu": mtu,
    }


def _range(first: int, count: int) -> str:
    return f"h{first}..h{first + count - 1}"
