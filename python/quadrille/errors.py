# SPDX-License-Identifier: BSD-3-Clause
"""The two kinds of failure a user can meet, and their exit codes."""

from __future__ import annotations


class QuadrilleError(Exception):
    """The thing asked for failed: printed as one line, exit code 1.

    The text says what failed, the value, and the next step.
    """

    exit_code = 1


class UsageError(QuadrilleError):
    """The call or a file given to it is wrong: printed as one line, exit code 2."""

    exit_code = 2
