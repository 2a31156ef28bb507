# SPDX-License-Identifier: BSD-3-Clause
"""Who sends to whom in a plan: a tree where the messages form one, else phases of partners."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from quadrille.plan.contract import Message, Plan


@dataclass(frozen=True)
class Flow:
    """All that one rank sends to another in a phase."""

    sender: int
    receiver: int
    messages: int
    size: int
    """Bytes of payload, all messages together."""
    phase: int
    """The first in which something is sent, from 0; phases follow each other without a gap."""
    start_ns: int
    end_ns: int


@dataclass(frozen=True)
class Tree:
    """Every message goes along an edge between a rank and the one above it."""

    root: int
    below: dict[int, list[int]] = field(default_factory=dict)
    """The ranks below each, in the order in which they are met."""
    direction: str = "down"
    """`down`, `up`, or `up and down`."""


def flows_of(plan: Plan) -> list[Flow]:
    """Return who sends how much to whom, by phase; requests without data only where nothing else is sent."""
    messages = plan.messages or []
    told = [message for message in messages if message.bytes] or messages
    grouped: dict[tuple[int, int], list[Message]] = defaultdict(list)
    for message in told:
        grouped[message.sender, message.receiver].append(message)
    firsts = sorted({min(message.round for message in pair) for pair in grouped.values()})
    phase_of = {round_: phase for phase, round_ in enumerate(firsts)}
    flows = [
        Flow(
            sender,
            receiver,
            messages=len(pair),
            size=sum(message.bytes for message in pair),
            phase=phase_of[min(message.round for message in pair)],
            start_ns=min(message.start_ns for message in pair),
            end_ns=max(message.end_ns for message in pair),
        )
        for (sender, receiver), pair in grouped.items()
    ]
    return sorted(flows, key=lambda flow: (flow.phase, flow.start_ns, flow.sender))


def tree_of(plan: Plan, flows: list[Flow]) -> Tree | None:
    """Return the tree that the messages form, or None where they form none."""
    ranks = plan.call.ranks
    edges = {frozenset((flow.sender, flow.receiver)) for flow in flows}
    if ranks < 2 or len(edges) != ranks - 1:
        return None
    root = _root(plan, flows)
    neighbours: dict[int, list[int]] = {rank: [] for rank in range(ranks)}
    for flow in flows:
        for one, other in ((flow.sender, flow.receiver), (flow.receiver, flow.sender)):
            if other not in neighbours[one]:
                neighbours[one].append(other)
    below: dict[int, list[int]] = {}
    above = {root: root}
    queue = [root]
    for rank in queue:
        below[rank] = [other for other in neighbours[rank] if other not in above]
        above |= dict.fromkeys(below[rank], rank)
        queue += below[rank]
    if len(queue) != ranks:
        return None
    down = any(above[flow.receiver] == flow.sender for flow in flows)
    up = any(above[flow.sender] == flow.receiver for flow in flows)
    return Tree(root, below, "up and down" if up and down else "down" if down else "up")


def _root(plan: Plan, flows: list[Flow]) -> int:
    """Return the call's root, or the rank that is the first to have heard of all others."""
    if plan.call.root is not None:
        return plan.call.root
    first: dict[frozenset[int], Flow] = {}
    # Of an edge's two directions that begin together, the one to the lower rank counts as up.
    for flow in sorted(flows, key=lambda flow: (flow.start_ns, -flow.sender)):
        first.setdefault(frozenset((flow.sender, flow.receiver)), flow)
    senders = {flow.sender for flow in first.values()}
    receivers = {flow.receiver for flow in first.values()}
    both_ways = len(flows) > len(first)
    tops = set(range(plan.call.ranks)) - (senders if both_ways else receivers)
    return min(tops, default=0)


def phases_of(flows: list[Flow]) -> list[list[Flow]]:
    """Return the flows of each phase."""
    phases: list[list[Flow]] = [[] for _ in range(max((flow.phase for flow in flows), default=-1) + 1)]
    for flow in flows:
        phases[flow.phase].append(flow)
    return phases
