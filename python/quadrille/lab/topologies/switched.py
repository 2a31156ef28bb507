# SPDX-License-Identifier: BSD-3-Clause
"""Ready-made networks of switches only."""

from __future__ import annotations

from typing import Any


def one_switch(
    hosts: int = 16,
    rate_mbit: float = 25,
    buffer_kib: float = 32,
    ranks: int = 1,
    flow_control: bool = False,
    multicast: bool = True,
    admin: bool = False,
) -> dict[str, Any]:
    """One switch; `rate_mbit` of each port in Mbit/s, `buffer_kib` of each port's egress buffer in KiB."""
    return {
        "admin_network": admin,
        "switch": [
            {
                "name": "s0",
                "rate_mbit": rate_mbit,
                "buffer_kib": buffer_kib,
                "flow_control": flow_control,
                "multicast": multicast,
            }
        ],
        "hosts": [{"names": [f"h0..h{hosts - 1}"], "on": "s0", "ranks": ranks}],
    }
