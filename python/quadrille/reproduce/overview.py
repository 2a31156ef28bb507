# SPDX-License-Identifier: BSD-3-Clause
"""The first page of a results folder: each experiment's effects, its time, what it was measured on."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from quadrille.atomic_write import write_whole
from quadrille.report.formatting import escape, plural
from quadrille.report.frame import frame
from quadrille.report.tables import table
from quadrille.reproduce.catalogue import experiment_ids, find_experiment
from quadrille.reproduce.experiment import Effect, Experiment
from quadrille.reproduce.recording import Record, data_of, read_record

SEEN = {True: "seen", False: "not seen", None: "not shown"}
_TITLE = "Published experiments, repeated"


@dataclass(frozen=True)
class Outcome:
    """An experiment, what was recorded of it, and the effects that follow."""

    experiment: Experiment
    record: Record
    effects: list[Effect]

    @property
    def form(self) -> str:
        """Return in words how it was run."""
        form = "short form" if self.record.quick else "full form"
        return form if self.record.state == "complete" else f"{form}, {self.record.state}"


def outcomes_in(folder: Path) -> list[Outcome]:
    """Return what is recorded in `folder`, by id. Raises UsageError for a file that is no record."""
    found = []
    for name in experiment_ids():
        path = folder / f"{name}.json"
        if path.exists():
            experiment, record = find_experiment(name), read_record(path)
            with data_of(path):
                found.append(Outcome(experiment, record, experiment.effects(record.data, quick=record.quick)))
    return found


def not_recorded(outcomes: list[Outcome]) -> list[str]:
    """Return the ids of experiments of which there is nothing."""
    known = {outcome.experiment.id for outcome in outcomes}
    return [name for name in experiment_ids() if name not in known]


def summary_sentences(outcomes: list[Outcome]) -> list[str]:
    """Return what the whole folder says."""
    effects = [effect for outcome in outcomes for effect in outcome.effects]
    count = Counter(effect.seen for effect in effects)
    minutes = round(sum(outcome.record.seconds for outcome in outcomes) / 60)
    sentences = [
        f"{plural(len(outcomes), 'experiment')}: {count[True]} of {plural(len(effects), 'published effect')} "
        f"seen, {count[False]} not seen, {count[None]} not shown by these runs; "
        f"{plural(minutes, 'minute')} in all."
    ]
    if failed := [
        f"{one.experiment.id} ({effect.name})" for one in outcomes for effect in one.effects if effect.failed
    ]:
        sentences.append(f"Must appear and did not: {', '.join(failed)}.")
    if unfinished := [one.experiment.id for one in outcomes if one.record.state != "complete"]:
        sentences.append(f"Did not come to their end: {', '.join(unfinished)}.")
    if missing := not_recorded(outcomes):
        sentences.append(f"Nothing is recorded of {', '.join(missing)}.")
    return sentences


def provenances(outcomes: list[Outcome]) -> list[str]:
    """Return on what it was measured: machine, version and commit, with the experiments where they differ."""
    by_place: dict[str, list[str]] = {}
    for outcome in outcomes:
        record = outcome.record
        commit = f", commit {record.git_commit}" if record.git_commit else ""
        place = f"{record.machine}; Quadrille {record.quadrille_version}{commit}"
        by_place.setdefault(place, []).append(outcome.experiment.id)
    if len(by_place) == 1:
        return list(by_place)
    return [f"{place}: {', '.join(names)}" for place, names in by_place.items()]


def overview_page(outcomes: list[Outcome]) -> str:
    """Return the page, which links to the experiments' own beside it."""
    items = "".join(f"<li>{escape(text)}</li>" for text in summary_sentences(outcomes))
    rows = []
    for outcome in outcomes:
        name = outcome.experiment.id
        link = f'<a href="{name}.html">{name}</a><br><small>{escape(outcome.experiment.title)}</small>'
        run = f"{outcome.record.seconds:.0f} s<br><small>{escape(outcome.form)}</small>"
        for at, effect in enumerate(outcome.effects or [Effect("nothing is judged", None, "", False)]):
            must = "" if effect.must_appear else "<br><small>not required</small>"
            word = f"<b>{SEEN[effect.seen]}</b>{must}"
            own = [link, run] if at == 0 else ["", ""]
            rows.append([*own, escape(effect.name), word, escape(effect.why)])
    body = [
        f"<h1>{_TITLE}</h1>",
        f'<section class="summary"><ul>{items}</ul></section>',
        table(["experiment", "run", "effect", "", "why"], rows, numbers_from=9),
        "<h2>Measured on</h2>",
        *(f"<p>{escape(text)}</p>" for text in provenances(outcomes)),
    ]
    return frame(_TITLE, "\n".join(body), with_charts=False)


def write_overview(folder: Path) -> Path | None:
    """Write `folder`/index.html out of the records in it; None where there is none."""
    outcomes = outcomes_in(folder)
    if not outcomes:
        return None
    path = folder / "index.html"
    write_whole(
        path, overview_page(outcomes), f"page {path}", "make it again with `quadrille reproduce --pages`"
    )
    return path
