# SPDX-License-Identifier: BSD-3-Clause
"""Lab files: what is accepted, and what each mistake is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from quadrille.errors import UsageError
from quadrille.lab.topology import Topology, load_topology, natural_key, parse_topology

SCHEMAS = Path(__file__).resolve().parents[3] / "schemas"


def tables(**changes: Any) -> dict[str, Any]:
    base: dict[str, Any] = {
        "switch": [{"name": "s0", "rate_mbit": 10}, {"name": "s1", "rate_mbit": 10}],
        "bus": [{"name": "b0", "rate_mbit": 10}],
        "trunk": [{"between": ["s0", "s1"]}, {"between": ["s1", "b0"]}],
        "hosts": [{"names": ["h0..h3"], "on": "s0"}, {"names": ["x1", "x2"], "on": "b0"}],
    }
    return {**base, **changes}


def test_ranges_expand_and_hosts_come_in_natural_order() -> None:
    data = tables(hosts=[{"names": ["h9..h11"], "on": "s0"}, {"names": ["h2"], "on": "s1"}])
    assert parse_topology(data, "t").host_names() == ["h2", "h9", "h10", "h11"]


def test_natural_order_compares_numbers_as_numbers() -> None:
    assert sorted(["n10-b", "n2-b", "a", "n10-a"], key=natural_key) == ["a", "n2-b", "n10-a", "n10-b"]


SWITCH = {"name": "s0", "rate_mbit": 10}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"colour": 1}, "t: colour = 1: no such key here"),
        ({"switch": [{**SWITCH, "speed": 3}]}, "t: switch[0].speed = 3: no such key here"),
        (
            {"switch": [{**SWITCH, "rate_mbit": 0}]},
            "t: switch[0].rate_mbit = 0: input should be greater than 0",
        ),
        ({"switch": [{"name": "s0"}]}, "t: switch[0].rate_mbit: field required"),
        ({"switch": [{**SWITCH, "buffer_kib": 1}]}, "t: switch[0].buffer_kib = 1: "),
        ({"switch": [SWITCH, SWITCH]}, "t: switch[1].name = 's0': already the name of switch[0]"),
        (
            {"trunk": [{"between": ["s0", "s1"]}, {"between": ["s1", "s0"]}]},
            "t: trunk[1].between = ['s1', 's0']: closes a loop",
        ),
        ({"trunk": [{"between": ["s0", "s0"]}]}, "t: trunk[0].between = ['s0', 's0']: closes a loop"),
        ({"trunk": [{"between": ["s0", "s7"]}]}, "t: trunk[0].between[1] = 's7': no such switch"),
        ({"trunk": [{"between": ["s0", "s1"]}]}, "t: hosts[1].on = 'b0': x1 cannot reach h0"),
        (
            {"trunk": [{"between": ["s0", "b0"], "delay_ms": 1, "jitter_ms": 2}]},
            "t: trunk[0].jitter_ms = 2.0: must not exceed",
        ),
        ({"hosts": [{"names": ["h0"], "on": "nowhere"}]}, "t: hosts[0].on = 'nowhere': no such switch"),
        ({"hosts": [{"names": ["H0"], "on": "s0"}]}, "t: hosts[0].names[0] = 'H0': must be"),
        (
            {"hosts": [{"names": ["s1"], "on": "s0"}]},
            "t: hosts[0].names[0] = 's1': already the name of switch[1]",
        ),
        ({"hosts": [{"names": ["h5..h2"], "on": "s0"}]}, "h5..h2 is not a range"),
        (
            {"hosts": [{"names": ["h0"], "on": "b0", "to_host_mbit": 5}]},
            "t: hosts[0].to_host_mbit = 5.0: a host on a bus",
        ),
        ({"hosts": [{"names": ["h0"], "on": "s0", "ranks": 0}]}, "t: hosts[0].ranks = 0"),
        ({"hosts": []}, "t: hosts = []"),
        (
            {"network": "198.18.0.0/30"},
            "t: network = '198.18.0.0/30': 6 hosts need more than its 2 addresses",
        ),
        ({"network": "10.0.0.0/16"}, "t: network = '10.0.0.0/16': must lie inside 198.18.0.0/15"),
        ({"network": "198.18.0.0/15"}, "be a /16 or smaller"),
        ({"network": "cable"}, "t: network = 'cable': not an IPv4 network"),
        (
            {"event": [{"action": "freeze", "host": "h9", "after_s": 1}]},
            "t: event[0].host = 'h9': no such host",
        ),
        (
            {"event": [{"action": "kill", "host": "h1", "after_s": 1, "for_s": 1}]},
            "t: event[0].for_s = 1.0: only a freeze",
        ),
        ({"event": [{"action": "burn", "host": "h1", "after_s": 1}]}, "t: event[0].action = 'burn'"),
    ],
)
def test_a_mistake_is_named_by_path_and_value(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_topology(tables(**changes), "t")
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_file_that_is_not_there_or_not_toml_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        load_topology(tmp_path / "none.toml")
    wrong = tmp_path / "wrong.toml"
    wrong.write_text("[switch\n")
    with pytest.raises(UsageError, match="not TOML"):
        load_topology(wrong)


def test_a_file_without_a_name_is_called_like_the_file(tmp_path: Path) -> None:
    path = tmp_path / "My Lab 2.toml"
    path.write_text('switch = [{name = "s0", rate_mbit = 1}]\nhosts = [{names = ["h0"], on = "s0"}]\n')
    assert load_topology(path).name == "my-lab-2"


def test_the_schema_file_is_the_models_own() -> None:
    written = json.loads((SCHEMAS / "lab.json").read_text(encoding="utf-8"))
    assert written == Topology.model_json_schema(), "run `python -m quadrille.lab.write_schema`"


@pytest.mark.parametrize(
    "path", sorted((SCHEMAS / "examples").glob("lab_*.toml")), ids=lambda path: path.stem
)
def test_every_example_is_accepted_by_the_reader_and_by_the_schema(path: Path) -> None:
    import tomllib

    load_topology(path)
    schema = json.loads((SCHEMAS / "lab.json").read_text(encoding="utf-8"))
    jsonschema.validate(tomllib.loads(path.read_text(encoding="utf-8")), schema)


def test_there_are_examples() -> None:
    assert len(list((SCHEMAS / "examples").glob("lab_*.toml"))) >= 3
