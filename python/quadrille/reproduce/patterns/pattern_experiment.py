# SPDX-License-Identifier: BSD-3-Clause
"""An experiment that is a comparison of patterns and nothing else."""

from __future__ import annotations

from dataclasses import dataclass

from quadrille.reproduce.experiment import Data, Effect, Published
from quadrille.reproduce.patterns import judging, measuring, showing
from quadrille.reproduce.patterns.comparison import Comparison
from quadrille.reproduce.workbench import Workbench

ECO_PAPER = (
    "B. B. Lowekamp, A. Beguelin: ECO: Efficient Collective Operations for Communication on Heterogeneous "
    "Networks, 10th International Parallel Processing Symposium, 1996."
)


@dataclass(frozen=True)
class PatternExperiment:
    """See `quadrille.reproduce.experiment.Experiment`."""

    id: str
    title: str
    comparison: Comparison
    published: tuple[Published, ...]
    setting: str
    paper: str = ECO_PAPER

    def measure(self, bench: Workbench, data: Data) -> None:
        """Probe the network and time every pattern."""
        measuring.measure(self.comparison, bench, data)

    def judge(self, data: Data) -> list[Effect]:
        """Compare the order of patterns with the paper's."""
        return judging.judge(self.comparison, data)

    def show(self, data: Data) -> str:
        """Draw the network, the table and the charts."""
        return showing.show(self.comparison, data)
