# SPDX-License-Identifier: BSD-3-Clause
"""The results format: models, schema and examples say the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from pydantic import ValidationError

from quadrille.contracts import RESULTS_LINE, results_json_schema

SCHEMAS = Path(__file__).resolve().parents[2] / "schemas"
EXAMPLES = sorted((SCHEMAS / "examples").glob("results_*.jsonl"))


def example_lines() -> list[dict[str, Any]]:
    return [json.loads(line) for path in EXAMPLES for line in path.read_text(encoding="utf-8").splitlines()]


def test_schema_file_is_made_from_the_models() -> None:
    written = json.loads((SCHEMAS / "results.json").read_text(encoding="utf-8"))
    assert written == results_json_schema(), "run `python -m quadrille.contracts > schemas/results.json`"


def test_examples_hold_every_type_of_line() -> None:
    assert {line["type"] for line in example_lines()} == {"run", "point", "program", "end"}


@pytest.mark.parametrize("line", example_lines(), ids=lambda line: str(line["type"]))
def test_example_fits_models_and_schema_and_survives_a_round_trip(line: dict[str, Any]) -> None:
    jsonschema.Draft202012Validator(results_json_schema()).validate(line)
    parsed = RESULTS_LINE.validate_python(line)
    assert json.loads(parsed.model_dump_json(by_alias=True)) == line


@pytest.mark.parametrize("line", example_lines(), ids=lambda line: str(line["type"]))
def test_a_missing_or_unknown_key_is_refused_by_both(line: dict[str, Any]) -> None:
    validator = jsonschema.Draft202012Validator(results_json_schema())
    required = next(key for key in list(line)[1:] if key not in ("schema", "description"))
    without = {key: value for key, value in line.items() if key != required}
    for wrong in (without, {**line, "surprise": 1}):
        assert not validator.is_valid(wrong)
        with pytest.raises(ValidationError):
            RESULTS_LINE.validate_python(wrong)
