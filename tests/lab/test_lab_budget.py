# SPDX-License-Identifier: BSD-3-Clause
"""What a switch drops in front of a host whose ranks are all sent to at once, by messages and collectives.

With a budget for each rank and another for the wire: docs/decisions/49_one_board_for_a_host.md.
"""

from __future__ import annotations

import re

import pytest
from lab_jobs import GRANTED, OVER_PROVIDER, program, run_over_provider
from lab_traffic import topology

from quadrille.lab.lab import Lab

pytestmark = [pytest.mark.alone, *OVER_PROVIDER]


def dropped(lab: Lab, mpi: str, ranks: int, gathered: int, *options: str) -> int:
    """Have all ranks of other hosts send to those of h0; return how many frames its switch port drops."""
    command = [program("many_to_one_host", mpi), "3", "50000", "3", str(gathered)]
    before = lab.counters().ports["h0"].dropped_frames
    output = run_over_provider(lab, mpi, ranks, command, {"QUADRILLE_ALGORITHM": GRANTED}, *options)
    assert re.search(r"total_us=\d+ failures=0", output), output
    return lab.counters().ports["h0"].dropped_frames - before


@pytest.mark.parametrize("mpi", ["ompi4", pytest.param("mpich", marks=pytest.mark.slow)])
def test_ranks_and_collectives_of_a_host_let_no_more_come_than_its_port_holds(mpi: str) -> None:
    tables = {
        "switch": [{"name": "s0", "rate_mbit": 100, "buffer_kib": 32}],
        "hosts": [{"names": ["h0..h3"], "on": "s0", "ranks": 3}],
    }
    with Lab.up(topology(**tables), "t-budget") as lab:
        assert dropped(lab, mpi, 12, 0, "--collectives", "off") < 20, "three ranks by the provider"
        assert dropped(lab, mpi, 12, 50000) < 20, "and collectives beside them"
