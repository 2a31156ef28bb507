# SPDX-License-Identifier: BSD-3-Clause
"""What `--fabric auto` makes of what is known of a program, and when it is tried."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from quadrille.errors import QuadrilleError
from quadrille.fabric import choice
from quadrille.fabric.program_messages import BothWays, ProgramMessages, Size, SizeClass, Trial
from quadrille.launchers import Launcher, Mpi

SENT = ProgramMessages(
    run_s=10.0,
    point_to_point_s=3.0,
    partners=[[1], [0]],
    groups=1100,
    one_sided=0,
    synchronous_sends=0,
    matched_receives=0,
    sent=[SizeClass(bytes=8, messages=1000), SizeClass(bytes=65536, messages=100)],
)


class Place:
    """A cache, and trials that come to a ratio instead of running."""

    def __init__(self, folder: Path) -> None:
        self.variables = {"QUADRILLE_CACHE": str(folder)}
        self.ratio = 0.5
        self.trials = 0

    def choose(
        self, line: str = "mpirun -n 2 true", mpi: Mpi = "ompi", version: str = "4.1.4"
    ) -> choice.Choice:
        launcher = Launcher(tuple(line.split()), 0, mpi, version, None)
        return choice.choose(launcher, self.variables, lambda _: None)

    def leave(self, line: str = "mpirun -n 2 true", sent: ProgramMessages = SENT, **of_line: Any) -> Path:
        """A job has left what it has sent."""
        file = self.choose(line, **of_line).leaves
        assert file is not None
        file.parent.mkdir(exist_ok=True)
        file.write_text(sent.model_dump_json(), encoding="utf-8")
        return file

    def both_ways(self, trial: Trial) -> BothWays:
        self.trials += 1
        sizes = trial.sent.costliest()
        return BothWays(
            sizes=[
                Size(bytes=of.bytes, messages=of.messages, library_ns=10.0, provider_ns=10.0 * self.ratio)
                for of in sizes
            ]
        )


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    native = tmp_path / "native"
    native.mkdir()
    for name in ("libquadrille.so", "libquadrille-fi.so"):
        (native / name).touch()
    monkeypatch.setenv("QUADRILLE_NATIVE_DIR", str(native))
    monkeypatch.setenv("HOME", str(tmp_path))
    found = Place(tmp_path / "cache")
    (tmp_path / "cache").mkdir()
    monkeypatch.setattr(Trial, "both_ways", lambda trial: found.both_ways(trial))
    yield found


def test_the_first_job_leaves_the_second_tries_and_later_ones_know(place: Place) -> None:
    first = place.choose()
    assert not first.on and first.leaves is not None
    place.leave()
    second = place.choose()
    assert second.on and second.leaves is None and "take 0.50 of the time" in second.why
    assert place.choose() == second and place.trials == 1


def test_a_job_without_collectives_leaves_nothing_and_goes_by_what_others_have_left(place: Place) -> None:
    place.variables["QUADRILLE_COLLECTIVES"] = "off"
    found = place.choose()
    assert found.leaves is None and "takes over collectives" in found.why
    del place.variables["QUADRILLE_COLLECTIVES"]
    place.leave()
    place.variables["QUADRILLE_COLLECTIVES"] = "off"
    assert place.choose().on


@pytest.mark.parametrize(("ratio", "on"), [(0.94, True), (0.96, False), (1.7, False)])
def test_the_provider_is_taken_where_it_is_clearly_faster(place: Place, ratio: float, on: bool) -> None:
    place.leave()
    place.ratio = ratio
    assert place.choose().on == on


def test_times_count_as_often_as_the_program_sends(place: Place) -> None:
    many_short = Size(bytes=8, messages=1000, library_ns=10.0, provider_ns=20.0)
    few_long = Size(bytes=65536, messages=10, library_ns=100.0, provider_ns=50.0)
    assert BothWays(sizes=[many_short, few_long]).ratio == pytest.approx(20500 / 11000)


def test_six_sizes_are_tried_those_that_cost_most(place: Place) -> None:
    sizes = [SizeClass(bytes=1 << power, messages=1) for power in range(10, 20)]
    sizes.append(SizeClass(bytes=8, messages=10**6))
    sent = SENT.model_copy(update={"sent": sizes})
    assert [of.bytes for of in sent.costliest()] == [8, *(1 << power for power in range(15, 20))]


def test_a_program_of_few_messages_is_not_tried(place: Place) -> None:
    place.leave(sent=SENT.model_copy(update={"point_to_point_s": 0.4}))
    assert "4 % of its run" in place.choose().why and place.trials == 0
    place.leave("mpirun -n 3 true", sent=SENT.model_copy(update={"partners": [[], []]}))
    assert not place.choose("mpirun -n 3 true").on and place.trials == 0


def test_what_an_mpi_library_lacks_over_libfabric_keeps_programs_that_use_it_away(place: Place) -> None:
    windows = SENT.model_copy(update={"one_sided": 3})
    place.leave(sent=windows, version="5.0.2")
    assert "one-sided" in place.choose(version="5.0.2").why
    place.leave(sent=windows)
    assert place.choose().on
    matched = SENT.model_copy(update={"synchronous_sends": 1, "matched_receives": 1})
    place.leave("mpirun -n 4 true", sent=matched)
    assert "MPI_Mrecv" in place.choose("mpirun -n 4 true").why
    place.leave(sent=matched, mpi="mpich", version="5.0.0")
    assert place.choose(mpi="mpich", version="5.0.0").on


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("mpirun -n 2", "no program"),
        ("mpirun -n 1 true : -n 1 false", "several programs"),
        ("mpirun --mca pml ob1 -n 2 true", "another transport"),
    ],
)
def test_lines_that_cannot_be_tried_say_why(place: Place, line: str, why: str) -> None:
    found = place.choose(line)
    assert why in found.why and not found.on and found.leaves is None


def test_the_mpi_library_behind_srun_is_the_programs(place: Place, tmp_path: Path) -> None:
    assert "cannot be told" in place.choose(f"srun {sys.executable}", mpi="srun").why
    linked = tmp_path / "app"
    linked.write_bytes(b"\x7fELF libmpi.so.40\0")
    linked.chmod(0o755)
    assert place.choose(f"srun {linked}", mpi="srun").leaves is not None
    assert "cannot be told" in place.choose("sh true", mpi="unknown").why


def test_other_hosts_programs_and_settings_are_known_apart(place: Place, tmp_path: Path) -> None:
    hosts = tmp_path / "hosts"
    hosts.write_text("a\nb\n", encoding="utf-8")
    line = f"mpirun --hostfile {hosts} true"
    files = {place.choose(line).leaves}
    assert place.choose(f"{line} -in other.in").leaves not in files  # its second word may be a verb
    files.add(place.choose(f"{line} run one.in").leaves)
    assert place.choose(f"{line} run two.in").leaves in files
    for change in ("a\nb\nc\n", None):
        if change is None:
            place.variables["QUADRILLE_FABRIC_LINK"] = "packet"
        else:
            hosts.write_text(change, encoding="utf-8")
        assert place.choose(line).leaves not in files
        files.add(place.choose(line).leaves)
    assert place.choose(line.replace("true", "false")).leaves not in files


def test_hosts_of_a_partition_are_alike_if_equally_many(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    allocation = {"SLURM_JOB_PARTITION": "long", "SLURM_JOB_NUM_NODES": "2", "SLURM_TASKS_PER_NODE": "4(x2)"}
    for name, value in {**allocation, "SLURM_JOB_ID": "1", "SLURM_JOB_NODELIST": "n[1-2]"}.items():
        monkeypatch.setenv(name, value)
    one, other = tmp_path / "hosts.1", tmp_path / "hosts.2"
    one.write_text("n1\nn2\n", encoding="utf-8")
    other.write_text("n3\nn4\n", encoding="utf-8")
    first = place.choose(f"mpirun --hostfile {one} true").leaves
    monkeypatch.setenv("SLURM_JOB_ID", "2")
    monkeypatch.setenv("SLURM_JOB_NODELIST", "n[3-4]")
    assert place.choose(f"mpirun --hostfile {other} true").leaves == first
    other.write_text("n3\nn4\nn5\n", encoding="utf-8")
    assert place.choose(f"mpirun --hostfile {other} true").leaves != first
    monkeypatch.setenv("SLURM_JOB_PARTITION", "short")
    assert place.choose(f"mpirun --hostfile {one} true").leaves != first


def test_what_is_broken_or_old_is_learnt_again(place: Place) -> None:
    file = place.leave()
    assert place.choose().on
    (verdict,) = file.parent.glob("*-both.json")
    verdict.write_text("{", encoding="utf-8")
    assert place.choose().on and place.trials == 2
    old = time.time() - 31 * 86400
    os.utime(verdict, (old, old))
    assert place.choose().on and place.trials == 3
    os.utime(file, (old, old))
    assert place.choose().leaves == file


def test_a_trial_that_fails_leaves_messages_with_the_library(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: Trial) -> BothWays:
        raise QuadrilleError("its job ended with exit code 1: no route")

    place.leave()
    monkeypatch.setattr(Trial, "both_ways", fail)
    assert "no route" in place.choose().why and not place.choose().on


def test_a_cache_that_cannot_be_written_costs_a_line(
    place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    file = place.leave()
    (file.parent / file.name.replace("-sent", "-both")).mkdir()
    assert place.choose().on
    assert "the next job tries again" in capsys.readouterr().err


def test_nothing_is_tried_for_a_dry_run(place: Place) -> None:
    place.leave()
    launcher = Launcher(("mpirun", "-n", "2", "true"), 0, "ompi", "4.1.4", None)
    assert "would be tried" in choice.choose(launcher, place.variables, None).why and place.trials == 0
