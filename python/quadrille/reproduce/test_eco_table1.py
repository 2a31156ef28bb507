# SPDX-License-Identifier: BSD-3-Clause
"""eco-table1: the paper's rule of costs on trees counted by hand, and what its search finds."""

from __future__ import annotations

from quadrille.reproduce.experiments.eco_table1 import EXPERIMENT
from quadrille.reproduce.experiments.eco_table1.arithmetic import (
    HOSTS,
    Network,
    binary_tree,
    completion,
    eco_tree,
    from_root,
    least_completion,
    minimal_spanning_trees,
    pairings,
    rooted,
)
from quadrille.reproduce.experiments.eco_table1.searching import PUBLISHED, as_data, solutions

CHAIN = Network(((0, 1), (2, 3), (4, 5)), (1, 1, 1), (2, 2, 5))


def test_the_binary_tree_is_numbered_from_the_root_and_wraps_around() -> None:
    assert binary_tree(3) == {3: [4, 5], 4: [0, 1], 5: [2], 0: [], 1: [], 2: []}


def test_a_host_sends_one_message_after_the_other_and_hosts_send_at_the_same_time() -> None:
    assert completion(CHAIN, {0: [1, 2, 4], 1: [], 2: [3], 3: [], 4: [5], 5: []}, 0) == 1 + 2 + 5 + 1
    assert completion(CHAIN, {0: [2, 1], 1: [], 2: [4, 3], 3: [], 4: [5], 5: []}, 0) == 2 + 2 + 1


def test_minimal_spanning_trees_leave_out_the_dearest_pair_of_subnets() -> None:
    trees = list(minimal_spanning_trees(CHAIN))
    assert len(trees) == 4 * 4
    assert all(sum(CHAIN.cost(*edge) for edge in edges) == 3 * 1 + 2 * 2 for edges in trees)


def test_ecos_tree_enters_every_subnet_once_from_every_root() -> None:
    for subnets in pairings():
        network = Network((subnets[0], subnets[1], subnets[2]), (1, 1, 1), (3, 3, 3))
        for root in range(HOSTS):
            tree = eco_tree(network, root)
            edges = [(host, child) for host, below in tree.items() for child in below]
            assert sorted(child for _, child in edges) == sorted(set(range(HOSTS)) - {root})
            assert sum(network.subnet_of(one) != network.subnet_of(other) for one, other in edges) == 2


def test_least_completion_is_that_of_the_best_tree_counted_by_hand() -> None:
    # 0 sends to 2 (2), then to 1 (3); 2 sends to 4 (4), then to 3 (5); 4 sends to 5 (5).
    assert least_completion(CHAIN, 0) == 5


def test_every_solution_gives_the_papers_four_times() -> None:
    found = list(solutions(most_cost=4))
    assert found
    for network, edges in found:
        for letter, times in PUBLISHED.items():
            root = "abcdef".index(letter)
            assert completion(network, rooted(edges, root), root) == times["spanning"]
            assert completion(network, binary_tree(root), root) == times["binary"]
            assert from_root(root)[0] == root


def test_a_run_whose_spanning_tree_takes_other_times_is_not_the_papers() -> None:
    network, edges = next(solutions(most_cost=3))
    right = {"networks": 1, "solutions": [as_data(network, edges)]}
    assert [effect.seen for effect in EXPERIMENT.judge(right)] == [True, True]
    wrong = as_data(network, edges)
    wrong["completions"]["a"]["spanning"] += 1
    assert EXPERIMENT.judge({"networks": 1, "solutions": [wrong]})[0].failed
    assert EXPERIMENT.judge({"networks": 1, "solutions": []})[0].failed
    assert "from d" in EXPERIMENT.show(right)
