# SPDX-License-Identifier: BSD-3-Clause
"""Coming up, standing side by side, failing on purpose, crashing, and leaving nothing behind."""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from lab_traffic import PYTHON, needs_namespaces, reaches, topology, wait_for_answer
from ordinary_user import OrdinaryUser
from steal_time import Timing

from quadrille.errors import QuadrilleError
from quadrille.installation import quadrille_program
from quadrille.lab import namespaces as ns
from quadrille.lab.ending import end_lab, processes_inside
from quadrille.lab.lab import Lab
from quadrille.lab.ready_made import ready_made
from quadrille.lab.running import run_job
from quadrille.lab.state import is_alive, keeper_pid, lab_directory, labs_locked

pytestmark = [pytest.mark.lab, needs_namespaces, pytest.mark.timeout(120)]

SMALL = ready_made("one_switch", hosts=2, rate_mbit=20)


def wait_for(condition: Callable[[], bool], patience_s: float = 10) -> None:
    deadline = time.monotonic() + patience_s
    while not condition():
        assert time.monotonic() < deadline, "did not happen in time"
        time.sleep(0.02)


def sleeper(lab: Lab, host: str) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(lab.enter(host, ["sleep", "300"]))
    wait_for(lambda: processes_inside(lab.state, [host]) != {})
    return process


def test_sixteen_hosts_come_up_in_three_seconds_and_go_without_a_trace(timing: Timing) -> None:
    began = time.monotonic()
    with Lab.up(ready_made("one_switch"), "t-sixteen") as lab:
        with timing.judged():
            assert time.monotonic() - began < 3
        keeper = lab.state.keeper_pid
        assert lab.on_host("h15", ["hostname"]) == "h15\n"
    assert not lab.directory.exists()
    wait_for(lambda: not Path(f"/proc/{keeper}").exists())


def test_two_labs_with_the_same_names_and_addresses_do_not_meet() -> None:
    with Lab.up(SMALL, "t-one") as one, Lab.up(SMALL, "t-two") as two:
        assert one.state.hosts["h1"].address == two.state.hosts["h1"].address
        one.kill("h1")
        assert not reaches(one, "h0", "h1")
        wait_for_answer(two, "h0", "h1")
        before = two.counters().ports["h0"].out_frames
        one.thaw("h1")
        wait_for_answer(one, "h0", "h1")
        assert two.counters().ports["h0"].out_frames - before < 3
        one.down()
        wait_for_answer(two, "h0", "h1")


def test_a_name_can_be_up_once() -> None:
    with Lab.up(SMALL, "t-once"), pytest.raises(QuadrilleError, match="already up"):
        Lab.up(SMALL, "t-once")


def test_hosts_share_neither_memory_files_nor_abstract_sockets() -> None:
    with Lab.up(SMALL, "t-private") as lab:
        lab.on_host("h0", ["sh", "-c", "echo x > /dev/shm/quadrille-private-test"])
        assert lab.on_host("h0", ["ls", "/dev/shm"]) == "quadrille-private-test\n"
        assert lab.on_host("h1", ["ls", "/dev/shm"]) == ""
        assert not Path("/dev/shm/quadrille-private-test").exists()
        assert lab.on_host("h1", ["getent", "hosts", "h0"]).split()[0] == "198.18.0.1"
        assert lab.on_host("h1", ["ls", "/sys/class/net"]).split() == ["eth0", "lo"]


def test_the_admin_network_is_a_second_unlimited_one() -> None:
    with Lab.up(ready_made("gamma_dual", hosts=2), "t-admin") as lab:
        assert lab.on_host("h0", ["getent", "hosts", "h1-admin"]).split()[0] == "198.19.0.2"
        lab.on_host("h0", ["ping", "-n", "-c", "1", "-W", "2", "h1-admin"])
        assert "tbf" in lab.on_host("h0", ["tc", "qdisc", "show", "dev", "eth0"])
        assert "tbf" not in lab.on_host("h0", ["tc", "qdisc", "show", "dev", "adm0"])


