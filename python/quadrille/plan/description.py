# SPDX-License-Identifier: BSD-3-Clause
"""A plan in words: what was chosen and why, then who sends to whom."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text
from rich.tree import Tree as Drawn

from quadrille.model.quantities import bytes_text
from quadrille.plan.contract import Bound, Candidate, Comparison, Plan
from quadrille.plan.pattern import Flow, Tree, flows_of, phases_of, tree_of
from quadrille.report.formatting import plural, time_text

_MOST_TOLD_RANKS = 64
"""Ranks of a tree, or flows of a phase, that are told one by one."""
_MOST_PHASES = 40


def describe_plan(plan: Plan) -> RenderableType:
    """Return what a terminal shows."""
    return Group(
        Text(headline(plan), style="bold"), "", _facts(plan), "", _candidates(plan), "", *_pattern(plan)
    )


def headline(plan: Plan) -> str:
    """Return the call and where it runs: bcast of 64 KiB from rank 0, 12 ranks on 12 hosts in 3 segments."""
    call = plan.call
    way = {"gather": "to", "reduce": "to"}.get(call.collective, "from")
    size = "" if call.collective == "barrier" else f" of {bytes_text(call.bytes)}"
    root = "" if call.root is None else f" {way} rank {call.root}"
    hosts = len({seat.host for seat in plan.placement})
    segments = len({seat.segment for seat in plan.placement})
    places = f"{plural(call.ranks, 'rank')} on {plural(hosts, 'host')} in {plural(segments, 'segment')}"
    return f"{call.collective}{size}{root}, {places}"


def _facts(plan: Plan) -> Table:
    table = Table.grid(padding=(0, 2))
    for name, text in facts(plan):
        table.add_row(Text(name), Text(text))
    return table


def facts(plan: Plan) -> Iterator[tuple[str, str]]:
    """Yield what is known of the plan, a name and a sentence each."""
    yield ("asked for" if plan.asked else "chosen"), plan.plan.name
    limit = ""
    if plan.bound is not None:
        by = f", set by {plan.bound.bottleneck}" if plan.bound.bottleneck else ""
        limit = f", {plan.bound.percent_of_limit:.3g} % of the limit {_multicast_text(plan.bound)}, "
        limit += f"{time_text(plan.bound.time_ns)}{by}"
    yield "predicted", time_text(plan.plan.time_ns) + limit
    other = plan.bound.without_multicast if plan.bound is not None else None
    if other is not None and other.percent_of_limit <= 100:  # else the plan itself multicasts
        share = f"{other.percent_of_limit:.3g} % of the limit without multicast"
        yield "one to one", f"{share}, {time_text(other.time_ns)}, set by {other.bottleneck}"
    if plan.plan.retransmissions_ns:
        lost = time_text(plan.plan.retransmissions_ns)
        yield "losses", f"{lost} of it, waiting for what buffers could not hold"
    yield "bottleneck", _bottleneck_text(plan.plan)
    if plan.library is not None:
        said = f"{time_text(plan.library.time_ns)}, {plan.library.source}"
        yield "MPI library", f"{said}; the plan is {_speed_text(plan.library.time_ns, plan.plan.time_ns)}"
    if plan.comparison is not None:
        is_cheapest = plan.comparison.other.name == plan.candidates[0].name
        yield ("cheapest" if is_cheapest else "runner-up"), comparison_text(plan, plan.comparison)
    yield "at run time", f"{plan.at_run_time.reason}: {', '.join(plan.at_run_time.candidates)}"
    yield "planned in", time_text(plan.planning_ns)


def _multicast_text(bound: Bound) -> str:
    if not bound.with_multicast:
        return "without multicast"
    return "with or without multicast" if bound.without_multicast is None else "with multicast"


def _speed_text(library_ns: int, plan_ns: int) -> str:
    if abs(library_ns - plan_ns) <= 0.005 * plan_ns or min(library_ns, plan_ns) == 0:  # 0: of one rank
        return "as fast"
    speed = library_ns / plan_ns
    return f"{speed:.2f} times as fast" if speed > 1 else f"{1 / speed:.2f} times as slow"


def _bottleneck_text(candidate: Candidate) -> str:
    if candidate.bottleneck is None:
        return "none: no message leaves a rank"
    return f"{candidate.bottleneck.name}, busy {candidate.bottleneck.busy_percent:.3g} % of the time"


def comparison_text(plan: Plan, comparison: Comparison) -> str:
    """Return how the other candidate compares, and what the slower one of both loses its time with."""
    other = comparison.other
    if comparison.slower_by_ns == 0:
        return f"{other.name}, the same time; the algorithm listed first is taken"
    other_is_slower = comparison.slower == other.name
    word = "slower" if other_is_slower else "faster"
    text = f"{other.name}, {time_text(other.time_ns)}, {time_text(comparison.slower_by_ns)} {word}"
    return f"{text}: {_reason(comparison, 'it' if other_is_slower else plan.plan.name)}"


def _reason(comparison: Comparison, slower: str) -> str:
    if comparison.most_of_it == "retransmissions":
        return f"{slower} waits {time_text(comparison.most_of_it_ns)} longer for lost packets"
    resource = comparison.resource
    if comparison.most_of_it == "waiting" or resource is None:
        longer = time_text(comparison.most_of_it_ns)
        return f"{slower} leaves its busiest resource idle for {longer} more, waiting for messages in a row"
    more = time_text(resource.busy_slower_ns - resource.busy_faster_ns)
    return f"{slower} keeps {resource.name} busy for {time_text(resource.busy_slower_ns)}, {more} longer"


def _candidates(plan: Plan) -> Table:
    table = Table("candidate", "predicted", "busiest", box=None, padding=(0, 2, 0, 0), header_style="bold")
    table.columns[1].justify = "right"
    for one in plan.candidates:
        table.add_row(Text(one.name), time_text(one.time_ns), Text(_bottleneck_text(one)))
    return table


def _pattern(plan: Plan) -> Iterator[RenderableType]:
    if plan.messages is None:
        yield "too many messages to tell who sends to whom; give fewer --ranks"
        return
    flows = flows_of(plan)
    if not flows:
        yield "no messages"
    elif (tree := tree_of(plan, flows)) is not None:
        yield from _tree(plan, tree, flows)
    else:
        yield from _phases(plan, flows)


def _tree(plan: Plan, tree: Tree, flows: list[Flow]) -> Iterator[RenderableType]:
    yield Text(f"a tree, data go {tree.direction}; from which time to which an edge is in use:", style="bold")
    if plan.call.ranks > _MOST_TOLD_RANKS:
        yield f"{plural(plan.call.ranks, 'rank')}: too many to tell; --svg draws them"
        return
    used = _edge_times(flows)
    drawn = Drawn(_rank_text(plan, tree.root, None))
    branches = {tree.root: drawn}
    queue = [tree.root]
    for rank in queue:
        for below in tree.below[rank]:
            above_segment = plan.seat(rank).segment
            text = _rank_text(plan, below, above_segment)
            text.append(f"  {used[frozenset((rank, below))]}")
            branches[below] = branches[rank].add(text)
            queue.append(below)
    yield drawn


def _rank_text(plan: Plan, rank: int, above_segment: str | None) -> Text:
    """Return rank and host; the segment where it is another one than above."""
    seat = plan.seat(rank)
    text = Text(f"{rank}", style="bold")
    text.append(f" {seat.host}", style="not bold")
    if seat.segment != above_segment:
        text.append(f" [{seat.segment}]", style="not bold")
    return text


def _edge_times(flows: list[Flow]) -> dict[frozenset[int], str]:
    texts = {}
    for flow in flows:
        edge = frozenset((flow.sender, flow.receiver))
        both = [one for one in flows if frozenset((one.sender, one.receiver)) == edge]
        first, last = min(one.start_ns for one in both), max(one.end_ns for one in both)
        count = sum(one.messages for one in both)
        size = bytes_text(sum(one.size for one in both))
        texts[edge] = f"{plural(count, 'message')}, {size}, {time_text(first)} to {time_text(last)}"
    return texts


def _phases(plan: Plan, flows: list[Flow]) -> Iterator[RenderableType]:
    phases = phases_of(flows)
    partners = max(_most_partners(phase) for phase in phases)
    title = f"an exchange in {plural(len(phases), 'phase')}, up to {plural(partners, 'partner')} a phase:"
    yield Text(title, style="bold")
    table = Table("phase", "partners", "begins", "ends", "who sends to whom", box=None, padding=(0, 2, 0, 0))
    for number, phase in enumerate(phases[:_MOST_PHASES]):
        table.add_row(
            str(number + 1),
            str(_most_partners(phase)),
            time_text(min(flow.start_ns for flow in phase)),
            time_text(max(flow.end_ns for flow in phase)),
            Text(_pairs_text(phase, plan.call.ranks)),
        )
    yield table
    if len(phases) > _MOST_PHASES:
        yield f"and {len(phases) - _MOST_PHASES} more; --trace writes all of them"


def _most_partners(phase: list[Flow]) -> int:
    receivers = [flow.receiver for flow in phase]
    return max(receivers.count(rank) for rank in set(receivers))


def _pairs_text(phase: list[Flow], ranks: int) -> str:
    """Return the phase as a rule where every rank does alike, else each sender with its receivers."""
    rule = _rule(phase, ranks)
    if rule is not None:
        return rule
    told = []
    for sender in sorted({flow.sender for flow in phase}):
        receivers = sorted(flow.receiver for flow in phase if flow.sender == sender)
        told.append(f"{sender}→{','.join(map(str, receivers))}")
    return " ".join(told[:_MOST_TOLD_RANKS]) + (" …" if len(told) > _MOST_TOLD_RANKS else "")


def _rule(phase: list[Flow], ranks: int) -> str | None:
    """Return "r→r+1, r+2" where each rank sends to those at the same distances, around the ring of ranks."""
    distances = {
        rank: sorted((flow.receiver - rank) % ranks for flow in phase if flow.sender == rank)
        for rank in range(ranks)
    }
    if any(found != distances[0] for found in distances.values()):
        return None
    return "each rank r → " + ", ".join(f"r+{distance}" for distance in distances[0])
