# SPDX-License-Identifier: BSD-3-Clause
from pathlib import Path

from quadrille.bench.results_file import read_results
from quadrille.bench.slower import certainly_slower, slower
from quadrille.contracts import PointLine, Ratio

EXAMPLES = Path(__file__).parents[3] / "schemas" / "examples"


def point(low: float, value: float, high: float) -> PointLine:
    example = read_results([EXAMPLES / "results_bench.jsonl"]).points()[0]
    ratio = Ratio(value=value, low=low, high=high)
    return example.model_copy(
        update={"blocks": example.blocks.model_copy(update={"ratio_of_medians": ratio})}
    )


def test_worst_first_and_nothing_within_the_limit() -> None:
    faster, alike, slow, slowest = (
        point(0.4, 0.5, 0.6), point(0.9, 1.03, 1.2), point(0.9, 1.04, 1.2), point(1.2, 1.5, 1.6)
    )  # fmt: skip
    assert slower([faster, alike, slow, slowest]) == [slowest, slow]


def test_certain_is_what_its_whole_interval_says() -> None:
    doubtful, certain = point(1.02, 1.5, 1.9), point(1.04, 1.05, 1.06)
    assert certainly_slower([doubtful, certain]) == [certain]
