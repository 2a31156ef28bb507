# SPDX-License-Identifier: BSD-3-Clause
"""A simulated call in words."""

from __future__ import annotations

from collections.abc import Iterator

from quadrille.model.quantities import bytes_text
from quadrille.report.formatting import plural, time_text
from quadrille.simulate.simulating import Simulated


def headline(found: Simulated) -> str:
    """Return what was simulated: alltoall of 32 KiB, 1024 ranks on 64 hosts, leaf-spine."""
    size = "" if found.operation == "barrier" else f" of {bytes_text(found.bytes)}"
    blocks = "" if found.blocks is None else f" ({found.blocks})"
    places = f"{plural(found.ranks, 'rank')} on {plural(found.hosts, 'host')}"
    return f"{found.operation}{size}{blocks}, {places}, {found.network}"


def facts(found: Simulated) -> Iterator[tuple[str, str]]:
    """Yield what is known of the last call, a name and a sentence each."""
    call = found.calls[-1]
    yield "algorithm", f"{found.algorithm}, {found.chosen_by}"
    if len(found.tried) > 1:
        yield "a job tries", ", ".join(found.tried)
    earlier = ", ".join(time_text(one.time_ns) for one in found.calls[:-1])
    yield "time", time_text(call.time_ns) + (f"; calls before it {earlier}" if earlier else "")
    delivery = "" if found.limit_with_multicast else " without multicast"
    by = f", set by {found.limit_set_by}" if found.limit_set_by else ""
    yield "limit", f"{100 * call.of_limit:.3g} % of the limit{delivery}, {time_text(found.limit_ns)}{by}"
    yield (
        "busiest ports",
        f"between switches {100 * call.busiest_trunk:.0f} % of the time, "
        f"to hosts {100 * call.busiest_host_port:.0f} %",
    )
    drops = (
        f" ({call.dropped_at_trunks} between switches, {call.dropped_at_hosts} at ports to hosts, "
        f"{call.dropped_at_sockets} at sockets)"
    )
    yield "dropped", f"{plural(call.dropped, 'datagram')}{drops if call.dropped else ''}"
    yield (
        "packets",
        f"{call.data_sent} with data, {call.data_resent} of them again; {call.acks_sent} reports",
    )
    yield "budget", f"{call.least_budget} to {call.most_budget} packets a host"
    if call.engine_bytes_per_rank > 0:
        yield (
            "memory",
            f"{bytes_text(call.engine_bytes_per_rank)} a rank of the engine's, "
            f"at most {bytes_text(call.most_engine_bytes_per_rank)}",
        )
    rate = call.events / call.wall_s if call.wall_s > 0 else 0
    yield "simulated in", f"{time_text(call.wall_s * 1e9)}, {rate:.3g} events a second"
    yield "contents", found.contents


def describe(found: Simulated) -> str:
    """Return the lines that are printed."""
    told = list(facts(found))
    width = max(len(name) for name, _ in told)
    return "\n".join([headline(found), "", *(f"{name:<{width}}  {text}" for name, text in told)])
