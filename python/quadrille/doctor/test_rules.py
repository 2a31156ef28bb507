# SPDX-License-Identifier: BSD-3-Clause
"""Each rule speaks in its situation, with its figures, and is silent in one beside it."""

from __future__ import annotations

import pytest

from quadrille.doctor import rules_hosts, rules_interfaces, rules_links, rules_loss, rules_reach
from quadrille.doctor.finding import Rule
from quadrille.doctor.made_case import (
    Change,
    counted,
    error,
    everywhere,
    found,
    model_host,
    segment,
    setting,
    two_segments,
    warning,
)

LOSS = counted("mpi", tcp_retransmitted_segments=80)
TIMEOUTS = counted("mpi", tcp_retransmission_timeouts=7)
OFF = everywhere("interfaces", 0, "pause", to={"rx": False, "tx": False})
DOCKER = everywhere("interfaces", to=[{"name": "eth0"}, {"name": "docker0", "state": "up"}])

# A rule, its situation, the finding's id and severity, and a word of the evidence.
SITUATIONS: list[tuple[Rule, list[Change], str, str]] = [
    (rules_loss.loss_under_all_to_all, [LOSS, OFF], "error no_flow_control", "pause) is off"),
    (
        rules_loss.loss_under_all_to_all,
        [LOSS],
        "error no_flow_control",
        "80 segments again (2.2 %)",
    ),
    (rules_loss.loss_under_all_to_all, [LOSS], "error no_flow_control", "s0 holds 20.7 KiB"),
    (
        rules_loss.loss_under_all_to_all,
        [counted("mpi", tcp_retransmitted_segments=6)],
        "warning no_flow_control",
        "6 segments",
    ),
    (
        rules_loss.loss_under_all_to_all,
        [counted("mpi", tcp_retransmitted_segments=6), TIMEOUTS],
        "error no_flow_control",
        "7 of them",
    ),
    (
        rules_loss.loss_under_all_to_all,
        [LOSS, segment(lossless=True)],
        "warning loss_outside_segments",
        "80",
    ),
    (rules_loss.small_buffers, [], "note small_buffers", "KiB"),
    (
        rules_loss.receive_losses,
        [counted("probe", softnet_dropped=12)],
        "warning kernel_queue_overflows",
        "12 on h0",
    ),
    (
        rules_loss.receive_losses,
        [counted("probe", udp_receive_buffer_errors=3)],
        "warning socket_buffers_overflow",
        "3 on h0",
    ),
    (rules_loss.bad_cables, [counted("probe", **{"eth0.rx_errors": 9})], "error damaged_frames", "9 receive"),
    (
        rules_links.slow_links,
        [model_host(2, from_host_bit_s=9e6, to_host_bit_s=9e6)],
        "error slow_link",
        "h2",
    ),
    (
        rules_links.slow_links,
        [model_host(2, to_host_bit_s=2.5e6)],
        "error one_directional_link",
        "h2 sends 25 Mbit/s and receives 2.5 Mbit/s",
    ),
    (
        rules_links.busy_links,
        [model_host(1, ambient_from_host_share=0.48)],
        "warning busy_link",
        "48 % from the host is taken",
    ),
    (rules_links.half_duplex, [setting(1, "interfaces", 0, "duplex", to="half")], "error half_duplex", "h1"),
    (
        rules_links.single_packets,
        [setting(1, "interfaces", 0, "offloads", "gro", to=False), model_host(1, from_host_bit_s=9.4e9)],
        "warning single_packets",
        "gro off at eth0 on h1",
    ),
    (
        rules_links.single_packets,
        [
            setting(2, "interfaces", 0, "offloads", "gso", to=False),
            setting(2, "interfaces", 0, "offloads", "tx_checksum", to=False),
            setting(2, "interfaces", 0, "speed_mbit_s", to=25000),
        ],
        "warning single_packets",
        "gso, tx off at eth0 on h2",
    ),
    (
        rules_links.single_datagrams,
        [
            setting(2, "interfaces", 0, "offloads", "tso", to=True),
            setting(2, "interfaces", 0, "offloads", "udp_segmentation", to=False),
            setting(2, "interfaces", 0, "speed_mbit_s", to=25000),
        ],
        "note single_datagrams",
        "tx-udp-segmentation off at eth0 on h2",
    ),
    (rules_links.mtu_mismatch, [model_host(3, mtu_bytes=9000)], "error mtu_mismatch", "9000 on h3"),
    (rules_links.narrow_trunks, [two_segments(25e6, lossless=False)], "warning narrow_trunk", "50 Mbit/s"),
    (rules_links.narrow_trunks, [two_segments(25e6, lossless=True)], "note narrow_trunk", "25 Mbit/s"),
    (
        rules_interfaces.slower_network,
        [warning("slower_network", "eth1 carries less")],
        "warning slower_network",
        "eth1",
    ),
    (
        rules_interfaces.wrong_interface,
        [setting(0, "mpi_environment", "OMPI_MCA_btl_tcp_if_include", to="docker0,eth1")],
        "warning wrong_interface",
        "docker0,eth1",
    ),
    (
        rules_interfaces.wrong_interface,
        [setting(0, "open_mpi_parameters", to=["btl_tcp_if_include = 10.9.0.0/16"])],
        "warning wrong_interface",
        "10.9.0.0/16",
    ),
    (rules_interfaces.virtual_interfaces, [DOCKER], "note virtual_interfaces", "docker0 on h0..h3"),
    (
        rules_hosts.retransmission_time,
        [everywhere("tcp", "rto_min_us", to=200000), TIMEOUTS],
        "warning long_retransmission_time",
        "200 ms on h0..h3; TCP waited that long 7 times",
    ),
    (
        rules_hosts.retransmission_time,
        [everywhere("tcp", to={})],
        "note long_retransmission_time",
        "200 ms",
    ),
    (
        rules_hosts.congestion_control,
        [setting(3, "tcp", "congestion_control", to="bbr")],
        "warning congestion_control_differs",
        "cubic on h0..h2; bbr on h3",
    ),
    (
        rules_hosts.congestion_control,
        [everywhere("tcp", "congestion_control", to="bbr")],
        "note congestion_control_bbr",
        "h0..h3",
    ),
    (rules_hosts.clock, [setting(1, "clock", "synchronised", to=False)], "note clock_not_synchronised", "h1"),
    (
        rules_hosts.processor,
        [setting(1, "load_average_1_min", to=9.5)],
        "warning processor_overloaded",
        "load 9.5 on 2 cores",
    ),
    (rules_hosts.processor, [setting(1, "steal_share_since_boot", to=0.2)], "warning stolen_time", "20% of"),
    (
        rules_hosts.limited_cores,
        [setting(0, "container", to={"cpu_limit_cores": 0.5})],
        "note limited_cores",
        "may use 0.5",
    ),
    (
        rules_hosts.receive_buffers,
        [setting(0, "buffers", "rmem_max_bytes", to=16384)],
        "warning small_receive_buffers",
        "16 KiB on h0",
    ),
    (
        rules_reach.not_measured,
        [
            error("unsupported", "UDP does not get through"),
            everywhere("firewall", to={"iptables_tables": ["filter"]}),
        ],
        "error udp_blocked",
        "iptables (filter) on h0..h3",
    ),
    (rules_reach.not_measured, [error("peer_lost", "h2 fell silent")], "error host_lost", "h2"),
    (
        rules_reach.not_measured,
        [error("invalid_argument", "one host only")],
        "error not_measured",
        "one host",
    ),
    (
        rules_reach.unreachable,
        [warning("unreachable", "h9 is left out", "h9")],
        "error unreachable",
        "h9",
    ),
    (
        rules_reach.unreachable,
        [warning("unreachable", "UDP does not get through on some ways: h0 to h1", "h0", "h1")],
        "error udp_blocked",
        "h0 to h1",
    ),
    (
        rules_reach.unreachable,
        [warning("unreachable", "h3 is left out: it hears nobody, though others hear it", "h3")],
        "error udp_blocked",
        "h3 is left out",
    ),
    (rules_reach.multicast, [segment(multicast=False)], "warning multicast_blocked", "s0"),
    (
        rules_reach.multicast,
        [segment(multicast=False), warning("multicast", "h3 hears nobody", "h3")],
        "warning multicast_blocked",
        "h3 hears nobody",
    ),
    (
        rules_reach.multicast,
        [warning("multicast_stops", "stopped after 60 s", "h1")],
        "warning multicast_dies",
        "60 s",
    ),
    (
        rules_reach.usable_links,
        [setting(0, "links", "packet", to={"usable": False, "missing": ["CAP_NET_RAW"]})],
        "note links",
        "AF_PACKET needs CAP_NET_RAW on h0",
    ),
    (
        rules_reach.usable_links,
        [setting(0, "links", "udp", to={"usable": False, "missing": ["EACCES"]})],
        "error no_udp",
        "EACCES on h0",
    ),
    (
        rules_reach.other_warnings,
        [warning("cpu_bound", "h1 sends slowly", "h1")],
        "note measured_cpu_bound",
        "h1",
    ),
]

