# SPDX-License-Identifier: BSD-3-Clause
"""gamma-soak: consecutive runs over the provider, verified, and the memory of ranks and kernel over time."""

from __future__ import annotations

from quadrille.reproduce.experiment import Experiment, Published
from quadrille.reproduce.experiments.gamma_soak.judging import judge
from quadrille.reproduce.experiments.gamma_soak.measuring import measure
from quadrille.reproduce.experiments.gamma_soak.showing import show

EXPERIMENT = Experiment(
    id="gamma-soak",
    title="GAMMA: consecutive runs and their memory",
    paper=(
        "M. Tanaka: PC Cluster Machine Equipped with Low-Latency Communication Software. "
        "arXiv:physics/0407152, 2004. Section 4."
    ),
    published=(
        Published("section 4", "consecutive Siesta runs for a day", "no communication error"),
        Published("section 4", "occupied memory", "increased"),
        Published("section 2(c)", "after a task has failed", "`gammaresetall` has to be called"),
    ),
    setting=(
        "Emulated: four hosts on one switch, 200 Mbit/s, 32 KiB a port, one process each, everything over "
        "the libfabric provider. Messages (up to eight at once, from named and from any senders, received in "
        "another order than sent) and collectives follow each other at random, of 0 B to 64 KiB; every byte "
        "is verified. Several jobs run one after the other, nothing is reset between them. Each rank reads "
        "what it holds, its service thread included, and the sockets of its host; a call is a message sent "
        "or a collective of one rank. One machine's kernel memory holds that of all else that it does too."
    ),
    measure=measure,
    judge=judge,
    show=show,
    takes_duration=True,
)
