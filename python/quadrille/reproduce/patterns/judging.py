# SPDX-License-Identifier: BSD-3-Clause
"""Whether patterns come in the paper's order."""

from __future__ import annotations

from quadrille.reproduce.experiment import Data, Effect
from quadrille.reproduce.patterns.comparison import Comparison, Order, pattern_ns


def judge(comparison: Comparison, data: Data) -> list[Effect]:
    """Return one effect for each order of two patterns that the paper found."""
    return [_judge_order(comparison, data, order) for order in comparison.orders]


def _judge_order(comparison: Comparison, data: Data, order: Order) -> Effect:
    name = f"{order.faster} takes less time than {order.slower} ({comparison.where})"
    fast, slow = (pattern_ns(comparison, data, pattern) for pattern in (order.faster, order.slower))
    if fast is None or slow is None:
        return Effect(name, None, "not measured in this run")
    why = f"{slow / fast:.2f} times as fast by the medians"
    paper = [comparison.paper_time(pattern) for pattern in (order.slower, order.faster)]
    if paper[0] is not None and paper[1] is not None:
        why += f"; {paper[0].value / paper[1].value:.2f} times in the paper"
    return Effect(name, fast < slow, why)
