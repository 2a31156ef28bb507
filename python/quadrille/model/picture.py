# SPDX-License-Identifier: BSD-3-Clause
"""The network as an SVG drawing: a tree that grows to the right, so that every trunk has a row of its own.

A switch is a box that holds its hosts, a bus a thick line on which they hang, a junction a small box.
Colours are Okabe and Ito's; what they say is also said by shape or text.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from quadrille.model.tree import Branch, trees
from quadrille.report.formatting import escape

HOST_H, _GAP, _PAD, _LINE = 26, 6, 12, 17
_LETTER, _BOLD = 7.0, 8.2  # width of a letter, at most but for rows of capitals
_ROW_W = 560  # hosts stand side by side up to this width
_BETWEEN_Y = 18
_LONGEST_LABEL = 34

STYLE = """
svg.topology { font-family: system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; background: #fff; }
svg.topology text { font-size: 12.5px; fill: #1d2329; }
svg.topology .name { font-weight: 600; font-size: 13.5px; }
svg.topology .note { fill: #5a6570; font-size: 12px; }
svg.topology .segment { fill: #eef4f9; stroke: #0072b2; stroke-width: 1.6; }
svg.topology .segment.bus { fill: #fdf6e8; stroke: none; }
svg.topology .segment.junction { fill: #f0f1f2; stroke: #5a6570; stroke-dasharray: 4 3; }
svg.topology .segment.unknown { fill: #fff; stroke: #5a6570; stroke-dasharray: 4 3; }
svg.topology .wire { stroke: #b26a00; stroke-width: 6; fill: none; stroke-linecap: round; }
svg.topology .stub { stroke: #b26a00; stroke-width: 2; }
svg.topology .host { fill: #fff; stroke: #7d93a8; }
svg.topology .host.odd { fill: #ffe9c7; stroke: #d55e00; stroke-width: 2.2; }
svg.topology .host.island { stroke: #009e73; stroke-width: 2.2; }
svg.topology .trunk { stroke: #56708a; fill: none; stroke-linejoin: round; }
svg.topology .trunk.unknown { stroke-dasharray: 6 4; }
svg.topology .trunk-label { font-weight: 600; }
"""


@dataclass(frozen=True)
class HostMark:
    """A host, or a row of like hosts."""

    label: str
    detail: str = ""
    """What is told when the pointer rests on it."""
    odd: bool = False
    full_name: str = ""
    """Where the label is not all of it."""
    in_island: bool = False
    """Whether the MPI library has a network of its own to some of the others."""


@dataclass
class Place:
    """A segment or junction. `kind`: switch, bus, junction or unknown."""

    name: str
    kind: str
    notes: list[str] = field(default_factory=list)
    hosts: list[HostMark] = field(default_factory=list)


@dataclass(frozen=True)
class Link:
    """A trunk between two places, by name."""

    first: str
    second: str
    forward: str
    """What is known of it from first to second, such as the rate."""
    backward: str
    bit_s: float | None
    detail: str = ""


@dataclass
class _Box:
    place: Place
    host_w: float
    per_row: int
    width: float
    height: float
    x: float = 0
    y: float = 0

    @property
    def head(self) -> float:
        return _PAD + _LINE * (1 + len(self.place.notes)) + (8 if self.place.hosts else 0)


Spots = dict[str, tuple[float, float]]
"""The middle of each host's box, by full name."""


def draw(
    places: list[Place],
    links: list[Link],
    legend: bool = False,
    overlay: Callable[[Spots], str] | None = None,
) -> str:
    """Return the SVG. With a legend it stands alone, with its own style; without, the page has STYLE.

    `overlay` draws over it and is told where hosts stand.
    """
    boxes = {place.name: _box(place) for place in places}
    links = [link for link in links if {link.first, link.second} <= boxes.keys()]
    tops = trees(
        {place.name: len(place.hosts) for place in places}, [(link.first, link.second) for link in links]
    )
    columns = _columns(tops, boxes, links)
    bottom = 1.0
    drawn = []
    for top in tops:
        bottom = _set(top, boxes, columns, bottom)[1] + 2 * _BETWEEN_Y
        drawn += _trunks(top, boxes, links)
    drawn += [_box_svg(box) for box in boxes.values()]
    if overlay is not None:
        drawn.append(overlay(_spots(boxes)))
    width = max(box.x + box.width for box in boxes.values()) + 2
    bottom -= 2 * _BETWEEN_Y - 2
    if legend:
        islands = any(host.in_island for place in places for host in place.hosts)
        width = max(width, 1080 if islands else 830)
        drawn.append(_legend(bottom + _BETWEEN_Y, islands))
        bottom += _BETWEEN_Y + 40
    margin = 14 if legend else 0
    size = (
        f'width="{width + 2 * margin:.0f}" height="{bottom + 2 * margin:.0f}"'
        if legend
        else f'style="max-width:{width:.0f}px"'
    )
    style = f"<style>{STYLE}</style>" if legend else ""
    return (
        f'<svg class="topology" role="img" aria-label="network topology" {size} '
        f'viewBox="{-margin} {-margin} {width + 2 * margin:.0f} {bottom + 2 * margin:.0f}" xmlns="http://www.w3.org/2000/svg">'
        f"{style}{''.join(drawn)}</svg>"
    )


def _box(place: Place) -> _Box:
    host_w = max((_LETTER * len(_shortened(host.label)) + 16 for host in place.hosts), default=0)
    host_w = max(host_w, 44)
    per_row = max(1, min(8, int(_ROW_W // (host_w + _GAP))))
    columns = min(len(place.hosts), per_row)
    texts = [_BOLD * len(f"{place.kind} {place.name}"), *(_LETTER * len(note) for note in place.notes)]
    width = max(columns * (host_w + _GAP) - _GAP, *texts) + 2 * _PAD
    box = _Box(place, host_w, per_row, width, 0)
    rows = -(-len(place.hosts) // per_row)
    box.height = box.head + rows * (_row_height(place) + _GAP) + (_PAD - _GAP if rows else 8)
    return box


def _row_height(place: Place) -> float:
    return HOST_H + (14 if place.kind == "bus" else 0)


def _columns(tops: list[Branch], boxes: dict[str, _Box], links: list[Link]) -> list[float]:
    """Return where each column of the drawing begins; the space before it holds its trunks' labels."""
    widths: list[float] = []
    labels: list[float] = []
    level = tops
    while level:
        widths.append(max(boxes[branch.place].width for branch in level))
        level = [below for branch in level for below in branch.below]
        texts = [text for branch in level if branch.link is not None for text in _labels(links[branch.link])]
        labels.append(max((len(text) + 2 for text in texts), default=0) * _BOLD + 44)
    columns = [1.0]
    for width, label in zip(widths, labels, strict=True):
        columns.append(columns[-1] + width + label)
    return columns


def _set(
    branch: Branch, boxes: dict[str, _Box], columns: list[float], top: float, depth: int = 0
) -> tuple[float, float]:
    """Place `branch` and all below it from `top` on; return the middle of its box and where it all ends."""
    box = boxes[branch.place]
    box.x = columns[depth]
    middles: list[float] = []
    end = top
    for below in branch.below:
        middle, end = _set(below, boxes, columns, end + (_BETWEEN_Y if middles else 0), depth + 1)
        middles.append(middle)
    wanted = (middles[0] + middles[-1]) / 2 if middles else top + box.height / 2
    box.y = max(top, wanted - box.height / 2)
    return box.y + box.height / 2, max(end, box.y + box.height)


def _labels(link: Link) -> list[str]:
    return [link.forward] if link.forward == link.backward else [link.forward, link.backward]


def _trunks(branch: Branch, boxes: dict[str, _Box], links: list[Link]) -> list[str]:
    slowest = min((link.bit_s for link in links if link.bit_s), default=1.0)
    parts = []
    for below in branch.below:
        assert below.link is not None
        link, start, end = links[below.link], boxes[branch.place], boxes[below.place]
        x1, y1 = start.x + start.width, start.y + start.height / 2
        x2, y2 = end.x, end.y + end.height / 2
        turn = x1 + 22 if abs(y1 - y2) > 1 else x1
        wide = 2.5 if not link.bit_s else min(11.0, 3 + 3 * math.log10(link.bit_s / slowest))
        unknown = "" if link.bit_s else " unknown"
        down, up = (
            (link.forward, link.backward) if link.first == branch.place else (link.backward, link.forward)
        )
        lines = (
            [(down, -wide / 2 - 5)]
            if down == up
            else [(f"→ {down}", -wide / 2 - 5), (f"← {up}", wide / 2 + 14)]
        )
        at = max(turn, x2 - max(len(text) for text, _ in lines) * _BOLD - 8) + 4
        parts.append(
            f"<g><title>{escape(link.detail)}</title>"
            f'<path d="M{x1:.1f},{y1:.1f} H{turn:.1f} V{y2:.1f} H{x2:.1f}" '
            f'class="trunk{unknown}" stroke-width="{wide:.1f}"/>'
            + "".join(
                f'<text x="{at:.1f}" y="{y2 + shift:.1f}" class="trunk-label">{escape(text)}</text>'
                for text, shift in lines
            )
            + "</g>"
        )
        parts += _trunks(below, boxes, links)
    return parts


def _box_svg(box: _Box) -> str:
    place = box.place
    x, y = box.x, box.y
    parts = [
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{box.width:.1f}" height="{box.height:.1f}" rx="8" '
        f'class="segment {escape(place.kind)}"/>',
        f'<text x="{x + _PAD:.1f}" y="{y + _PAD + 8:.1f}" class="name">'
        f"{escape(f'{place.kind} {place.name}')}</text>",
    ]
    for index, note in enumerate(place.notes):
        line = y + _PAD + 8 + _LINE * (index + 1)
        parts.append(f'<text x="{x + _PAD:.1f}" y="{line:.1f}" class="note">{escape(note)}</text>')
    if place.kind == "bus" and place.hosts:
        parts.append(_wire(box))
    for index, host in enumerate(place.hosts):
        left, top = _corner(box, index)
        if place.kind == "bus":
            middle = left + box.host_w / 2
            parts.append(
                f'<line x1="{middle:.1f}" y1="{top:.1f}" x2="{middle:.1f}" y2="{top + 14:.1f}" class="stub"/>'
            )
            top += 14
        parts.append(_host_svg(host, left, top, box.host_w))
    return f"<g>{''.join(parts)}</g>"


def _corner(box: _Box, index: int) -> tuple[float, float]:
    """Return the upper left of host `index` and, on a bus, of the cable above it."""
    left = box.x + _PAD + index % box.per_row * (box.host_w + _GAP)
    return left, box.y + box.head + index // box.per_row * (_row_height(box.place) + _GAP)


def _spots(boxes: dict[str, _Box]) -> Spots:
    spots = {}
    for box in boxes.values():
        for index, host in enumerate(box.place.hosts):
            left, top = _corner(box, index)
            middle_y = top + _row_height(box.place) - HOST_H / 2
            spots[host.full_name or host.label] = left + box.host_w / 2, middle_y
    return spots


def _wire(box: _Box) -> str:
    """Return the bus: a thick line above each row of hosts, joined at the left."""
    rows = -(-len(box.place.hosts) // box.per_row)
    first = box.y + box.head
    left, right = box.x + 5, box.x + box.width - 5
    tops = [first + row * (_row_height(box.place) + _GAP) for row in range(rows)]
    path = "".join(f"M{left:.1f},{top:.1f} H{right:.1f} " for top in tops)
    if rows > 1:
        path += f"M{left:.1f},{first:.1f} V{tops[-1]:.1f}"
    return f'<path d="{path.strip()}" class="wire"/>'


def _host_svg(host: HostMark, x: float, y: float, width: float) -> str:
    name = host.full_name or host.label
    detail = f"{name}: {host.detail}" if host.detail else name
    kinds = f"host{' odd' if host.odd else ''}{' island' if host.in_island else ''}"
    return (
        f'<g><title>{escape(detail)}</title><rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" '
        f'height="{HOST_H}" rx="4" class="{kinds}"/>'
        f'<text x="{x + width / 2:.1f}" y="{y + 17:.1f}" text-anchor="middle">'
        f"{escape(_shortened(host.label))}</text></g>"
    )


def _shortened(label: str) -> str:
    return label if len(label) <= _LONGEST_LABEL else label[: _LONGEST_LABEL - 1] + "…"


def _legend(y: float, islands: bool) -> str:
    def text(x: float, words: str) -> str:
        return f'<text x="{x}" y="{y + 20:.1f}" class="note">{words}</text>'

    island = f'<rect x="830" y="{y + 5:.1f}" width="26" height="20" rx="4" class="host island"/>'
    return (
        '<g class="legend">'
        f'<rect x="1" y="{y + 5:.1f}" width="26" height="20" rx="5" class="segment switch"/>'
        + text(33, "switch")
        + f'<path d="M92,{y + 12:.1f} H120" class="wire"/>'
        f'<line x1="106" y1="{y + 12:.1f}" x2="106" y2="{y + 26:.1f}" class="stub"/>'
        + text(127, "bus")
        + f'<rect x="165" y="{y + 5:.1f}" width="26" height="20" rx="5" class="segment junction"/>'
        + text(197, "junction without hosts")
        + f'<rect x="340" y="{y + 5:.1f}" width="26" height="20" rx="4" class="host odd"/>'
        + text(372, "unlike its neighbours")
        + f'<path d="M505,{y + 15:.1f} H537" class="trunk" stroke-width="6"/>'
        + text(543, "trunk, wider is faster; dashed: rate unknown")
        + (island + text(862, "on the MPI library's own network") if islands else "")
        + "</g>"
    )
