# SPDX-License-Identifier: BSD-3-Clause
"""How the lab's tests start programs of tests/mpi/programs on emulated hosts, and what they read of them."""

from __future__ import annotations

import contextlib
import re
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from lab_traffic import needs_namespaces

from quadrille.errors import QuadrilleError
from quadrille.installation import mpi_prefix, native_directory, quadrille_program
from quadrille.lab import namespaces as ns
from quadrille.lab.lab import Lab, RunResult
from quadrille.suites.forced import SETTINGS

GRANTED = "alltoall:granted,alltoallv:granted,gatherv:granted"
"""Calls over the wire in which receivers grant."""
IN_HOST_MEMORY = SETTINGS["two_level"]["QUADRILLE_ALGORITHM"]
"""Small calls in which the ranks of a host meet in its memory."""
OVER_PROVIDER = [
    pytest.mark.lab,
    pytest.mark.mpi,
    needs_namespaces,
    pytest.mark.timeout(150),
    pytest.mark.usefixtures("provider"),
]
"""Marks of tests whose MPI programs run over the libfabric provider."""
ABI = {"ompi4": "ompi", "ompi5": "ompi", "mpich": "mpich", "impi": "mpich"}


def program(name: str, mpi: str) -> str:
    if mpi != "ompi4" and mpi_prefix(mpi) is None:
        pytest.skip(f"{mpi} is not installed here")
    try:
        return str(native_directory() / "tests" / f"{name}-{ABI[mpi]}")
    except QuadrilleError as missing:
        pytest.skip(str(missing))


def libraries(mpi: str) -> dict[str, str]:
    prefix = mpi_prefix(mpi)
    # With more ranks than cores MPICH's own waiting has to give cores away.
    waiting = {"MPIR_CVAR_ENABLE_HEAVY_YIELD": "1"} if mpi == "mpich" else {}
    return waiting if prefix is None else {**waiting, "LD_LIBRARY_PATH": str(prefix / "lib")}


def counts(result: RunResult) -> dict[str, int]:
    assert result.exit_code == 0, result.output
    return {name: int(value) for name, value in re.findall(r"(\w+)=(\d+)", result.output)}


def run_over_link(
    lab: Lab, link: str, ranks: int, command: Sequence[str], mpi: str, environment: Mapping[str, str] = {}
) -> RunResult:
    """Run a test program whose calls go over the wire by `link`, as `--wire` has it."""
    settings = {
        "QUADRILLE_ALGORITHM": GRANTED,
        "QUADRILLE_LOG": "start,wire",
        "QUADRILLE_WIRE": link,
        **libraries(mpi),
        **environment,
    }
    return lab.run(command, mpi=mpi, ranks=ranks, environment=settings, quadrille=True, timeout_s=100)


def start_over_provider(
    line: Sequence[str], *options: str, fabric: str = "on", timeout_s: float = 120
) -> subprocess.CompletedProcess[str]:
    """Run a launcher's line by `quadrille run --fabric ...` and `options` to its end, whatever that is."""
    return subprocess.run(
        [quadrille_program(), "run", "--fabric", fabric, *options, "--", *line],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )


def run_over_provider(
    lab: Lab, mpi: str, ranks: int, command: Sequence[str], environment: Mapping[str, str], *options: str
) -> str:
    """Run a test program by `quadrille run --fabric on` and `options`; return its output, no check failed."""
    line = [*lab.launcher(mpi, ranks, None, {**environment, **libraries(mpi)}), *command]
    done = start_over_provider(line, *options)
    output = done.stdout + done.stderr
    assert done.returncode == 0, output
    assert " failures=0" in output, output
    return output


def provider_counts(lab: Lab, mpi: str, ranks: int, *command: str, **environment: str) -> dict[str, int]:
    """Run a test program over the provider; return the sums of what its ranks have counted."""
    line = [program(command[0], mpi), *command[1:]]
    environment["QUADRILLE_LOG"] = "fabric"
    output = run_over_provider(lab, mpi, ranks, line, environment, "--collectives", "off")
    lines = re.findall(r"event=fabric .*", output)
    assert len(lines) == ranks, output
    sums: dict[str, int] = {}
    for line_of_rank in lines:
        for name, value in re.findall(r"(\w+)=(\d+)\b", line_of_rank):
            sums[name] = sums.get(name, 0) + int(value)
    assert sums["forged"] == sums["malformed"] == 0
    return sums


def assert_all_went_as_frames(found: Mapping[str, int]) -> None:
    """Of `wire_counts`: nearly all datagrams of the ranks left and came past the kernel's layers."""
    datagrams = found["data_sent"] + found["acks_sent"] + found["probes"]
    # The rest: the first to each address, and one a second.
    assert 0.9 * datagrams < found["frames_sent"] <= datagrams + found["data_resent"]
    assert found["frames_received"] > 0.9 * found["data_received"]
    assert found["forged"] == found["malformed"] == 0


@contextlib.contextmanager
def once_exchanging(action: Callable[[], None], after_s: float = 0.5) -> Iterator[dict[str, str]]:
    """Run `action` in a thread so long after `exchange_times` has made its first calls.

    Yields what that program must have in its environment. The action has begun while the program ran.
    """
    with tempfile.TemporaryDirectory() as folder:
        begun = Path(folder, "begun")
        left, acted = threading.Event(), threading.Event()
        failures: list[BaseException] = []

        def act() -> None:
            while not begun.exists():
                if left.wait(0.02):
                    return
            if left.wait(after_s):
                return
            acted.set()
            try:
                action()
            except BaseException as failure:
                failures.append(failure)

        thread = threading.Thread(target=act)
        thread.start()
        try:
            yield {"EXCHANGE_BEGUN": str(begun)}
        finally:
            left.set()
            thread.join()
        assert acted.is_set(), "no exchange was under way"
        assert not failures, failures


