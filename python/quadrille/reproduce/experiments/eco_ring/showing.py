# SPDX-License-Identifier: BSD-3-Clause
"""The page of eco-ring: on every network, every order beside what its bytes take at least."""

from __future__ import annotations

from quadrille.report.charts import LIMIT_COLOUR, QUADRILLE_COLOUR, Figure, layout
from quadrille.report.formatting import escape, size_text, time_text
from quadrille.report.frame import chart_cell
from quadrille.report.tables import table
from quadrille.report.topology_picture import topology_svg
from quadrille.reproduce.experiment import Data
from quadrille.reproduce.experiments.eco_ring.carrying import Carrier
from quadrille.reproduce.experiments.eco_ring.judging import Found, ring_of
from quadrille.reproduce.experiments.eco_ring.networks import LARGE_BYTES, RANDOM_ORDER, title_of

_MOST_CARRIERS = 8


def show(data: Data) -> str:
    """Return the sections between the paper's values and the command to repeat it."""
    parts = []
    for name, entry in data.get("networks", {}).items():
        if not entry["runs"]:
            continue
        found = Found(entry)
        parts += [f"<h2>{escape(title_of(name))}</h2>", topology_svg(found.network)]
        charts = "".join(chart_cell(_chart(found, size)) for size in found.sizes())
        parts += [_orders(found, size) for size in found.sizes()]
        parts += [f'<div class="charts">{charts}</div>', _carriers(found)]
    return "\n".join(parts) or "<p>Nothing was measured.</p>"


def _orders(found: Found, size: int) -> str:
    random = found.step_ns(RANDOM_ORDER, size)
    rows = []
    for order in found.orders():
        time, least = found.step_ns(order, size), found.least_ns(order, size)
        if time is None or least is None:
            continue
        times = [run["step_ns"] for run in found.runs(order, size)]
        crossings = [ring_of(run).crossings(found.network) for run in found.runs(order, size)]
        carrier = found.busiest(order, size)
        span = f"{min(crossings)}" if len({*crossings}) == 1 else f"{min(crossings)} – {max(crossings)}"
        rows.append(
            [
                escape(order),
                escape(carrier.name) if carrier else "–",
                span,
                time_text(least),
                f"<b>{time_text(time)}</b><small>{time_text(min(times))} – {time_text(max(times))}</small>",
                f"{least / time:.0%}",
                f"{time / random:.2f}" if random else "–",
                str(len(times)),
            ]
        )
    head = [
        "order",
        "busiest",
        "changes of segment",
        "its bytes take",
        "measured, a step",
        "of that its bytes",
        "over random",
        "runs",
    ]
    allowed = found.least_of_random_ns(size)
    note = f"The bytes of a random order take {time_text(allowed)} at least (median)." if allowed else ""
    return f"<h3>Messages of {size_text(size)}</h3>{table(head, rows, numbers_from=2)}" + (
        f'<p class="quiet">{note} Medians over runs; a random order is another one in each run. Bytes are '
        "those of the moved messages with TCP's frames, without acknowledgements.</p>"
    )


def _carriers(found: Found) -> str:
    """Return what each bus and trunk carries in the mapped and the first random order."""
    mapped = found.mapped(LARGE_BYTES)
    runs = [found.runs(order, LARGE_BYTES) for order in (mapped, RANDOM_ORDER) if order]
    if len(runs) < 2 or not all(runs):
        return ""
    rings = [ring_of(each[0]) for each in runs]
    hosts = len({*rings[0].hosts})

    def busy(carrier: Carrier) -> float:
        return max(carrier.busy_ns(ring, found.wire_bytes(LARGE_BYTES)) for ring in rings)

    rows = []
    for carrier in sorted(found.carriers, key=busy, reverse=True)[:_MOST_CARRIERS]:
        carried = [f"{max(carrier.messages(ring)):.3g}" for ring in rings]
        limits = [str(carrier.fewest(hosts)), str(carrier.most(hosts))]
        rows.append([escape(carrier.name), str(len(carrier.hosts)), *carried, *limits])
    head = ["carrier", "hosts behind it", "mapped", "a random order", "fewest of any", "most of any"]
    note = (
        '<p class="quiet">Messages a step on the busiest carriers: all on a bus, in the fuller direction on '
        "a trunk or cable. A bus carries one message more than it has hosts at least, as the ring enters and "
        "leaves it, and two for each host at most: where a bus sets the pace, no order is twice as fast as "
        "another.</p>"
    )
    return f"<h3>Messages of a step, by carrier</h3>{table(head, rows)}{note}"


def _chart(found: Found, size: int) -> Figure:
    orders = found.orders()
    least = [found.least_ns(order, size) for order in orders]
    boxes = [
        {
            "type": "box",
            "name": order,
            "y": [run["step_ns"] / 1e6 for run in found.runs(order, size)],
            "boxpoints": "all",
            "marker": {"color": QUADRILLE_COLOUR, "size": 4},
            "showlegend": False,
        }
        for order in orders
    ]
    limits = {
        "type": "scatter",
        "mode": "markers",
        "name": "its bytes take at least",
        "x": orders,
        "y": [time / 1e6 if time else None for time in least],
        "marker": {"color": LIMIT_COLOUR, "symbol": "line-ew-open", "size": 26},
    }
    y_axis = {"title": {"text": "time of a step, ms"}, "rangemode": "tozero"}
    return {
        "data": [*boxes, limits],
        "layout": layout(f"Messages of {size_text(size)}", {"type": "category"}, y_axis),
    }
