# SPDX-License-Identifier: BSD-3-Clause
"""Rules files: what they may say, who is named, and what a wrong one is told."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quadrille.errors import UsageError
from quadrille.passed_sockets.rules import HIGHEST_PORT, LOWEST_PORT, Ports, Rules, parse_rules, read_rules


def rules(**network: Any) -> dict[str, Any]:
    rule = [{"users": ["root"], "ports": "47000-47099"}]
    return {"network": [{"interface": "eth0", "address": "198.18.200.1/16", "rule": rule, **network}]}


def with_rule(**rule: Any) -> dict[str, Any]:
    return rules(rule=[{"users": ["root"], "ports": "47000-47099", **rule}])


REFUSED = [
    ({}, "network: Field required"),
    ({"network": []}, "network: Tuple should have at least 1 item"),
    (rules(interface="a name"), "network.0.interface"),
    (rules(address="198.18.200.1"), "network.0: address 198.18.200.1/32 names no network"),
    (rules(address="198.18.0.0/16"), "address 198.18.0.0/16 cannot be a host's"),
    (rules(address="198.18.255.255/16"), "address 198.18.255.255/16 cannot be a host's"),
    (rules(address="localhost"), "network.0.address"),
    (rules(gateway="10.0.0.1"), "gateway 10.0.0.1 is no neighbour of 198.18.200.1/16"),
    (rules(rule=[]), "network.0.rule"),
    (rules(port="47000"), "network.0.port: Extra inputs are not permitted"),
    (with_rule(users=[]), "network.0.rule.0: names neither users nor groups"),
    (with_rule(users=["no-such-user"]), "network.0.rule.0.users.0: 'no-such-user' does not exist"),
    (with_rule(groups=["no-such-group"]), "network.0.rule.0.groups.0: 'no-such-group' does not exist"),
    (with_rule(users=[True]), "network.0.rule.0.users.0: write a name or a number in quotes"),
    (with_rule(ports="47000"), "network.0.rule.0.ports: write FIRST-LAST"),
    (with_rule(ports=47000), "network.0.rule.0.ports"),
    (with_rule(ports="80-90"), "network.0.rule.0.ports.first: Input should be greater than or equal to 1024"),
    (with_rule(ports="60000-70000"), "network.0.rule.0.ports.last"),
    (with_rule(ports="5000-4000"), "the range 5000-4000 ends before it begins"),
    (
        rules(rule=[{"users": ["root"], "ports": "2000-3000"}, {"groups": ["root"], "ports": "3000-4000"}]),
        "ports 3000-4000 and 2000-3000 are of two rules",
    ),
    ({"network": rules()["network"] * 2}, "address 198.18.200.1 is of two networks"),
]


@pytest.mark.parametrize(("data", "reason"), REFUSED, ids=[reason for _, reason in REFUSED])
def test_what_is_wrong_is_told_in_one_line(data: dict[str, Any], reason: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_rules(data, "x.toml")
    assert reason in str(refused.value)
    assert str(refused.value).startswith("rules file x.toml")
    assert "\n" not in str(refused.value)


def test_files_that_cannot_be_read_are_told_of(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        read_rules(tmp_path / "missing.toml")
    (tmp_path / "broken.toml").write_text("[[network")
    with pytest.raises(UsageError, match="is no TOML"):
        read_rules(tmp_path / "broken.toml")


numbers = st.integers(0, 6)


@st.composite
def several_rules(draw: st.DrawFn) -> Rules:
    networks = []
    for index in range(draw(st.integers(1, 3))):
        of_network = []
        for place in range(draw(st.integers(1, 3))):
            users, groups = draw(st.sets(numbers)), draw(st.sets(numbers))
            ports = f"{2000 + 100 * place}-{2050 + 100 * place}"
            named = users or {0}
            of_network.append(
                {"users": [str(u) for u in named], "groups": [str(g) for g in groups], "ports": ports}
            )
        interface = draw(st.sampled_from(["eth0", "eth1"]))
        networks.append({"interface": interface, "address": f"10.0.{index}.1/16", "rule": of_network})
    return parse_rules({"network": networks}, "drawn")


@given(several_rules(), numbers, st.frozensets(numbers), st.sampled_from(["eth0", "eth1"]))
def test_a_user_gets_what_the_first_rule_that_names_him_gives_and_nobody_else_anything(
    found: Rules, uid: int, gids: frozenset[int], interface: str
) -> None:
    naming = [
        (network, place)
        for network in found.network
        for place, rule in enumerate(network.rule)
        if network.interface == interface and (uid in rule.users or gids & set(rule.groups))
    ]
    assert found.find(uid, gids, interface) == (naming[0] if naming else None)


ports = st.tuples(st.integers(LOWEST_PORT, HIGHEST_PORT), st.integers(LOWEST_PORT, HIGHEST_PORT)).map(sorted)


@given(ports, ports)
def test_ranges_overlap_where_a_port_is_in_both(one: list[int], other: list[int]) -> None:
    first, second = (Ports(first=low, last=high) for low, high in (one, other))
    both = range(max(one[0], other[0]), min(one[1], other[1]) + 1)
    assert first.overlaps(second) == second.overlaps(first) == bool(both)


def test_names_become_numbers(tmp_path: Path) -> None:
    file = tmp_path / "rules.toml"
    file.write_text(
        '[[network]]\ninterface = "eth0"\naddress = "198.18.200.1/16"\n'
        f'[[network.rule]]\nusers = ["root", "{os.getuid() + 7}"]\nports = "47000-47099"\n'
    )
    rule = read_rules(file).network[0].rule[0]
    assert rule.users == (0, os.getuid() + 7)
    assert str(rule.ports) == "47000-47099"
