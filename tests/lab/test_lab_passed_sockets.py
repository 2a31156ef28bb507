# SPDX-License-Identifier: BSD-3-Clause
"""What holders of passed sockets cannot do, and how link helpers begin and end."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from lab_traffic import PYTHON, needs_namespaces, quadrille, topology
from link_sockets import (
    DAEMON,
    GAMES,
    NOBODY,
    PATIENCE_S,
    RunningHelper,
    as_user,
    interfaces,
    serving,
    wait_until_gone,
    write_rules,
)

from quadrille.lab.lab import Lab

pytestmark = [pytest.mark.lab, needs_namespaces, pytest.mark.timeout(120)]
OWN_ADDRESS = "198.18.200.1"
SIDE, SIDE_AT_H1 = "quad-c612c801", "quad-c612c802"
RULES = [((NOBODY,), "47000-47003"), ((GAMES,), "48000-48003")]
ATTACKS = (Path(__file__).parent / "frame_attacks.py").read_text(encoding="utf-8")
_WITNESS = """
import json, select, socket, sys, os
sees = []
for name in sys.argv[1:]:
    one = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3)); sees.append(one)
    one.bind((name, 3))
    one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
    one.setsockopt(263, 8, 1)  # PACKET_AUXDATA: tags of virtual LANs
print("ready", flush=True); seen = []
while True:
    ready = select.select([*sees, 0], [], [])[0]
    for one in sees:
        if one in ready:
            frame, extra, _, address = one.recvmsg(2048, 64)
            tagged = any(int.from_bytes(data[:4], sys.byteorder) & 0x10 for _, _, data in extra)
            if address[2] != 4: seen.append([frame.hex(), tagged])
    if ready == [0] and not os.read(0, 100): break
