# SPDX-License-Identifier: BSD-3-Clause
"""From lab file to cables, truth, ready-made topologies and launcher placement: all without namespaces."""

from __future__ import annotations

import ipaddress
from typing import Any

import pytest

from quadrille.errors import UsageError
from quadrille.lab import ambient
from quadrille.lab.build import host_addresses, host_table
from quadrille.lab.ready_made import READY_MADE, ready_made, resolve
from quadrille.lab.topology import DEEP_BUFFER_KIB, parse_topology
from quadrille.lab.topology_checks import frame_bytes
from quadrille.lab.truth import network_truth
from quadrille.lab.wiring import HOST_QUEUE_FRAMES, Wiring, wire


def wiring(**tables: Any) -> Wiring:
    return wire(parse_topology(tables, "t"))


def test_a_port_takes_rate_and_buffer_of_its_switch_and_the_host_may_override_one_direction() -> None:
    cable = wiring(
        switch=[{"name": "s0", "rate_mbit": 25, "buffer_kib": 32}],
        hosts=[{"names": ["h0"], "on": "s0", "to_host_mbit": 5}],
    ).hosts[0]
    assert cable.to_host is not None
    assert (cable.to_host.rate_bit_s, cable.to_host.limit_bytes) == (5_000_000, 32 * 1024)
    assert cable.from_host.rate_bit_s == 25_000_000
    assert cable.from_host.limit_bytes == HOST_QUEUE_FRAMES * frame_bytes(1500)


def test_flow_control_makes_every_buffer_of_the_switch_deep() -> None:
    built = wiring(
        switch=[
            {"name": "s0", "rate_mbit": 10, "flow_control": True, "group": [{"name": "g0", "rate_mbit": 20}]}
        ],
        hosts=[{"names": ["h0"], "on": "g0"}],
    )
    assert built.hosts[0].to_host is not None
    assert built.hosts[0].to_host.limit_bytes == DEEP_BUFFER_KIB * 1024
    assert built.trunks[0].from_one is not None
    assert built.trunks[0].from_one.limit_bytes == DEEP_BUFFER_KIB * 1024


def test_jumbo_frames_make_fewer_of_a_rate_and_need_buffers_for_two_of_them() -> None:
    assert wire(ready_made("gigabit", hosts=4)).load_frames_s() == pytest.approx(4 * 125e6 / 9014)
    built = wire(ready_made("gigabit"))
    assert (built.hosts[0].mtu, built.hosts[0].from_host.burst_bytes) == (9000, 2 * frame_bytes(9000))
    with pytest.raises(UsageError, match=r"switch\[0\].buffer_kib = 16.*two frames of MTU 9000"):
        ready_made("gigabit", buffer_kib=16)


def test_a_trunk_takes_the_smaller_mtu_of_its_ends() -> None:
    switches = [{"name": name, "rate_mbit": 100, "mtu": mtu} for name, mtu in (("s0", 9000), ("s1", 1500))]
    hosts = [{"names": ["h0"], "on": "s0"}, {"names": ["h1"], "on": "s1"}]
    built = wiring(switch=switches, trunk=[{"between": ["s0", "s1"]}], hosts=hosts)
    assert ([cable.mtu for cable in built.hosts], built.trunks[0].mtu) == ([9000, 1500], 1500)


def test_interfaces_cut_and_join_segments_only_where_no_rate_limits() -> None:
    assert wire(ready_made("unlimited")).hosts[0].offloads
    assert not wire(ready_made("unlimited", offloads=False)).hosts[0].offloads
    assert wire(ready_made("unlimited")).hosts[0].udp_segmentation
    assert not wire(ready_made("unlimited", udp_segmentation=False)).hosts[0].udp_segmentation
    with pytest.raises(UsageError, match=r"switch\[0\].offloads"):
        wiring(
            switch=[{"name": "s0", "rate_mbit": 25, "offloads": True}], hosts=[{"names": ["h0"], "on": "s0"}]
        )


def test_the_token_bucket_holds_two_frames() -> None:
    queue = (
        wiring(switch=[{"name": "s0", "rate_mbit": 25}], hosts=[{"names": ["h0"], "on": "s0"}])
        .hosts[0]
        .from_host
    )
    assert queue.burst_bytes == 2 * frame_bytes(1500)


def test_frames_wait_at_limited_ports_trunks_and_buses_only() -> None:
    built = wiring(
        switch=[
            {"name": "free", "rate_mbit": 1000, "unlimited": True},
            {"name": "joined", "rate_mbit": 1000, "unlimited": True},
            {"name": "limited", "rate_mbit": 100},
        ],
        bus=[{"name": "b0", "rate_mbit": 10}],
        trunk=[{"between": ["joined", "limited"]}, {"between": ["limited", "b0"]}],
        hosts=[
            {"names": ["h0"], "on": "joined"},
            {"names": ["h1"], "on": "limited"},
            {"names": ["h2"], "on": "b0"},
        ],
    )
    assert built.bridges == ("free", "joined", "limited", "b0")
    assert built.queueing_bridges() == {"joined", "limited", "b0"}


def test_what_leaves_a_bus_is_not_limited_again() -> None:
    built = wiring(
        switch=[{"name": "s0", "rate_mbit": 100}],
        bus=[{"name": "b0", "rate_mbit": 10}],
        trunk=[{"between": ["b0", "s0"]}],
        hosts=[{"names": ["h0"], "on": "b0"}, {"names": ["h1"], "on": "s0"}],
    )
    (trunk,) = built.trunks
    assert trunk.from_one is None
    assert trunk.from_other is not None
    assert trunk.from_other.rate_bit_s == 10_000_000
    assert built.hosts[0].to_host is None


