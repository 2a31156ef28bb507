# SPDX-License-Identifier: BSD-3-Clause
"""A results folder as a small record to keep beside the sources: Markdown, and JSON without samples.

README.md is the summary, ID.md an experiment's effects, tables and command, ID-1.svg a chart, ID.json what
its figures were.
"""

from __future__ import annotations

import json
import shlex
from dataclasses import asdict
from pathlib import Path

from quadrille.atomic_write import cannot_write, write_whole
from quadrille.errors import UsageError
from quadrille.report.charts import Figure
from quadrille.reproduce.as_markdown import as_markdown, markdown_table
from quadrille.reproduce.overview import SEEN, Outcome, outcomes_in, provenances, summary_sentences
from quadrille.reproduce.recording import data_of
from quadrille.reproduce.static_chart import static_chart
from quadrille.reproduce.without_samples import without_samples

_HEAD = "<!-- SPDX-License-Identifier: BSD-3-Clause -->\n<!-- Made by `quadrille reproduce --keep`. -->\n"


def keep(results: Path, folder: Path) -> list[Path]:
    """Write the record of all experiments in `results` into `folder`; return its files.

    Raises UsageError where `results` has none, and for a folder that cannot be written.
    """
    outcomes = outcomes_in(results)
    if not outcomes:
        raise UsageError(f"{results} holds no results of experiments; run `quadrille reproduce all` first")
    texts = {"README.md": _summary(outcomes)}
    for outcome in outcomes:
        with data_of(results / f"{outcome.experiment.id}.json"):
            texts |= _experiment(outcome)
        texts[f"{outcome.experiment.id}.json"] = _data(outcome)
    remedy = "give another --keep"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(error, str(folder), remedy) from None
    for name, text in texts.items():
        write_whole(folder / name, text, str(folder / name), remedy)
    return [folder / name for name in texts]


def _summary(outcomes: list[Outcome]) -> str:
    rows = [
        [
            f"[{outcome.experiment.id}]({outcome.experiment.id}.md)",
            effect.name if effect.must_appear else f"{effect.name} (not required)",
            f"**{SEEN[effect.seen]}**",
            effect.why,
            f"{outcome.record.seconds:.0f} s, {outcome.form}",
        ]
        for outcome in outcomes
        for effect in outcome.effects
    ]
    parts = [
        _HEAD + "# Published experiments, as they were measured",
        "",
        *(f"- {text}" for text in summary_sentences(outcomes)),
        "",
        "Measured on:",
        "",
        *(f"- {text}" for text in provenances(outcomes)),
        "",
        markdown_table(["experiment", "effect", "", "why", "run"], rows),
    ]
    return "\n".join(parts) + "\n"


def _experiment(outcome: Outcome) -> dict[str, str]:
    """Return the experiment's Markdown and its charts, by file name."""
    experiment, record = outcome.experiment, outcome.record
    charts: dict[str, str] = {}

    def picture(figure: Figure) -> str:
        chart = static_chart(figure)
        if chart is None:
            return ""
        name = f"{experiment.id}-{len(charts) + 1}.svg"
        charts[name] = chart
        return f"![chart]({name})"

    effects = [[effect.name, f"**{SEEN[effect.seen]}**", effect.why] for effect in outcome.effects]
    published = [[row.where, row.what, row.value] for row in experiment.published]
    parts = [
        _HEAD + f"# {experiment.title}",
        experiment.paper,
        markdown_table(["effect", "", "why"], effects),
        "## What the paper shows",
        markdown_table(["where", "what", "value"], published),
        "## What was set up",
        experiment.setting,
        "## What was measured",
        *(f"Mind: {text}" for text in record.warnings),
        as_markdown(experiment.show(record.data), picture).strip(),
        "## To repeat it",
        f"```\n{shlex.join(record.command)}\n```",
        f"{record.started}, {record.seconds:.0f} s, {outcome.form}. {provenances([outcome])[0]}. "
        f"Figures without samples: [{experiment.id}.json]({experiment.id}.json).",
    ]
    if record.error:
        parts.insert(3, f"Ended early: {record.error}")
    return {f"{experiment.id}.md": "\n\n".join(part for part in parts if part) + "\n", **charts}


def _data(outcome: Outcome) -> str:
    record = outcome.record.model_dump(mode="json", exclude={"data"})
    effects = [asdict(effect) for effect in outcome.effects]
    kept = record | {"effects": effects, "data": without_samples(outcome.record.data)}
    return json.dumps(kept, indent=None, separators=(",", ":"), sort_keys=False) + "\n"
