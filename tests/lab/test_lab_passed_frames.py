# SPDX-License-Identifier: BSD-3-Clause
"""Jobs of ranks without privilege that send frames by sockets of link helpers."""

from __future__ import annotations

import re
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from lab_jobs import (
    counts,
    libraries,
    program,
    run_over_link,
    run_over_provider,
    start_over_provider,
    wire_counts,
)
from lab_traffic import needs_namespaces, topology
from link_sockets import DAEMON, PATIENCE_S, RunningHelper, serving, write_rules

from quadrille.installation import quadrille_program
from quadrille.lab.lab import Lab
from quadrille.lab.running import RunResult

pytestmark = [pytest.mark.lab, pytest.mark.mpi, needs_namespaces, pytest.mark.timeout(150)]
HELPED = ["h0", "h1", "h2"]
FRAMES_AT_WORK = 3000
ROOT = 0
"""Ranks keep their user, as launchers want it, and lose all privilege."""
_RANK = """
export QUADRILLE_LINK_HELPER={folder}/$(hostname).sock
exec setpriv --bounding-set=-all --inh-caps=-all -- "$@"
"""


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    tables = {
        "switch": [{"name": "s0", "rate_mbit": 200, "buffer_kib": 32}],
        "hosts": [{"names": ["h0"], "on": "s0", "ranks": 3}, {"names": ["h1..h3"], "on": "s0"}],
    }
    with Lab.up(topology(**tables), "t-helped") as found:
        yield found


def rules_for(folder: Path, network: int, ports: str) -> list[Path]:
    return [
        write_rules(folder / f"{host}.toml", f"198.18.{network}.{number}", [((ROOT,), ports)])
        for number, host in enumerate(HELPED, start=1)
    ]


@pytest.fixture(scope="module")
def helpers(lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[RunningHelper]]:
    """On all hosts but the last; one of the three ranks of h0 comes too late."""
    folder = tmp_path_factory.mktemp("helpers")
    with serving(lab, HELPED, rules_for(folder, 200, "47000-47001"), folder) as found:
        yield found


def start(helpers: Sequence[RunningHelper]) -> list[str]:
    """Return what starts a program without privilege, on each host asking its own helper."""
    return ["sh", "-c", _RANK.format(folder=helpers[0].path.parent), "sh"]


def run(lab: Lab, helpers: Sequence[RunningHelper], *command: str, mpi: str = "ompi4") -> RunResult:
    line = [*start(helpers), program(command[0], mpi), *command[1:]]
    return run_over_link(lab, "packet", 6, line, mpi)


def killing_at_work(lab: Lab, helper: RunningHelper) -> threading.Thread:
    """Kill the helper of h1 once its rank sends what no start of a job does; return who does that."""
    before = lab.counters().ports["h1"].out_frames

    def wait_and_kill() -> None:
        end = time.monotonic() + PATIENCE_S
        while lab.counters().ports["h1"].out_frames - before < FRAMES_AT_WORK and time.monotonic() < end:
            time.sleep(0.1)
        helper.process.kill()

    killing = threading.Thread(target=wait_and_kill)
    killing.start()
    return killing


@pytest.mark.alone
def test_ranks_without_privilege_send_frames_to_each_other_and_to_who_has_none(
    lab: Lab, helpers: list[RunningHelper]
) -> None:
    result = run(lab, helpers, "collectives", "stress", "4", "300")
    assert counts(result)["failures"] == 0
    said = re.findall(r"quadrille: .* of 6 ranks use another link than .*", result.output)
    assert len(said) == 1, result.output
    assert said[0].startswith("quadrille: 2 of 6 ranks"), said
    assert "Operation not permitted; the link helper at" in said[0]
    assert said[0].endswith("refuses: all ports of the rule (47000-47001) are in use)")
    # Sent from the helper's address, heard at the host's own. Rank 0, of whose link this
    # tells, may be the one that comes too late.
    assert re.search("wire=(packet|udp) multicast=yes", result.output), result.output
    found = wire_counts(result)
    datagrams = found["data_sent"] + found["acks_sent"] + found["probes"]
    assert 0.4 * datagrams < found["frames_sent"] < 0.9 * datagrams
    assert 0.4 * found["data_received"] < found["frames_received"]
    assert found["forged"] == found["malformed"] == 0


