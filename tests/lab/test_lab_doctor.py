# SPDX-License-Identifier: BSD-3-Clause
"""`quadrille doctor` on emulated clusters that have one fault each."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from lab_traffic import needs_namespaces
from probe_trial import lab_name, quadrille, skip_without_prober
from steal_time import Timing

from quadrille.lab.lab import Lab
from quadrille.lab.topology import Topology

pytestmark = [pytest.mark.alone, pytest.mark.lab, pytest.mark.mpi, needs_namespaces, pytest.mark.timeout(150)]


@pytest.fixture(autouse=True)
def prober() -> None:
    skip_without_prober()


def one_switch(switch: dict[str, Any], last_host: dict[str, Any]) -> Topology:
    return Topology.model_validate(
        {
            "name": "faulty",
            "switch": [{"name": "s", "rate_mbit": 20, **switch}],
            "hosts": [{"names": ["h0..h3"], "on": "s"}, {"names": ["h4"], "on": "s", **last_host}],
        }
    )


def findings(topology: Topology, fault: list[str] | None = None) -> dict[str, dict[str, Any]]:
    """Return what the doctor finds, by id; `fault` is a command for the last host."""
    with Lab.up(topology, lab_name("t-doctor")) as lab:
        if fault is not None:
            lab.on_host("h4", fault)
        done = quadrille("doctor", "--json", "--", *lab.launcher())
    assert done.returncode in (0, 1), done.stderr
    told = json.loads(done.stdout)["findings"]
    wrong = any(one["severity"] != "note" for one in told)
    assert done.returncode == int(wrong)
    return {one["id"]: one for one in told}


def test_a_link_that_is_slow_in_one_direction_is_told_of_its_host(timing: Timing) -> None:
    told = findings(one_switch({}, {"from_host_mbit": 5}))
    assert told["one_directional_link"]["hosts"] == ["h4"]
    evidence = told["one_directional_link"]["evidence"]
    rates = re.match(r"h4 sends ([\d.]+) Mbit/s and receives ([\d.]+) Mbit/s", evidence)
    assert rates is not None, evidence
    assert float(rates[1]) < float(rates[2]) / 2
    with timing.judged():
        assert "slow_link" not in told


def test_a_link_that_is_slow_both_ways_is_told_of_its_host(timing: Timing) -> None:
    told = findings(one_switch({}, {"from_host_mbit": 5, "to_host_mbit": 5}))
    with timing.judged():
        assert told["slow_link"]["hosts"] == ["h4"]
        assert "one_directional_link" not in told


def test_a_switch_without_multicast_is_told() -> None:
    told = findings(one_switch({"multicast": False}, {}))
    assert told["multicast_blocked"]["severity"] == "warning"


def test_a_host_with_another_congestion_control_is_told() -> None:
    told = findings(one_switch({}, {}), ["sysctl", "-qw", "net.ipv4.tcp_congestion_control=reno"])
    assert "reno on h4" in told["congestion_control_differs"]["evidence"]


def test_a_healthy_network_with_flow_control_has_no_faults_of_its_links() -> None:
    told = findings(one_switch({"flow_control": True}, {}))
    assert not told.keys() & {"no_flow_control", "small_buffers", "slow_link", "one_directional_link"}
    assert not told.keys() & {"multicast_blocked", "mtu_mismatch", "udp_blocked", "unreachable"}
