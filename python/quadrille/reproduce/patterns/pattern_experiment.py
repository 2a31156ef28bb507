# SPDX-License-Identifier: BSD-3-Clause
"""An experiment that is a comparison of patterns and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from quadrille.reproduce.experiment import Experiment, Published
from quadrille.reproduce.patterns import judging, measuring, showing
from quadrille.reproduce.patterns.comparison import Comparison

ECO_PAPER = (
    "B. B. Lowekamp, A. Beguelin: ECO: Efficient Collective Operations for Communication on Heterogeneous "
    "Networks, 10th International Parallel Processing Symposium, 1996."
)


@dataclass(frozen=True)
class PatternExperiment(Experiment):
    """An experiment that probes a network and compares patterns on it."""

    comparison: Comparison


def pattern_experiment(
    id: str, title: str, comparison: Comparison, published: tuple[Published, ...], setting: str
) -> PatternExperiment:
    """Return the experiment that `comparison` is, of ECO's paper."""
    return PatternExperiment(
        id=id,
        title=title,
        paper=ECO_PAPER,
        published=published,
        setting=setting,
        measure=partial(measuring.measure, comparison),
        judge=partial(judging.judge, comparison),
        show=partial(showing.show, comparison),
        comparison=comparison,
    )
