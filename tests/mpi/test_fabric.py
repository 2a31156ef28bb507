# SPDX-License-Identifier: BSD-3-Clause
"""Whole MPI libraries over the libfabric provider, on one machine."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from mpi_jobs import ALGORITHM_ROUNDS, Mpi, mpi_named
from test_run import QUADRILLE, environment, launcher

from quadrille.installation import native_directory

pytestmark = [pytest.mark.mpi, pytest.mark.timeout(120)]

# Of the MPI library: ranks of one host go over the provider too.
WITHOUT_SHARED_MEMORY = {
    "MPIR_CVAR_NOLOCAL": "1",
    "MPIR_CVAR_ENABLE_HEAVY_YIELD": "1",
    "QUADRILLE_LOG": "fabric",
}


@pytest.fixture(autouse=True)
def provider() -> None:
    if not (native_directory() / "libquadrille-fi.so").exists():
        pytest.skip("the provider is not built: libfabric's headers are not installed")


def start(
    mpi: Mpi, ranks: int, program: Sequence[str], run_options: Sequence[str], *words: str, **more: str
) -> subprocess.CompletedProcess[str]:
    """Run a test program by `quadrille run`, with `words` behind the launcher."""
    options = [*launcher(mpi.name)[1:], "--mca", "mpi_yield_when_idle", "1"] if mpi.open_mpi else []
    line = mpi.line(ranks, [str(mpi.program(program[0])), *program[1:]], mpi.settings(False, {}))
    return subprocess.run(
        [QUADRILLE, "run", *run_options, "--", str(mpi.launcher), *options, *words, *line],
        env=environment(**{**WITHOUT_SHARED_MEMORY, **more}),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )


def run(mpi: Mpi, ranks: int, *program: str, collectives: str = "off", **more: str) -> str:
    """Run a test program over the provider; return its output, after checking that it went well."""
    done = start(mpi, ranks, program, ["--fabric", "on", "--collectives", collectives], **more)
    output = done.stdout + done.stderr
    assert done.returncode == 0, output
    assert output.count("event=fabric") == ranks, "each rank's messages went over the provider"
    assert " failures=0" in output, output
    return output


@pytest.mark.parametrize("memory", ["on", "off"])
def test_messages_between_two_ranks_are_what_the_standard_says(mpi: Mpi, memory: str) -> None:
    output = run(mpi, 3, "point_to_point", str(4 << 20), QUADRILLE_FABRIC_MEMORY=memory)
    by_memory = [int(count) > 1000 for count in re.findall(r"records=(\d+)", output)]
    by_loopback = [int(count) > 1000 for count in re.findall(r" data_sent=(\d+)", output)]
    assert by_memory == [memory == "on"] * 3, output
    assert by_loopback == [memory == "off"] * 3, output


@pytest.mark.parametrize("waiting", ["spin", "sleep"])
def test_ranks_may_spin_or_sleep(ompi4: Mpi, waiting: str) -> None:
    run(ompi4, 2, "point_to_point", "1048576", QUADRILLE_WAITING=waiting)


def test_collectives_of_the_mpi_library_give_its_results(mpi: Mpi) -> None:
    run(mpi, 4, "collectives", "stress", "3", "60")


def test_collectives_of_quadrille_travel_as_messages_over_it(ompi4: Mpi) -> None:
    program = ("collectives", "stress", "4", "60")
    output = run(ompi4, 4, *program, collectives="on", QUADRILLE_ALGORITHM=ALGORITHM_ROUNDS[0])
    assert "replaced=0" not in output, output


def test_threads_use_and_create_communicators_at_the_same_time(mpi: Mpi) -> None:
    run(mpi, 3, "threads", "2", "5")


def test_messages_of_matched_probes_are_received_whatever_sends_them(mpi: Mpi) -> None:
    # Open MPI 4.1 never acknowledges a synchronous send that MPI_Mrecv receives (docs/fabric.md).
    modes = ["send", "isend"] if mpi.name == "ompi4" else ["send", "ssend", "isend", "issend"]
    run(mpi, 3, "matched_probes", *modes)


@pytest.mark.parametrize("operation", ["isend", "bsend", "rma"])
def test_an_operation_pending_around_every_collective_ends(mpi: Mpi, operation: str) -> None:
    if operation == "rma" and mpi.name == "ompi5":
        pytest.skip("Open MPI 5 has no one-sided operations over libfabric messages")
    run(mpi, 3, "pending", operation)


@pytest.mark.parametrize(
    "command",
    [
        ["point_to_point", "1048576"],
        ["threads", "2", "5"],
        ["collectives", "stress", "3", "60"],
        ["matched_probes"],
    ],
)
def test_intel_mpi_runs_over_it(command: list[str]) -> None:
    impi = mpi_named("impi")
    run(impi, 3, *command, I_MPI_FABRICS="ofi", **intel(impi))


def intel(impi: Mpi) -> dict[str, str]:
    home = impi.launcher.parents[1]
    return {"I_MPI_ROOT": str(home), "LD_LIBRARY_PATH": str(home / "lib")}


def fabric_of_start(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 0, done.stdout + done.stderr
    found = re.findall(r"event=start .* fabric=(\w+) ", done.stderr)
    assert len(found) == 1, done.stderr
    return str(found[0])


@pytest.mark.parametrize("name", ["ompi4", "ompi5", "mpich", "impi"])
def test_the_start_line_says_whether_the_provider_was_opened(name: str) -> None:
    mpi = mpi_named(name)
    more = {"QUADRILLE_LOG": "start", **(intel(mpi) if name == "impi" else {})}
    program = ["ping_pong", "8", "10"]
    assert fabric_of_start(start(mpi, 2, program, [], **more)) == "off"
    assert fabric_of_start(start(mpi, 2, program, ["--fabric", "on"], **more)) == "on"


OTHER_WORDS = {
    "ompi4": (["--mca", "pml", "ob1"], {}),
    "ompi5": (["--mca", "pml", "ob1"], {}),
    "mpich": (["-genv", "FI_PROVIDER", "tcp"], {}),
    "impi": ([], {"I_MPI_OFI_PROVIDER": "tcp"}),
}


@pytest.mark.parametrize("name", list(OTHER_WORDS))
def test_a_provider_that_would_not_be_used_is_refused_unless_one_insists(name: str) -> None:
    mpi = mpi_named(name)
    words, chosen = OTHER_WORDS[name]
    more = {"QUADRILLE_LOG": "start", **(intel(mpi) if name == "impi" else {}), **chosen}
    named = " ".join(words) or "I_MPI_OFI_PROVIDER=tcp"
    program = ["ping_pong", "8", "10"]
    refused = start(mpi, 2, program, ["--fabric", "on"], *words, **more)
    assert refused.returncode == 2
    assert f"`{named}" in refused.stderr
    assert "--insist" in refused.stderr
    assert refused.stderr.count("\n") == 1
    insisted = start(mpi, 2, program, ["--fabric", "on", "--insist"], *words, **more)
    assert insisted.stderr.count(f"`{named}") == 1
    assert fabric_of_start(insisted) == "unused"


def test_what_open_mpi_reads_of_its_user_or_does_not_ask_keeps_nobody_out(tmp_path: Path, ompi4: Mpi) -> None:
    (tmp_path / ".openmpi").mkdir()
    (tmp_path / ".openmpi" / "mca-params.conf").write_text("pml = ob1\nmtl = ^ofi\nbtl = tcp,self\n")
    words = ["--mca", "btl", "tcp,self"]
    more = {"HOME": str(tmp_path), "QUADRILLE_LOG": "start"}
    done = start(ompi4, 2, ["ping_pong", "8", "10"], ["--fabric", "on"], *words, **more)
    assert fabric_of_start(done) == "on"


def test_libfabrics_own_ping_pong_runs_over_the_provider() -> None:
    program = shutil.which("fi_pingpong")
    if program is None:
        pytest.skip("fi_pingpong is not installed")
    variables = environment(FI_PROVIDER_PATH=str(native_directory()), FI_PROVIDER="quadrille")
    for transmit_mode in ("msg", "tagged"):
        command = [program, "-p", "quadrille", "-e", "rdm", "-I", "20", "-c", "-m", transmit_mode]
        server = subprocess.Popen([*command, "-B", "47611"], env=variables, stdout=subprocess.DEVNULL)
        try:
            done = _when_it_listens([*command, "-P", "47611", "127.0.0.1"], variables)
            assert done.returncode == 0, done.stdout + done.stderr
            assert "1m" in done.stdout, done.stdout
            assert server.wait(timeout=10) == 0
        finally:
            server.kill()
            server.wait()


def _when_it_listens(client: list[str], variables: dict[str, str]) -> subprocess.CompletedProcess[str]:
    end = time.monotonic() + 10
    while True:
        done = subprocess.run(client, env=variables, capture_output=True, text=True, timeout=30, check=False)
        if "Connection refused" not in done.stderr or time.monotonic() > end:
            return done


def test_an_mpi_library_without_libfabric_is_refused() -> None:
    mpiexec = shutil.which("mpiexec.mpich")
    if mpiexec is None:
        pytest.skip("Debian's MPICH is not installed")
    done = subprocess.run(
        [QUADRILLE, "run", "--fabric", "on", "--", mpiexec, "-n", "1", "true"],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert done.returncode == 1
    assert "built without libfabric" in done.stderr
