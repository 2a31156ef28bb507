# SPDX-License-Identifier: BSD-3-Clause
"""What a host sends does not hold up what it grants: docs/decisions/78_own_queues_hold_up_grants.md."""

from __future__ import annotations

import re

import pytest
from lab_jobs import OVER_PROVIDER, program, run_over_provider
from lab_traffic import topology

from quadrille.lab.lab import Lab

pytestmark = [pytest.mark.alone, *OVER_PROVIDER]

BYTES = 22_000
WIRE_US = BYTES / 1460 * 1518 * 8 / 25
"""What its packets take at 25 Mbit/s: 7.3 ms. The next host's grant, behind all of them, doubles that."""


@pytest.mark.parametrize("mpi", ["ompi4", pytest.param("mpich", marks=pytest.mark.slow)])
def test_messages_around_a_ring_take_little_more_than_their_packets(mpi: str) -> None:
    tables = {
        "switch": [{"name": "s0", "rate_mbit": 25, "buffer_kib": 32}],
        "hosts": [{"names": ["h0..h3"], "on": "s0"}],
    }
    with Lab.up(topology(**tables), "t-own-queue") as lab:
        command = [program("ring_times", mpi), str(BYTES), "60"]
        output = run_over_provider(lab, mpi, 4, command, {}, "--collectives", "off")
    found = re.search(r"median_us=(\d+)", output)
    assert found is not None, output
    assert int(found[1]) < 1.45 * WIRE_US, output
