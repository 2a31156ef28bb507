# SPDX-License-Identifier: BSD-3-Clause
"""What an experiment is: the paper's own values, how to measure ours, what follows from both, how to show it.

`measure` alone touches a network, and writes what it finds into plain data. `judge` and `show` are pure
functions of these data, so that a page can be made again without measuring.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from quadrille.reproduce.workbench import Workbench

Data = dict[str, Any]
"""What was measured, JSON values only; raw samples included."""


@dataclass(frozen=True)
class Published:
    """A value or statement of the paper, and where it stands there."""

    where: str
    what: str
    value: str


@dataclass(frozen=True)
class Effect:
    """A published effect and whether it was seen; None: this run could not show it, `why` says the reason.

    `must_appear`: a run that does not see it has failed. `exact`: no clock decides it, so one look does.
    """

    name: str
    seen: bool | None
    why: str
    must_appear: bool = True
    exact: bool = field(default=False, kw_only=True)

    @property
    def failed(self) -> bool:
        """Whether this effect makes the run fail."""
        return self.must_appear and self.seen is False


@dataclass(frozen=True)
class Experiment:
    """One row of the catalogue.

    `setting`: what is emulated, and how that differs from the paper's. `measure` fills the data, which are
    kept even when it is interrupted, and raises QuadrilleError. `judge` returns which published effects the
    data show, also those of an interrupted run. `show` returns charts and tables as HTML. `takes_duration`:
    it runs for as long as `Workbench.duration_s` says.
    """

    id: str
    title: str
    paper: str
    published: tuple[Published, ...]
    setting: str
    measure: Callable[[Workbench, Data], None]
    judge: Callable[[Data], list[Effect]]
    show: Callable[[Data], str]
    takes_duration: bool = field(default=False, kw_only=True)

    def effects(self, data: Data, *, quick: bool) -> list[Effect]:
        """Return what `judge` finds; of a short form, whose few samples settle no times, less must appear."""
        found = self.judge(data)
        if not quick:
            return found
        return [replace(effect, must_appear=effect.must_appear and effect.exact) for effect in found]
