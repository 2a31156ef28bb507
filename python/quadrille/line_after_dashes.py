# SPDX-License-Identifier: BSD-3-Clause
"""Verbs that take a launcher line after `--`, whatever it looks like."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand


class LineAfterDashes(TyperCommand):
    """A command that keeps everything after the first `--` as the launcher line, whatever it looks like."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Split at `--`; the line is in `ctx.meta["line"]`."""
        cut = args.index("--") if "--" in args else len(args)
        ctx.meta["line"] = args[cut + 1 :]
        return list(super().parse_args(ctx, args[:cut]))
