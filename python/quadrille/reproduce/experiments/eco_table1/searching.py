# SPDX-License-Identifier: BSD-3-Clause
"""Searches all networks of small whole costs for those on which the paper's trees take the paper's times."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from quadrille.reproduce.experiments.eco_table1.arithmetic import (
    HOSTS,
    LETTERS,
    Edge,
    Network,
    binary_tree,
    completion,
    eco_tree,
    least_completion,
    minimal_spanning_trees,
    pairings,
    rooted,
)

MOST_COST = 6
"""Of one message: where the search ends."""

PUBLISHED = {"a": {"spanning": 7, "binary": 9}, "d": {"spanning": 8, "binary": 7}}


def networks(most_cost: int = MOST_COST) -> Iterator[Network]:
    """Yield every network in which any two subnets are further apart than the hosts of any one.

    Those with the fewest different costs come first, then those with the least.
    """
    costs = range(1, most_cost + 1)
    triples = [(one, two, three) for one in costs for two in costs for three in costs]
    pairs = [(inside, between) for inside in triples for between in triples if max(inside) < min(between)]
    pairs.sort(key=lambda both: (len({*both[0]}) + len({*both[1]}), sum(both[0]) + sum(both[1])))
    for inside, between in pairs:
        for subnets in pairings():
            yield Network((subnets[0], subnets[1], subnets[2]), inside, between)


def solutions(most_cost: int = MOST_COST) -> Iterator[tuple[Network, tuple[Edge, ...]]]:
    """Yield every network and minimal spanning tree of it that give Table 1."""
    roots = [(LETTERS.index(letter), times) for letter, times in PUBLISHED.items()]
    for network in networks(most_cost):
        if any(completion(network, binary_tree(root), root) != times["binary"] for root, times in roots):
            continue
        for edges in minimal_spanning_trees(network):
            if all(
                completion(network, rooted(edges, root), root) == times["spanning"] for root, times in roots
            ):
                yield network, edges


def completions(network: Network, edges: tuple[Edge, ...]) -> dict[str, dict[str, int]]:
    """Return the completion times from every root, by letter and tree."""
    return {
        LETTERS[root]: {
            "spanning": completion(network, rooted(edges, root), root),
            "binary": completion(network, binary_tree(root), root),
            "eco": completion(network, eco_tree(network, root), root),
            "least": least_completion(network, root),
        }
        for root in range(HOSTS)
    }


def as_data(network: Network, edges: tuple[Edge, ...]) -> dict[str, Any]:
    """Return a solution as JSON values, with the completion times from every root."""
    spanning = [f"{LETTERS[one]}{LETTERS[other]}" for one, other in edges]
    return {**asdict(network), "spanning_tree": spanning, "completions": completions(network, edges)}
