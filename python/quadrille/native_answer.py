# SPDX-License-Identifier: BSD-3-Clause
"""How an answer of a native program fails: what it complained of, or another form than is known here."""

from __future__ import annotations

from pydantic import ValidationError

from quadrille.errors import QuadrilleError, UsageError

_WRONG_USAGE = 2


def check_exit(program: str, exit_code: int, complaint: str) -> None:
    """Raise UsageError for input that `program` has refused, QuadrilleError where it has failed."""
    if exit_code == 0:
        return
    reason = complaint.strip().removeprefix(f"{program}: ") or f"{program} ended with {exit_code}"
    raise (UsageError if exit_code == _WRONG_USAGE else QuadrilleError)(reason)


def other_form(program: str, error: ValidationError) -> QuadrilleError:
    """Return what to raise where its answer cannot be read."""
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"])
    return QuadrilleError(f"{program} answers in another form ({place}: {first['msg']}); run `make build`")
