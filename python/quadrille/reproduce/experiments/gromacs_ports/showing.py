# SPDX-License-Identifier: BSD-3-Clause
"""The page of gromacs-ports: the switch as found, both sets of ports side by side, what was lost where."""

from __future__ import annotations

from typing import Any

from quadrille.report.charts import LIMIT_COLOUR, NATIVE_COLOUR, QUADRILLE_COLOUR, Figure, layout
from quadrille.report.formatting import escape, size_text, time_text
from quadrille.report.frame import chart_cell
from quadrille.report.tables import table
from quadrille.report.topology_picture import topology_svg
from quadrille.reproduce.experiment import Data
from quadrille.reproduce.experiments.gromacs_ports.judging import (
    dropped_at_hosts,
    dropped_on_inner_links,
    group_trunk_bit_s,
    ports_at_once,
    whole_ports,
)
from quadrille.reproduce.model_drawing import model_drawing

_SETS = {"type": "category"}


def show(data: Data) -> str:
    """Return the sections between the poster's values and the command to repeat it."""
    sets = data.get("sets", {})
    parts = ["<h2>The switch as it was built</h2>", topology_svg(data["truth"])] if data.get("truth") else []
    parts.append("<h2>The switch as the probe found it</h2>")
    for name, found in sets.items():
        if "model" in found:
            parts += [f"<h3>{_title(name)}</h3>", _model(found)]
    parts += ["<h2>All-to-all on both sets of ports</h2>", _alltoall_table(sets)]
    if any(entry["dropped"] is not None for found in sets.values() for entry in found.get("alltoall", [])):
        parts.append(
            f'<div class="charts">{chart_cell(_loss_chart(sets))}{chart_cell(_time_chart(sets))}</div>'
        )
    return "\n".join(parts)


def _title(name: str) -> str:
    return f"{escape(name)} ports of each group" if name != "as it is" else "The cluster"


def _model(found: dict[str, Any]) -> str:
    model = found["model"]
    rows = []
    for segment, ratio in zip(model["segments"], ports_at_once(model), strict=True):
        rate = group_trunk_bit_s(model, segment)
        rows.append(
            [
                escape(segment["name"]),
                str(len(segment["hosts"])),
                f"{rate / 1e6:.1f} Mbit/s" if rate is not None else "unknown",
                f"{ratio:.2f}" if ratio is not None else "unknown",
                str(whole_ports(ratio)) if ratio is not None else "unknown",
            ]
        )
    head = ["segment", "hosts", "to the others", "in port rates", "ports that may be busy"]
    note = f'<p class="quiet">Probed in {found["probe_seconds"]:.1f} s, the job\'s start included.</p>'
    return model_drawing(model) + table(head, rows) + note


def _alltoall_table(sets: dict[str, Any]) -> str:
    head = ["ports", "exchange", "bytes a pair", "median", "limit", "stalled calls"]
    head += ["lost on inner links", "lost at ports"]
    rows = []
    for name, found in sets.items():
        for entry in found.get("alltoall", []):
            start = [_title(name), "MPI library", size_text(entry["bytes"])]
            limit = time_text(entry["limit_ns"]) if entry["limit_ns"] else "–"
            rows.append([*start, time_text(entry["median_ns"]), limit, _stalls(entry), *_losses(entry)])
            rows.append([_title(name), "ordered", size_text(entry["bytes"]), *_ordered(entry, limit)])
    note = (
        '<p class="quiet">Lost frames are those of all calls, warm-up included. The ordered exchange takes '
        "turns with the MPI library in one process, so its losses cannot be told apart.</p>"
    )
    return table(head, rows, numbers_from=2) + note


def _ordered(entry: dict[str, Any], limit: str) -> list[str]:
    ordered = entry["ordered"]
    if ordered is None:
        return ["not measured", limit, "–", "–", "–"]
    return [time_text(ordered["median_ns"]), limit, _stalls(ordered), "–", "–"]


def _stalls(side: dict[str, Any]) -> str:
    return f"{side['stalls']} of {len(side['samples_ns'])}"


def _losses(entry: dict[str, Any]) -> list[str]:
    if entry["dropped"] is None:
        return ["not counted", "not counted"]
    return [str(dropped_on_inner_links(entry)), str(dropped_at_hosts(entry))]


def _loss_chart(sets: dict[str, Any]) -> Figure:
    """Return frames lost on inner links and at ports, by set and size."""
    entries = [(name, entry) for name, found in sets.items() for entry in found.get("alltoall", [])]
    labels = [f"{name}, {size_text(entry['bytes'])}" for name, entry in entries]
    bars = [
        ("inner links", dropped_on_inner_links, NATIVE_COLOUR),
        ("ports towards hosts", dropped_at_hosts, QUADRILLE_COLOUR),
    ]
    data = [
        {
            "type": "bar",
            "name": label,
            "x": labels,
            "y": [count(entry) for _, entry in entries],
            "marker": {"color": colour},
        }
        for label, count, colour in bars
    ]
    figure = layout("Frames lost during the all-to-all", _SETS, _from_zero("frames"))
    return {"data": data, "layout": figure}


def _time_chart(sets: dict[str, Any]) -> Figure:
    """Return every call's time over the limit of the wire, by set, size and exchange."""
    data = []
    for who, key, colour in (("MPI library", None, NATIVE_COLOUR), ("ordered", "ordered", QUADRILLE_COLOUR)):
        x, y = [], []
        for name, found in sets.items():
            for entry in found.get("alltoall", []):
                side = entry if key is None else entry[key]
                for sample in side["samples_ns"] if side and entry["limit_ns"] else []:
                    x.append(f"{name}, {size_text(entry['bytes'])}")
                    y.append(sample / entry["limit_ns"])
        marker = {"size": 8, "color": colour, "symbol": "square" if key is None else "circle"}
        data.append({"type": "scatter", "mode": "markers", "name": who, "x": x, "y": y, "marker": marker})
    figure = layout("Time of each call over the limit of the wire", _SETS, _from_zero("times the limit"))
    line = {"color": LIMIT_COLOUR, "width": 1.5, "dash": "dot"}
    figure["shapes"] = [{"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": 1, "y1": 1, "line": line}]
    return {"data": data, "layout": figure}


def _from_zero(title: str) -> Figure:
    return {"title": {"text": title}, "rangemode": "tozero"}
