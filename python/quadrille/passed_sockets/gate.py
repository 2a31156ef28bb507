# SPDX-License-Identifier: BSD-3-Clause
"""What the gate lets through, as filters of its interfaces (tc-bpf(8), tc-mirred(8)).

They look at what arrives there, since a packet socket can leave out the filters of the end that it sends by
(PACKET_QDISC_BYPASS). What none of them lets pass is dropped, and never meets the gate's own IP.
"""

from __future__ import annotations

import subprocess
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from quadrille.errors import QuadrilleError
from quadrille.passed_sockets import frame_filters as filters
from quadrille.passed_sockets.frame_filters import Condition, Holder

_DROP = "1,6 0 0 2"
"""A program that returns TC_ACT_SHOT."""
_PATIENCE_S = 20


@dataclass(frozen=True)
class Crossing:
    """The gate's interfaces: to the network, to the host itself (and its address there), to each holder."""

    up: str
    side: str
    host_hardware: bytes
    downs: tuple[tuple[str, Holder], ...]


def open_gate(crossing: Crossing) -> None:
    """Let pass what holders may send and receive. Raises QuadrilleError.

    REQUIRES: called in the gate's namespace, whose interfaces are there.
    """
    rules: dict[str, list[list[str]]] = defaultdict(list)

    def lead(name: str, conditions: Sequence[Condition], actions: Sequence[str]) -> None:
        rules[name].append(["bytecode", filters.for_tc(filters.assemble(conditions)), *actions])

    for down, holder in crossing.downs:
        for sent in (holder.datagrams_sent(), holder.refusals_sent()):
            to_host = [*filters.to_hardware(crossing.host_hardware), *sent]
            lead(down, to_host, _mirred("redirect", crossing.side))
            lead(down, sent, _mirred("redirect", crossing.up))
        lead(down, holder.resolving(), _mirred("redirect", crossing.up))
        for received in (holder.datagrams_received(), holder.refusals_received()):
            lead(crossing.up, received, _mirred("redirect", down))
            lead(crossing.side, received, _mirred("redirect", down))
    first, *others = [down for down, _ in crossing.downs]
    copies = [word for down in others for word in _mirred("mirror", down)]
    lead(crossing.up, filters.arp(), [*copies, *_mirred("redirect", first)])
    for name, of_name in rules.items():
        of_name.append(["da", "bytecode", _DROP])
        _tc("qdisc", "add", "dev", name, "clsact")
        for place, rule in enumerate(of_name, start=1):
            where = ["dev", name, "ingress", "protocol", "all", "prio", str(place)]
            _tc("filter", "add", *where, "bpf", *rule)


def _mirred(how: str, to: str) -> list[str]:
    return ["action", "mirred", "egress", how, "dev", to]


def _tc(*arguments: str) -> None:
    try:
        done = subprocess.run(
            ["tc", *arguments], capture_output=True, text=True, timeout=_PATIENCE_S, check=False
        )
    except FileNotFoundError:
        raise QuadrilleError("the program tc is missing; install the package iproute2") from None
    if done.returncode != 0:
        said = " ".join(done.stderr.split())
        raise QuadrilleError(f"tc {arguments[0]} on {arguments[3]}: {said}")
