# SPDX-License-Identifier: BSD-3-Clause
"""A network model in words: what was measured when, the tree of segments, trunks and hosts, and islands."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.text import Text
from rich.tree import Tree

from quadrille.model.contract import Island, NetworkModel, Segment, Trunk
from quadrille.model.quantities import (
    bytes_text,
    in_order,
    measured_text,
    peculiarities,
    ranges,
    rate_text,
    share_text,
    usual,
)
from quadrille.model.tree import Branch, trees
from quadrille.report.formatting import plural, time_text

_DOUBTFUL = 0.7  # a confidence below is told


def describe(model: NetworkModel) -> RenderableType:
    """Return the description, to be printed by rich. `model` was loaded, so every name is there."""
    parts: list[RenderableType] = [Text(line) for line in _header(model)]
    links = [(trunk.between[0], trunk.between[1]) for trunk in model.trunks]
    hosts = {segment.label: len(segment.hosts) for segment in model.segments}
    for top in trees({**hosts, **dict.fromkeys(model.junctions, 0)}, links):
        tree = Tree(_place_title(model, top.place))
        _grow(model, top, tree)
        parts += [Text(""), tree]
    lost = in_order(host.name for host in model.hosts if host.segment is None)
    if lost:
        parts.append(Text(f"in no segment: {', '.join(ranges(lost))}"))
    if len(model.segments) > 1 and not model.trunks:
        parts.append(Text("How the segments are joined is unknown."))
    if model.islands:
        parts += [Text(""), *map(_island_line, model.islands)]
    parts += [Text(line) for line in _footer(model)]
    parts += [Text.assemble(("warning: ", "bold yellow"), warning.text) for warning in model.warnings]
    return Group(*parts)


def _header(model: NetworkModel) -> Iterator[str]:
    made = model.provenance
    yield f"{plural(len(model.hosts), 'host')} in {plural(len(model.segments), 'segment')}"
    if made.created is None:
        yield "written by hand: when and how it was measured is unknown"
    else:
        by = f"Quadrille {made.quadrille_version or 'of unknown version'}"
        took = f", {made.mode or 'full'}" + ("" if made.seconds is None else f", in {made.seconds:.3g} s")
        yield f"measured {made.created} by {by} under {made.mpi_library or 'an unknown MPI library'}{took}"
    if made.network is not None:
        load = [] if made.rounds is None else [plural(made.rounds, "round")]
        load += [] if made.sent_bytes is None else [f"{bytes_text(made.sent_bytes)} sent"]
        if made.most_load_share is not None:
            load.append(f"{share_text(made.most_load_share)} of the busiest cable")
        yield f"network {made.network}" + (f": {', '.join(load)}" if load else "")
    yield from (f"not used: {reason}" for reason in made.not_usable)


def _place_title(model: NetworkModel, name: str) -> Text:
    segment = next((segment for segment in model.segments if segment.label == name), None)
    if segment is None:
        return Text.assemble((name, "bold"), ": junction without hosts")
    doubt = "" if segment.confidence >= _DOUBTFUL else f" (confidence only {share_text(segment.confidence)})"
    names = ", ".join(ranges(in_order(segment.hosts)))
    count = plural(len(segment.hosts), "host")
    return Text.assemble((name, "bold"), f": {segment.kind}{doubt}, {count}: ", (names, "cyan"))


def _grow(model: NetworkModel, branch: Branch, tree: Tree) -> None:
    segment = next((segment for segment in model.segments if segment.label == branch.place), None)
    for line in _segment_lines(model, segment) if segment else ():
        tree.add(Text(line))
    for below in branch.below:
        assert below.link is not None
        node = tree.add(Text(_trunk_line(model.trunks[below.link], branch.place)))
        _grow(model, below, node.add(_place_title(model, below.place)))


def _segment_lines(model: NetworkModel, segment: Segment) -> Iterator[str]:
    hosts = [host for host in model.hosts if host.segment == segment.label]
    there, back = (
        usual(getattr(host, key) for host in hosts) for key in ("from_host_bit_s", "to_host_bit_s")
    )
    if segment.kind == "bus":
        rate = measured_text(segment, "bus_rate_bit_s", rate_text)
        yield f"shared rate {rate}{_load(segment.ambient_share)}"
    if there is None and back is None:
        if segment.kind == "switch":
            yield "rate of the ports unknown"
    elif there is not None and back is not None and abs(there - back) <= 0.05 * max(there, back):
        yield f"each host {rate_text(there)} out and in"
    else:
        out, into = ("unknown" if rate is None else rate_text(rate) for rate in (there, back))
        yield f"each host {out} out, {into} in"
    yield f"latency {measured_text(segment, 'latency_ns', time_text)}"
    yield _burst_line(segment)
    yield _multicast_line(segment)
    alike: dict[str, list[str]] = {}
    for name, words in peculiarities(hosts).items():
        alike.setdefault(", ".join(words), []).append(name)
    for text, names in alike.items():
        yield f"{', '.join(ranges(in_order(names)))} {'differs' if len(names) == 1 else 'differ'}: {text}"


def _burst_line(segment: Segment) -> str:
    line = f"safe burst {measured_text(segment, 'safe_burst_bytes', bytes_text)}"
    if segment.safe_burst_all_ports_bytes is not None:
        line += f", {measured_text(segment, 'safe_burst_all_ports_bytes', bytes_text)} with all ports loaded"
    after = {True: "; nothing was ever lost", False: "; more is lost", None: ""}
    return line + after[segment.lossless]


def _multicast_line(segment: Segment) -> str:
    if segment.multicast is None:
        return "multicast unknown"
    if not segment.multicast:
        return "multicast does not reach every host"
    rate = ""
    if segment.multicast_bit_s is not None:
        rate = f" at {measured_text(segment, 'multicast_bit_s', rate_text)}"
    loss = f", {share_text(segment.multicast_loss)} lost" if segment.multicast_loss else ""
    return f"multicast reaches every host{rate}{loss}"


def _trunk_line(trunk: Trunk, above: str) -> str:
    down, up = ("forward", "backward") if trunk.between[0] == above else ("backward", "forward")
    rates = [measured_text(trunk, f"{way}_bit_s", rate_text) for way in (down, up)]
    loads = [_load(getattr(trunk, f"{way}_ambient_share")) for way in (down, up)]
    if rates[0] == rates[1] and loads[0] == loads[1]:
        line = f"trunk {trunk.label}: {'rate unknown' if rates[0] == 'unknown' else rates[0]}{loads[0]}"
    else:
        line = f"trunk {trunk.label}: {rates[0]}{loads[0]} down, {rates[1]}{loads[1]} up"
    if trunk.latency_ns is not None:
        line += f", latency {measured_text(trunk, 'latency_ns', time_text)} more"
    buffers = [
        f"{measured_text(trunk, f'{way}_buffer_bytes', bytes_text)} {word}"
        for way, word in ((down, "down"), (up, "up"))
        if getattr(trunk, f"{way}_buffer_bytes") is not None
    ]
    line += f", buffer {', '.join(buffers)}" if buffers else ""
    routes = {"several": ", several routes", "unknown": ", number of routes unknown"}
    return line + routes.get(trunk.routes or "unknown", "")


def _load(share: float | None) -> str:
    return f" ({share_text(share)} taken by others)" if share and share >= 0.02 else ""


def _island_line(island: Island) -> Text:
    names = ", ".join(ranges(in_order(island.hosts)))
    rate = "rate unknown" if island.rate_bit_s is None else measured_text(island, "rate_bit_s", rate_text)
    words = f", {rate}, latency {measured_text(island, 'latency_ns', time_text)}"
    network = "; the MPI library's own network"
    return Text.assemble((island.name, "bold"), ": ", (names, "cyan"), words, network)


def _footer(model: NetworkModel) -> Iterator[str]:
    if model.delay_classes:
        yield ""
        yield "distances between hosts:"
    for delay in model.delay_classes:
        latency = "unknown" if delay.latency_ns is None else time_text(delay.latency_ns)
        yield f"  {delay.name}: {plural(delay.pairs or 0, 'pair')}, latency {latency}"
    if model.mpi_costs:
        yield ""
        yield "the MPI library's own calls:"
    for cost in model.mpi_costs:
        what = f"{cost.operation} of {bytes_text(cost.bytes)} on {plural(cost.ranks, 'rank')}"
        yield f"  {what}: {time_text(cost.time_ns)}"
    if model.warnings:
        yield ""
