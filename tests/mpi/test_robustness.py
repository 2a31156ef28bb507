# SPDX-License-Identifier: BSD-3-Clause
"""What must not break a program: pending operations, threads, late and killed ranks, wrong installations."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from mpi_jobs import ALGORITHM_ROUNDS, BY_THE_LIBRARY, Mpi

from quadrille.installation import native_directory
from quadrille.trace.reading import read_trace

pytestmark = [pytest.mark.mpi, pytest.mark.timeout(150)]

FORCED = {"QUADRILLE_ALGORITHM": ALGORITHM_ROUNDS[0]}
each_way = pytest.mark.parametrize(
    "forced", [FORCED, {"QUADRILLE_ALGORITHM": BY_THE_LIBRARY}], ids=["messages", "library"]
)


def shared_memory_left() -> list[str]:
    return [path.name for path in Path("/dev/shm").iterdir() if "quadrille" in path.name]


def lines_of_quadrille(errors: str) -> list[str]:
    return [line for line in errors.splitlines() if line.startswith("quadrille: ")]


@pytest.mark.parametrize("operation", ["isend", "issend", "bsend", "rma"])
@each_way
def test_an_operation_pending_around_every_collective_ends(
    mpi: Mpi, operation: str, forced: dict[str, str]
) -> None:
    outcome = mpi.run(3, [mpi.program("pending"), operation], forced, timeout_s=60)
    assert (outcome.code, outcome.counts) == (0, {"checks": 17, "failures": 0}), outcome.errors


@each_way
def test_threads_use_and_create_communicators_at_the_same_time(mpi: Mpi, forced: dict[str, str]) -> None:
    threads, rounds = ("4", "20") if mpi.open_mpi else ("2", "5")
    outcome = mpi.run(3, [mpi.program("threads"), threads, rounds], forced)
    assert (outcome.code, outcome.counts.get("failures")) == (0, 0), outcome.errors + outcome.output


def test_what_threads_sum_at_the_same_time_is_not_mixed_up(mpi: Mpi) -> None:
    forced = {"QUADRILLE_ALGORITHM": "allreduce:recursive_doubling"}
    outcome = mpi.run(2, [mpi.program("threads"), "4", "0", "5000"], forced)
    counts = {"checks": 20_000, "failures": 0}
    assert (outcome.code, outcome.counts) == (0, counts), outcome.errors + outcome.output


@each_way
def test_communicators_callbacks_errors_and_forks(mpi: Mpi, forced: dict[str, str]) -> None:
    cycles = "5000" if mpi.open_mpi else "2500"
    outcome = mpi.run(3, [mpi.program("life_cycle"), cycles], forced)
    assert (outcome.code, outcome.counts.get("failures")) == (0, 0), outcome.errors + outcome.output


@pytest.mark.parametrize(("case", "checks"), [("operation", 10), ("leftovers", 6), ("memory", 6)])
def test_a_program_whose_errors_return_goes_on(mpi: Mpi, case: str, checks: int) -> None:
    forced = {"QUADRILLE_ALGORITHM": ALGORITHM_ROUNDS[1]}  # broadcasts in segments
    outcome = mpi.run(2, [mpi.program("after_errors"), case], forced, timeout_s=60)
    assert (outcome.code, outcome.counts) == (0, {"checks": checks, "failures": 0}), outcome.output
    short = [line for line in lines_of_quadrille(outcome.errors) if "not enough memory" in line]
    assert len(short) == (2 if case == "memory" else 0), outcome.errors


def test_processes_that_a_program_starts_itself(mpi: Mpi, tmp_path: Path) -> None:
    extra = {"QUADRILLE_TRACE": str(tmp_path), "QUADRILLE_ALGORITHM": "bcast:chain,allreduce:ring"}
    line = mpi.line(3, [str(mpi.program("spawned")), "2"], mpi.settings(True, extra))
    # MPICH's launcher gives the one to the processes of its line alone.
    outcome = mpi.start(["-genv" if word == "-env" else word for word in line])
    assert outcome.code == 0, outcome.errors
    assert outcome.counts == {"children": 2, "wrong": 0}
    # Their files would be the parents'.
    trace = read_trace(tmp_path)
    assert trace.missing == trace.cut == []
    assert sorted(trace.by_rank) == [0, 1, 2]


def test_a_rank_without_the_library_ends_the_job_with_a_message(mpi: Mpi) -> None:
    # `env` instead of launcher options: Open MPI 5 gives those of one part to all parts.
    program = [str(mpi.program("late_rank")), "0"]
    library = f"LD_PRELOAD={native_directory() / 'libquadrille.so'}"
    with_it = ["env", library, "QUADRILLE_HANDSHAKE_S=3", *program]
    plain = mpi.settings(False, {})
    outcome = mpi.start([*mpi.line(1, with_it, plain), ":", *mpi.line(1, program, plain)], timeout_s=60)
    assert outcome.code != 0
    assert "not every rank has shown within 3 s that it runs Quadrille" in outcome.errors, outcome.errors


@pytest.mark.parametrize(
    ("trials", "complaint"),
    [
        ("3", "the ranks of this job have different QUADRILLE_ settings"),
        ("many", "the QUADRILLE_ settings of another rank cannot be used"),
    ],
)
def test_a_rank_with_other_settings_costs_one_line_and_the_program_runs_on(
    mpi: Mpi, trials: str, complaint: str
) -> None:
    program = [str(mpi.program("late_rank")), "0"]
    with_other = ["env", f"QUADRILLE_TRIALS={trials}", *program]
    settings = mpi.settings(True, FORCED)
    outcome = mpi.start([*mpi.line(2, program, settings), ":", *mpi.line(1, with_other, settings)])
    assert (outcome.code, outcome.counts) == (0, {"sum": 3}), outcome.errors
    told = f"quadrille: {complaint}; the program runs on with the MPI library alone"
    assert lines_of_quadrille(outcome.errors) == [told], outcome.errors


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [
        ({"QUADRILLE_TRIALS": "many"}, "QUADRILLE_TRIALS"),
        (
            {"QUADRILLE_TRIALS": "4294967295"},
            "QUADRILLE_TRIALS=4294967295: expected a whole number from 0 to 100000",
        ),
        ({"QUADRILLE_WIRE": "tcp"}, "QUADRILLE_WIRE=tcp: expected auto, udp, packet, xdp or off"),
        ({"QUADRILLE_ALGORITHM": "bcast:telepathy"}, "no algorithm 'telepathy'"),
        ({"QUADRILLE_ABI": "mpich"}, "QUADRILLE_ABI does not fit"),
    ],
)
def test_a_wrong_setting_costs_one_line_and_the_program_runs_on(
    ompi4: Mpi, settings: dict[str, str], complaint: str
) -> None:
    outcome = ompi4.run(3, [ompi4.program("late_rank"), "0"], settings)
    assert (outcome.code, outcome.counts) == (0, {"sum": 3}), outcome.errors
    (line,) = lines_of_quadrille(outcome.errors)
    assert complaint in line
    assert "the program runs on with the MPI library alone" in line


def test_a_misspelt_setting_or_topic_costs_one_line_and_nothing_else(ompi4: Mpi) -> None:
    settings = {**FORCED, "QUADRILLE_TRIAL": "0", "QUADRILLE_LOG": "starts,plan"}
    outcome = ompi4.run(3, [ompi4.program("late_rank"), "0"], settings)
    assert (outcome.code, outcome.counts["sum"]) == (0, 3), outcome.errors
    assert sorted(lines_of_quadrille(outcome.errors)) == [
        "quadrille: QUADRILLE_LOG: unknown topic starts; expected start, plan, wire or fabric",
        "quadrille: unknown setting QUADRILLE_TRIAL, did you mean QUADRILLE_TRIALS? "
        "(`quadrille env --help` shows all)",
    ]
    assert "event=plan" in outcome.errors


@pytest.mark.parametrize(("algorithm", "ours"), [("barrier:dissemination,reduce:binomial", 1), ("", 0)])
def test_the_log_counts_calls_at_the_end(ompi4: Mpi, algorithm: str, ours: int) -> None:
    settings = {"QUADRILLE_ALGORITHM": algorithm, "QUADRILLE_LOG": "plan"}
    outcome = ompi4.run(3, [ompi4.program("late_rank"), "0"], settings)
    told = [line for line in outcome.errors.splitlines() if line.startswith("event=calls")]
    counted = f"calls=1 by_quadrille={ours}"
    assert told == [f"event=calls collective=barrier {counted}", f"event=calls collective=reduce {counted}"]


def test_a_missing_core_library_costs_one_line(ompi4: Mpi, tmp_path: Path) -> None:
    shim = str(shutil.copy(native_directory() / "libquadrille.so", tmp_path))
    outcome = ompi4.run(3, [ompi4.program("late_rank"), "0"], {"LD_PRELOAD": shim})
    assert (outcome.code, outcome.counts) == (0, {"sum": 3}), outcome.errors
    (line,) = lines_of_quadrille(outcome.errors)
    assert "libquadrille-ompi.so" in line


def test_a_program_that_is_not_mpi_does_not_notice(ompi4: Mpi) -> None:
    command = ["bash", "-c", "echo $((6 * 7)); ls / > /dev/null; python3 -c 'print(43)'"]
    alone = subprocess.run(command, capture_output=True, text=True, check=True)
    environment = {**os.environ, **ompi4.settings(True, FORCED)}
    preloaded = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    assert (preloaded.stdout, preloaded.stderr) == (alone.stdout, alone.stderr)


@pytest.mark.alone
def test_a_killed_rank_ends_the_job_and_the_next_one_needs_no_reset(mpi: Mpi) -> None:
    program = mpi.program("late_rank")
    assert mpi.run(3, [program, "0", "die"], FORCED, timeout_s=60).code != 0
    assert shared_memory_left() == []
    after = mpi.run(3, [program, "0"], FORCED)
    assert (after.code, after.counts) == (0, {"sum": 3}), after.errors


def test_a_late_rank_is_named_once_by_each_that_waits(ompi4: Mpi) -> None:
    # Comparing decisions would have rank 2 wait before the call, and rank 0 for it.
    settings = {**FORCED, "QUADRILLE_WAIT_REPORT_S": "2", "QUADRILLE_CHECK_DECISIONS": "off"}
    outcome = ompi4.run(3, [ompi4.program("late_rank"), "5"], settings)
    assert (outcome.code, outcome.counts) == (0, {"sum": 3}), outcome.errors
    lines = lines_of_quadrille(outcome.errors)
    assert sorted(line.split(" (")[0] for line in lines) == ["quadrille: rank 0", "quadrille: rank 2"], lines
    assert all("has waited 2 s in MPI_Barrier" in line and "for rank 1 (" in line for line in lines), lines


def test_a_stopped_rank_is_waited_for(mpi: Mpi) -> None:
    outcome = mpi.run(3, [mpi.program("late_rank"), "5", "stop"], FORCED, timeout_s=60)
    assert (outcome.code, outcome.counts) == (0, {"sum": 3}), outcome.errors


LEFT = ",".join(
    f"{name}:mpi"
    for name in (
        "alltoallv",
        "alltoallw",
        "scatterv",
        "gatherv",
        "reduce_scatter",
        "allgather",
        "gather",
        "scatter",
    )
)


def test_counts_that_fit_are_right_and_others_refused_where_the_library_has_no_such_calls(mpi: Mpi) -> None:
    for settings, arguments in ((FORCED, []), ({"QUADRILLE_ALGORITHM": LEFT}, ["left"])):
        outcome = mpi.run(3, [mpi.program("narrow_counts"), *arguments], settings, timeout_s=60)
        assert outcome.code == 0, outcome.errors
        refused = 6 if arguments and "own=0" in outcome.output else 0
        assert outcome.counts["failures"] == 0 and outcome.counts["checks"] == 16 + refused, outcome.output
