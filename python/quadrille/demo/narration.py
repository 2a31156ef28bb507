# SPDX-License-Identifier: BSD-3-Clause
"""Tells on stderr what the demonstration is doing: a line a stage, and a moving bar on a terminal."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn


class Narration:
    """Counts stages; `total` is how many there will be. `on_advance` is called whenever a stage moves on."""

    def __init__(self, total: int) -> None:
        """Begin before the first stage."""
        self.console = Console(stderr=True, highlight=False)
        self.on_advance: Callable[[], None] = lambda: None
        self._total = total
        self._done = 0

    def announce(self, what: str) -> None:
        """Name the next stage, for one that shows its own progress."""
        self._done += 1
        self.console.print(f"[bold]\\[{self._done}/{self._total}][/bold] {what}")

    @contextmanager
    def stage(self, what: str, steps: int | None = None) -> Iterator[Callable[[int], None]]:
        """Show one stage while the block runs; yields a function that takes the steps done so far."""
        self.announce(what)
        started = time.monotonic()
        note = TextColumn("     {task.fields[note]}")
        columns = (note, BarColumn(), TimeElapsedColumn(), TimeRemainingColumn())
        hidden = not self.console.is_terminal
        with Progress(*columns, console=self.console, transient=True, disable=hidden) as bar:
            task = bar.add_task("", total=steps, note="starting" if steps else "")

            def advance(done: int) -> None:
                self.on_advance()
                bar.update(task, completed=done, note=f"step {done} of {steps}")

            yield advance
        self.console.print(f"     done in {time.monotonic() - started:.1f} s")
