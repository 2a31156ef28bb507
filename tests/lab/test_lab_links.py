# SPDX-License-Identifier: BSD-3-Clause
"""Whether the emulated links do what the lab file says, measured by small transfers between hosts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from lab_traffic import (
    frames_seen,
    needs_namespaces,
    ping_ms,
    tcp_rates_bit_s,
    tcp_total_bit_s,
    topology,
    udp_received,
    wait_for_answer,
    waiting_in_socket,
)

from quadrille.lab.lab import Lab
from quadrille.lab.ready_made import ready_made
from quadrille.lab.status import observe

pytestmark = [pytest.mark.alone, pytest.mark.lab, needs_namespaces, pytest.mark.timeout(120)]

PAYLOAD_OF_FRAME = 1448 / 1514
MULTICAST_GROUP = "239.192.7.1"

needs_br_netfilter = pytest.mark.skipif(
    not Path("/proc/sys/net/bridge/bridge-nf-call-iptables").exists(),
    reason="without br_netfilter no bridge reads frames, and none takes them off their senders' accounts",
)


@pytest.fixture(scope="module")
def switch() -> Iterator[Lab]:
    tables = {
        "switch": [{"name": "s0", "rate_mbit": 20, "buffer_kib": 32}],
        "hosts": [
            {"names": ["h0..h3"], "on": "s0"},
            {"names": ["slow"], "on": "s0", "to_host_mbit": 5},
            {"names": ["lossy"], "on": "s0", "loss_to_host_percent": 5, "loss_from_host_percent": 2},
        ],
    }
    with Lab.up(topology(**tables), "t-switch") as lab:
        yield lab


@pytest.fixture(scope="module")
def buses() -> Iterator[Lab]:
    with Lab.up(ready_made("eco_three_buses", rate_mbit=10, hosts=12), "t-buses") as lab:
        yield lab


def test_a_port_carries_its_rate_within_ten_per_cent(switch: Lab) -> None:
    (rate,) = tcp_rates_bit_s(switch, [("h0", "h1")], 3_000_000)
    assert rate == pytest.approx(20e6 * PAYLOAD_OF_FRAME, rel=0.1)


def test_disjoint_pairs_of_a_switch_do_not_share(switch: Lab) -> None:
    rates = tcp_rates_bit_s(switch, [("h0", "h1"), ("h2", "h3")], 3_000_000)
    assert rates == pytest.approx([20e6 * PAYLOAD_OF_FRAME] * 2, rel=0.1)


def test_a_slow_direction_is_slow_only_that_way(switch: Lab) -> None:
    (to_slow,) = tcp_rates_bit_s(switch, [("h0", "slow")], 1_000_000)
    (from_slow,) = tcp_rates_bit_s(switch, [("slow", "h0")], 3_000_000)
    assert to_slow == pytest.approx(5e6 * PAYLOAD_OF_FRAME, rel=0.1)
    assert from_slow == pytest.approx(20e6 * PAYLOAD_OF_FRAME, rel=0.1)


def test_an_egress_buffer_drops_what_two_senders_put_in_at_once(switch: Lab) -> None:
    before = switch.counters().ports["h3"].dropped_frames
    received = udp_received(switch, ["h0", "h1"], "h3", count=400)
    dropped = switch.counters().ports["h3"].dropped_frames - before
    # Twice the port's rate comes in for 800 frames: half of them goes out, 22 more fit into 32 KiB, and what
    # the first sender got through before the second one began.
    assert len(received) + dropped == 800
    assert 400 <= len(received) <= 540


def test_one_sender_alone_overflows_nothing(switch: Lab) -> None:
    assert udp_received(switch, ["h0"], "h3", count=200) == list(range(200))


def test_deep_buffers_lose_nothing() -> None:
    with Lab.up(ready_made("one_switch", hosts=3, rate_mbit=20, flow_control=True), "t-deep") as lab:
        assert len(udp_received(lab, ["h0", "h1"], "h2", count=200)) == 400


def test_random_loss_has_the_given_rate_in_each_direction(switch: Lab) -> None:
    to_lossy = udp_received(switch, ["h0"], "lossy", count=4000, size=64, gap_s=1e-4)
    from_lossy = udp_received(switch, ["lossy"], "h0", count=4000, size=64, gap_s=1e-4)
    # Four standard deviations of a binomial around 5 and 2 per cent of 4000.
    assert 4000 - len(to_lossy) == pytest.approx(200, abs=56)
    assert 4000 - len(from_lossy) == pytest.approx(80, abs=36)


def test_the_hosts_of_a_bus_share_its_rate(buses: Lab) -> None:
    # h0 h3 h6 h9 are on bus0: two pairs there share 10 Mbit/s, acknowledgements included.
    total = tcp_total_bit_s(buses, [("h0", "h3"), ("h6", "h9")], 600_000)
    assert total == pytest.approx(10e6 * PAYLOAD_OF_FRAME * 0.95, rel=0.12)


def test_different_buses_do_not_share(buses: Lab) -> None:
    rates = tcp_rates_bit_s(buses, [("h0", "h3"), ("h1", "h4")], 1_000_000)
    assert rates == pytest.approx([10e6 * PAYLOAD_OF_FRAME * 0.95] * 2, rel=0.1)


def test_a_frame_between_buses_loads_both(buses: Lab) -> None:
    before = buses.counters().ports
    (rate,) = tcp_rates_bit_s(buses, [("h0", "h1")], 1_000_000)
    after = buses.counters().ports
    assert rate == pytest.approx(10e6 * PAYLOAD_OF_FRAME * 0.95, rel=0.12)
    for bus in ("bus.bus0", "bus.bus1"):
        assert after[bus].out_bytes - before[bus].out_bytes > 1_000_000
    assert after["bus.bus2"].out_bytes - before["bus.bus2"].out_bytes < 10_000


def test_a_bus_loses_frames_at_its_rate() -> None:
    tables = {
        "bus": [{"name": "b0", "rate_mbit": 10, "loss_percent": 10}],
        "hosts": [{"names": ["h0..h1"], "on": "b0"}],
    }
    with Lab.up(topology(**tables), "t-lossybus") as lab:
        received = udp_received(lab, ["h0"], "h1", count=2000, size=64)
    assert 2000 - len(received) == pytest.approx(200, abs=54)


def test_a_port_group_shares_its_inner_link() -> None:
    tables = {
        "switch": [
            {
                "name": "hp",
                "rate_mbit": 20,
                "group": [{"name": "g0", "rate_mbit": 10}, {"name": "g1", "rate_mbit": 10}],
            }
        ],
        "hosts": [{"names": ["h0..h2"], "on": "g0"}, {"names": ["h3..h4"], "on": "g1"}],
    }
    with Lab.up(topology(**tables), "t-groups") as lab:
        (inside,) = tcp_rates_bit_s(lab, [("h0", "h1")], 2_000_000)
        across = tcp_total_bit_s(lab, [("h0", "h3"), ("h1", "h4")], 1_000_000)
    assert inside == pytest.approx(20e6 * PAYLOAD_OF_FRAME, rel=0.1)
    assert across == pytest.approx(10e6 * PAYLOAD_OF_FRAME, rel=0.1)


def test_a_delayed_trunk_adds_its_delay_and_keeps_its_rate() -> None:
    with Lab.up(ready_made("two_sites", hosts=4, rate_mbit=50, trunk_mbit=20, delay_ms=5), "t-delay") as lab:
        across, inside = ping_ms(lab, "h0", "h2"), ping_ms(lab, "h0", "h1")
        # More than TCP's window growth needs at this round trip, so that the mean shows the trunk's rate.
        (rate,) = tcp_rates_bit_s(lab, [("h0", "h2")], 6_000_000)
    assert sorted(across)[len(across) // 2] == pytest.approx(10, abs=0.6)
    assert sorted(inside)[len(inside) // 2] < 1
    assert rate == pytest.approx(20e6 * PAYLOAD_OF_FRAME, rel=0.1)


def test_jitter_varies_the_delay_and_keeps_the_order() -> None:
    with Lab.up(ready_made("two_sites", hosts=4, delay_ms=5, jitter_ms=3), "t-jitter") as lab:
        times = ping_ms(lab, "h0", "h2", count=60)
        received = udp_received(lab, ["h0"], "h2", count=300, size=200, gap_s=0.0005)
    assert received == list(range(300))
    assert max(times) - min(times) > 3
    assert min(times) >= 4


@pytest.mark.parametrize("allowed", [True, False])
def test_multicast_passes_a_switch_only_where_it_is_allowed(allowed: bool) -> None:
    with Lab.up(ready_made("one_switch", hosts=2, multicast=allowed), "t-mcast") as lab:
        received = udp_received(lab, ["h0"], "h1", count=50, group=MULTICAST_GROUP, idle_s=1.0)
        assert udp_received(lab, ["h0"], "h1", count=50) == list(range(50))
    assert received == (list(range(50)) if allowed else [])


@needs_br_netfilter
def test_a_switch_in_which_nothing_waits_carries_frames_without_reading_them() -> None:
    """That a packet's header has a wrong check sum is its receiver's business, no switch's."""
    header = bytes.fromhex("4500002e 00010000 4011 0bad c6120001 c6120002")
    frame = b"\xff" * 6 + bytes.fromhex("025100000001 0800") + header + bytes(26)
    with Lab.up(ready_made("unlimited", hosts=2), "t-unread") as lab:
        assert frame in frames_seen(lab, "h0", "h1", frame)


