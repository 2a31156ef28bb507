# SPDX-License-Identifier: BSD-3-Clause
"""Jobs over the libfabric provider whose launcher is killed: they end, leave nothing, the next one starts."""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from lab_jobs import OVER_PROVIDER, block_datagrams_to, libraries, program, run_over_provider
from lab_traffic import topology

from quadrille.installation import quadrille_program
from quadrille.lab.ending import processes_inside
from quadrille.lab.lab import Lab

pytestmark = OVER_PROVIDER
PATIENCE_S = 30
HOSTS = ["h0", "h1"]


def wait_for(condition: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, f"{what}: not within {PATIENCE_S} s"
        time.sleep(0.1)


def holders(lab: Lab, host: str) -> set[str]:
    """Return the names by which the kernel of `host` knows who holds a board of credits."""
    return set(re.findall("@quadrille-credits-.*", lab.on_host(host, ["cat", "/proc/net/unix"])))


def shared_files(lab: Lab) -> list[str]:
    listed = [lab.on_host(host, ["find", "/dev/shm", "-name", "*quadrille*"]) for host in HOSTS]
    return [line for text in listed for line in text.splitlines()]


@pytest.mark.parametrize("mpi", ["ompi4", pytest.param("mpich", marks=pytest.mark.slow)])
def test_a_job_whose_launcher_is_killed_ends_and_the_next_one_starts(mpi: str) -> None:
    tables = {
        "switch": [{"name": "s0", "rate_mbit": 200, "buffer_kib": 32}],
        "hosts": [{"names": ["h0..h1"], "on": "s0", "ranks": 2}],
    }
    with Lab.up(topology(**tables), "t-fabric-killed") as lab:
        line = lab.launcher(mpi, 4, None, libraries(mpi))
        line += [program("exchange_times", mpi), "20000", "1000000"]
        launcher = subprocess.Popen(
            [quadrille_program(), "run", "--fabric", "on", "--", *line],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            wait_for(lambda: lab.counters().ports["h1"].out_frames > 1500, "the job exchanges")
            for host in HOSTS:
                assert len(holders(lab, host)) == 4, "each rank's provider and wire"
            assert Path(f"/proc/{launcher.pid}/comm").read_text(encoding="ascii").startswith("mpi")
        finally:
            launcher.kill()
            launcher.wait()
        wait_for(lambda: not processes_inside(lab.state, HOSTS), "all ranks and daemons end")
        assert all(holders(lab, host) == set() for host in HOSTS)
        assert shared_files(lab) == []
        run_over_provider(lab, mpi, 4, [program("point_to_point", mpi), "100000"], {}, "--collectives", "off")


@pytest.mark.parametrize("after_kbytes", [0, 500], ids=["from the start", "in mid-run"])
def test_messages_go_by_tcp_where_datagrams_stop(after_kbytes: int) -> None:
    tables = {
        "switch": [{"name": "s0", "rate_mbit": 200, "buffer_kib": 32}],
        "hosts": [{"names": ["h0..h2"], "on": "s0"}],
    }
    with Lab.up(topology(**tables), "t-fabric-stop") as lab:
        block_datagrams_to(lab, "h1", after_kbytes)
        command = [program("point_to_point", "ompi4"), "300000"]
        output = run_over_provider(lab, "ompi4", 3, command, {}, "--collectives", "off")
        assert "do not reach" in output
        assert "TCP carries what they exchange" in output
