# SPDX-License-Identifier: BSD-3-Clause
"""The forwarder's delay line, with time given."""

from __future__ import annotations

import random

from quadrille.lab.delay import DelayLine


def test_a_frame_leaves_exactly_after_its_delay() -> None:
    line = DelayLine(0.010, 0, random.Random(1))
    line.push(b"a", 5.0)
    assert line.next_s() == 5.010
    assert line.pop_due(5.0099) is None
    assert line.pop_due(5.010) == b"a"
    assert line.next_s() is None


def test_jitter_stays_within_its_bounds_and_never_reorders() -> None:
    line = DelayLine(0.010, 0.004, random.Random(1))
    for number in range(500):
        line.push(number.to_bytes(2, "big"), number * 0.001)
    previous, seen = 0.0, []
    while (leaves := line.next_s()) is not None:
        frame = line.pop_due(leaves)
        assert frame is not None
        number = int.from_bytes(frame, "big")
        assert number * 0.001 + 0.006 <= leaves <= number * 0.001 + 0.014 + 1e-9
        assert leaves >= previous
        previous = leaves
        seen.append(number)
    assert seen == list(range(500))
