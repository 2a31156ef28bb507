# SPDX-License-Identifier: BSD-3-Clause
"""A plan drawn over the network: arrows between the hosts, the tree in one drawing or a drawing a phase.

Colours are Okabe and Ito's; an arrow's phase is also told when the pointer rests on it.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace
from functools import partial

from quadrille.model.contract import NetworkModel
from quadrille.model.model_picture import places_and_links
from quadrille.model.picture import HOST_H, STYLE, HostMark, Link, Place, Spots, draw
from quadrille.model.quantities import bytes_text
from quadrille.plan.contract import Plan
from quadrille.plan.description import facts, headline
from quadrille.plan.pattern import Flow, flows_of, phases_of, tree_of
from quadrille.report.formatting import escape, time_text

_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000")
_MOST_DRAWN_PHASES = 24
_LINE, _MARGIN = 20, 14
_ASIDE = 8
"""How far beside the middle of a box an arrow begins and ends, so that comings and goings part."""
_BEND = 0.18
"""How far an arrow's middle lies beside the straight line, of its length: both directions can be seen."""


def plan_svg(plan: Plan, model: NetworkModel) -> str:
    """Return a self-contained SVG. REQUIRES: the plan has messages; `model` is the one it was made for."""
    places, links = _places_and_links(plan, model)
    flows = flows_of(plan)
    drawings = [("", flows)]
    if tree_of(plan, flows) is None and flows:
        drawings = [(f"phase {at + 1}", phase) for at, phase in enumerate(phases_of(flows))]
    left_out = len(drawings) - _MOST_DRAWN_PHASES
    lines = [headline(plan), *(f"{name}: {text}" for name, text in facts(plan) if name != "planned in")]
    parts = [_text(line, _MARGIN + _LINE * (at + 1), at == 0) for at, line in enumerate(lines)]
    bottom = _MARGIN + _LINE * (len(lines) + 1.0)
    widest = 8.0 * max(map(len, lines))
    for title, phase in drawings[:_MOST_DRAWN_PHASES]:
        if title:
            parts.append(_text(title, bottom + _LINE - 6, True))
            bottom += _LINE
        drawing = draw(places, links, overlay=partial(_arrows, plan, phase))
        width, height = _size(drawing)
        parts.append(_placed(drawing, bottom, width, height))
        bottom += height + _LINE
        widest = max(widest, width)
    if left_out > 0:
        parts.append(_text(f"and {left_out} phases more", bottom + _LINE - 6, False))
        bottom += _LINE
    return (
        f'<svg class="topology" role="img" aria-label="{escape(headline(plan))}" '
        f'width="{widest + 2 * _MARGIN:.0f}" height="{bottom + _MARGIN:.0f}" '
        f'viewBox="0 0 {widest + 2 * _MARGIN:.0f} {bottom + _MARGIN:.0f}" xmlns="http://www.w3.org/2000/svg">'
        f"<style>{STYLE}</style>{_heads()}{''.join(parts)}</svg>"
    )


def _places_and_links(plan: Plan, model: NetworkModel) -> tuple[list[Place], list[Link]]:
    """Return the network with every host drawn, its ranks in its label."""
    ranks: dict[str, list[int]] = {}
    for seat in plan.placement:
        ranks.setdefault(seat.host, []).append(seat.rank)
    places, links = places_and_links(model, compressed=False)
    labelled = [
        Place(place.name, place.kind, place.notes, [_labelled(host, ranks) for host in place.hosts])
        for place in places
    ]
    return labelled, links


def _labelled(host: HostMark, ranks: dict[str, list[int]]) -> HostMark:
    here = ranks.get(host.full_name or host.label, [])
    if not here:
        return host
    numbers = str(here[0]) if len(here) == 1 else f"{here[0]}..{here[-1]}"
    return replace(host, label=f"{numbers}: {host.label}", full_name=host.full_name or host.label)


def _arrows(plan: Plan, flows: list[Flow], spots: Spots) -> str:
    parts = []
    for flow in flows:
        one, other = plan.seat(flow.sender).host, plan.seat(flow.receiver).host
        if one == other:
            continue
        (x1, y1), (x2, y2), (middle_x, middle_y) = _curve(spots[one], spots[other])
        colour = flow.phase % len(_COLOURS)
        size = f"{flow.messages} × {bytes_text(flow.size / flow.messages)}"
        when = f"{time_text(flow.start_ns)} to {time_text(flow.end_ns)}"
        told = f"phase {flow.phase + 1}: rank {flow.sender} to {flow.receiver}, {size}, {when}"
        parts.append(
            f'<path d="M{x1:.1f},{y1:.1f} Q{middle_x:.1f},{middle_y:.1f} {x2:.1f},{y2:.1f}" fill="none" '
            f'stroke="{_COLOURS[colour]}" stroke-width="1.8" stroke-opacity="0.85" '
            f'marker-end="url(#head{colour})"><title>{escape(told)}</title></path>'
        )
    return f'<g class="messages">{"".join(parts)}</g>'


Point = tuple[float, float]


def _curve(one: Point, other: Point) -> tuple[Point, Point, Point]:
    """Return beginning, end and the point that bends it: from box to box, past the names in them."""
    (x1, y1), (x2, y2) = one, other
    aside = math.copysign(_ASIDE, x2 - x1) if abs(x2 - x1) > 1 else 0
    if abs(y2 - y1) < 1:  # side by side: above the boxes
        top = y1 - HOST_H / 2
        start, end = (x1 + aside, top), (x2 - aside, top)
        return start, end, ((x1 + x2) / 2, top - 12 - abs(x2 - x1) * _BEND)
    down = math.copysign(HOST_H / 2, y2 - y1)
    start, end = (x1 + aside, y1 + down), (x2 - aside, y2 - down)
    bend_x, bend_y = -(end[1] - start[1]) * _BEND, (end[0] - start[0]) * _BEND
    return start, end, ((start[0] + end[0]) / 2 + bend_x, (start[1] + end[1]) / 2 + bend_y)


def _heads() -> str:
    heads = "".join(
        f'<marker id="head{number}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" '
        f'orient="auto"><path d="M0,0 L10,5 L0,10 z" fill="{colour}"/></marker>'
        for number, colour in enumerate(_COLOURS)
    )
    return f"<defs>{heads}</defs>"


def _text(words: str, y: float, is_title: bool) -> str:
    kind = "name" if is_title else "note"
    return f'<text x="{_MARGIN}" y="{y:.1f}" class="{kind}">{escape(words)}</text>'


def _size(drawing: str) -> tuple[float, float]:
    found = re.search(r'viewBox="\S+ \S+ (\S+) (\S+)"', drawing)
    assert found is not None
    return float(found[1]), float(found[2])


def _placed(drawing: str, y: float, width: float, height: float) -> str:
    """Return the drawing as a part of another one, from `y` on."""
    place = f'<svg x="{_MARGIN}" y="{y:.1f}" width="{width:.0f}" height="{height:.0f}" overflow="visible" '
    return drawing.replace("<svg ", place, 1)
