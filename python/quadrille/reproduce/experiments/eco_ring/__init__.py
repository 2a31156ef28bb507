# SPDX-License-Identifier: BSD-3-Clause
"""eco-ring: load balancing around a ring, its order mapped on the network (ECO, sections 4.3, 6.2)."""

from __future__ import annotations

from quadrille.reproduce.experiment import Experiment, Published
from quadrille.reproduce.experiments.eco_ring.judging import judge
from quadrille.reproduce.experiments.eco_ring.measuring import measure
from quadrille.reproduce.experiments.eco_ring.showing import show
from quadrille.reproduce.patterns.pattern_experiment import ECO_PAPER

EXPERIMENT = Experiment(
    id="eco-ring",
    title="ECO: load balancing around a ring that is mapped on the network",
    paper=f"{ECO_PAPER} Sections 4.3 and 6.2.",
    published=(
        Published(
            "section 6.2",
            "Dome's load-balancing communication, ring by ECO against a random arrangement of nodes",
            "reduced by more than half",
        ),
        Published("Figure 3 c", "ring of the hosts at CMU and PSC", "each network is entered once"),
    ),
    setting=(
        "In a step each rank exchanges its amount of work with both neighbours, then each pair moves one "
        "message from who has more. The ring is that of the hosts as the launcher lists them, of random "
        "orders (another one in each run), and Quadrille's: by MPI_Cart_create with leave to reorder, and by "
        "the host file that `quadrille order` writes. The paper says neither how large the messages are nor "
        "on which network it was; here they are of 20 000 B, whose bytes set the pace, of one frame and, in "
        "the full form, of 100 B. Emulated are the three buses of Table 3, the networks of Figure 3 and "
        "Table 7, and two switches whose trunk is slower than their hosts. What an order puts on each bus, "
        "trunk and cable is counted, and gives the time that its bytes take at least: it says where more "
        "than half can be saved at all. There the half must be seen."
    ),
    measure=measure,
    judge=judge,
    show=show,
)
