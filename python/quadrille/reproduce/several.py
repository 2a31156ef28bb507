# SPDX-License-Identifier: BSD-3-Clause
"""Experiments one after another: one that fails does not keep the next from running; a summary at the end."""

from __future__ import annotations

import subprocess
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field

from quadrille.errors import QuadrilleError
from quadrille.reproduce.experiment import Effect, Experiment

Tell = Callable[[str], None]


@dataclass
class Ended:
    """How one experiment ended; `error`: why it did not come to its end, None where it did."""

    id: str
    effects: list[Effect] = field(default_factory=list)
    error: Exception | None = None
    seconds: float = 0


@dataclass
class Series:
    """Experiments that ended, and the ids of those that an interrupt kept from ending."""

    ended: list[Ended] = field(default_factory=list)
    interrupted: list[str] = field(default_factory=list)


def run_series(
    experiments: list[Experiment], run: Callable[[Experiment], list[Effect]], tell: Tell
) -> Series:
    """Run all, going on after one that fails; an interrupt ends the series, what has ended stays in it."""
    series = Series()
    for at, experiment in enumerate(experiments):
        tell(f"{experiment.id} ({at + 1} of {len(experiments)}): {experiment.title}")
        ended, began = Ended(experiment.id), time.monotonic()
        try:
            ended.effects = run(experiment)
        except KeyboardInterrupt:
            series.interrupted = [left.id for left in experiments[at:]]
            break
        except (QuadrilleError, OSError, subprocess.SubprocessError) as error:
            ended.error = error
            tell(f"  FAILED: {error}")
        except Exception as error:  # a defect of ours is no reason to lose the hours that follow
            ended.error = error
            tell(f"  FAILED: {traceback.format_exc()}")
        ended.seconds = time.monotonic() - began
        series.ended.append(ended)
        for line in effect_lines(ended.effects):
            tell(f"  {line}")
    return series


def effect_lines(effects: list[Effect]) -> list[str]:
    """Return each effect, whether it was seen, and why."""
    words = {True: "seen", False: "NOT SEEN", None: "not shown"}
    return [f"{words[effect.seen]}: {effect.name}: {effect.why}" for effect in effects]


def failures(series: Series) -> list[str]:
    """Return what makes the series fail: experiments without an end, effects that must appear and did not."""
    found = []
    for ended in series.ended:
        if ended.error is not None:
            found.append(f"{ended.id} failed")
        found += [f"{ended.id}: {effect.name} not seen" for effect in ended.effects if effect.failed]
    return found


def summary_lines(series: Series) -> list[str]:
    """Return the outcome of each experiment, and why an effect was not seen or an end not reached."""
    lines = []
    for ended in series.ended:
        seen = sum(effect.seen is True for effect in ended.effects)
        outcome = "failed" if ended.error else f"{seen} of {len(ended.effects)} effects seen"
        lines.append(f"{ended.id:20} {outcome}, {ended.seconds:.0f} s")
        if ended.error is not None:
            lines.append(f"  {ended.error}")
        lines += [f"  {line}" for line in effect_lines([e for e in ended.effects if e.seen is not True])]
    if series.interrupted:
        first, *rest = series.interrupted
        lines.append(f"{first:20} interrupted; what it measured is kept and marked")
        lines += [f"{name:20} not run" for name in rest]
    return lines
