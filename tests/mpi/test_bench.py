# SPDX-License-Identifier: BSD-3-Clause
"""`quadrille bench` with a real launcher: every collective verified, options honoured, bad input refused."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from quadrille.bench.results_file import Results, read_results
from quadrille.installation import mpi_prefix, native_program

COLLECTIVES = [
    "barrier",
    "bcast",
    "reduce",
    "allreduce",
    "allgather",
    "allgatherv",
    "alltoall",
    "alltoallv",
    "gather",
    "scatter",
    "reduce_scatter_block",
    "reduce_scatter",
    "scan",
    "exscan",
    "charmm_step",
]
NBODY_STEPS = ["nbody_step", "nbody_timed_step", "nbody_tree_step", "nbody_tree_timed_step"]
SORTS = ["sort_alltoall_int", "sort_alltoallv_int", "sort_alltoallv_double", "sort_exchange", "sort_random"]
QUADRILLE = [sys.executable, "-c", "from quadrille.cli import main; main()"]

pytestmark = [pytest.mark.mpi, pytest.mark.timeout(180)]


def open_mpi(ranks: int) -> list[str]:
    launcher = shutil.which("mpirun.openmpi") or shutil.which("mpirun")
    assert launcher is not None, "no mpirun in PATH; run `make build`"
    return [
        launcher,
        "--allow-run-as-root",
        "--oversubscribe",
        "--mca",
        "mpi_yield_when_idle",
        "1",
        "-np",
        str(ranks),
    ]


def mpich(ranks: int) -> list[str]:
    prefix = mpi_prefix("mpich")
    if prefix is None:
        pytest.skip("MPICH is not installed; run `make build`")
    return [str(prefix / "bin" / "mpiexec"), "-n", str(ranks)]


def start(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [*QUADRILLE, "bench", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=150, check=False)


def measure(output: Path, *arguments: str, launcher: list[str]) -> Results:
    quick = ["--seconds", "0.2", "--calls", "2", "--blocks", "2", "--warmup", "3"]
    done = start("-o", str(output), *quick, *arguments, "--", *launcher)
    assert done.returncode == 0, done.stderr
    return read_results([output])


@pytest.mark.parametrize("launcher", [open_mpi(3), "mpich"], ids=["ompi", "mpich"])
@pytest.mark.parametrize("place", ["separate", "in_place"])
def test_every_collective_verifies_on_every_size(
    tmp_path: Path, launcher: list[str] | str, place: str
) -> None:
    line = mpich(3) if isinstance(launcher, str) else launcher
    arguments = ["--collective", ",".join(COLLECTIVES), "--bytes", "0,1,7,1K,24K", "--ranks", "1,3"]
    if place == "in_place":
        arguments += ["--in-place", "--type", "int"]
    results = measure(tmp_path / "r.jsonl", *arguments, launcher=line)
    points = results.points()
    assert len(points) == 2 * (5 * (len(COLLECTIVES) - 1) + 1)
    assert {point.collective for point in points} == set(COLLECTIVES)
    assert all(point.wrong_results == 0 and point.verified_calls > 8 for point in points)
    end = results.runs[0].end
    assert end is not None and end.status == "complete" and end.points == len(points)


@pytest.mark.parametrize("launcher", [open_mpi(3), "mpich"], ids=["ompi", "mpich"])
def test_bodies_are_where_one_rank_alone_puts_them(
    tmp_path: Path, launcher: list[str] | str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUADRILLE_ALGORITHM", "bcast:bcast_binomial")
    line = mpich(3) if isinstance(launcher, str) else launcher
    arguments = ["--collective", ",".join(NBODY_STEPS), "--bytes", "0,24,336,2399", "--ranks", "1,3"]
    points = measure(tmp_path / "r.jsonl", *arguments, launcher=line).points()
    assert [point.collective for point in points] == [step for step in NBODY_STEPS for _ in range(8)]
    assert all(point.wrong_results == 0 and point.verified_calls > 8 for point in points)
    assert {point.blocks.quadrille.executor for point in points if point.ranks == 3 and point.bytes} == {
        "quadrille"
    }


def test_a_slower_processor_makes_timed_steps_longer(tmp_path: Path) -> None:
    arguments = ["--collective", "nbody_timed_step", "--bytes", "9600", "--without-library"]
    times = {}
    for scale in (1, 100):
        scaled = [*arguments, "--computing-scale", str(scale)]
        run = measure(tmp_path / "r.jsonl", *scaled, launcher=open_mpi(2)).runs[0]
        assert run.facts.settings.computing_scale == scale
        times[scale] = run.points[0].blocks.native.min_ns
    # 400 bodies attract 800: more than 0.3 ms on any processor.
    assert times[100] > times[1] + 30e6


@pytest.mark.parametrize("launcher", [open_mpi(4), "mpich"], ids=["ompi", "mpich"])
@pytest.mark.parametrize("forced", ["", "alltoall:pairwise,alltoallv:ordered"], ids=["own", "forced"])
def test_a_parallel_sort_is_sorted_element_by_element(
    tmp_path: Path, launcher: list[str] | str, forced: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUADRILLE_ALGORITHM", forced)
    line = mpich(4) if isinstance(launcher, str) else launcher
    arguments = ["contention", "--collective", ",".join(SORTS), "--ranks", "1,2,4", "--vectors", "4800"]
    arguments += ["--doubles", "3", "--memory", "constant-local", "--first", "quadrille"]
    points = measure(tmp_path / "r.jsonl", *arguments, launcher=line).points()
    assert [point.collective for point in points] == [sort for sort in SORTS for _ in range(3)]
    assert all(point.wrong_results == 0 and point.verified_calls > 8 for point in points)
    assert [point.bytes for point in points if point.ranks == 4] == [4, 1200, 7200, 7200, 7200]
    for point in points:
        assert point.sort is not None and not point.sort.swapped
        assert point.sort.arrays_bytes == 2 * point.ranks * point.bytes
        assert point.sort.global_bytes == 4800 * 24
    if forced:
        assert {point.blocks.quadrille.executor for point in points if point.ranks == 4} == {"quadrille"}


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--vectors", "4801"], "nearest such n is 4800"),
        (["--doubles", "0"], "m = 0"),
        (["--vectors", str(16 << 20), "--doubles", "1024"], "cannot count"),
        (["--vectors", str(16 << 16), "--doubles", "6000"], "can be used"),
    ],
    ids=["divided", "no-doubles", "too-many", "no-memory"],
)
def test_a_sort_that_cannot_be_is_refused_with_its_figures(
    tmp_path: Path, arguments: list[str], complaint: str
) -> None:
    done = start("contention", *arguments, "-o", str(tmp_path / "r.jsonl"), "--", *open_mpi(4))
    assert done.returncode != 0
    assert complaint in done.stderr
    assert (tmp_path / "r.jsonl").read_text() == ""


def test_two_jobs_at_once_are_measured_alone_and_beside_each_other(tmp_path: Path) -> None:
    arguments = ["contention", "--collective", "sort_exchange", "--vectors", "48", "--jobs", "2"]
    runs = measure(tmp_path / "r.jsonl", *arguments, launcher=open_mpi(2)).runs
    assert [run.facts.beside for run in runs] == [None, "native", "quadrille"]
    assert all(run.end is not None and run.end.status == "complete" and len(run.points) == 1 for run in runs)


def test_a_job_beside_that_ends_first_is_told(tmp_path: Path) -> None:
    arguments = ["contention", "--vectors", "48", "--jobs", "2", "--seconds", "0.1", "--warmup", "1"]
    other = [*open_mpi(2)[:-1], "3"]  # processes, whose square does not divide 48
    done = start(*arguments, "--beside", " ".join(other), "-o", str(tmp_path / "r.jsonl"), "--", *open_mpi(2))
    assert done.returncode == 1
    assert "beside ended" in done.stderr and "nearest such n is 45" in done.stderr


def test_samples_are_kept_and_figures_follow_from_them(tmp_path: Path) -> None:
    results = measure(tmp_path / "r.jsonl", "bcast", "--bytes", "4K", "--root", "1", launcher=open_mpi(3))
    (point,) = results.points()
    assert point.root == 1
    for _, measured in point.measurements():
        for side in (measured.native, measured.quadrille):
            assert (
                len(side.samples_ns)
                == len(side.local_samples_ns)
                == side.n
                == sum(e.calls for e in side.executions)
            )
            assert side.min_ns == min(side.samples_ns) and side.max_ns == max(side.samples_ns)
            assert 0 < side.min_ns <= side.median_ns <= side.p90_ns <= side.p99_ns <= side.max_ns
            assert side.root_to_last_ns is not None and len(side.root_to_last_ns) == side.n
        ratio = measured.ratio_of_medians
        assert ratio.low <= ratio.value <= ratio.high


def test_calls_in_turn_can_be_left_out(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    results = measure(path, "alltoall", "--bytes", "1K,8K", "--blocks-only", launcher=open_mpi(2))
    assert [point.alternating for point in results.points()] == [None, None]
    # Two rounds of native, ours, ours, native.
    assert all(point.blocks.native.n == 4 * point.calls_per_block for point in results.points())
    page = tmp_path / "r.html"
    assert subprocess.run([*QUADRILLE, "report", path, "-o", page], check=False).returncode == 0
    assert "in blocks" in page.read_text()


def test_without_the_library_the_mpi_library_executes_both_sides(tmp_path: Path) -> None:
    results = measure(
        tmp_path / "r.jsonl", "alltoall", "--bytes", "8K", "--without-library", launcher=open_mpi(2)
    )
    assert not results.runs[0].facts.library_loaded
    assert {point.blocks.quadrille.executor for point in results.points()} == {"mpi"}


def test_with_the_library_a_forced_algorithm_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QUADRILLE_ALGORITHM", "bcast:bcast_binomial")
    results = measure(tmp_path / "r.jsonl", "bcast", "--bytes", "8K", launcher=open_mpi(4))
    (point,) = results.points()
    assert results.runs[0].facts.library_loaded
    assert point.blocks.quadrille.executor == "quadrille"
    assert (point.blocks.quadrille.algorithm or "").startswith("bcast_binomial")
    assert point.blocks.native.executor == "mpi"


@pytest.mark.alone
def test_skew_is_not_part_of_the_time(tmp_path: Path) -> None:
    results = measure(
        tmp_path / "r.jsonl", "barrier", "--skew-us", "20000", "--without-library", launcher=open_mpi(2)
    )
    (point,) = results.points()
    assert point.skew_us == 20000
    # Ranks arrive up to 20 ms apart; counted is what follows the last planned arrival.
    assert point.blocks.native.median_ns < 10_000_000
    assert max(point.blocks.native.local_samples_ns) > 1_000_000


def test_back_to_back_calls_say_so(tmp_path: Path) -> None:
    results = measure(
        tmp_path / "r.jsonl", "allreduce", "--bytes", "64", "--sync", "none", launcher=open_mpi(2)
    )
    assert results.runs[0].facts.settings.sync == results.points()[0].sync == "none"


def test_append_keeps_earlier_runs(tmp_path: Path) -> None:
    output = tmp_path / "r.jsonl"
    measure(output, "barrier", launcher=open_mpi(2))
    assert len(measure(output, "barrier", "--append", launcher=open_mpi(2)).runs) == 2
    assert len(measure(output, "barrier", launcher=open_mpi(2)).runs) == 1


def test_an_interrupt_keeps_the_points_measured_so_far(tmp_path: Path) -> None:
    output = tmp_path / "r.jsonl"
    arguments = [
        "--collective",
        "barrier,bcast,allreduce",
        "--bytes",
        "64,1K",
        "--seconds",
        "2",
        "--blocks",
        "99999",
    ]
    command = [*QUADRILLE, "bench", "-o", str(output), *arguments, "--", *open_mpi(2)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    deadline = time.monotonic() + 200
    while not output.exists() or output.read_text().count("\n") < 2:
        assert process.poll() is None and time.monotonic() < deadline, "no point was measured"
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130
    results = read_results([output])
    assert len(results.points()) >= 1
    end = results.runs[0].end
    assert end is not None and end.status == "interrupted"


@pytest.mark.parametrize(
    ("arguments", "code", "complaint"),
    [
        (["alltoal"], 2, "no case is called 'alltoal'"),
        (["bcast", "--ranks", "many"], 2, "--ranks many"),
        (["bcast", "--mpi", "lam"], 2, "--mpi"),
    ],
)
def test_wrong_arguments_are_refused(tmp_path: Path, arguments: list[str], code: int, complaint: str) -> None:
    done = start(*arguments, "-o", str(tmp_path / "r.jsonl"), "--", *open_mpi(2))
    assert done.returncode == code, done.stderr
    assert complaint in done.stderr


def test_a_missing_launcher_line_is_refused(tmp_path: Path) -> None:
    done = start("bcast", "-o", str(tmp_path / "r.jsonl"))
    assert done.returncode == 2 and "no launcher line" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--ranks", "5"], "the job has 2 ranks"),
        (["--root", "2"], "there are only 2 ranks"),
        (["--bytes", "many"], "'many' is no number of bytes"),
        (["--collective", "alltoallw"], "alltoallw"),
        (["--bytes", "4G", "--type", "byte"], "more elements than MPI counts"),
        (["--collective", "alltoallv", "--bytes", "8G"], "more elements than MPI counts"),
    ],
)
def test_what_the_kernel_refuses_is_told_and_fails(
    tmp_path: Path, arguments: list[str], complaint: str
) -> None:
    done = start("bcast", *arguments, "-o", str(tmp_path / "r.jsonl"), "--", *open_mpi(2))
    assert done.returncode == 1, done.stderr
    assert complaint in done.stderr


def test_kernel_alone_writes_results_too(tmp_path: Path) -> None:
    output = tmp_path / "alone.jsonl"
    kernel = [str(native_program("quadrille-bench-ompi")), "--collective", "barrier", "--output", str(output)]
    subprocess.run([*open_mpi(2), *kernel], check=True, timeout=60)
    assert read_results([output]).runs[0].facts.command is None


def test_a_kernel_whose_file_finds_no_room_fails_and_names_beyond_utf8_do_not_end_it() -> None:
    kernel = [str(native_program("quadrille-bench-ompi")), "--collective", "barrier", "--seconds", "0.1"]
    environment: dict[bytes, bytes] = {**os.environb, b"QUADRILLE_CACHE": b"/tmp/\xfc"}
    full = subprocess.run(
        [*open_mpi(1), *kernel, "--output", "/dev/full"], capture_output=True, text=True, timeout=60
    )
    assert full.returncode == 1 and "/dev/full: cannot be written" in full.stderr
    told = subprocess.run([*open_mpi(1), *kernel], env=environment, capture_output=True, timeout=60)
    assert told.returncode == 0, told.stderr
    assert "/tmp/\ufffd" in told.stdout.decode()
