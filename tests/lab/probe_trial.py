# SPDX-License-Identifier: BSD-3-Clause
"""One probe of an emulated network, for the tests and for scripts/probe_accuracy.py."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from steal_time import watched_each_second

from quadrille.errors import QuadrilleError
from quadrille.installation import native_program
from quadrille.lab.lab import Lab
from quadrille.lab.topology import Topology
from quadrille.reproduce.accuracy import Accuracy, accuracy_of

PATIENCE_S = 90
_QUADRILLE = [sys.executable, "-c", "from quadrille.cli import main; main()"]

# Small forms of all ready-made networks: what one machine emulates and probes in seconds, beside other tests.
SMALL = (
    "one_switch:hosts=6,rate_mbit=20",
    "two_switches_one_trunk:hosts=8,rate_mbit=20,trunk_mbit=20",
    "three_levels:hosts_per_leaf=2,rate_mbit=10,leaf_trunk_mbit=10,spine_trunk_mbit=10",
    "eco_three_buses",
    "eco_cmu_psc",
    "eco_table7:fddi_mbit=30",
    "umbc_leaf:ports=6,rate_mbit=10,trunk_mbit=30",
    "hp_port_groups:groups=2,rate_mbit=5",
    "two_sites:hosts=6,rate_mbit=20,trunk_mbit=20",
    "gamma_dual:hosts=4,rate_mbit=20",
)
# Where no link has a rate there is none to find. A port of jumbo frames lets a dozen of the probe's pass at
# once, as its token bucket holds two of its own.
NOT_PROBED = ("unlimited", "gigabit")


@dataclass(frozen=True)
class Trial:
    """How `quadrille probe` ended; `model` only where it wrote one.

    `stolen_share` is the largest part of a second that the machine under the lab was taken away.
    """

    exit_code: int
    stdout: str
    stderr: str
    seconds: float
    stolen_share: float
    model: dict[str, Any] | None

    def accuracy(self, truth: dict[str, Any]) -> Accuracy:
        """Judge the model by the lab's truth. The probe must have written one."""
        assert self.model is not None, self.stderr
        return accuracy_of(self.model, truth)


def probe(line: Sequence[str], folder: Path, *options: str, patience_s: float = PATIENCE_S) -> Trial:
    """Run `quadrille probe` with launcher `line`. Raises TimeoutExpired when it hangs."""
    path = folder / "model.json"
    path.unlink(missing_ok=True)
    with watched_each_second() as watch:
        done = quadrille("probe", "-o", str(path), *options, "--", *line, patience_s=patience_s)
    model = json.loads(path.read_text(encoding="utf-8")) if path.exists() else None
    cpu = watch.report
    return Trial(done.returncode, done.stdout, done.stderr, cpu.wall_s, cpu.worst_steal_share, model)


def quadrille(*arguments: str, patience_s: float = PATIENCE_S) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process group of its own, which is ended when it hangs."""
    command = [*_QUADRILLE, *arguments]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL
    ) as child:
        try:
            stdout, stderr = child.communicate(timeout=patience_s)
        except BaseException:
            child.terminate()
            raise
    return subprocess.CompletedProcess(command, child.returncode, stdout, stderr)


def shuffled_launcher(lab: Lab, seed: int, **options: Any) -> list[str]:
    """Return a launcher line whose ranks fill the hosts in a random order."""
    hosts = list(lab.state.hosts)
    random.Random(seed).shuffle(hosts)
    return lab.launcher(hosts=hosts, **options)


def with_ambient(topology: Topology, share: float) -> Topology:
    """Return `topology` with other people's traffic of `share` on all its links and buses.

    A host on a bus has no cable of its own. What crosses a trunk at a bus loads that bus too: it gets none.
    """
    buses = {bus.name for bus in topology.bus}
    return topology.model_copy(
        update={
            "switch": tuple(
                one.model_copy(
                    update={
                        "group": tuple(
                            group.model_copy(update={"ambient_share": share}) for group in one.group
                        )
                    }
                )
                for one in topology.switch
            ),
            "bus": tuple(one.model_copy(update={"ambient_share": share}) for one in topology.bus),
            "trunk": tuple(
                one if buses & set(one.between) else one.model_copy(update={"ambient_share": share})
                for one in topology.trunk
            ),
            "hosts": tuple(
                one
                if one.on in buses
                else one.model_copy(update={"ambient_to_host_share": share, "ambient_from_host_share": share})
                for one in topology.hosts
            ),
        }
    )


def skip_without_prober(mpi: str = "ompi") -> None:
    """Skip the calling test where the prober is not built."""
    try:
        native_program(f"quadrille-probe-{mpi}")
    except QuadrilleError as missing:
        pytest.skip(str(missing))


def lab_name(prefix: str) -> str:
    """Return a lab name that no other run at the same time has."""
    return f"{prefix}-{os.getpid()}"
