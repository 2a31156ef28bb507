# SPDX-License-Identifier: BSD-3-Clause
"""Probes emulated networks many times and prints how right the models were, a line per topology.

    .venv/bin/python scripts/probe_accuracy.py --runs 10 --ambient 0.3
    .venv/bin/python scripts/probe_accuracy.py one_switch:hosts=16 eco_table7

Hosts are in random order in each run. Without topologies: all ready-made ones with their defaults (--small:
the small forms of tests/lab). `stolen` is the most of a second that the machine under the lab
was taken away, which rates may be low by. Exit code 1 when a partition, kind or multicast was wrong, or a
probe failed.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "lab"))
from probe_trial import PATIENCE_S, SMALL, lab_name, probe, shuffled_launcher, with_ambient

from quadrille.lab.lab import Lab
from quadrille.lab.ready_made import READY_MADE, resolve
from quadrille.reproduce.accuracy import Accuracy


@dataclass
class Tally:
    """What the runs on one topology gave."""

    runs: int = 0
    found: list[Accuracy] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    stolen_share: float = 0

    def right(self, topic: str) -> int:
        """Return in how many runs nothing was wrong with `topic`."""
        return sum(not getattr(one, topic) for one in self.found)

    @property
    def structure_always_right(self) -> bool:
        """Whether every run found partition, kinds and multicast."""
        return all(self.right(topic) == self.runs for topic in ("partition", "kinds", "multicast"))

    def line(self, name: str) -> str:
        """Return the line of the table."""
        rate = max((one.worst_rate_error for one in self.found), default=float("nan"))
        bursts = [ratio for one in self.found for ratio in one.burst_ratios]
        burst = f"{min(bursts):.2f}-{max(bursts):.2f}" if bursts else "-"
        counts = "".join(
            f"{f'{self.right(topic)}/{self.runs}':>11}"
            for topic in ("partition", "kinds", "multicast", "rates", "bursts")
        )
        times = sorted(self.seconds)
        middle = f"{times[len(times) // 2]:.1f}" if times else "-"
        return f"{name:58}{counts}{rate:>12.1%}{burst:>12}{middle:>8}{self.stolen_share:>8.0%}"


def main() -> int:
    """Probe and print."""
    arguments = _arguments()
    names = arguments.topologies or (list(SMALL) if arguments.small else list(READY_MADE))
    columns = ("partition", "kinds", "multicast", "rates", "bursts")
    head = "".join(f"{column:>11}" for column in columns)
    print(f"{'topology':58}{head}{'worst rate':>12}{'burst/true':>12}{'s':>8}{'stolen':>8}", flush=True)
    all_right = True
    for name in names:
        tally = _measure(name, arguments)
        print(tally.line(name), flush=True)
        all_right &= tally.structure_always_right
    return 0 if all_right else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("topologies", nargs="*", help="NAME or NAME:key=value,... or a lab file")
    parser.add_argument("--runs", type=int, default=3, help="per topology")
    parser.add_argument("--ambient", type=float, default=0.0, help="share of every link that others take")
    parser.add_argument("--mpi", default="ompi4")
    parser.add_argument("--seed", type=int, default=1, help="of the first run; the next run takes the next")
    parser.add_argument("--patience", type=float, default=PATIENCE_S, help="seconds that a probe may take")
    parser.add_argument("--small", action="store_true", help="small forms of the networks")
    return parser.parse_args()


def _measure(name: str, arguments: argparse.Namespace) -> Tally:
    topology, tally = resolve(name), Tally(runs=arguments.runs)
    if arguments.ambient:
        topology = with_ambient(topology, arguments.ambient)
    with Lab.up(topology, lab_name("accuracy")) as lab, tempfile.TemporaryDirectory() as folder:
        truth = lab.truth()
        for seed in range(arguments.seed, arguments.seed + arguments.runs):
            line = shuffled_launcher(lab, seed, mpi=arguments.mpi)
            try:
                trial = probe(line, Path(folder), "--seed", str(seed), patience_s=arguments.patience)
            except subprocess.TimeoutExpired as hung:
                print(f"  seed {seed}: no end after {hung.timeout:g} s", file=sys.stderr)
                continue
            if trial.model is None:
                print(f"  seed {seed}: {trial.stderr.strip()[-500:]}", file=sys.stderr)
                continue
            found = trial.accuracy(truth)
            tally.found.append(found)
            tally.seconds.append(trial.seconds)
            tally.stolen_share = max(tally.stolen_share, trial.stolen_share)
            for complaint in found.complaints():
                print(f"  seed {seed}: {complaint}", file=sys.stderr)
    return tally


if __name__ == "__main__":
    sys.exit(main())
