# SPDX-License-Identifier: BSD-3-Clause
"""The network model format: models, schema and examples say the same, and errors name path and value."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from quadrille.errors import UsageError
from quadrille.model.contract import model_json_schema
from quadrille.model.model_file import ModelError, load_model, parse_model, print_model

SCHEMAS = Path(__file__).resolve().parents[3] / "schemas"
EXAMPLES = ["full", "islands", "minimal", "three_buses", "tree"]
INVALID: list[dict[str, Any]] = json.loads(
    (SCHEMAS / "examples" / "network_model_invalid.json").read_text(encoding="utf-8")
)
DEPENDS_ON_THE_PARSER = re.compile(r"not valid JSON.*\(truncated or edited\?\)")
BEYOND_A_SCHEMA = re.compile(
    r"too deep|twice|the name of|is in segment|is in island|there is no|does not|joined|beside|newer"
)


def example(name: str) -> Path:
    return SCHEMAS / "examples" / f"network_model_{name}.json"


def test_schema_file_is_made_from_the_models() -> None:
    written = json.loads((SCHEMAS / "network_model.json").read_text(encoding="utf-8"))
    assert written == model_json_schema(), (
        "run `python -m quadrille.model.contract > schemas/network_model.json`"
    )


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_fits_the_schema_and_survives_a_round_trip(name: str) -> None:
    text = example(name).read_text(encoding="utf-8")
    jsonschema.Draft202012Validator(model_json_schema()).validate(json.loads(text))
    model = load_model(example(name))
    assert parse_model(print_model(model)) == model
    if name != "minimal":
        assert print_model(model) == text, "the native side prints these bytes"


@pytest.mark.parametrize("wrong", INVALID, ids=lambda wrong: str(wrong["message"]))
def test_a_wrong_example_is_refused_in_the_words_it_states(wrong: dict[str, Any]) -> None:
    with pytest.raises(ModelError) as caught:
        parse_model(wrong["text"] if "text" in wrong else json.dumps(wrong["document"]))
    if DEPENDS_ON_THE_PARSER.search(wrong["message"]):
        assert DEPENDS_ON_THE_PARSER.search(str(caught.value))
    else:
        assert str(caught.value) == wrong["message"]


@pytest.mark.parametrize(
    "wrong", [wrong for wrong in INVALID if "document" in wrong], ids=lambda wrong: str(wrong["message"])
)
def test_the_schema_refuses_what_a_schema_can_see(wrong: dict[str, Any]) -> None:
    valid = jsonschema.Draft202012Validator(model_json_schema()).is_valid(wrong["document"])
    assert not valid or BEYOND_A_SCHEMA.search(wrong["message"])


def test_hand_written_segments_are_filled_in() -> None:
    model = load_model(example("minimal"))
    assert [segment.name for segment in model.segments] == ["segment0", "segment1"]
    assert {host.name: host.segment for host in model.hosts} == {
        "a": "segment0",
        "c": "segment0",
        "b": "segment1",
    }
    assert model.hosts[0].to_host_bit_s is None


def test_an_island_may_join_hosts_of_several_segments_and_hosts_in_none() -> None:
    segments = [{"hosts": ["a", "b"], "kind": "switch"}, {"hosts": ["c"], "kind": "bus"}]
    islands = [{"name": "x", "hosts": ["c", "d", "a"]}]
    model = parse_model(json.dumps({"hosts": [{"name": "d"}], "segments": segments, "islands": islands}))
    assert model.islands[0].hosts == ["c", "d", "a"]
    assert model.islands[0].rate_bit_s is None


def test_an_interval_that_says_no_more_than_its_value_is_not_printed() -> None:
    segment = {
        "hosts": ["a"],
        "kind": "bus",
        "latency_ns": 3.0,
        "intervals": {"latency_ns": [3, 3.0]},
    }
    text = print_model(parse_model(json.dumps({"segments": [segment]})))
    assert '"latency_ns":3,' in text and "intervals" not in text


def test_a_file_that_is_not_there_or_not_text_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"nowhere\.json cannot be read"):
        load_model(tmp_path / "nowhere.json")
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="not UTF-8"):
        load_model(tmp_path / "binary")
    with pytest.raises(ModelError, match="nested too deep"):
        parse_model("[" * 100_000)


@pytest.mark.parametrize("name", EXAMPLES)
def test_random_edits_end_in_a_model_or_a_model_error(name: str) -> None:
    original = example(name).read_text(encoding="utf-8")
    chance = random.Random(5)
    pieces = ["null", "-1", "0", "1e999", '""', "[]", "{}", "true", "99999999999999999999999", '"b"', ","]
    for _ in range(150):
        place = chance.randrange(len(original))
        start = re.search(r"[\[{:,]", original[place:])
        place += start.end() if start else 0
        end = re.search(r"[,\]}]", original[place:])
        until = place + (end.start() if end else 0)
        try:
            model = parse_model(original[:place] + chance.choice(pieces) + original[until:])
        except ModelError:
            continue
        assert parse_model(print_model(model)) == model
