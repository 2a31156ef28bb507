# SPDX-License-Identifier: BSD-3-Clause
"""A progress bar on stderr; nothing where stderr is no terminal."""

from __future__ import annotations

import sys
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as RichProgress


class Progress:
    """Shows how much of a measurement is done."""

    def __init__(self) -> None:
        """Prepare the bar; it appears with the first news."""
        self._bar = RichProgress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.percentage:3.0f} %"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=Console(file=sys.stderr),
            disable=not sys.stderr.isatty(),
            transient=True,
        )
        self._task = self._bar.add_task("starting", total=None)

    def show(self, done: float, total: float, label: str) -> None:
        """Show that `done` of `total` is complete and `label` is being measured."""
        self._bar.update(self._task, completed=done, total=total, description=label)

    def __enter__(self) -> Progress:
        """Start drawing."""
        self._bar.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Remove the bar."""
        self._bar.__exit__(kind, value, trace)