@needs_br_netfilter
def test_what_waits_in_a_switch_is_not_in_its_senders_socket() -> None:
    tables = {
        "switch": [{"name": "s0", "rate_mbit": 1000, "buffer_kib": 256}],
        "hosts": [{"names": ["h0"], "on": "s0"}, {"names": ["h1"], "on": "s0", "to_host_mbit": 1}],
    }
    with Lab.up(topology(**tables), "t-senders") as lab:
        wait_for_answer(lab, "h0", "h1")
        # 100 datagrams leave h0 within 2 ms; the switch brings them to h1 within 1200.
        assert waiting_in_socket(lab, "h0", "h1", count=100, after_s=0.05) == 0
        assert lab.counters().ports["h1"].waiting_bytes > 50_000


def test_ambient_traffic_takes_its_share_of_each_link_and_of_no_other() -> None:
    tables = {
        "switch": [{"name": "s0", "rate_mbit": 20}, {"name": "s1", "rate_mbit": 20}],
        "bus": [{"name": "b0", "rate_mbit": 10, "ambient_share": 0.3}],
        "trunk": [{"between": ["s0", "s1"], "ambient_share": 0.5}, {"between": ["s1", "b0"]}],
        "hosts": [
            {"names": ["h0"], "on": "s0", "ambient_to_host_share": 0.25},
            {"names": ["h1"], "on": "s1", "ambient_from_host_share": 0.4},
            {"names": ["h2"], "on": "b0"},
        ],
    }
    with Lab.up(topology(**tables), "t-ambient") as lab:
        ports = observe(lab.state, 3.0).ports
    assert ports["trunk0.a"].out_bit_s == pytest.approx(10e6, rel=0.1)
    assert ports["trunk0.b"].out_bit_s == pytest.approx(10e6, rel=0.1)
    assert ports["bus.b0"].out_bit_s == pytest.approx(3e6, rel=0.12)
    assert ports["h0"].out_bit_s == pytest.approx(5e6, rel=0.12)
    assert ports["h0"].in_bit_s < 1e5
    assert ports["h1"].in_bit_s == pytest.approx(8e6, rel=0.12)
    assert ports["h1"].out_bit_s < 1e5
    assert ports["trunk1.a"].out_bit_s < 1e5
