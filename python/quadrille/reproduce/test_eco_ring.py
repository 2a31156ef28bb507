# SPDX-License-Identifier: BSD-3-Clause
"""eco-ring: what a ring puts on a network, counted by hand; verdicts on made-up runs."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from quadrille.errors import QuadrilleError
from quadrille.lab.ready_made import resolve
from quadrille.lab.truth import network_truth
from quadrille.reproduce.experiments.eco_ring import EXPERIMENT
from quadrille.reproduce.experiments.eco_ring.carrying import (
    Ring,
    busiest,
    carriers_of,
    least_ns,
    least_of_random_ns,
    wire_bytes,
)
from quadrille.reproduce.experiments.eco_ring.judging import Found
from quadrille.reproduce.experiments.eco_ring.networks import (
    CART_CREATE,
    HOST_ORDER,
    LARGE_BYTES,
    NETWORKS,
    RANDOM_ORDER,
)
from quadrille.reproduce.experiments.eco_ring.ring_program import RingRun, parse_output

BUSES = network_truth(resolve("eco_three_buses"))
IN_ORDER = tuple(f"h{number}" for number in range(8))
MAPPED = ("h0", "h3", "h6", "h1", "h4", "h7", "h2", "h5")
ALTERNATELY = (1.0, 0.0)


def ring(hosts: tuple[str, ...], gave_right: tuple[float, ...] = ALTERNATELY) -> Ring:
    return Ring(hosts, tuple(itertools.islice(itertools.cycle(gave_right), len(hosts))))


def carrier(network: dict[str, Any], name: str) -> Any:
    return next(one for one in carriers_of(network) if one.name == name)


def test_a_bus_carries_a_message_for_each_pair_with_a_host_on_it() -> None:
    counted = {
        bus: [int(sum(carrier(BUSES, bus).messages(ring(hosts)))) for hosts in (IN_ORDER, MAPPED)]
        for bus in ("bus0", "bus1", "bus2")
    }
    assert counted == {"bus0": [6, 4], "bus1": [6, 4], "bus2": [4, 3]}
    assert (carrier(BUSES, "bus0").fewest(8), carrier(BUSES, "bus0").most(8)) == (4, 6)


def test_no_order_is_better_than_the_fewest_and_none_worse_than_the_most() -> None:
    bus = carrier(BUSES, "bus0")
    counts = {
        sum(bus.messages(ring(("h0", *rest))))
        for rest in itertools.islice(itertools.permutations(IN_ORDER[1:]), 0, None, 7)
    }
    assert (min(counts), max(counts)) == (4, 6)


def test_trunks_and_cables_carry_both_directions_at_a_time() -> None:
    network = network_truth(resolve("two_switches_one_trunk:hosts=4,rate_mbit=10,trunk_mbit=5"))
    groups = [segment["hosts"] for segment in network["segments"]]
    mapped = ring((*groups[0], *groups[1]), (1.0, 1.0))
    (trunk,) = [one for one in carriers_of(network) if one.name.startswith("trunk")]
    assert trunk.messages(mapped) == (1, 1)
    cable = carrier(network, f"cable of {groups[0][0]}")
    assert cable.messages(ring((*groups[0], *groups[1]), ALTERNATELY)) == (2, 0)
    assert busiest(carriers_of(network), mapped, 1000) == trunk
    assert least_ns(carriers_of(network), mapped, 1000) == pytest.approx(1000 * 8 / 5e6 * 1e9)


def test_ranks_of_one_host_load_nothing() -> None:
    assert list(ring(("h0", "h0", "h0")).moves()) == []


def test_a_step_on_buses_takes_what_four_of_six_messages_take() -> None:
    carriers, size = carriers_of(BUSES), wire_bytes(LARGE_BYTES, emulated=True)
    assert size == 20_000 + 14 * 66
    in_order, mapped = (least_ns(carriers, ring(hosts), size) for hosts in (IN_ORDER, MAPPED))
    assert in_order == pytest.approx(6 * size * 800)  # ns a byte at 10 Mbit/s
    assert mapped == pytest.approx(4 * size * 800)
    assert mapped < least_of_random_ns(carriers, ring(IN_ORDER), size) <= in_order


def test_a_model_of_a_real_cluster_is_counted_like_a_lab() -> None:
    keys = ("name", "hosts", "kind", "bus_rate_bit_s")
    model = {
        "segments": [{key: one[key] for key in keys} for one in BUSES["segments"]],
        "hosts": [host | {"name": f"{host['name']}.cluster.local"} for host in BUSES["hosts"]],
        "trunks": [
            {"between": one["between"], "forward_bit_s": one["rate_bit_s"], "backward_bit_s": None}
            for one in BUSES["trunks"]
        ],
    }
    assert {one.name for one in carriers_of(model)} == {"bus0", "bus1", "bus2"}


def recorded(times_ms: dict[str, float], hosts: dict[str, tuple[str, ...]]) -> dict[str, Any]:
    """Return a run on the three buses in which each order took what `times_ms` says."""
    runs = [
        {
            "order": order,
            "seed": 0,
            "bytes": LARGE_BYTES,
            "step_ns": round(time * 1e6),
            "ring": list(hosts[order]),
            "gave_right": list(ring(IN_ORDER).gave_right),
        }
        for order, time in times_ms.items()
    ]
    entry = {"topology": "eco_three_buses", "truth": BUSES, "model": None, "runs": runs}
    return {"networks": {"buses": entry}}


HOSTS = {HOST_ORDER: IN_ORDER, RANDOM_ORDER: IN_ORDER, CART_CREATE: MAPPED}


def test_where_buses_set_the_pace_the_half_is_not_asked_for_and_the_page_says_why() -> None:
    data = recorded({HOST_ORDER: 104, RANDOM_ORDER: 86.5, CART_CREATE: 69.3}, HOSTS)
    faster, half = EXPERIMENT.judge(data)
    assert (faster.seen, half.seen, half.failed) == (True, False, False)
    assert "0.80 of a random order's; the bytes on the wire allow 0.80" in half.why
    assert "carries 4 messages a step, 4 at least and 6 at most in any order" in half.why
    page = EXPERIMENT.show(data)
    assert all(f"<td>{order}</td>" in page for order in HOSTS)
    assert "no order is twice as fast" in page
    assert Found(data["networks"]["buses"]).mapped(LARGE_BYTES) == CART_CREATE


def test_a_mapped_ring_that_takes_longer_than_a_random_one_fails() -> None:
    data = recorded({HOST_ORDER: 60, RANDOM_ORDER: 60, CART_CREATE: 70}, HOSTS)
    assert EXPERIMENT.judge(data)[0].failed


def test_the_half_is_asked_for_on_one_network_of_the_short_form() -> None:
    network = network_truth(resolve(next(one for one in NETWORKS if one.name == "trunk").topology))
    groups = [segment["hosts"] for segment in network["segments"]]
    mapped = ring((*groups[0], *groups[1]), (1.0, 0.0, 1.0))
    carriers, size = carriers_of(network), wire_bytes(LARGE_BYTES, emulated=True)
    assert least_ns(carriers, mapped, size) < 0.45 * least_of_random_ns(carriers, mapped, size)


def test_what_the_program_prints_is_read_and_its_failure_told() -> None:
    run = RingRun("random", 10, 1000, seed=3)
    output = "step_us=69300 work_before=5 work_after=5\nring=h0,h2,h1 gave_right=10,5,0\n"
    assert parse_output(output, 0, run) == {
        "step_ns": 69_300_000,
        "ring": ["h0", "h2", "h1"],
        "gave_right": [1.0, 0.5, 0.0],
    }
    for text, code in ((output, 1), ("no work", 0)):
        with pytest.raises(QuadrilleError, match="ring_balance random 10 1000 3"):
            parse_output(text, code, run)
