# SPDX-License-Identifier: BSD-3-Clause
"""Numbers as a reader wants them: sizes, times and ratios with three digits and a unit."""

from __future__ import annotations

from html import escape as escape  # the one way text gets into the page


def size_text(count: int) -> str:
    """Return a number of bytes as 64 B, 32 KiB or 1.5 MiB."""
    for unit, factor in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count >= factor:
            return f"{count / factor:.4g} {unit}"
    return f"{count} B"


def time_text(nanoseconds: float) -> str:
    """Return a duration as 870 ns, 12.3 us, 4.56 ms or 1.23 s."""
    for unit, factor in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if nanoseconds >= factor:
            return (
                f"{nanoseconds / factor:.3g} {unit}"
                if nanoseconds < 999.5 * factor
                else f"{nanoseconds / factor:.0f} {unit}"
            )
    return f"{nanoseconds:.0f} ns"


def percent_text(value: float | None) -> str:
    """Return a percentage without decimals, a dash for none."""
    return "–" if value is None else f"{value:.0f} %"


def count_text(mean: float) -> str:
    """Return a mean number of things as 0, 0.25, 17.5 or 1234."""
    return f"{mean:.0f}" if mean >= 100 else f"{mean:.3g}"


def speed_text(ratio: float) -> str:
    """Say in words what `ratio`, our time over the other's, means."""
    if ratio <= 0.98:
        return f"{1 / ratio:.2f} times as fast"
    if ratio >= 1.02:
        return f"{ratio:.2f} times as slow"
    return "equally fast"


def plural(count: int, noun: str) -> str:
    """Return `count` with its noun: 1 point, 2 points."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