# A rule and a situation that resembles its own but is none.
QUIET: list[tuple[Rule, list[Change]]] = [
    (rules_loss.loss_under_all_to_all, []),
    (rules_loss.loss_under_all_to_all, [counted("mpi", tcp_retransmitted_segments=4)]),
    (rules_loss.loss_under_all_to_all, [counted("probe", tcp_retransmitted_segments=80)]),
    (
        rules_loss.loss_under_all_to_all,
        [counted("mpi", tcp_retransmitted_segments=50, tcp_sent_segments=1_000_000)],
    ),
    (rules_loss.small_buffers, [segment(lossless=True)]),
    (rules_loss.small_buffers, [LOSS]),
    (rules_loss.receive_losses, []),
    (rules_loss.bad_cables, [counted("probe", **{"eth1.rx_errors": 9})]),
    (rules_links.slow_links, []),
    (rules_links.slow_links, [model_host(2, from_host_bit_s=21e6, to_host_bit_s=22e6)]),
    (rules_links.slow_links, [segment(kind="bus"), model_host(2, from_host_bit_s=9e6)]),
    (rules_links.slow_links, [model_host(2, from_host_bit_s=None, to_host_bit_s=None)]),
    (rules_links.busy_links, [model_host(1, ambient_to_host_share=0.1, ambient_from_host_share=None)]),
    (rules_links.single_packets, [setting(1, "interfaces", 0, "offloads", "gro", to=False)]),
    (rules_links.single_packets, [everywhere("interfaces", 0, "speed_mbit_s", to=100_000)]),
    (rules_links.single_datagrams, [everywhere("interfaces", 0, "speed_mbit_s", to=100_000)]),
    (
        rules_links.single_datagrams,
        [setting(2, "interfaces", 0, "offloads", "udp_segmentation", to=False)],
    ),
    (rules_links.half_duplex, []),
    (rules_links.mtu_mismatch, [model_host(3, mtu_bytes=None)]),
    (rules_links.narrow_trunks, [two_segments(51e6, lossless=False)]),
    (rules_links.narrow_trunks, [two_segments(0, lossless=False)]),
    (rules_interfaces.slower_network, [warning("loss", "some")]),
    (
        rules_interfaces.wrong_interface,
        [everywhere("mpi_environment", to={"UCX_NET_DEVICES": "eth0:1", "FI_TCP_IFACE": "198.18.0.0/16"})],
    ),
    (
        rules_interfaces.wrong_interface,
        [setting(0, "mpi_environment", "OMPI_MCA_btl_tcp_if_include", to="eth0")],
    ),
    (
        rules_interfaces.virtual_interfaces,
        [DOCKER, everywhere("mpi_environment", to={"FI_TCP_IFACE": "eth0"})],
    ),
    (rules_hosts.retransmission_time, []),
    (
        rules_hosts.retransmission_time,
        [everywhere("tcp", to={"routes": [{"interface": "eth0", "tcp_rto_min_ms": 20}]})],
    ),
    (rules_hosts.congestion_control, []),
    (rules_hosts.clock, [setting(1, "clock", to={})]),
    (rules_hosts.processor, [everywhere("load_average_1_min", to=2.0)]),
    (rules_hosts.limited_cores, [setting(0, "container", to={"kind": "docker"})]),
    (rules_hosts.receive_buffers, []),
    (rules_reach.not_measured, []),
    (rules_reach.unreachable, []),
    (rules_reach.multicast, []),
    (rules_reach.multicast, [segment(multicast=None)]),
    (rules_reach.usable_links, [everywhere("links", to=None)]),
    (rules_reach.other_warnings, [warning("unreachable", "h9", "h9")]),
]


