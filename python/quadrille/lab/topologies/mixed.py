# SPDX-License-Identifier: BSD-3-Clause
"""Ready-made networks with shared buses, from the ECO paper. Rates are Mbit/s."""

from __future__ import annotations

from typing import Any


def eco_three_buses(rate_mbit: float = 10, hosts: int = 8, admin: bool = False) -> dict[str, Any]:
    """ECO's three Ethernet segments around one bridge; hosts 0 3 6 / 1 4 7 / 2 5."""
    names = [f"h{number}" for number in range(hosts)]
    return {
        "admin_network": admin,
        "switch": [{"name": "bridge", "rate_mbit": rate_mbit, "buffer_kib": 256}],
        "bus": [{"name": f"bus{at}", "rate_mbit": rate_mbit} for at in range(3)],
        "trunk": [{"between": ["bridge", f"bus{at}"]} for at in range(3)],
        "hosts": [{"names": names[at::3], "on": f"bus{at}"} for at in range(3)],
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
