# SPDX-License-Identifier: BSD-3-Clause
"""The paper's illustration in numbers: six hosts in three subnets of two, trees on them, completion times.

The paper's rule (section 4): an edge costs what a message between its ends takes, costs along a way add up, a
host sends one message after the other, different hosts send at the same time. Hosts are 0 to 5 for a to f.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

HOSTS = 6
LETTERS = "abcdef"
Edge = tuple[int, int]
Tree = dict[int, list[int]]
"""Children of each host, in the order in which it serves them."""


@dataclass(frozen=True)
class Network:
    """`subnets`: the pairs; `inside`: cost in each pair; `between`: of pairs 0-1, 1-2, 0-2."""

    subnets: tuple[Edge, Edge, Edge]
    inside: tuple[int, int, int]
    between: tuple[int, int, int]

    def subnet_of(self, host: int) -> int:
        """Return the number of `host`'s pair."""
        return next(number for number, pair in enumerate(self.subnets) if host in pair)

    def cost(self, one: int, other: int) -> int:
        """Return what a message between two hosts takes."""
        here, there = sorted((self.subnet_of(one), self.subnet_of(other)))
        if here == there:
            return self.inside[here]
        return self.between[{(0, 1): 0, (1, 2): 1, (0, 2): 2}[(here, there)]]

    def hosts_by_subnet(self) -> list[list[str]]:
        """Return the letters of each pair."""
        return [[LETTERS[host] for host in pair] for pair in self.subnets]


def pairings(hosts: tuple[int, ...] = tuple(range(HOSTS))) -> Iterator[tuple[Edge, ...]]:
    """Yield all 15 ways to make three pairs of six hosts."""
    if not hosts:
        yield ()
        return
    first, *rest = hosts
    for other in rest:
        left = tuple(host for host in rest if host != other)
        yield from (((first, other), *more) for more in pairings(left))


def completion(network: Network, tree: Tree, root: int) -> int:
    """Return when the last host has the message."""
    last, waiting = 0, [(root, 0)]
    while waiting:
        host, time = waiting.pop()
        for child in tree[host]:
            time += network.cost(host, child)
            last = max(last, time)
            waiting.append((child, time))
    return last


def from_root(root: int) -> list[int]:
    """Return the hosts in the order of the alphabet, beginning at `root` and wrapping around."""
    return [(root + distance) % HOSTS for distance in range(HOSTS)]


def binary_tree(root: int) -> Tree:
    """Return the paper's binary tree: host i's children are 2 i and 2 i + 1, counted from the root on."""
    order = from_root(root)
    return {
        host: [order[child] for child in (2 * place + 1, 2 * place + 2) if child < HOSTS]
        for place, host in enumerate(order)
    }


def rooted(edges: tuple[Edge, ...], root: int) -> Tree:
    """Return the tree of `edges` seen from `root`; children are served in the order of the binary tree's."""
    order, tree, reached = from_root(root), {}, [root]
    for host in reached:
        linked = {one + other - host for one, other in edges if host in (one, other)}
        tree[host] = [other for other in order if other in linked and other not in reached]
        reached += tree[host]
    return tree


def minimal_spanning_trees(network: Network) -> Iterator[tuple[Edge, ...]]:
    """Yield every spanning tree of least total cost."""
    costs = {edge: network.cost(*edge) for edge in itertools.combinations(range(HOSTS), 2)}
    # The edges inside subnets are the cheapest of all, so every such tree has them.
    across = [edge for edge in costs if edge not in network.subnets]
    found = []
    for two in itertools.combinations(across, 2):
        ends = [{network.subnet_of(host) for host in edge} for edge in two]
        if ends[0] != ends[1]:
            found.append((sum(costs[edge] for edge in two), two))
    least = min(cost for cost, _ in found)
    yield from ((*network.subnets, *two) for cost, two in found if cost == least)


def eco_tree(network: Network, root: int) -> Tree:
    """Return section 4's tree: the root serves one host of each other subnet, then its own; so do those."""
    order = from_root(root)
    heads: dict[int, int] = {}
    for host in order:
        heads.setdefault(network.subnet_of(host), host)
    tree: Tree = {host: [] for host in order}
    tree[root] = [head for head in heads.values() if head != root]
    for host in order:
        head = heads[network.subnet_of(host)]
        if host != head:
            tree[head].append(host)
    return tree


def least_completion(network: Network, root: int) -> int:
    """Return the least completion time of any tree and any order of sends."""
    best = min(
        completion(network, binary_tree(root), root), completion(network, eco_tree(network, root), root)
    )

    def send(free_at: dict[int, int], last: int) -> None:
        nonlocal best
        if len(free_at) == HOSTS:
            best = min(best, last)
            return
        for sender, other in itertools.product(list(free_at), range(HOSTS)):
            time = free_at[sender] + network.cost(sender, other) if other not in free_at else best
            if time < best:
                send(free_at | {sender: time, other: time}, max(last, time))

    send({root: 0}, 0)
    return best