def test_the_load_is_the_sum_of_ports_and_buses() -> None:
    assert wire(ready_made("one_switch", hosts=16, rate_mbit=25)).load_frames_s() == pytest.approx(
        50e6 / 1514
    )
    assert wire(ready_made("eco_three_buses")).load_frames_s() == pytest.approx(3.75e6 / 1514)


def test_an_unlimited_switch_has_no_queues_towards_its_hosts_and_adds_no_load() -> None:
    built = wire(ready_made("unlimited", hosts=3))
    queues = [queue for cable in built.hosts for queue in (cable.to_host, cable.from_host)]
    assert len(queues) == 6
    assert not any(queue.limits for queue in queues if queue)
    assert built.load_frames_s() == 0


def test_every_host_gets_its_own_addresses() -> None:
    built = wire(ready_made("one_switch", hosts=300, rate_mbit=1))
    addresses = host_addresses(built, ipaddress.IPv4Network("198.18.0.0/16"), admin=True)
    assert len({own.fast for own in addresses.values()}) == 300
    assert len({cable.mac for cable in built.hosts}) == 300
    assert addresses["h0"].fast == "198.18.0.1/16"
    assert addresses["h299"].admin == "198.19.1.44/16"
    assert "198.18.1.44 h299\n198.19.1.44 h299-admin\n" in host_table(addresses)


@pytest.mark.parametrize("name", READY_MADE)
def test_every_ready_made_topology_is_a_valid_lab_with_defaults(name: str) -> None:
    truth = network_truth(ready_made(name))
    listed = [host for segment in truth["segments"] for host in segment["hosts"]]
    assert sorted(listed) == sorted(host["name"] for host in truth["hosts"])
    assert {segment["kind"] for segment in truth["segments"]} <= {"switch", "bus"}


def test_the_papers_networks_have_their_shapes() -> None:
    eco = network_truth(ready_made("eco_three_buses"))["segments"]
    assert [(segment["kind"], segment["hosts"]) for segment in eco] == [
        ("bus", ["h0", "h3", "h6"]),
        ("bus", ["h1", "h4", "h7"]),
        ("bus", ["h2", "h5"]),
    ]
    table7 = network_truth(ready_made("eco_table7"))["segments"]
    assert sorted((segment["kind"], len(segment["hosts"])) for segment in table7) == [
        ("bus", 3),
        ("bus", 3),
        ("bus", 5),
        ("switch", 2),
        ("switch", 7),
    ]
    figure3 = network_truth(ready_made("eco_cmu_psc"))["segments"]
    assert sorted((segment["kind"], len(segment["hosts"])) for segment in figure3) == [
        ("bus", 2),
        ("bus", 3),
        ("bus", 5),
        ("switch", 2),
        ("switch", 3),
    ]
    assert [len(segment["hosts"]) for segment in network_truth(ready_made("umbc_leaf"))["segments"]] == [
        18,
        18,
    ]
    groups = network_truth(ready_made("hp_port_groups"))
    assert [trunk["rate_bit_s"] for trunk in groups["trunks"]] == [50_000_000] * 4
    assert {len(segment["hosts"]) for segment in groups["segments"]} == {12}


def test_parameters_of_ready_made_topologies_are_read_and_refused() -> None:
    topology = resolve("one_switch:hosts=3,rate_mbit=12.5,flow_control=on")
    assert topology.host_names() == ["h0", "h1", "h2"]
    assert topology.switch[0].rate_mbit == 12.5
    assert topology.switch[0].flow_control
    for text, said in [
        ("one_switch:speed=3", "write key=value with one of hosts, rate_mbit"),
        ("one_switch:hosts=many", "not a number"),
        ("one_switch:admin=maybe", "write on or off"),
        ("one_switch:rate_mbit=0", "switch[0].rate_mbit = 0: input should be greater than 0"),
        ("one_switch:hosts=70000,rate_mbit=1", "70000 hosts need more than its 65534 addresses"),
        ("one_switch:hosts=0", "h0..h-1"),
        ("one_swich", "neither a lab file nor one of one_switch"),
    ]:
        with pytest.raises(UsageError) as refused:
            resolve(text)
        assert said in str(refused.value)


def test_an_inner_link_has_a_share_of_ambient_traffic_in_each_direction() -> None:
    group = {"name": "g0", "rate_mbit": 50, "ambient_share": 0.3}
    built = wiring(
        switch=[{"name": "hp", "rate_mbit": 5, "group": [group]}], hosts=[{"names": ["h0..h2"], "on": "g0"}]
    )
    legs = {(leg.source, leg.target): leg.rate_bit_s for leg in ambient.plan_flows(built)}
    assert legs == {("g0", "hp"): 15e6, ("hp", "g0"): 15e6}


def test_an_ambient_datagram_is_valid_and_addressed_to_nobody() -> None:
    frame = ambient.header("02:51:00:00:00:07")
    header = frame[14:34]
    total = sum(int.from_bytes(header[at : at + 2], "big") for at in range(0, 20, 2))
    assert int.from_bytes(header[2:4], "big") == ambient.FRAME_BYTES - 14
    assert frame[:6] == bytes([2, 0x51, 0, 0, 0, 7])
    assert (total & 0xFFFF) + (total >> 16) == 0xFFFF
    assert ipaddress.IPv4Address(header[16:20]) in ipaddress.IPv4Network("198.18.0.0/15")
