# SPDX-License-Identifier: BSD-3-Clause
"""Long messages between two hosts whose network caps each flow, as clouds do."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from lab_jobs import GRANTED, counts, program
from lab_traffic import needs_namespaces

from quadrille.lab.lab import Lab
from quadrille.lab.ready_made import resolve

pytestmark = [
    pytest.mark.lab,
    pytest.mark.mpi,
    pytest.mark.alone,
    needs_namespaces,
    pytest.mark.timeout(120),
]

# Flows are told apart by six bits of their source port; each class has what a flow may take.
CAP_EACH_FLOW = """
set -e
tc qdisc replace dev eth0 root handle 1: htb
class=0
while [ $class -lt 64 ]; do
  id=1:$(printf %x $((class + 1)))
  tc class add dev eth0 parent 1: classid $id htb rate 2gbit burst 200k cburst 200k
  tc filter add dev eth0 parent 1: protocol ip u32 match u16 $((2 * class)) 0x7e at 20 flowid $id
  class=$((class + 1))
done
"""


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    with Lab.up(resolve("unlimited:hosts=2"), "t-paths") as up:
        for host in ("h0", "h1"):
            up.on_host(host, ["sh", "-c", CAP_EACH_FLOW])
        yield up


def median_us(lab: Lab, paths: int) -> int:
    environment = {"QUADRILLE_ALGORITHM": GRANTED, "QUADRILLE_BULK": "udp", "QUADRILLE_PATHS": str(paths)}
    command = [program("exchange_times", "ompi4"), "2000000", "60"]
    result = lab.run(command, ranks=2, environment=environment, quadrille=True, timeout_s=60)
    found = counts(result)
    assert found["wrong"] == 0
    return found["median_us"]


def test_several_paths_carry_more_than_one_where_the_network_caps_each_flow(lab: Lab) -> None:
    one, several = median_us(lab, 1), median_us(lab, 4)
    # Of four ports two may fall into one class.
    assert several < 0.7 * one, f"{several} us, by one path {one}"
