# SPDX-License-Identifier: BSD-3-Clause
"""gromacs-ports: groups of 12 ports behind inner links of 10 port rates (poster, section 4)."""

from __future__ import annotations

from quadrille.reproduce.experiment import Experiment, Published
from quadrille.reproduce.experiments.gromacs_ports.judging import judge
from quadrille.reproduce.experiments.gromacs_ports.measuring import measure
from quadrille.reproduce.experiments.gromacs_ports.showing import show

EXPERIMENT = Experiment(
    id="gromacs-ports",
    title="GROMACS on Ethernet: port groups behind inner links of a switch",
    paper=(
        "C. Kutzner, D. van der Spoel, M. Fechner, E. Lindahl, U. W. Schmitt, B. L. de Groot, H. Grubmüller: "
        "poster on GROMACS on Ethernet Beowulf clusters. Section 4."
    ),
    published=(
        Published("section 4", "inner links of the HP ProCurve 2848, a group's 12 ports", "10 and 12 Gbit/s"),
        Published("section 4", "ports of each 12 that may be used without packet loss, found by trying", "9"),
        Published(
            "section 4, plots",
            "all-to-all of 64 processes on 32 nodes on scattered ports against ports 1-32, flow control on",
            "faster; the values inside the plot are not known",
        ),
    ),
    setting=(
        "Emulated: groups of 12 ports of 5 Mbit/s behind inner links of 50 Mbit/s (the poster's "
        "two-hundredth: what two cores emulate for 48 hosts), four of them, three in the short form, "
        "32 KiB for each port and inner link, one process a host, no flow control. Probed and timed with "
        "all ports of each group, then with 9 of 12. What is lost is counted in the emulated switch."
    ),
    measure=measure,
    judge=judge,
    show=show,
)
