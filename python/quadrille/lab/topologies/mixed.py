# SPDX-License-Identifier: BSD-3-Clause
"""Ready-made networks with shared buses, from the ECO paper. Rates are Mbit/s."""

from __future__ import annotations

from typing import Any


def eco_three_buses(
    rate_mbit: float = 10, hosts: int = 8, ambient_share: float = 0, admin: bool = False
) -> dict[str, Any]:
    """ECO's three Ethernet segments around one bridge; hosts 0 3 6 / 1 4 7 / 2 5."""
    names = [f"h{number}" for number in range(hosts)]
    return {
        "admin_network": admin,
        "switch": [{"name": "bridge", "rate_mbit": rate_mbit, "buffer_kib": 256}],
        "bus": [
            {"name": f"bus{at}", "rate_mbit": rate_mbit, "ambient_share": ambient_share} for at in range(3)
        ],
        "trunk": [{"between": ["bridge", f"bus{at}"]} for at in range(3)],
        "hosts": [{"names": names[at::3], "on": f"bus{at}"} for at in range(3)],
    }


def eco_cmu_psc(
    ethernet_mbit: float = 10,
    fddi_mbit: float = 30,
    bridge_delay_ms: float = 0.3,
    far_delay_ms: float = 5,
    far_mbit: float = 20,
    ambient_share: float = 0,
    admin: bool = False,
) -> dict[str, Any]:
    """ECO's Figure 3: Ethernets of 5, 3 and 2 hosts, a switched FDDI of 3 behind a bridge, a far site of 2.

    The bridge takes `bridge_delay_ms` for a frame; links here do not (their first two frames pass at once).
    Others use the buses and the trunks between switches: what crosses a trunk at a bus loads that bus too.
    """
    buses = ("alpha", "sparc", "sgi")
    trunks: list[dict[str, Any]] = [
        {"between": ["bridge", name], "delay_ms": bridge_delay_ms / 2} for name in (*buses, "fddi")
    ]
    trunks.append({"between": ["bridge", "psc"], "rate_mbit": far_mbit, "delay_ms": far_delay_ms})
    for trunk in trunks:
        trunk["ambient_share"] = 0 if trunk["between"][1] in buses else ambient_share
    return {
        "admin_network": admin,
        "switch": [
            {"name": "bridge", "rate_mbit": fddi_mbit, "buffer_kib": 256},
            {"name": "fddi", "rate_mbit": fddi_mbit, "buffer_kib": 64},
            {"name": "psc", "rate_mbit": fddi_mbit, "buffer_kib": 64},
        ],
        "bus": [{"name": name, "rate_mbit": ethernet_mbit, "ambient_share": ambient_share} for name in buses],
        "trunk": trunks,
        "hosts": [
            {"names": ["h0..h4"], "on": "alpha"},
            {"names": ["h5..h7"], "on": "sparc"},
            {"names": ["h8..h9"], "on": "sgi"},
            {"names": ["h10..h12"], "on": "fddi"},
            {"names": ["h13..h14"], "on": "psc"},
        ],
    }


def eco_table7(ethernet_mbit: float = 10, fddi_mbit: float = 100, admin: bool = False) -> dict[str, Any]:
    """ECO's 20 machines: 6 on two Ethernets, 5 on another, 2 on switched FDDI, 7 on switched Ethernet."""
    return {
        "admin_network": admin,
        "switch": [
            {"name": "backbone", "rate_mbit": fddi_mbit, "buffer_kib": 256},
            {"name": "fddi", "rate_mbit": fddi_mbit, "buffer_kib": 256},
            {"name": "indy", "rate_mbit": ethernet_mbit, "buffer_kib": 64},
        ],
        "bus": [{"name": name, "rate_mbit": ethernet_mbit} for name in ("alpha0", "alpha1", "power")],
        "trunk": [{"between": ["backbone", name]} for name in ("fddi", "indy", "alpha0", "alpha1", "power")],
        "hosts": [
            {"names": ["h0..h2"], "on": "alpha0"},
            {"names": ["h3..h5"], "on": "alpha1"},
            {"names": ["h6..h10"], "on": "power"},
            {"names": ["h11..h12"], "on": "fddi"},
            {"names": ["h13..h19"], "on": "indy"},
        ],
    }
