# SPDX-License-Identifier: BSD-3-Clause
"""On which networks, with which messages and in which orders the ring is measured."""

from __future__ import annotations

from dataclasses import dataclass

HOST_ORDER = "hosts in order"
RANDOM_ORDER = "random order"
CART_CREATE = "MPI_Cart_create, reorder"
RANK_FILE = "quadrille order"
ORDERS = (HOST_ORDER, RANDOM_ORDER, CART_CREATE, RANK_FILE)
MAPPED = (CART_CREATE, RANK_FILE)
"""Quadrille's: either gives the same ring; an emulated cluster has both, a real one the first."""

LARGE_BYTES = 20_000
"""A message whose own bytes set the pace on 10 Mbit/s."""

CLUSTER = "cluster"
"""The network of a given launcher, about which nothing is known beforehand."""


@dataclass(frozen=True)
class RingNetwork:
    """`topology`: as `quadrille lab up` takes it; `in_short_form`: measured with `--quick` too."""

    name: str
    title: str
    topology: str
    in_short_form: bool = False


NETWORKS = (
    RingNetwork("buses", "Three buses, hosts 0 3 6 / 1 4 7 / 2 5", "eco_three_buses"),
    RingNetwork("figure3", "The network of Figure 3, CMU and PSC", "eco_cmu_psc"),
    RingNetwork("table7", "The 20 hosts of Table 7", "eco_table7"),
    RingNetwork(
        "trunk",
        "Two switches of 8 hosts, one slow trunk",
        "two_switches_one_trunk:hosts=16,rate_mbit=50,trunk_mbit=10",
        in_short_form=True,
    ),
)


def title_of(name: str) -> str:
    """Return the title of the network called `name` in the data."""
    return next((network.title for network in NETWORKS if network.name == name), "The cluster")


@dataclass(frozen=True)
class Form:
    """How much is measured. `steps`: of a run, by message size in bytes."""

    steps: dict[int, int]
    seeds: int
    rounds: int


QUICK = Form({LARGE_BYTES: 10}, seeds=3, rounds=1)
FULL = Form({100: 100, 1000: 60, LARGE_BYTES: 10}, seeds=7, rounds=1)
