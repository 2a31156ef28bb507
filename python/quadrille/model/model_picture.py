# SPDX-License-Identifier: BSD-3-Clause
"""A network model as a drawing: what the boxes, marks and lines of it say."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from quadrille.model.contract import ModelHost, NetworkModel, Segment, Trunk
from quadrille.model.picture import HostMark, Link, Place, draw
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
from quadrille.report.formatting import plural, time_text

_MANY = 32  # hosts of the whole network; beyond, those numbered in a row become one mark


def model_svg(model: NetworkModel) -> str:
    """Return a self-contained SVG. `model` was loaded, so every name is there."""
    return draw(*places_and_links(model), legend=True)


def places_and_links(model: NetworkModel, compressed: bool | None = None) -> tuple[list[Place], list[Link]]:
    """Return what is to be drawn; hosts numbered in a row as one mark, by default where there are many."""
    if compressed is None:
        compressed = len(model.hosts) > _MANY
    places = [_segment_place(model, segment, compressed) for segment in model.segments]
    places += [Place(junction, "junction") for junction in model.junctions]
    return places, [_link(trunk) for trunk in model.trunks]


def _segment_place(model: NetworkModel, segment: Segment, compressed: bool) -> Place:
    hosts = [host for host in model.hosts if host.segment == segment.label]
    odd = peculiarities(hosts)
    island_of = {name: island.name for island in model.islands for name in island.hosts}
    names = in_order(host.name for host in hosts)
    domains = {name.partition(".")[2] for name in names}
    only = domains.pop() if len(domains) == 1 and not names[0][:1].isdigit() else ""
    domain = f".{only}" if only else ""

    def mark(name: str, island: str) -> HostMark:
        label = name.replace(domain, "") if domain else name
        detail = ", ".join([*odd.get(name, []), *([f"in island {island}"] if island else [])])
        return HostMark(label, detail, odd=name in odd, full_name=name, in_island=bool(island))

    shown = [(name, island_of.get(name, "")) for name in names]
    if compressed:
        alike = groupby((pair for pair in shown if pair[0] not in odd), key=lambda pair: pair[1])
        rows = [(text, island) for island, row in alike for text in ranges(name for name, _ in row)]
        shown = [*rows, *(pair for pair in shown if pair[0] in odd)]
    notes = [*_notes(segment, hosts), *_island_notes(model, segment)]
    return Place(segment.label, segment.kind, notes, [mark(name, island) for name, island in shown])


def _notes(segment: Segment, hosts: list[ModelHost]) -> list[str]:
    out, into = (usual(getattr(host, key) for host in hosts) for key in ("from_host_bit_s", "to_host_bit_s"))
    if segment.kind == "bus":
        rate = f"{measured_text(segment, 'bus_rate_bit_s', rate_text)} shared"
    elif out is None or into is None or abs(out - into) > 0.05 * max(out, into):
        texts = ["unknown" if known is None else rate_text(known) for known in (out, into)]
        rate = "rates unknown" if out is None and into is None else f"{texts[0]} out, {texts[1]} in a host"
    else:
        rate = f"{rate_text(out)} a host"
    notes = [f"{len(hosts)} {'host' if len(hosts) == 1 else 'hosts'}, {rate}"]
    if segment.safe_burst_bytes is not None:
        notes.append(f"safe burst {measured_text(segment, 'safe_burst_bytes', bytes_text)}")
    if segment.multicast is False:
        notes.append("no multicast to every host")
    return notes


def _island_notes(model: NetworkModel, segment: Segment) -> Iterator[str]:
    for island in model.islands:
        if here := len(set(island.hosts) & set(segment.hosts)):
            rate = measured_text(island, "rate_bit_s", rate_text)
            rate = "rate unknown" if rate == "unknown" else f"{rate} a host"
            yield f"island {island.name}: {plural(here, 'host')}, {rate}"


def _link(trunk: Trunk) -> Link:
    texts = []
    for way in ("forward", "backward"):
        text = measured_text(trunk, f"{way}_bit_s", rate_text)
        load = getattr(trunk, f"{way}_ambient_share")
        texts.append(text + (f", {share_text(load)} taken" if load and load >= 0.02 else ""))
    if texts == ["unknown", "unknown"]:
        texts = ["rate unknown", "rate unknown"]
    known = [rate for rate in (trunk.forward_bit_s, trunk.backward_bit_s) if rate]
    latency = "" if trunk.latency_ns is None else f", latency {time_text(trunk.latency_ns)} more"
    return Link(
        trunk.between[0],
        trunk.between[1],
        forward=texts[0],
        backward=texts[1],
        bit_s=min(known) if known else None,
        detail=f"trunk {trunk.label}{latency}, routes: {trunk.routes or 'unknown'}",
    )