@pytest.mark.parametrize(("rule", "changes", "identity", "evidence"), SITUATIONS)
def test_a_rule_speaks_in_its_situation(
    rule: Rule, changes: list[Change], identity: str, evidence: str
) -> None:
    findings = {f"{one.severity} {one.id}": one for one in found(rule, *changes)}
    assert identity in findings
    assert evidence in findings[identity].evidence
    assert findings[identity].cause
    assert findings[identity].remedy


@pytest.mark.parametrize(("rule", "changes"), QUIET)
def test_a_rule_is_silent_where_nothing_is_wrong(rule: Rule, changes: list[Change]) -> None:
    assert found(rule, *changes) == []


def test_the_remedy_for_lost_frames_names_the_switch_and_the_hosts_line() -> None:
    remedy = found(rules_loss.loss_under_all_to_all, LOSS)[0].remedy
    assert "configuration of the switch" in remedy
    assert "ethtool -A eth0 rx on tx on" in remedy


def test_hosts_that_are_parts_of_one_machine_are_told_of_its_load_once() -> None:
    load = everywhere("load_average_1_min", to=9.5)
    assert len(found(rules_hosts.processor, load)) == 4
    together = found(rules_hosts.processor, load, everywhere("machine", to="one"))
    assert [finding.hosts for finding in together] == [("h0", "h1", "h2", "h3")]


def test_a_narrow_trunk_says_how_many_ports_may_be_busy() -> None:
    assert (
        "carries only 1 at" in found(rules_links.narrow_trunks, two_segments(25e6, lossless=False))[0].cause
    )


@pytest.mark.parametrize("settings", ["no JSON at all", {}, {"interfaces": 7, "links": [], "tcp": None}])
def test_no_rule_stumbles_over_hosts_that_tell_nothing(settings: object) -> None:
    def change(document: dict[str, object]) -> None:
        for host in document["hosts"]:  # type: ignore[attr-defined]
            host["settings"] = settings if isinstance(settings, str | dict) else {}

    for rule in (*rules_loss.RULES, *rules_links.RULES, *rules_interfaces.RULES):
        found(rule, change)
    for rule in (*rules_hosts.RULES, *rules_reach.RULES):
        found(rule, change)
