# SPDX-License-Identifier: BSD-3-Clause
"""The network as an SVG drawing: segments in rows by distance from the middle, trunks between."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from quadrille.report.formatting import escape

_HOST_W, _HOST_H, _GAP = 58, 26, 6
_HEAD, _PAD, _BETWEEN_X, _BETWEEN_Y = 44, 10, 24, 56


@dataclass
class _Box:
    name: str
    kind: str
    note: str
    hosts: list[str]
    per_row: int
    level: int = 0
    x: float = 0
    y: float = 0
    neighbours: list[str] = field(default_factory=list)

    @property
    def width(self) -> float:
        columns = min(max(len(self.hosts), 2), self.per_row)
        return max(columns * (_HOST_W + _GAP) - _GAP + 2 * _PAD, 7.2 * len(self.note) + 2 * _PAD)

    @property
    def height(self) -> float:
        rows = -(-len(self.hosts) // self.per_row)
        return _HEAD + rows * (_HOST_H + _GAP) + (_PAD - _GAP if rows else 0)


def topology_svg(network: dict[str, Any]) -> str:
    """Return a drawing of `network` (`bridges` or `segments`, `trunks`, `hosts`; rates in bit/s) as SVG."""
    boxes = {box.name: box for box in (_box(network, segment) for segment in _segments(network))}
    trunks = [trunk for trunk in network.get("trunks", []) if set(trunk["between"]) <= boxes.keys()]
    for trunk in trunks:
        first, second = trunk["between"]
        boxes[first].neighbours.append(second)
        boxes[second].neighbours.append(first)
    width, height = _place(boxes)
    odd = _odd_hosts(network)
    parts = [_trunk_svg(boxes, trunk) for trunk in trunks]
    parts += [_box_svg(box, odd) for box in boxes.values()]
    return (
        f'<svg class="topology" role="img" aria-label="network topology" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" style="max-width:{width:.0f}px" xmlns="http://www.w3.org/2000/svg">{"".join(parts)}</svg>'
    )


def hosts_only(hosts: list[str]) -> dict[str, Any]:
    """Return the network of which nothing is known but its hosts."""
    return {"segments": [{"name": "network", "kind": "unknown", "hosts": hosts}], "trunks": []}


def _segments(network: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = network.get("bridges") or network["segments"]
    return found


def _box(network: dict[str, Any], segment: dict[str, Any]) -> _Box:
    links = [host for host in network.get("hosts", []) if host["name"] in segment["hosts"]]
    if segment.get("bus_rate_bit_s"):
        note = f"{_rate(segment['bus_rate_bit_s'])} shared"
    elif links and (rate := _usual(links, "to_host_bit_s")):
        note = f"{_rate(rate)} a port"
        if buffer := _usual(links, "buffer_bytes"):
            note += f", {buffer / 1024:.0f} KiB buffers"
    else:
        note = "rate unknown" if segment["hosts"] else ""
    return _Box(
        str(segment.get("name", "segment")), segment["kind"], note, list(segment["hosts"]), _per_row(network)
    )


def _per_row(network: dict[str, Any]) -> int:
    """Return how many hosts stand side by side: few where there are many segments, to stay readable."""
    with_hosts = sum(1 for segment in _segments(network) if segment["hosts"])
    return 8 if with_hosts <= 2 else 6 if with_hosts == 3 else 4


def _usual(links: list[dict[str, Any]], key: str) -> float | None:
    values = [link[key] for link in links if link.get(key)]
    return max(set(values), key=values.count) if values else None


def _rate(bit_s: float) -> str:
    return f"{bit_s / 1e9:g} Gbit/s" if bit_s >= 1e9 else f"{bit_s / 1e6:g} Mbit/s"


def _distances(boxes: dict[str, _Box], start: str) -> dict[str, int]:
    distance = {start: 0}
    queue = [start]
    for name in queue:
        for other in boxes[name].neighbours:
            if other not in distance:
                distance[other] = distance[name] + 1
                queue.append(other)
    return distance


def _place(boxes: dict[str, _Box]) -> tuple[float, float]:
    """Give every box its level and place; return the size of the drawing."""
    middle = min(boxes, key=lambda name: (max(_distances(boxes, name).values()), len(boxes[name].hosts)))
    distance = _distances(boxes, middle)
    order = sorted(boxes, key=lambda name: (distance.get(name, 1), list(boxes).index(name)))
    rows: dict[int, list[_Box]] = {}
    for name in order:
        boxes[name].level = distance.get(name, 1)
        rows.setdefault(boxes[name].level, []).append(boxes[name])
    row_width = {
        level: sum(b.width for b in row) + _BETWEEN_X * (len(row) - 1) for level, row in rows.items()
    }
    width = max(row_width.values())
    y = 0.0
    for level, row in sorted(rows.items()):
        x = (width - row_width[level]) / 2
        for box in row:
            box.x, box.y = x, y
            x += box.width + _BETWEEN_X
        y += max(box.height for box in row) + _BETWEEN_Y
    return width + 2, y - _BETWEEN_Y + 2


def _odd_hosts(network: dict[str, Any]) -> dict[str, str]:
    """Return a note for each host whose link differs from what is usual on its segment, or loses frames."""
    notes = {}
    for segment in _segments(network):
        links = [host for host in network.get("hosts", []) if host["name"] in segment["hosts"]]
        for link in links:
            words = []
            for key, direction in (("to_host_bit_s", "in"), ("from_host_bit_s", "out")):
                if link.get(key) and link[key] != _usual(links, key):
                    words.append(f"{_rate(link[key])} {direction}")
            for key, direction in (("loss_to_host", "in"), ("loss_from_host", "out")):
                if link.get(key):
                    words.append(f"{100 * link[key]:g} % lost {direction}")
            if words:
                notes[link["name"]] = ", ".join(words)
    return notes


def _box_svg(box: _Box, odd: dict[str, str]) -> str:
    dash = ' stroke-dasharray="7 3"' if box.kind == "bus" else ""
    parts = [
        f'<rect x="{box.x + 1:.1f}" y="{box.y + 1:.1f}" width="{box.width:.1f}" '
        f'height="{box.height:.1f}" rx="8" class="segment {escape(box.kind)}"{dash}/>',
        f'<text x="{box.x + _PAD:.1f}" y="{box.y + 19:.1f}" class="name">'
        f"{escape(f'{box.kind} {box.name}')}</text>",
        f'<text x="{box.x + _PAD:.1f}" y="{box.y + 35:.1f}" class="note">{escape(box.note)}</text>',
    ]
    for index, host in enumerate(box.hosts):
        x = box.x + _PAD + index % box.per_row * (_HOST_W + _GAP)
        y = box.y + _HEAD + index // box.per_row * (_HOST_H + _GAP)
        label = host if len(host) <= 8 else host[:7] + "…"
        parts.append(
            f"<g><title>{escape(host + (': ' + odd[host] if host in odd else ''))}</title>"
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{_HOST_W}" height="{_HOST_H}" rx="4" '
            f'class="host{" odd" if host in odd else ""}"/>'
            f'<text x="{x + _HOST_W / 2:.1f}" y="{y + 17:.1f}" text-anchor="middle">'
            f"{escape(label)}</text></g>"
        )
    return "".join(parts)


def _trunk_svg(boxes: dict[str, _Box], trunk: dict[str, Any]) -> str:
    upper, lower = sorted((boxes[name] for name in trunk["between"]), key=lambda box: (box.level, box.x))
    label = _rate(trunk["rate_bit_s"]) if trunk.get("rate_bit_s") else "rate unknown"
    if trunk.get("delay_ns"):
        label += f", {trunk['delay_ns'] / 1e6:g} ms"
    if upper.level == lower.level:
        x1, y1 = upper.x + upper.width, upper.y + 22
        x2, y2 = lower.x, lower.y + 22
    else:
        x1, y1 = upper.x + upper.width / 2, upper.y + upper.height
        x2, y2 = lower.x + lower.width / 2, lower.y
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="trunk"/>'
        f'<text x="{(x1 + x2) / 2:.1f}" y="{(y1 + y2) / 2 + 4:.1f}" text-anchor="middle" class="trunk-label">'
        f"{escape(label)}</text>"
    )