def test_a_user_whom_no_rule_names_uses_udp_and_hears_why_once(lab: Lab, tmp_path: Path) -> None:
    rules = [write_rules(tmp_path / "h0.toml", "198.18.200.9", [((DAEMON,), "47000-47003")])]
    with serving(lab, ["h0"], rules, tmp_path) as refusing:
        result = run(lab, refusing, "exchange_times", "20000", "5")
    assert counts(result)["wrong"] == 0
    said = re.findall(r"quadrille: .* ranks use another link than .*", result.output)
    assert len(said) == 1, result.output
    assert said[0].startswith("quadrille: 6 of 6 ranks")
    assert "refuses: no rule is for user root (0) on interface eth0)" in said[0]
    assert wire_counts(result)["frames_sent"] == 0


@pytest.mark.alone
def test_a_helper_that_is_killed_does_not_stop_a_job_and_the_next_one_has_frames(
    lab: Lab, tmp_path: Path
) -> None:
    rules = rules_for(tmp_path, 201, "47000-47003")
    with serving(lab, HELPED, rules, tmp_path) as found:
        killing = killing_at_work(lab, found[1])
        began = time.monotonic()
        result = run(lab, found, "exchange_times", "20000", "400")
        took = time.monotonic() - began
        killing.join()
        assert counts(result)["wrong"] == 0
        assert "TCP carries" in result.output
        assert took < 60
        with serving(lab, ["h1"], rules[1:2], tmp_path):
            again = run(lab, found, "exchange_times", "20000", "5")
        assert counts(again)["wrong"] == 0
        assert "1 of 6 ranks use another link" in again.output


def test_a_job_over_the_provider_ends_with_the_helper_and_says_why(lab: Lab, tmp_path: Path) -> None:
    """Messages have no other way; who waits for them must not wait for ever."""
    environment = {"QUADRILLE_FABRIC_LINK": "packet"}
    with serving(lab, HELPED, rules_for(tmp_path, 203, "47000-47003"), tmp_path) as found:
        line = [*lab.launcher("ompi4", 5, None, environment), *start(found)]
        line += [program("exchange_times", "ompi4"), "20000", "1000000"]
        killing = killing_at_work(lab, found[1])
        done = start_over_provider(line, "--collectives", "off", timeout_s=60)
        killing.join()
    assert done.returncode != 0
    assert "the interface of the packet link was taken away" in done.stderr, done.stderr


@pytest.mark.parametrize("mpi", ["ompi4", pytest.param("mpich", marks=pytest.mark.slow)])
def test_a_rank_that_waits_for_anybody_ends_with_the_helper(lab: Lab, tmp_path: Path, mpi: str) -> None:
    """It sends nothing, so nothing of its own fails, and nobody is known to have ended."""
    environment = {"QUADRILLE_FABRIC_LINK": "packet", **libraries(mpi)}
    rules = [write_rules(tmp_path / "h1.toml", "198.18.204.1", [((ROOT,), "47000-47003")])]
    with serving(lab, ["h1"], rules, tmp_path) as found:
        line = [*lab.launcher(mpi, 5, None, environment), *start(found)]
        line += [program("waits_for_anybody", mpi), "3"]
        job = subprocess.Popen(
            [quadrille_program(), "run", "--fabric", "on", "--collectives", "off", "--", *line],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            assert job.stdout is not None
            assert job.stdout.readline() == "waits\n"
            found[0].process.kill()
            output, errors = job.communicate(timeout=30)
        finally:
            job.kill()
            job.wait()
    assert job.returncode != 0
    assert "got" not in output
    assert errors.count("the interface of the packet link was taken away") == 1, errors


@pytest.mark.parametrize("mpi", ["ompi4", "mpich"])
def test_whole_mpi_libraries_by_passed_sockets(lab: Lab, helpers: list[RunningHelper], mpi: str) -> None:
    """The third rank of h0 speaks from the host's own address, to the other two as well."""
    environment = {"QUADRILLE_LOG": "fabric", "QUADRILLE_FABRIC_LINK": "packet"}
    command = [*start(helpers), program("point_to_point", mpi), "300000"]
    output = run_over_provider(lab, mpi, 5, command, environment, "--collectives", "off")
    of_ranks = re.findall(r"event=fabric link=(\w+) .* frames_sent=(\d+)", output)
    assert sorted(link for link, _ in of_ranks) == ["packet"] * 4 + ["udp"], output
    assert sum(int(sent) for _, sent in of_ranks) > 1000