def test_a_killed_keeper_leaves_only_what_the_next_up_removes() -> None:
    lab = Lab.up(SMALL, "t-crash")
    left = sleeper(lab, "h1")
    os.kill(lab.state.keeper_pid, signal.SIGKILL)
    wait_for(lambda: not is_alive(lab.directory))
    with Lab.up(SMALL, "t-crash") as again:
        assert left.wait(5) == -signal.SIGKILL
        wait_for_answer(again, "h0", "h1")


def test_a_killed_keeper_leaves_only_what_down_all_removes() -> None:
    lab = Lab.up(SMALL, "t-crash-all")
    left = sleeper(lab, "h1")
    os.kill(lab.state.keeper_pid, signal.SIGKILL)
    wait_for(lambda: not is_alive(lab.directory))
    with labs_locked():
        assert end_lab("t-crash-all")  # what `down --all` does, for this one: others may use labs just now
    assert left.wait(5) == -signal.SIGKILL
    assert not lab.directory.exists()


@pytest.mark.parametrize("delay_s", [0.3, 0.45, 0.6, 0.9])
def test_an_up_killed_half_way_does_not_stop_the_next(delay_s: float) -> None:
    code = "from quadrille.cli import main; main()"
    up = subprocess.Popen(
        [sys.executable, "-c", code, "lab", "up", "umbc_leaf", "--name", "t-half"], stdout=subprocess.DEVNULL
    )
    time.sleep(delay_s)
    up.kill()
    up.wait()
    directory = lab_directory("t-half")
    with labs_locked():
        end_lab("t-half")
    assert keeper_pid(directory) is None
    assert not directory.exists()
    with Lab.up(SMALL, "t-half") as lab:
        wait_for_answer(lab, "h0", "h1")
    assert list(Path("/tmp").glob("qlab-t-half-*")) == []


def test_down_ends_what_is_inside_and_nothing_else() -> None:
    outside = subprocess.Popen(["sleep", "300"])
    try:
        with Lab.up(SMALL, "t-down") as lab:
            inside = sleeper(lab, "h0")
        assert inside.wait(5) == -signal.SIGKILL
        assert outside.poll() is None
    finally:
        outside.kill()
        outside.wait()


def test_a_stale_record_names_no_process_of_another_lab() -> None:
    with Lab.up(SMALL, "t-fresh") as lab:
        process = sleeper(lab, "h0")
        host = lab.state.hosts["h0"]
        stale = type(host)(**{**host.__dict__, "network_cookie": host.network_cookie + 1})
        record = type(lab.state)(**{**lab.state.__dict__, "hosts": {"h0": stale}})
        assert processes_inside(record) == {}
        assert set(processes_inside(lab.state)) == {process.pid}
    process.wait(5)