def exchange_during(lab: Lab, link: str, ranks: int, host: str, change: str) -> RunResult:
    """Run an exchange of some seconds by `link`, in whose course `host` makes a change; nothing is wrong."""
    command = [program("exchange_times", "ompi4"), "20000", "800"]
    with once_exchanging(lambda: lab.on_host(host, ["sh", "-c", change])) as environment:
        result = run_over_link(lab, link, ranks, command, "ompi4", environment)
    assert counts(result)["wrong"] == 0
    return result


def block_datagrams_to(lab: Lab, host: str, after_kbytes: int = 0) -> None:
    """Have `host` drop what UDP brings it after so many; its own datagrams still leave."""
    quota = f"quota over {after_kbytes} kbytes" if after_kbytes else ""
    drop_at(lab, host, f"meta l4proto udp {quota}")


def connections_of(lab: Lab, host: str) -> set[tuple[str, str]]:
    """Return the established TCP connections of `host`: its own end and the other, ADDRESS:PORT."""
    listed = lab.on_host(host, ["ss", "-Htn", "state", "established"])
    return {(line.split()[2], line.split()[3]) for line in listed.splitlines()}


def busy_connections_of(lab: Lab, host: str, least_bytes: int) -> set[tuple[str, str]]:
    """Return those that have received so much."""
    listed = lab.on_host(host, ["ss", "-HtinO", "state", "established"])
    busy = set()
    for line in listed.splitlines():
        received = re.search(r"bytes_received:(\d+)", line)
        if received is not None and int(received[1]) >= least_bytes:
            busy.add((line.split()[2], line.split()[3]))
    return busy


def cut_connections(lab: Lab, host: str, connections: set[tuple[str, str]]) -> None:
    """Have `host` drop what comes by these, without a word to either end."""
    for own, other in connections:
        address, _, port = other.rpartition(":")
        ports = f"tcp dport {own.rpartition(':')[2]} tcp sport {port}"
        lab.on_host(host, ["nft", "add", "rule", "inet", "t", "i", f"ip saddr {address} {ports} drop"])


def block_multicast_to(lab: Lab, host: str, after_kbytes: int = 0) -> None:
    """The same for what goes to several hosts at once."""
    quota = f"quota over {after_kbytes} kbytes" if after_kbytes else ""
    drop_at(lab, host, f"ip daddr 224.0.0.0/4 meta l4proto udp {quota}")


def forward_multicast_to(lab: Lab, host: str, forwards: bool) -> None:
    """Have the port of `host` flood what goes to several hosts, or not any more."""
    flag = "on" if forwards else "off"
    state = lab.state
    inside = ns.call_inside(
        state.inside(state.switch_namespace),
        _run,
        ["bridge", "link", "set", "dev", host, "mcast_flood", flag],
    )
    assert inside == 0


def _run(command: list[str]) -> int:
    return subprocess.run(command, check=False).returncode


def lose_datagrams(lab: Lab, share: float) -> None:
    """Have every host drop that share of what UDP brings it; TCP stays whole."""
    for host in lab.state.hosts:
        drop_at(lab, host, f"meta l4proto udp numgen random mod 1000 < {round(share * 1000)}")


def lose_long_datagrams(lab: Lab, longest: int) -> None:
    """Have every host drop what UDP brings in packets of more than `longest` bytes; TCP stays whole."""
    for host in lab.state.hosts:
        drop_at(lab, host, f"meta l4proto udp meta length > {longest}")


def stop_from_its_first_socket_on(lab: Lab, host: str, ended: threading.Event) -> None:
    """Stop the processes of `host` for 1.3 s of each 1.4 once one has a UDP socket, at most ten times."""
    while not ended.wait(0.02):
        if len(lab.on_host(host, ["cat", "/proc/net/udp"]).splitlines()) > 1:
            break
    for _ in range(10):
        lab.freeze(host, cables=False)
        stopped = not ended.wait(1.3)
        lab.thaw(host)
        if not stopped or ended.wait(0.1):
            return


def drop_at(lab: Lab, host: str, rule: str) -> None:
    """Have `host` drop what `rule` of nftables describes."""
    if shutil.which("nft") is None:
        pytest.skip("nft is not installed here")
    rules = f"table inet t {{ chain i {{ type filter hook input priority 0; {rule} drop; }}; }}"
    lab.on_host(host, ["sh", "-c", f"echo '{rules}' | nft -f -"])


def wire_counts(result: RunResult) -> dict[str, int]:
    line = re.search(r"event=wire data_sent.*", result.output)
    assert line is not None, result.output
    return {name: int(value) for name, value in re.findall(r"(\w+)=(\d+)", line[0])}


def flow_counts(result: RunResult) -> dict[str, dict[str, int]]:
    lines = re.findall(r"event=wire_flow operation=(\w+) (.*)", result.output)
    return {
        operation: {name: int(value) for name, value in re.findall(r"(\w+)=(\d+)", counts)}
        for operation, counts in lines
    }
