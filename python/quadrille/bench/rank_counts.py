# SPDX-License-Identifier: BSD-3-Clause
"""On how many ranks a sweep measures: the launcher is asked, because only it knows how many it starts."""

from __future__ import annotations

import shlex
import subprocess

from quadrille.errors import QuadrilleError, UsageError

_MARK = "quadrille-rank"
_SECONDS = 60  # a launcher that takes longer to start `echo` hangs


def ranks_started_by(line: list[str]) -> int:
    """Return how many processes `line` starts. Raises UsageError, QuadrilleError where it fails."""
    command = [*line, "echo", _MARK]
    told = f"{shlex.join(command)}; or name the numbers of ranks with --ranks"
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=_SECONDS
        )
    except OSError as error:
        raise UsageError(f"the launcher cannot be started ({error.strerror}): {told}") from None
    except subprocess.TimeoutExpired:
        raise QuadrilleError(f"the launcher did not end within {_SECONDS} s: {told}") from None
    count = done.stdout.count(_MARK)
    if done.returncode != 0 or count == 0:
        raise QuadrilleError(
            f"the launcher ended with exit code {done.returncode} and started {count} processes "
            f"({done.stderr.strip()[-200:]}): {told}"
        )
    return count


def rank_counts(most: int) -> list[int]:
    """Return 2, 4, 8, ... below `most`, and `most`. Raises UsageError for one rank: nobody to talk to."""
    if most < 2:
        raise UsageError(f"the launcher starts {most} rank; a sweep needs 2 at least, as with `-np 2`")
    powers = [1 << power for power in range(1, most.bit_length()) if 1 << power < most]
    return [*powers, most]