print(json.dumps(seen))
"""


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    tables = {
        "switch": [{"name": "s0", "rate_mbit": 1000, "buffer_kib": 256}],
        "hosts": [{"names": ["h0..h1"], "on": "s0"}],
    }
    with Lab.up(topology(**tables), "t-passed") as found:
        # As real interfaces do: check sums that were left to later are in a frame before it is on the wire.
        found.on_host("h0", ["ethtool", "-K", "eth0", "tx", "off"])
        yield found


@pytest.fixture(scope="module")
def rules() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)  # pytest's own are closed to strangers
        yield write_rules(Path(folder) / "rules.toml", OWN_ADDRESS, RULES)


@pytest.fixture(scope="module")
def helper(lab: Lab, rules: Path) -> Iterator[RunningHelper]:
    with serving(lab, ["h0"], [rules], rules.parent) as found:
        yield found[0]


def start(line: Sequence[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def attack(lab: Lab, helper: RunningHelper, uid: int, *arguments: str) -> subprocess.Popen[str]:
    own = lab.state.hosts["h0"].address
    return start(as_user(uid, [PYTHON, "-c", ATTACKS, str(helper.path), own, *arguments]))


def finish(process: subprocess.Popen[str]) -> Any:
    output, _ = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, output
    return json.loads(output)


def hardware_of(lab: Lab, host: str, interface: str) -> str:
    return lab.on_host(host, ["cat", f"/sys/class/net/{interface}/address"]).strip()


def promiscuity(lab: Lab) -> int:
    described = json.loads(lab.on_host("h0", ["ip", "-d", "-j", "link", "show", "eth0"]))
    return int(described[0]["promiscuity"])


@pytest.mark.parametrize(("host", "interface"), [("h1", "eth0"), ("h0", SIDE)])
def test_no_frame_leaves_but_datagrams_of_the_own_address_and_ports(
    lab: Lab, helper: RunningHelper, host: str, interface: str
) -> None:
    """Neither to others nor to the host itself, whatever is left out or left to later."""
    witness = start(lab.enter(host, [PYTHON, "-c", _WITNESS, interface]))
    assert witness.stdout is not None
    assert witness.stdout.readline() == "ready\n"
    target, to = lab.state.hosts[host].address, hardware_of(lab, host, interface)
    did = finish(attack(lab, helper, NOBODY, "send", target, to))
    seen = [(bytes.fromhex(text), tagged) for text, tagged in finish(witness)]
    own = bytes(int(part) for part in did["own"].split("."))
    hardware = bytes.fromhex(did["hardware"].replace(":", ""))
    of_attack = [(frame, tagged) for frame, tagged in seen if frame[6:12] in (hardware, b"\x02\0\0\0\0\x63")]
    assert not any(tagged for _, tagged in of_attack)
    kinds = {"datagram": 0, "refusal": 0, "arp": 0}
    for frame, _ in of_attack:
        assert frame[6:12] == hardware
        if frame[12:14] == b"\x08\x06":
            assert frame[18:20] == b"\x06\x04" and frame[22:32] == hardware + own
            kinds["arp"] += 1
            continue
        assert frame[12:15] == b"\x08\0\x45" and frame[26:30] == own, frame.hex()
        if frame[23] == 1:
            assert frame[34] == 3 and frame[58:62] == own
            kinds["refusal"] += 1
        else:
            assert frame[23] == 17 and int.from_bytes(frame[34:36], "big") == did["port"], frame.hex()
            kinds["datagram"] += frame[42:] == b"good"
    assert kinds["datagram"] >= 2, "with and without the queueing discipline"
    assert kinds["refusal"] == 2
    assert kinds["arp"] >= 2 or interface == SIDE, "which knows the address for good"
    assert len(did["refused"]) < 10, "some check sums that are left to later got as far as the filters"


def test_a_holder_changes_nothing_of_what_he_has(lab: Lab, helper: RunningHelper) -> None:
    outcome = finish(attack(lab, helper, NOBODY, "change", lab.state.hosts["h1"].address))
    assert len(outcome) == 15
    assert outcome.pop("another port") == "Invalid argument"
    assert outcome.pop("raw headers") in ("Protocol not available", "Operation not permitted")
    assert set(outcome.values()) == {"Operation not permitted"}, outcome


def test_a_holder_sees_nothing_of_others(lab: Lab, helper: RunningHelper) -> None:
    """Neither of his own rule nor of another, nor what the host itself is sent, promiscuous or not."""
    before = promiscuity(lab)
    listeners = [attack(lab, helper, uid, "listen") for uid in (NOBODY, NOBODY, GAMES)]
    ports = []
    for one in listeners:
        assert one.stdout is not None
        ports.append(json.loads(one.stdout.readline())["port"])
    assert promiscuity(lab) == before, "of the host's own interface"
    code = (
        "import socket, sys, time\n"
        "out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
        "for round in range(3):\n"
        "    for to in sys.argv[2:]: out.sendto(to.encode(), (to.split(':')[0], int(to.split(':')[1])))\n"
        "    time.sleep(0.05)\n"
    )
    host = lab.state.hosts["h0"].address
    targets = [f"{OWN_ADDRESS}:{port}" for port in [*ports, 47999, 22]] + [f"{host}:{ports[0]}"]
    lab.on_host("h1", [PYTHON, "-c", code, "", *targets])
    for one, port in zip(listeners, ports, strict=True):
        seen = [bytes.fromhex(text) for text in finish(one)["seen"]]
        assert seen, port
        assert {payload[8:] for payload in seen} == {f"{OWN_ADDRESS}:{port}".encode()}


def test_who_is_named_by_no_rule_gets_nothing_and_hears_why(lab: Lab, helper: RunningHelper) -> None:
    refused = attack(lab, helper, DAEMON, "listen")
    output, _ = refused.communicate(timeout=PATIENCE_S)
    assert refused.returncode == 1
    assert re.fullmatch(r"refused no rule is for user daemon \(1\) on interface eth0\n", output)


def test_ports_go_round_and_are_told_to_be_used_up(lab: Lab, helper: RunningHelper) -> None:
    holders = [attack(lab, helper, GAMES, "listen") for _ in range(4)]
    ports = set()
    for one in holders:
        assert one.stdout is not None
        ports.add(json.loads(one.stdout.readline())["port"])
    assert ports == {48000, 48001, 48002, 48003}
    output, _ = attack(lab, helper, GAMES, "listen").communicate(timeout=PATIENCE_S)
    assert output == "refused all ports of the rule (48000-48003) are in use\n"
    for one in holders:
        finish(one)
    again, _ = attack(lab, helper, GAMES, "listen").communicate(timeout=PATIENCE_S)
    assert json.loads(again.splitlines()[0])["port"] in ports


def test_strangers_words_are_refused_and_silence_harms_nobody(lab: Lab, helper: RunningHelper) -> None:
    code = (
        "import socket, sys\n"
        "def ask(words):\n"
        "    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET); s.connect(sys.argv[1])\n"
        "    if words is None: return s\n"
        "    s.send(words); print(s.recv(1000).decode())\n"
        "silent = [ask(None) for _ in range(20)]\n"
        "for words in (b'x', b'quadrille-link 2 1.2.3.4', b'quadrille-link 1 here', b'\\xff' * 200,\n"
        "              b'quadrille-link 1 198.18.0.77'): ask(words)\n"
    )
    said = subprocess.run(
        as_user(NOBODY, [PYTHON, "-c", code, str(helper.path)]), capture_output=True, text=True, timeout=20
    )
    assert said.stdout.splitlines() == [
        "refused that is no request of Quadrille's",
        "refused the link helper speaks version 1, the rank another; install one version",
        "refused that is no address",
        "refused that is no request of Quadrille's",
        "refused no interface of the link helper's host has the address 198.18.0.77",
    ], said.stderr


def test_nothing_is_left_when_it_ends_however_it_ends(lab: Lab, tmp_path: Path) -> None:
    before = interfaces(lab, "h1")
    rules = write_rules(tmp_path / "rules.toml", "198.18.200.2", RULES)
    with serving(lab, ["h1"], [rules], tmp_path) as (first,):
        assert SIDE_AT_H1 in interfaces(lab, "h1")
        first.end()
        assert interfaces(lab, "h1") == before
        assert not first.path.exists()
    with serving(lab, ["h1"], [rules], tmp_path) as (second,):
        second.process.kill()
        wait_until_gone(lab, "h1", SIDE_AT_H1)
        assert interfaces(lab, "h1") == before
        # At once, beside the socket that the dead one has left.
        with serving(lab, ["h1"], [rules], tmp_path):
            assert f"198.18.200.2 dev {SIDE_AT_H1}" in lab.on_host("h1", ["ip", "route"])


def test_what_cannot_be_is_said_in_one_line(
    lab: Lab, helper: RunningHelper, rules: Path, tmp_path: Path
) -> None:
    def changed(name: str, old: str, new: str) -> Path:
        made = tmp_path / f"{name}.toml"
        made.write_text(rules.read_text().replace(old, new))
        return made

    free = tmp_path / "free.sock"
    without_privilege = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"]
    cases: list[tuple[str, Path, Path, list[str]]] = [
        (f"another link helper serves at {helper.path}", rules, helper.path, []),
        (f"address {OWN_ADDRESS} is another link helper's on this host", rules, free, []),
        ("is taken by 02:51:", changed("h1", OWN_ADDRESS, lab.state.hosts["h1"].address), free, []),
        ("is this host's own", changed("h0", OWN_ADDRESS, lab.state.hosts["h0"].address), free, []),
        ("interface eth7 does not exist", changed("eth7", "eth0", "eth7"), free, []),
        ("interface lo carries no Ethernet frames", changed("lo", "eth0", "lo"), free, []),
        ("takes root", rules, free, without_privilege),
    ]
    started = []
    for number, (_, of, path, prefix) in enumerate(cases):
        command = [*prefix, sys.executable, "-c", "from quadrille.cli import main; main()", "link-helper"]
        at = path.with_suffix(f".{number}") if path == free else path
        started.append(start(lab.enter("h0", [*command, "--rules", str(of), "--socket", str(at)])))
    for (reason, *_), one in zip(cases, started, strict=True):
        output, _ = one.communicate(timeout=PATIENCE_S)
        assert one.returncode == 1, output
        assert re.fullmatch(rf"quadrille: .*{re.escape(reason)}.*\n", output), output
    assert interfaces(lab, "h0").count(SIDE) == 1


def test_a_missing_rules_file_is_named() -> None:
    done = quadrille("link-helper", "--rules", "/nonexistent/rules.toml")
    assert done.returncode == 2
    assert "rules file /nonexistent/rules.toml cannot be read" in done.stderr
