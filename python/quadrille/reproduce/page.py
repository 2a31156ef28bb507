# SPDX-License-Identifier: BSD-3-Clause
"""The page of an experiment, from its record alone: verdict, the paper's values, ours, how to repeat it."""

from __future__ import annotations

import shlex

from quadrille.report.formatting import escape
from quadrille.report.frame import frame
from quadrille.report.tables import table
from quadrille.reproduce.experiment import Effect, Experiment
from quadrille.reproduce.recording import Record

_WORDS = {True: "seen", False: "not seen", None: "not shown by this run"}


def render_page(experiment: Experiment, record: Record) -> str:
    """Return the whole page."""
    body = [
        f"<h1>{escape(experiment.title)}</h1>",
        f'<p class="quiet">{escape(experiment.paper)}</p>',
        _verdict(experiment.effects(record.data, quick=record.quick)),
        _warnings(record),
        "<h2>What the paper shows</h2>",
        _published(experiment),
        "<h2>What was set up</h2>",
        f"<p>{escape(experiment.setting)}</p>",
        experiment.show(record.data),
        "<h2>To repeat it</h2>",
        f"<pre>{escape(shlex.join(record.command))}</pre>",
        f'<p class="quiet">{escape(_provenance(record))}</p>',
    ]
    return frame(experiment.title, "\n".join(body), with_charts=True)


def _verdict(effects: list[Effect]) -> str:
    rows = [[escape(effect.name), f"<b>{_WORDS[effect.seen]}</b>", escape(effect.why)] for effect in effects]
    return f'<section class="summary">{table(["effect", "", "why"], rows, numbers_from=9)}</section>'


def _warnings(record: Record) -> str:
    notes = list(record.warnings)
    if record.state != "complete":
        reason = f": {record.error}" if record.error else ""
        notes.insert(0, f"This run is {record.state}{reason}. What follows is what was measured until then.")
    items = "".join(f"<li>{escape(note)}</li>" for note in notes)
    return f'<section class="warnings"><b>Mind</b><ul>{items}</ul></section>' if notes else ""


def _published(experiment: Experiment) -> str:
    rows = [[escape(part) for part in (row.where, row.what, row.value)] for row in experiment.published]
    return table(["where", "what", "value"], rows, numbers_from=9)


def _provenance(record: Record) -> str:
    form = "short form" if record.quick else "full form"
    commit = f" of commit {record.git_commit}" if record.git_commit else ""
    version = f"Quadrille {record.quadrille_version}{commit}"
    where = "a real cluster" if record.launcher else "emulated networks"
    return (
        f"{record.started}, {record.seconds:.0f} s, {form}, {where}, {version}, "
        f"{record.machine}. Results, raw samples included: {record.experiment}.json."
    )
