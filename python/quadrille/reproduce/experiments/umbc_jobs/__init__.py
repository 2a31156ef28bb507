# SPDX-License-Identifier: BSD-3-Clause
"""umbc-jobs: what one job's all-to-alls cost another one, the question that the paper sets out from."""

from __future__ import annotations

from quadrille.reproduce.experiment import Experiment, Published
from quadrille.reproduce.experiments.umbc_jobs.judging import judge
from quadrille.reproduce.experiments.umbc_jobs.measuring import measure
from quadrille.reproduce.experiments.umbc_jobs.showing import show
from quadrille.reproduce.sorts import paper

EXPERIMENT = Experiment(
    id="umbc-jobs",
    title="UMBC: two jobs at once",
    paper=paper.PAPER,
    published=(
        Published("section 2.1", "when inter-job communication becomes a performance issue", "not measured"),
    ),
    setting=(
        "Emulated: two leaves of 4 hosts at 25 Mbit/s, half the hosts of each leaf in each job, one process "
        "a host; what the jobs share is the link between the leaves, 50 Mbit/s, of which one alone needs two "
        "thirds. In the full form also both jobs on the same hosts of one leaf. The job that is measured "
        "exchanges alone, beside the library's exchanges without a pause, and beside Quadrille's."
    ),
    measure=measure,
    judge=judge,
    show=show,
)
