# SPDX-License-Identifier: BSD-3-Clause
"""The network of a results file as a drawing: an emulated cluster's own statement, or a network model."""

from __future__ import annotations

import json
from typing import Any

from quadrille.model.model_file import ModelError, parse_model
from quadrille.model.model_picture import places_and_links
from quadrille.model.picture import HostMark, Link, Place, draw
from quadrille.model.quantities import rate_text


def topology_svg(network: dict[str, Any]) -> str:
    """Return a drawing of `network` as SVG, for a page that has quadrille.model.picture.STYLE."""
    if "bridges" not in network:
        try:
            return draw(*places_and_links(parse_model(json.dumps(network))))
        except ModelError:  # results are kept longer than formats; the segments at least can be drawn
            network = {"bridges": network["segments"], "hosts": network.get("hosts", [])}
    places = [_place(network, bridge) for bridge in network["bridges"]]
    return draw(places, [_link(trunk) for trunk in network.get("trunks", [])])


def hosts_only(hosts: list[str]) -> dict[str, Any]:
    """Return the network of which nothing is known but its hosts."""
    return {"bridges": [{"name": "network", "kind": "unknown", "hosts": hosts}], "trunks": []}


def _place(network: dict[str, Any], bridge: dict[str, Any]) -> Place:
    links = [host for host in network.get("hosts", []) if host["name"] in bridge["hosts"]]
    note = "rate unknown" if bridge["hosts"] else ""
    if bridge.get("bus_rate_bit_s"):
        note = f"{rate_text(bridge['bus_rate_bit_s'])} shared"
    elif rate := _usual(links, "to_host_bit_s"):
        note = f"{rate_text(rate)} a port"
        if buffer := _usual(links, "buffer_bytes"):
            note += f", {buffer / 1024:.0f} KiB buffers"
    odd = _odd_hosts(links)
    marks = [HostMark(host, odd.get(host, ""), host in odd) for host in bridge["hosts"]]
    return Place(str(bridge.get("name", "segment")), bridge["kind"], [note] if note else [], marks)


def _usual(links: list[dict[str, Any]], key: str) -> float | None:
    values = [link[key] for link in links if link.get(key)]
    return max(set(values), key=values.count) if values else None


def _odd_hosts(links: list[dict[str, Any]]) -> dict[str, str]:
    """Return a note for each host whose cable differs from what is usual beside it, or loses frames."""
    notes = {}
    for link in links:
        words = []
        for key, direction in (("to_host_bit_s", "in"), ("from_host_bit_s", "out")):
            if link.get(key) and link[key] != _usual(links, key):
                words.append(f"{rate_text(link[key])} {direction}")
        for key, direction in (("loss_to_host", "in"), ("loss_from_host", "out")):
            if link.get(key):
                words.append(f"{100 * link[key]:g} % lost {direction}")
        if words:
            notes[link["name"]] = ", ".join(words)
    return notes


def _link(trunk: dict[str, Any]) -> Link:
    first, second = trunk["between"]
    rate = trunk.get("rate_bit_s")
    label = rate_text(rate) if rate else "rate unknown"
    if trunk.get("delay_ns"):
        label += f", {trunk['delay_ns'] / 1e6:g} ms"
    return Link(first, second, label, label, rate)