def test_a_frozen_host_stops_and_goes_on() -> None:
    counting = "import time\nfor n in range(10**6): print(n, flush=True); time.sleep(0.01)"
    with Lab.up(SMALL, "t-freeze") as lab:
        output = lab.directory / "count"
        with output.open("w") as stream:
            process = subprocess.Popen(lab.enter("h1", [PYTHON, "-c", counting]), stdout=stream)
        wait_for(lambda: output.stat().st_size > 0)
        assert lab.freeze("h1") == 1
        frozen_at = output.stat().st_size
        assert not reaches(lab, "h0", "h1")
        assert output.stat().st_size == frozen_at
        assert lab.thaw("h1") == 1
        wait_for(lambda: output.stat().st_size > frozen_at)
        wait_for_answer(lab, "h0", "h1")
        assert lab.freeze("h1", cables=False) == 1
        wait_for_answer(lab, "h0", "h1")
        assert lab.kill("h1") == 1
        assert process.wait(5) == -signal.SIGKILL
        assert not reaches(lab, "h0", "h1")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_host_goes_on_when_who_stops_it_for_a_while_is_ended(number: signal.Signals) -> None:
    with Lab.up(SMALL, "t-freeze-for") as lab:
        command = [quadrille_program(), "lab", "freeze", "h1", "--lab", "t-freeze-for", "--for", "60"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as freezing:
            assert freezing.stdout is not None
            assert "stopped" in freezing.stdout.readline()
            assert not reaches(lab, "h0", "h1")
            freezing.send_signal(number)
            freezing.wait(60)
        assert freezing.returncode != 0
        wait_for(lambda: reaches(lab, "h0", "h1"))


def test_events_of_the_lab_file_happen_during_a_run() -> None:
    tables = {
        "switch": [{"name": "s0", "rate_mbit": 20}],
        "hosts": [{"names": ["h0..h1"], "on": "s0"}],
        "event": [{"action": "freeze", "host": "h1", "after_s": 0.5, "for_s": 3.0}],
    }
    ticking = "import time\nfor n in range(300): print(time.monotonic(), flush=True); time.sleep(0.01)"
    with Lab.up(topology(**tables), "t-events") as lab:
        result = run_job(lab.directory, lab.state, lab.enter("h1", [PYTHON, "-c", ticking]), capture=True)
        record = json.loads((lab.directory / "last_run.json").read_text(encoding="utf-8"))
    moments = [float(line) for line in result.output.split()]
    assert max(later - earlier for earlier, later in itertools.pairwise(moments)) > 1.5  # it may begin late
    assert result.exit_code == record["exit_code"] == 0
    assert set(record["cpu"]) >= {"softirq_share", "steal_share", "bound_by_cpu"}


@pytest.mark.alone
def test_a_host_killed_by_an_event_is_back_for_the_next_run() -> None:
    tables = {
        "switch": [{"name": "s0", "rate_mbit": 20}],
        "hosts": [{"names": ["h0..h1"], "on": "s0"}],
        "event": [{"action": "kill", "host": "h1", "after_s": 0.3}],
    }
    with Lab.up(topology(**tables), "t-kill-event") as lab:
        for _ in range(2):
            result = run_job(lab.directory, lab.state, lab.enter("h1", ["sleep", "30"]), capture=True)
            assert result.exit_code == 128 + signal.SIGKILL
            assert 0.25 < result.wall_s < 5
            wait_for_answer(lab, "h0", "h1")


def test_a_lab_in_a_user_namespace_works_and_says_what_it_lacks() -> None:
    if not ns.may_unshare(ns.NEWUSER | ns.NEWNET):
        pytest.skip("no user namespaces on this machine")
    with Lab.up(ready_made("two_sites", hosts=4), "t-user", user_namespace=True) as lab:
        wait_for_answer(lab, "h0", "h2")
        assert lab.on_host("h2", ["hostname"]) == "h2\n"
        assert "XDP" in " ".join(lab.state.notes)
        left = sleeper(lab, "h3")
        assert lab.freeze("h3") == 1
        assert lab.counters().ports["h0"].out_frames > 0
    left.wait(5)
    assert not lab.directory.exists()


def test_an_ordinary_user_gets_a_lab_in_a_user_namespace(ordinary_user: OrdinaryUser) -> None:
    up = ordinary_user.lab("up", "one_switch:hosts=2")
    assert up.returncode == 0, up.stderr
    try:
        ping = ordinary_user.lab("exec", "h0", "--", "ping", "-n", "-c", "1", "-W", "2", "h1")
        assert ping.returncode == 0, ping.stderr
        assert "user namespace" in up.stderr
    finally:
        down = ordinary_user.lab("down")
    assert down.returncode == 0, down.stderr
    assert not (ordinary_user.labs / "one_switch").exists()


def test_without_privilege_and_without_user_namespaces_the_message_says_so(tmp_path: Path) -> None:
    if not ns.may_unshare(ns.NEWUSER):
        pytest.skip("needs a user namespace to take the permission away in")
    forbid = "echo 0 > /proc/sys/user/max_user_namespaces; echo 0 > /proc/sys/user/max_net_namespaces; "
    code = "from quadrille.cli import main; main()"
    result = subprocess.run(
        [
            "unshare",
            "-Ur",
            "sh",
            "-c",
            f'{forbid} exec "$@"',
            "sh",
            sys.executable,
            "-c",
            code,
            "lab",
            "up",
            "one_switch",
        ],
        env={**os.environ, "QUADRILLE_LAB_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert result.returncode == 1
    assert "run as root" in result.stderr
    assert "max_user_namespaces" in result.stderr
    assert not (tmp_path / "one_switch").exists()
